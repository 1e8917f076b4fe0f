import { type ByteWindow, cutOff } from './byte-window.ts';
import type { CaptureProblem } from './capture-error.ts';
import { LINK_TYPES_WORDS, sizeDifferenceBytes } from './link-types.ts';
import type { PacketRecords } from './packet-records.ts';

/** Magic numbers of the format, as a reader of the right byte order sees them: instants in µs, in ns. */
const MAGIC_MICROSECONDS = 0xa1b2c3d4;
const MAGIC_NANOSECONDS = 0xa1b23c4d;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
/** Longer records do not exist: what reads like one is damage. */
const LONGEST_RECORD_BYTES = 1 << 24;
/** Of files whose header does not limit what is captured of a packet; no program captures more. */
const LARGEST_SNAPSHOT_BYTES = 262_144;
/** In the last word of the file header: the frames have an FCS, of so many 16-bit words. */
const HAS_FCS = 0x04000000;

/** Whether a file that begins with these four bytes (read as big-endian) is a pcap. */
export function isPcapMagic(magic: number): boolean {
  return littleEndianOf(magic) !== undefined;
}

/** The packets of a pcap file of either byte order, in µs or ns. */
export class PcapRecords implements PacketRecords {
  seconds = 0;
  nanoseconds = 0;
  sizeBytes = 0;
  readonly #window: ByteWindow;
  readonly #littleEndian: boolean;
  readonly #unitsPerSecond: number;
  readonly #differenceBytes: number;
  /** The most that is captured of a packet. */
  readonly #snapshotBytes: number;
  #cutOff: CaptureProblem | undefined;
  #recordOffset = 0;

  /** @throws CaptureError */
  constructor(window: ByteWindow) {
    this.#window = window;
    window.need(FILE_HEADER_BYTES, 'the header of a pcap');
    const { view, at } = window;
    this.#littleEndian = littleEndianOf(view.getUint32(at)) ?? false;
    this.#unitsPerSecond = view.getUint32(at, this.#littleEndian) === MAGIC_NANOSECONDS ? 1e9 : 1e6;
    this.#snapshotBytes = view.getUint32(at + 16, this.#littleEndian) || LARGEST_SNAPSHOT_BYTES;
    window.skip(20);
    const network = view.getUint32(at + 20, this.#littleEndian);
    const linkType = network & 0xffff;
    const differenceBytes = sizeDifferenceBytes(linkType);
    if (differenceBytes === undefined) window.fail(LINK_TYPES_WORDS, `link type ${linkType}`);
    this.#differenceBytes = differenceBytes - ((network & HAS_FCS) === 0 ? 0 : (network >>> 28) * 2);
    window.skip(4);
  }

  get place(): string {
    return `byte ${this.#recordOffset}`;
  }

  get cutOff(): CaptureProblem | undefined {
    return this.#cutOff;
  }

  next(): boolean {
    const window = this.#window;
    const there = window.fill(RECORD_HEADER_BYTES);
    if (there === 0) return false;
    this.#recordOffset = window.offset;
    if (there < RECORD_HEADER_BYTES) {
      const missing = RECORD_HEADER_BYTES - there;
      this.#cutOff = cutOff(window.offset, RECORD_HEADER_BYTES, missing, "a packet's header");
      return false;
    }
    const { view, at } = window;
    const littleEndian = this.#littleEndian;
    const units = view.getUint32(at + 4, littleEndian);
    const capturedBytes = view.getUint32(at + 8, littleEndian);
    const lengthBytes = view.getUint32(at + 12, littleEndian);
    if (units >= this.#unitsPerSecond) {
      window.fail(`a fraction of a second below ${this.#unitsPerSecond}`, String(units), 'the file is damaged there');
    }
    checkLengths(window, capturedBytes, lengthBytes, this.#differenceBytes);
    this.seconds = view.getUint32(at, littleEndian);
    this.nanoseconds = units * (1e9 / this.#unitsPerSecond);
    this.sizeBytes = lengthBytes + this.#differenceBytes;
    window.skip(RECORD_HEADER_BYTES);
    const { offset } = window;
    const missing = window.skipWhole(capturedBytes);
    if (missing === 0) return true;
    const problem = cutOff(offset, capturedBytes, missing, 'a packet');
    if (capturedBytes > Math.min(lengthBytes, this.#snapshotBytes)) {
      window.failWith({ ...problem, hint: 'its length is more than the file says of it: the file is damaged there' });
    }
    this.#cutOff = problem;
    return false;
  }
}

/** Checks the lengths of a packet: captured, on the wire, and as tc counts it. @throws CaptureError */
export function checkLengths(
  window: ByteWindow,
  capturedBytes: number,
  lengthBytes: number,
  differenceBytes: number,
): void {
  const largest = Math.max(capturedBytes, lengthBytes);
  if (largest > LONGEST_RECORD_BYTES) {
    window.fail(`a packet of at most ${LONGEST_RECORD_BYTES} bytes`, String(largest), 'the file is damaged there');
  }
  const least = Math.max(1, 1 - differenceBytes);
  if (lengthBytes < least) window.fail(`a packet of at least ${least} bytes`, String(lengthBytes));
}

/** The byte order of a pcap by its first four bytes, read as big-endian; undefined: it is none. */
function littleEndianOf(magic: number): boolean | undefined {
  if (magic === MAGIC_MICROSECONDS || magic === MAGIC_NANOSECONDS) return false;
  return magic === swapped(MAGIC_MICROSECONDS) || magic === swapped(MAGIC_NANOSECONDS) ? true : undefined;
}

function swapped(word: number): number {
  return ((word & 0xff) * 0x1000000 + ((word & 0xff00) << 8) + ((word >>> 8) & 0xff00) + (word >>> 24)) >>> 0;
}
