import { MAX_SACK_BLOCKS, type SegmentHeaders } from './headers.ts';

/** Blocks that are remembered; those that do not fit into an ACK come into the next ones. */
const REMEMBERED_BLOCKS = 4;
/** Numbers of a range: where it starts, where it ends, and the memory that it takes (bytes). */
const RANGE_NUMBERS = 3;
const START = 0;
const END = 1;
const MEMORY = 2;
const INITIAL_RANGES = 8;
/** Before anything is held: most connections lose little. */
const NO_RANGES = new Float64Array(0);

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
  /** Memory of what the last {@link release} took out (bytes). */
  releasedMemoryBytes = 0;
  #ranges = NO_RANGES;
  /** Start and end of each block. */
  #blocks = NO_RANGES;
  #blockCount = 0;

  /** Offset behind the last byte held; 0 if nothing is held. */
  get endBytes(): number {
    return this.count === 0 ? 0 : this.#end(this.count - 1);
  }

  /** Takes a segment; false if it is held already. */
  insert(start: number, end: number, memoryBytes: number): boolean {
    const at = this.#firstEndingAtOrBehind(start);
    if (at < this.count && this.#start(at) <= start && this.#end(at) >= end) return false;
    this.payloadBytes += end - start;
    this.memoryBytes += memoryBytes;
    const joinsLeft = at < this.count && this.#end(at) === start;
    const right = joinsLeft ? at + 1 : at;
    const joinsRight = right < this.count && this.#start(right) === end;
    const ranges = this.#ranges;
    if (joinsLeft) {
      ranges[at * RANGE_NUMBERS + END] = end;
      ranges[at * RANGE_NUMBERS + MEMORY]! += memoryBytes;
      if (joinsRight) this.#mergeWithNext(at);
    } else if (joinsRight) {
      ranges[at * RANGE_NUMBERS + START] = start;
      ranges[at * RANGE_NUMBERS + MEMORY]! += memoryBytes;
    } else {
      this.#open(at, start, end, memoryBytes);
    }
    this.#touchBlock(start, end);
    return true;
  }

  /** Takes out the range that starts at `bytes`, if there is one: returns its end, or `bytes`. Sets {@link releasedMemoryBytes}. */
  release(bytes: number): number {
    this.releasedMemoryBytes = 0;
    if (this.count === 0 || this.#start(0) !== bytes) return bytes;
    const end = this.#end(0);
    this.releasedMemoryBytes = this.#ranges[MEMORY]!;
    this.payloadBytes -= end - bytes;
    this.memoryBytes -= this.releasedMemoryBytes;
    this.#remove(0);
    this.#forgetBlocks(end);
    return end;
  }

  /** Writes the SACK blocks into an ACK; returns how many. */
  writeBlocks(headers: SegmentHeaders, packet: number): number {
    const count = Math.min(this.#blockCount, MAX_SACK_BLOCKS);
    const blocks = this.#blocks;
    for (let block = 0; block < count; block++) headers.addSack(packet, blocks[2 * block]!, blocks[2 * block + 1]!);
    return count;
  }

  #start(range: number): number {
    return this.#ranges[range * RANGE_NUMBERS + START]!;
  }

  #end(range: number): number {
    return this.#ranges[range * RANGE_NUMBERS + END]!;
  }

  #firstEndingAtOrBehind(start: number): number {
    let low = 0;
    let high = this.count;
    // Segments mostly extend the last range.
    if (high > 0 && this.#end(high - 1) === start) return high - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#end(middle) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #mergeWithNext(at: number): void {
    const ranges = this.#ranges;
    const here = at * RANGE_NUMBERS;
    const next = here + RANGE_NUMBERS;
    ranges[here + END] = ranges[next + END]!;
    ranges[here + MEMORY]! += ranges[next + MEMORY]!;
    this.#remove(at + 1);
  }

  #open(at: number, start: number, end: number, memoryBytes: number): void {
    if (this.count * RANGE_NUMBERS === this.#ranges.length) this.#grow();
    const ranges = this.#ranges;
    const here = at * RANGE_NUMBERS;
    ranges.copyWithin(here + RANGE_NUMBERS, here, this.count * RANGE_NUMBERS);
    ranges[here + START] = start;
    ranges[here + END] = end;
    ranges[here + MEMORY] = memoryBytes;
    this.count++;
  }

  #remove(at: number): void {
    this.#ranges.copyWithin(at * RANGE_NUMBERS, (at + 1) * RANGE_NUMBERS, this.count * RANGE_NUMBERS);
    this.count--;
  }

  /** Extends the block that the segment touches, or opens one; it becomes the first. */
  #touchBlock(start: number, end: number): void {
    const blocks = this.#blocks;
    let from = start;
    let to = end;
    let kept = 0;
    for (let block = 0; block < this.#blockCount; block++) {
      const blockStart = blocks[2 * block]!;
      const blockEnd = blocks[2 * block + 1]!;
      if (blockStart <= to && from <= blockEnd) {
        from = Math.min(from, blockStart);
        to = Math.max(to, blockEnd);
      } else {
        blocks[2 * kept] = blockStart;
        blocks[2 * kept++ + 1] = blockEnd;
      }
    }
    this.#blockCount = Math.min(kept + 1, REMEMBERED_BLOCKS);
    blocks.copyWithin(2, 0, 2 * kept);
    blocks[0] = from;
    blocks[1] = to;
  }

  #forgetBlocks(bytes: number): void {
    const blocks = this.#blocks;
    let kept = 0;
    for (let block = 0; block < this.#blockCount; block++) {
      const start = blocks[2 * block]!;
      if (this.count === 0 || start < bytes) continue;
      blocks[2 * kept] = start;
      blocks[2 * kept++ + 1] = blocks[2 * block + 1]!;
    }
    this.#blockCount = kept;
  }

  #grow(): void {
    if (this.#ranges === NO_RANGES) {
      this.#ranges = new Float64Array(INITIAL_RANGES * RANGE_NUMBERS);
      this.#blocks = new Float64Array(2 * (REMEMBERED_BLOCKS + 1));
      return;
    }
    const grown = new Float64Array(this.#ranges.length * 2);
    grown.set(this.#ranges);
    this.#ranges = grown;
  }
}
