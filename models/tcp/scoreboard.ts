/** Flags of a segment. */
export const SACKED = 1;
export const LOST = 2;
/** Sent again, and this transmission is still under way. */
export const RETRANSMITTED = 4;
/** Sent more than once at some time: its round trip is ambiguous. */
export const EVER_RETRANSMITTED = 8;

const NONE = -1;
/** Segments that a ring holds at first: the initial window and some. */
const INITIAL_CAPACITY = 16;
/** A segment's row of 32 bytes: its end and when it was sent as 64-bit numbers, then links and flags as 32-bit ones. */
const ROW_DOUBLES = 4;
const END_BYTES = 0;
const SENT_NS = 1;
const ROW_WORDS = 8;
const NEWER = 4;
const OLDER = 5;
const FLAGS = 6;
/** Starts and ends of three SACK blocks. */
const BLOCK_NUMBERS = 6;
/** Before the first SACK. */
const NO_BLOCKS = new Float64Array(0);

/**
 * The segments between the first unacknowledged and the next new one, by segment number, in a ring of rows; the chain of
 * transmissions in order of time (what RACK walks), and the kernel's counts of packets.
 *
 * Segments that are SACKed, or lost and not yet sent again, are not in the chain.
 */
export class Scoreboard {
  /** Number of the first unacknowledged segment, and of the next new one. */
  first = 0;
  next = 0;
  /** packets_out = next - first. */
  sackedOut = 0;
  lostOut = 0;
  retransmittedOut = 0;
  /** Segments ever marked lost, each time anew. */
  lostTotal = 0;
  /** Oldest transmission of the chain (segment number), or -1. */
  oldest = NONE;
  #newest = NONE;
  /** No segment below it is lost and waiting to be sent again. */
  #repairFrom = 0;
  #mask = INITIAL_CAPACITY - 1;
  #doubles = new Float64Array(INITIAL_CAPACITY * ROW_DOUBLES);
  /** The same memory as 32-bit words. */
  #words = new Int32Array(this.#doubles.buffer);
  /** The last ACK's SACK blocks as segment numbers: what lies in them is marked already. Those of this ACK. */
  #knownBlocks = NO_BLOCKS;
  #seenBlocks = NO_BLOCKS;
  #known = 0;
  #seen = 0;

  get packetsOut(): number {
    return this.next - this.first;
  }

  get inFlight(): number {
    return this.next - this.first - this.sackedOut - this.lostOut + this.retransmittedOut;
  }

  /** Offset behind the segment's last byte. */
  endBytes(segment: number): number {
    return this.#doubles[(segment & this.#mask) * ROW_DOUBLES + END_BYTES]!;
  }

  /** Offset of the segment's first byte. */
  startBytes(segment: number, acknowledgedBytes: number): number {
    return segment === this.first ? acknowledgedBytes : this.endBytes(segment - 1);
  }

  /** When the segment was last sent (ns). */
  sentNs(segment: number): number {
    return this.#doubles[(segment & this.#mask) * ROW_DOUBLES + SENT_NS]!;
  }

  flags(segment: number): number {
    return this.#words[(segment & this.#mask) * ROW_WORDS + FLAGS]!;
  }

  /** The transmission after this one in the chain, or -1. */
  newer(segment: number): number {
    return this.#words[(segment & this.#mask) * ROW_WORDS + NEWER]!;
  }

