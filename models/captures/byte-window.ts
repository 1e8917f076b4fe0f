import type { ReadBytes } from '../model.ts';
import { CaptureError, type CaptureProblem } from './capture-error.ts';

/** Bytes that are read at a time. */
export const WINDOW_BYTES = 1 << 16;

/** A window that moves forward over a file of any length: memory is that of the window. */
export class ByteWindow {
  readonly file: string;
  readonly bytes = new Uint8Array(WINDOW_BYTES);
  readonly view = new DataView(this.bytes.buffer);
  /** Index of the present byte in `bytes`. */
  at = 0;
  /** End of what is filled. */
  end = 0;
  readonly #readBytes: ReadBytes;
  /** Place in the file of the first byte of the window. */
  #startOffset = 0;
  /** Whether the window reaches to the end of the file. */
  #isLast = false;

  constructor(file: string, readBytes: ReadBytes) {
    this.file = file;
    this.#readBytes = readBytes;
  }

  /** Place of the present byte in the file. */
  get offset(): number {
    return this.#startOffset + this.at;
  }

  /** Makes up to `count` bytes stand in `bytes` from `at` on, and returns how many do: fewer at the end of the file. */
  fill(count: number): number {
    const left = this.end - this.at;
    if (left >= count || this.#isLast) return Math.max(0, left);
    const kept = Math.max(0, left);
    const offset = this.offset;
    if (kept > 0) this.bytes.copyWithin(0, this.at, this.end);
    this.#startOffset = offset;
    this.at = 0;
    const room = this.bytes.subarray(kept);
    const read = this.#readBytes(this.file, offset + kept, room);
    this.end = kept + read;
    this.#isLast = read < room.length;
    return this.end;
  }

  /** Makes `count` bytes stand from `at` on, at most the window's length. @throws CaptureError where the file ends before */
  need(count: number, what: string): void {
    const there = this.fill(count);
    if (there < count) this.failWith(cutOff(this.offset, count, count - there, what));
  }

  /** Goes ahead; what is not in the window yet is not read, so that the file may end before. */
  skip(count: number): void {
    this.at += count;
  }

  /** Goes ahead over bytes; returns how many of them are missing, as the file ends before. */
  skipWhole(count: number): number {
    if (count === 0) return 0;
    const { offset } = this;
    this.at += count - 1;
    if (this.fill(1) === 0) return offset + count - this.#endAfter(offset);
    this.at++;
    return 0;
  }

  /** @throws CaptureError that says what is wrong at the present byte */
  fail(expected: string, received: string, hint?: string, offset = this.offset): never {
    const place = `byte ${offset}`;
    this.failWith({ place, expected, received, ...(hint === undefined ? {} : { hint }) });
  }

  /** @throws CaptureError of this problem */
  failWith(problem: CaptureProblem): never {
    throw new CaptureError(this.file, problem);
  }

  /** Where the file ends, which is not before `offset`; what is in the window is lost. */
  #endAfter(offset: number): number {
    for (let end = offset; ; ) {
      const read = this.#readBytes(this.file, end, this.bytes);
      end += read;
      if (read < this.bytes.length) return end;
    }
  }
}

/** The problem of a file that ends within `count` bytes from `offset` on. */
export function cutOff(offset: number, count: number, missing: number, what: string): CaptureProblem {
  return {
    place: `byte ${offset}`,
    expected: `${count} bytes of ${what}`,
    received: `the end of the file, with ${missing} of them missing`,
    hint: 'the file is cut off before anything that can be replayed',
  };
}
