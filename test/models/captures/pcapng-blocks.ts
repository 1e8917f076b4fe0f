/** Writes the blocks of a pcapng in one byte order. */
export class Blocks {
  readonly #littleEndian: boolean;
  readonly bytes: number[] = [];

  constructor(littleEndian = true) {
    this.#littleEndian = littleEndian;
  }

  #words(words: readonly number[], width: 2 | 4): number[] {
    const view = new DataView(new ArrayBuffer(words.length * width));
    words.forEach((word, i) => {
      if (width === 4) view.setUint32(4 * i, word, this.#littleEndian);
      else view.setUint16(2 * i, word, this.#littleEndian);
    });
    return [...new Uint8Array(view.buffer)];
  }

  block(type: number, body: readonly number[]): this {
    const length = 12 + body.length;
    this.bytes.push(...this.#words([type, length], 4), ...body, ...this.#words([length], 4));
    return this;
  }

  section(): this {
    return this.block(0x0a0d0d0a, [...this.#words([0x1a2b3c4d], 4), ...this.#words([1, 0], 2), ...Array(8).fill(255)]);
  }

  /** An interface; `options` as pairs of code and bytes. */
  iface(linkType = 1, options: readonly (readonly [number, readonly number[]])[] = []): this {
    const written = options.flatMap(([code, value]) => {
      const padding = Array((4 - (value.length % 4)) % 4).fill(0);
      return [...this.#words([code, value.length], 2), ...value, ...padding];
    });
    const end = options.length === 0 ? [] : this.#words([0, 0], 2);
    return this.block(1, [...this.#words([linkType, 0], 2), ...this.#words([0], 4), ...written, ...end]);
  }

  /** An enhanced packet with so many units since 1970. */
  packet(units: bigint, lengthBytes: number, iface = 0, capturedBytes = 4): this {
    const head = [iface, Number(units >> 32n), Number(units & 0xffffffffn), capturedBytes, lengthBytes];
    return this.block(6, [...this.#words(head, 4), ...Array(Math.ceil(capturedBytes / 4) * 4).fill(0)]);
  }

  get file(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}
