import { type ByteWindow, cutOff, WINDOW_BYTES } from './byte-window.ts';
import type { CaptureProblem } from './capture-error.ts';
import { LINK_TYPES_WORDS, sizeDifferenceBytes } from './link-types.ts';
import type { PacketRecords } from './packet-records.ts';
import { checkLengths } from './pcap.ts';

/** Block types of the format (draft-ietf-opsawg-pcapng), and the magic number of a section's byte order. */
export const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const OBSOLETE_PACKET = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;

const OPTION_END = 0;
const OPTION_TSRESOL = 9;
const OPTION_TSOFFSET = 14;
const FINEST_DECIMALS = 9;
const DEFAULT_UNITS_PER_SECOND = 1e6;
/** Options of an interface that are looked at (bytes of its block). */
const LONGEST_INTERFACE_BYTES = 1 << 16;

/** Type and length before, and length again behind the body of each block. */
const BLOCK_FRAME_BYTES = 12;
const BLOCK_HEAD_BYTES = 8;
const LONGEST_BLOCK_BYTES = 1 << 28;
/** A block that is longer than this, and than the file, is damage rather than cut off. */
const LONGEST_CUT_BYTES = 1 << 20;
const ENHANCED_HEADER_BYTES = 20;
const CONVERT = '`editcap -F pcap IN OUT` makes a pcap of it';

interface Interface {
  readonly unitsPerSecond: number;
  readonly offsetSeconds: number;
  readonly differenceBytes: number;
}

/** The packets of a pcapng file: sections of either byte order, their interfaces, and enhanced packet blocks. */
export class PcapngRecords implements PacketRecords {
  seconds = 0;
  nanoseconds = 0;
  sizeBytes = 0;
  readonly #window: ByteWindow;
  #littleEndian = false;
  #interfaces: Interface[] = [];
  #blockOffset = 0;
  #cutOff: CaptureProblem | undefined;

  constructor(window: ByteWindow) {
    this.#window = window;
  }

  get place(): string {
    return `byte ${this.#blockOffset}`;
  }

  get cutOff(): CaptureProblem | undefined {
    return this.#cutOff;
  }

  next(): boolean {
    const window: ByteWindow = this.#window;
    for (;;) {
      // The byte order of a section stands behind the head of its header.
      const there = window.fill(BLOCK_FRAME_BYTES);
      if (there === 0) return false;
      this.#blockOffset = window.offset;
      if (there < BLOCK_FRAME_BYTES) return this.#endsWithin(BLOCK_FRAME_BYTES, BLOCK_FRAME_BYTES - there);
      const { view, at } = window;
      // A section header reads the same in either byte order, and tells the order of what follows.
      if (view.getUint32(at) === SECTION_HEADER) this.#beginSection();
      const type = view.getUint32(window.at, this.#littleEndian);
      const lengthBytes = view.getUint32(window.at + 4, this.#littleEndian);
      if (lengthBytes < BLOCK_FRAME_BYTES || lengthBytes > LONGEST_BLOCK_BYTES || lengthBytes % 4 !== 0) {
        window.fail(
          `a block of ${BLOCK_FRAME_BYTES} to ${LONGEST_BLOCK_BYTES} bytes, a multiple of 4`,
          String(lengthBytes),
          'the file is damaged there',
        );
      }
      const least = Math.min(lengthBytes, WINDOW_BYTES);
      if (window.fill(least) < least) return this.#endsWithin(lengthBytes, window.skipWhole(lengthBytes));
      const isPacket = type === ENHANCED_PACKET;
      if (isPacket) this.#readPacket(lengthBytes);
      else if (type === INTERFACE_DESCRIPTION) this.#readInterface(lengthBytes);
      else if (type === SIMPLE_PACKET || type === OBSOLETE_PACKET) {
        const received = type === SIMPLE_PACKET ? 'a simple one, without an instant' : 'an obsolete one';
        window.fail('enhanced packet blocks', received, CONVERT);
      }
      const missing = window.skipWhole(lengthBytes);
      if (missing > 0) return this.#endsWithin(lengthBytes, missing);
      if (isPacket) return true;
    }
  }

  #endsWithin(lengthBytes: number, missing: number): false {
    const problem = cutOff(this.#blockOffset, lengthBytes, missing, 'a block');
    if (lengthBytes > LONGEST_CUT_BYTES) {
      this.#window.failWith({ ...problem, hint: 'no packet is so long: the file is damaged there' });
    }
    this.#cutOff = problem;
    return false;
  }

  #beginSection(): void {
    const window: ByteWindow = this.#window;
    const magic = window.at + BLOCK_HEAD_BYTES;
    this.#littleEndian = window.view.getUint32(magic, true) === BYTE_ORDER_MAGIC;
    if (!this.#littleEndian && window.view.getUint32(magic) !== BYTE_ORDER_MAGIC) {
      window.fail('the byte-order magic of a pcapng', 'something else', 'the file is damaged there');
    }
    this.#interfaces = [];
  }

  #readInterface(lengthBytes: number): void {
    const window: ByteWindow = this.#window;
    if (lengthBytes < 20 || lengthBytes > LONGEST_INTERFACE_BYTES) {
      window.fail(`an interface description of 20 to ${LONGEST_INTERFACE_BYTES} bytes`, String(lengthBytes));
    }
    const { view, at } = window;
    const littleEndian = this.#littleEndian;
    const linkType = view.getUint16(at + 8, littleEndian);
    const differenceBytes = sizeDifferenceBytes(linkType);
    if (differenceBytes === undefined) window.fail(LINK_TYPES_WORDS, `link type ${linkType}`);
    let unitsPerSecond = DEFAULT_UNITS_PER_SECOND;
    let offsetSeconds = 0;
    const end = at + lengthBytes - 4;
    for (let option = at + 16; option + 4 <= end; ) {
      const code = view.getUint16(option, littleEndian);
      const optionBytes = view.getUint16(option + 2, littleEndian);
      const value = option + 4;
      if (code === OPTION_END || value + optionBytes > end) break;
      if (code === OPTION_TSRESOL && optionBytes === 1) {
        const decimals = view.getUint8(value);
        if (decimals > FINEST_DECIMALS) {
          window.fail('instants in decimal units not finer than 1 ns', 'others', CONVERT);
        }
        unitsPerSecond = 10 ** decimals;
      } else if (code === OPTION_TSOFFSET && optionBytes === 8) {
        const high = view.getInt32(value + (littleEndian ? 4 : 0), littleEndian);
        const low = view.getUint32(value + (littleEndian ? 0 : 4), littleEndian);
        offsetSeconds = high * 2 ** 32 + low;
      }
      option = value + Math.ceil(optionBytes / 4) * 4;
    }
    this.#interfaces.push({ unitsPerSecond, offsetSeconds, differenceBytes });
  }

