import { MAX_SACK_BLOCKS, type SegmentHeaders } from './headers.ts';

/** Blocks that are remembered; those that do not fit into an ACK come into the next ones. */
const REMEMBERED_BLOCKS = 4;
const INITIAL_CAPACITY = 16;

/**
 * What arrived ahead of a hole: ranges of bytes in order, and the SACK blocks in order of their last change
 * (net/ipv4/tcp_input.c: tcp_data_queue_ofo, tcp_sack_new_ofo_skb).
 */
export class Reassembly {
  /** Ranges held. */
  count = 0;
  /** Payload and memory of all ranges (bytes). */
  payloadBytes = 0;
  memoryBytes = 0;
  #starts = new Float64Array(INITIAL_CAPACITY);
  #ends = new Float64Array(INITIAL_CAPACITY);
  #memory = new Float64Array(INITIAL_CAPACITY);
  readonly #blockStart = new Float64Array(REMEMBERED_BLOCKS + 1);
  readonly #blockEnd = new Float64Array(REMEMBERED_BLOCKS + 1);
  #blocks = 0;

  /** Offset behind the last byte held; 0 if nothing is held. */
  get endBytes(): number {
    return this.count === 0 ? 0 : this.#ends[this.count - 1]!;
  }

  /** Takes a segment; false if it is held already. */
  insert(start: number, end: number, memoryBytes: number): boolean {
    const at = this.#firstEndingAtOrBehind(start);
    if (at < this.count && this.#starts[at]! <= start && this.#ends[at]! >= end) return false;
    this.payloadBytes += end - start;
    this.memoryBytes += memoryBytes;
    const joinsLeft = at < this.count && this.#ends[at]! === start;
    const right = joinsLeft ? at + 1 : at;
    const joinsRight = right < this.count && this.#starts[right]! === end;
    if (joinsLeft) {
      this.#ends[at] = end;
      this.#memory[at]! += memoryBytes;
      if (joinsRight) this.#mergeWithNext(at);
    } else if (joinsRight) {
      this.#starts[at] = start;
      this.#memory[at]! += memoryBytes;
    } else {
      this.#open(at, start, end, memoryBytes);
    }
    this.#touchBlock(start, end);
    return true;
  }

  /** Takes out the range that starts at `bytes`, if there is one: returns its end, or `bytes`. Sets {@link releasedMemoryBytes}. */
  release(bytes: number): number {
    this.releasedMemoryBytes = 0;
    if (this.count === 0 || this.#starts[0]! !== bytes) return bytes;
    const end = this.#ends[0]!;
    this.releasedMemoryBytes = this.#memory[0]!;
    this.payloadBytes -= end - bytes;
    this.memoryBytes -= this.releasedMemoryBytes;
    this.#remove(0);
    this.#forgetBlocks(end);
    return end;
  }
  /** Memory of what the last {@link release} took out (bytes). */
  releasedMemoryBytes = 0;

  /** Writes the SACK blocks into an ACK; returns how many. */
  writeBlocks(headers: SegmentHeaders, packet: number): number {
    const count = Math.min(this.#blocks, MAX_SACK_BLOCKS);
    for (let block = 0; block < count; block++) {
      headers.sackStart[packet * MAX_SACK_BLOCKS + block] = this.#blockStart[block]!;
      headers.sackEnd[packet * MAX_SACK_BLOCKS + block] = this.#blockEnd[block]!;
    }
    headers.sackCount[packet] = count;
    return count;
  }

  #firstEndingAtOrBehind(start: number): number {
    let low = 0;
    let high = this.count;
    // Segments mostly extend the last range.
    if (high > 0 && this.#ends[high - 1]! === start) return high - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #mergeWithNext(at: number): void {
    this.#ends[at] = this.#ends[at + 1]!;
    this.#memory[at]! += this.#memory[at + 1]!;
    this.#remove(at + 1);
  }

  #open(at: number, start: number, end: number, memoryBytes: number): void {
    if (this.count === this.#starts.length) this.#grow();
    this.#starts.copyWithin(at + 1, at, this.count);
    this.#ends.copyWithin(at + 1, at, this.count);
    this.#memory.copyWithin(at + 1, at, this.count);
    this.#starts[at] = start;
    this.#ends[at] = end;
    this.#memory[at] = memoryBytes;
    this.count++;
  }

  #remove(at: number): void {
    this.#starts.copyWithin(at, at + 1, this.count);
    this.#ends.copyWithin(at, at + 1, this.count);
    this.#memory.copyWithin(at, at + 1, this.count);
    this.count--;
  }

  /** Extends the block that the segment touches, or opens one; it becomes the first. */
  #touchBlock(start: number, end: number): void {
    let from = start;
    let to = end;
    let kept = 0;
    for (let block = 0; block < this.#blocks; block++) {
      const blockStart = this.#blockStart[block]!;
      const blockEnd = this.#blockEnd[block]!;
      if (blockStart <= to && from <= blockEnd) {
        from = Math.min(from, blockStart);
        to = Math.max(to, blockEnd);
      } else {
        this.#blockStart[kept] = blockStart;
        this.#blockEnd[kept++] = blockEnd;
      }
    }
    this.#blocks = Math.min(kept + 1, REMEMBERED_BLOCKS);
    this.#blockStart.copyWithin(1, 0, kept);
    this.#blockEnd.copyWithin(1, 0, kept);
    this.#blockStart[0] = from;
    this.#blockEnd[0] = to;
  }

  #forgetBlocks(bytes: number): void {
    let kept = 0;
    for (let block = 0; block < this.#blocks; block++) {
      if (this.count === 0 || this.#blockStart[block]! < bytes) continue;
      this.#blockStart[kept] = this.#blockStart[block]!;
      this.#blockEnd[kept++] = this.#blockEnd[block]!;
    }
    this.#blocks = kept;
  }

  #grow(): void {
    const grown = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const array = new Float64Array(old.length * 2);
      array.set(old);
      return array;
    };
    this.#starts = grown(this.#starts);
    this.#ends = grown(this.#ends);
    this.#memory = grown(this.#memory);
  }
}
