/** Flags of a segment. */
export const SACKED = 1;
export const LOST = 2;
/** Sent again, and this transmission is still under way. */
export const RETRANSMITTED = 4;
/** Sent more than once at some time: its round trip is ambiguous. */
export const EVER_RETRANSMITTED = 8;

const NONE = -1;
const INITIAL_CAPACITY = 64;

/**
 * The segments between the first unacknowledged and the next new one, by segment number, in rings of typed arrays; the
 * chain of transmissions in order of time (what RACK walks), and the kernel's counts of packets.
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
  #endBytes = new Float64Array(INITIAL_CAPACITY);
  #sentNs = new Float64Array(INITIAL_CAPACITY);
  #flags = new Uint8Array(INITIAL_CAPACITY);
  #newer = new Int32Array(INITIAL_CAPACITY);
  #older = new Int32Array(INITIAL_CAPACITY);
  // The last ACK's SACK blocks as segment numbers: what lies in them is marked already.
  readonly #knownStart = new Float64Array(4);
  readonly #knownEnd = new Float64Array(4);
  #known = 0;
  readonly #seenStart = new Float64Array(4);
  readonly #seenEnd = new Float64Array(4);
  #seen = 0;

  get packetsOut(): number {
    return this.next - this.first;
  }

  get inFlight(): number {
    return this.next - this.first - this.sackedOut - this.lostOut + this.retransmittedOut;
  }

  /** Offset behind the segment's last byte. */
  endBytes(segment: number): number {
    return this.#endBytes[segment & this.#mask]!;
  }

  /** Offset of the segment's first byte. */
  startBytes(segment: number, acknowledgedBytes: number): number {
    return segment === this.first ? acknowledgedBytes : this.#endBytes[(segment - 1) & this.#mask]!;
  }

  /** When the segment was last sent (ns). */
  sentNs(segment: number): number {
    return this.#sentNs[segment & this.#mask]!;
  }

  flags(segment: number): number {
    return this.#flags[segment & this.#mask]!;
  }

  /** The transmission after this one in the chain, or -1. */
  newer(segment: number): number {
    return this.#newer[segment & this.#mask]!;
  }

  /** Enters a new segment that is sent now. */
  push(endBytes: number, nowNs: number): void {
    if (this.next - this.first > this.#mask) this.#grow();
    const segment = this.next++;
    const slot = segment & this.#mask;
    this.#endBytes[slot] = endBytes;
    this.#sentNs[slot] = nowNs;
    this.#flags[slot] = 0;
    this.#append(segment);
  }

  /** Notes that a segment is sent again now. */
  resend(segment: number, nowNs: number): void {
    const slot = segment & this.#mask;
    const flags = this.#flags[slot]!;
    if ((flags & LOST) === 0 || (flags & RETRANSMITTED) !== 0) this.#unlink(segment);
    if ((flags & RETRANSMITTED) === 0) this.retransmittedOut++;
    this.#flags[slot] = flags | RETRANSMITTED | EVER_RETRANSMITTED;
    this.#sentNs[slot] = nowNs;
    this.#append(segment);
  }

  /** Removes the first segment, which is acknowledged, and returns the flags that it had. */
  shift(): number {
    const segment = this.first++;
    const flags = this.#flags[segment & this.#mask]!;
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
    const slot = segment & this.#mask;
    const flags = this.#flags[slot]!;
    if ((flags & (LOST | RETRANSMITTED)) === LOST) return;
    if ((flags & RETRANSMITTED) !== 0) this.retransmittedOut--;
    if ((flags & LOST) === 0) this.lostOut++;
    this.lostTotal++;
    this.#flags[slot] = (flags & ~RETRANSMITTED) | LOST;
    this.#unlink(segment);
    if (segment < this.#repairFrom) this.#repairFrom = segment;
  }

  /** Takes back every mark of a loss; what was not sent again is older than all that is in the chain. */
  unmarkLost(): void {
    for (let segment = this.next - 1; segment >= this.first; segment--) {
      const slot = segment & this.#mask;
      const flags = this.#flags[slot]!;
      if ((flags & LOST) === 0) continue;
      this.#flags[slot] = flags & ~LOST;
      if ((flags & RETRANSMITTED) === 0) this.#prepend(segment);
    }
    this.lostOut = 0;
  }

  /** The first segment that is lost and not sent again, or -1. */
  nextRepair(): number {
    if (this.lostOut <= this.retransmittedOut) return NONE;
    let segment = Math.max(this.#repairFrom, this.first);
    while (segment < this.next && (this.#flags[segment & this.#mask]! & (LOST | RETRANSMITTED | SACKED)) !== LOST) {
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
      if (this.#endBytes[middle & this.#mask]! <= bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Begins to take the SACK blocks of an ACK, which {@link sackRange} and {@link endSack} complete. */
  beginSack(): void {
    this.#seen = 0;
  }

  /** SACKs the segments of `start` … `end` (bytes) and tells `visitor` of each that was not SACKed before. */
  sackRange(start: number, end: number, visitor: SackVisitor, nowNs: number): void {
    let segment = this.segmentAt(start);
    this.#seenStart[this.#seen] = segment;
    while (segment < this.next) {
      const known = this.#knownBlockEnd(segment);
      if (known > segment) {
        segment = known;
        continue;
      }
      if (this.#endBytes[segment & this.#mask]! > end) break;
      this.#sack(segment, visitor, nowNs);
      segment++;
    }
    this.#seenEnd[this.#seen++] = segment;
  }

  /** Ends the SACK blocks of an ACK. */
  endSack(): void {
    this.#known = this.#seen;
    this.#knownStart.set(this.#seenStart);
    this.#knownEnd.set(this.#seenEnd);
  }

  #knownBlockEnd(segment: number): number {
    for (let block = 0; block < this.#known; block++) {
      if (segment >= this.#knownStart[block]! && segment < this.#knownEnd[block]!) return this.#knownEnd[block]!;
    }
    return NONE;
  }

  #sack(segment: number, visitor: SackVisitor, nowNs: number): void {
    const slot = segment & this.#mask;
    const flags = this.#flags[slot]!;
    if ((flags & SACKED) !== 0) return;
    if ((flags & RETRANSMITTED) !== 0) this.retransmittedOut--;
    if ((flags & LOST) !== 0) this.lostOut--;
    if ((flags & LOST) === 0 || (flags & RETRANSMITTED) !== 0) this.#unlink(segment);
    this.sackedOut++;
    this.#flags[slot] = (flags & EVER_RETRANSMITTED) | SACKED;
    visitor.onSacked(segment, flags, nowNs);
  }

  #append(segment: number): void {
    const slot = segment & this.#mask;
    this.#newer[slot] = NONE;
    this.#older[slot] = this.#newest;
    if (this.#newest === NONE) this.oldest = segment;
    else this.#newer[this.#newest & this.#mask] = segment;
    this.#newest = segment;
  }

  #prepend(segment: number): void {
    const slot = segment & this.#mask;
    this.#older[slot] = NONE;
    this.#newer[slot] = this.oldest;
    if (this.oldest === NONE) this.#newest = segment;
    else this.#older[this.oldest & this.#mask] = segment;
    this.oldest = segment;
  }

  #unlink(segment: number): void {
    const slot = segment & this.#mask;
    const newer = this.#newer[slot]!;
    const older = this.#older[slot]!;
    if (older === NONE) this.oldest = newer;
    else this.#newer[older & this.#mask] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer & this.#mask] = older;
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2;
    const mask = capacity - 1;
    const endBytes = new Float64Array(capacity);
    const sentNs = new Float64Array(capacity);
    const flags = new Uint8Array(capacity);
    const newer = new Int32Array(capacity);
    const older = new Int32Array(capacity);
    for (let segment = this.first; segment < this.next; segment++) {
      const from = segment & this.#mask;
      const to = segment & mask;
      endBytes[to] = this.#endBytes[from]!;
      sentNs[to] = this.#sentNs[from]!;
      flags[to] = this.#flags[from]!;
      newer[to] = this.#newer[from]!;
      older[to] = this.#older[from]!;
    }
    this.#mask = mask;
    this.#endBytes = endBytes;
    this.#sentNs = sentNs;
    this.#flags = flags;
    this.#newer = newer;
    this.#older = older;
  }
}

/** Told of each segment that a SACK block newly covers. */
export interface SackVisitor {
  onSacked(segment: number, flagsBefore: number, nowNs: number): void;
}