  /** Enters a new segment that is sent now. */
  push(endBytes: number, nowNs: number): void {
    if (this.next - this.first > this.#mask) this.#grow();
    const segment = this.next++;
    const row = segment & this.#mask;
    this.#doubles[row * ROW_DOUBLES + END_BYTES] = endBytes;
    this.#doubles[row * ROW_DOUBLES + SENT_NS] = nowNs;
    this.#words[row * ROW_WORDS + FLAGS] = 0;
    this.#append(segment);
  }

  /** Notes that a segment is sent again now. */
  resend(segment: number, nowNs: number): void {
    const flags = this.flags(segment);
    if ((flags & LOST) === 0 || (flags & RETRANSMITTED) !== 0) this.#unlink(segment);
    if ((flags & RETRANSMITTED) === 0) this.retransmittedOut++;
    this.#setFlags(segment, flags | RETRANSMITTED | EVER_RETRANSMITTED);
    this.#doubles[(segment & this.#mask) * ROW_DOUBLES + SENT_NS] = nowNs;
    this.#append(segment);
  }

  /** Removes the first segment, which is acknowledged, and returns the flags that it had. */
  shift(): number {
    const segment = this.first++;
    const flags = this.flags(segment);
    if ((flags & RETRANSMITTED) !== 0) this.retransmittedOut--;
    if ((flags & SACKED) !== 0) {
      this.sackedOut--;
      return flags;
    }
    if ((flags & LOST) !== 0) this.lostOut--;
    if ((flags & LOST) === 0 || (flags & RETRANSMITTED) !== 0) this.#unlink(segment);
    return flags;
  }

  /** Marks a segment lost, its retransmission too. A segment that waits to be sent again is left as it is. */
  markLost(segment: number): void {
    const flags = this.flags(segment);
    if ((flags & (LOST | RETRANSMITTED)) === LOST) return;
    if ((flags & RETRANSMITTED) !== 0) this.retransmittedOut--;
    if ((flags & LOST) === 0) this.lostOut++;
    this.lostTotal++;
    this.#setFlags(segment, (flags & ~RETRANSMITTED) | LOST);
    this.#unlink(segment);
    if (segment < this.#repairFrom) this.#repairFrom = segment;
  }

  /** Takes back every mark of a loss; what was not sent again is older than all that is in the chain. */
  unmarkLost(): void {
    for (let segment = this.next - 1; segment >= this.first; segment--) {
      const flags = this.flags(segment);
      if ((flags & LOST) === 0) continue;
      this.#setFlags(segment, flags & ~LOST);
      if ((flags & RETRANSMITTED) === 0) this.#prepend(segment);
    }
    this.lostOut = 0;
  }

  /** The first segment that is lost and not sent again, or -1. */
  nextRepair(): number {
    if (this.lostOut <= this.retransmittedOut) return NONE;
    let segment = Math.max(this.#repairFrom, this.first);
    while (segment < this.next && (this.flags(segment) & (LOST | RETRANSMITTED | SACKED)) !== LOST) {
      segment++;
    }
    this.#repairFrom = segment;
    return segment < this.next ? segment : NONE;
  }

  /** The segment that starts at `bytes`, or the first one behind it. */
  segmentAt(bytes: number): number {
    let low = this.first;
    let high = this.next;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.endBytes(middle) <= bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Begins to take the SACK blocks of an ACK, which {@link sackRange} and {@link endSack} complete. */
  beginSack(): void {
    this.#seen = 0;
    if (this.#seenBlocks !== NO_BLOCKS) return;
    this.#seenBlocks = new Float64Array(BLOCK_NUMBERS);
    this.#knownBlocks = new Float64Array(BLOCK_NUMBERS);
  }

  /** SACKs the segments of `start` … `end` (bytes) and tells `visitor` of each that was not SACKed before. */
  sackRange(start: number, end: number, visitor: SackVisitor, nowNs: number): void {
    let segment = this.segmentAt(start);
    this.#seenBlocks[2 * this.#seen] = segment;
    while (segment < this.next) {
      const known = this.#knownBlockEnd(segment);
      if (known > segment) {
        segment = known;
        continue;
      }
      if (this.endBytes(segment) > end) break;
      this.#sack(segment, visitor, nowNs);
      segment++;
    }
    this.#seenBlocks[2 * this.#seen++ + 1] = segment;
  }

  /** Ends the SACK blocks of an ACK. */
  endSack(): void {
    this.#known = this.#seen;
    const blocks = this.#knownBlocks;
    this.#knownBlocks = this.#seenBlocks;
    this.#seenBlocks = blocks;
  }

  #knownBlockEnd(segment: number): number {
    for (let block = 0; block < this.#known; block++) {
      const end = this.#knownBlocks[2 * block + 1]!;
      if (segment >= this.#knownBlocks[2 * block]! && segment < end) return end;
    }
    return NONE;
  }

  #sack(segment: number, visitor: SackVisitor, nowNs: number): void {
    const flags = this.flags(segment);
    if ((flags & SACKED) !== 0) return;
    if ((flags & RETRANSMITTED) !== 0) this.retransmittedOut--;
    if ((flags & LOST) !== 0) this.lostOut--;
    if ((flags & LOST) === 0 || (flags & RETRANSMITTED) !== 0) this.#unlink(segment);
    this.sackedOut++;
    this.#setFlags(segment, (flags & EVER_RETRANSMITTED) | SACKED);
    visitor.onSacked(segment, flags, nowNs);
  }

  #setFlags(segment: number, flags: number): void {
    this.#words[(segment & this.#mask) * ROW_WORDS + FLAGS] = flags;
  }

  #append(segment: number): void {
    this.#link(this.#newest, segment);
    this.#words[(segment & this.#mask) * ROW_WORDS + NEWER] = NONE;
    this.#newest = segment;
  }

  #prepend(segment: number): void {
    this.#link(segment, this.oldest);
    this.#words[(segment & this.#mask) * ROW_WORDS + OLDER] = NONE;
    this.oldest = segment;
  }

  #unlink(segment: number): void {
    const at = (segment & this.#mask) * ROW_WORDS;
    this.#link(this.#words[at + OLDER]!, this.#words[at + NEWER]!);
  }

  /** Chains two neighbours; what is beside nothing is an end of the chain. */
  #link(older: number, newer: number): void {
    if (older === NONE) this.oldest = newer;
    else this.#words[(older & this.#mask) * ROW_WORDS + NEWER] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#words[(newer & this.#mask) * ROW_WORDS + OLDER] = older;
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2;
    const doubles = new Float64Array(capacity * ROW_DOUBLES);
    for (let segment = this.first; segment < this.next; segment++) {
      const from = (segment & this.#mask) * ROW_DOUBLES;
      doubles.set(this.#doubles.subarray(from, from + ROW_DOUBLES), (segment & (capacity - 1)) * ROW_DOUBLES);
    }
    this.#mask = capacity - 1;
    this.#doubles = doubles;
    this.#words = new Int32Array(doubles.buffer);
  }
}

/** Told of each segment that a SACK block newly covers. */
export interface SackVisitor {
  onSacked(segment: number, flagsBefore: number, nowNs: number): void;
}