  #readPacket(lengthBytes: number): void {
    const window: ByteWindow = this.#window;
    if (lengthBytes < BLOCK_FRAME_BYTES + ENHANCED_HEADER_BYTES) {
      window.fail(`a packet block of at least ${BLOCK_FRAME_BYTES + ENHANCED_HEADER_BYTES} bytes`, String(lengthBytes));
    }
    const { view } = window;
    const littleEndian = this.#littleEndian;
    const body = window.at + BLOCK_HEAD_BYTES;
    const number = view.getUint32(body, littleEndian);
    const source = this.#interfaces[number];
    if (source === undefined) {
      window.fail(`a packet of one of ${this.#interfaces.length} interfaces`, `one of number ${number}`);
    }
    const capturedBytes = view.getUint32(body + 12, littleEndian);
    if (capturedBytes > lengthBytes - BLOCK_FRAME_BYTES - ENHANCED_HEADER_BYTES) {
      window.fail('a packet that fits its block', `${capturedBytes} bytes in a block of ${lengthBytes}`);
    }
    const wireBytes = view.getUint32(body + 16, littleEndian);
    checkLengths(window, capturedBytes, wireBytes, source.differenceBytes);
    this.#setInstant(view.getUint32(body + 4, littleEndian), view.getUint32(body + 8, littleEndian), source);
    this.sizeBytes = wireBytes + source.differenceBytes;
  }

  /** Divides the 64-bit instant by the units of a second, 16 bits at a time: units times 2^16 are exact in a double. */
  #setInstant(high: number, low: number, { unitsPerSecond, offsetSeconds }: Interface): void {
    let seconds = 0;
    let rest = 0;
    for (let digit = 0; digit < 4; digit++) {
      const word = digit < 2 ? high : low;
      const part = rest * 0x10000 + (digit % 2 === 0 ? word >>> 16 : word & 0xffff);
      const quotient = Math.floor(part / unitsPerSecond);
      rest = part - quotient * unitsPerSecond;
      seconds = seconds * 0x10000 + quotient;
    }
    this.seconds = seconds + offsetSeconds;
    this.nanoseconds = rest * (1e9 / unitsPerSecond);
  }
}
