import { invariant } from '../../model.ts';
import type { RecurrencePass } from '../../recurrence.ts';

/**
 * Classes that take turns, in the order of their ids: a feed of an inner class or a row of a level, for one priority.
 *
 * A class is named by its rank among all that can ever be members, so that a bit stands for it; insertion and removal
 * take constant time, the next member is found by words of 32 bits and a summary of them.
 */
export class RankSet<Member> {
  /** All that can be members, by rank. */
  readonly candidates: readonly Member[];
  /** Members now. */
  count = 0;
  /** Rank whose turn it is; -1: none, or past the end. */
  pointer = -1;
  /** Rank to go on from where the pointer was lost with its class; -1: none. */
  resume = -1;
  readonly #words: Int32Array;
  readonly #summary: Int32Array;

  constructor(candidates: readonly Member[]) {
    this.candidates = candidates;
    this.#words = new Int32Array((candidates.length + 31) >>> 5);
    this.#summary = new Int32Array((this.#words.length + 31) >>> 5);
  }

  /** Inserts a rank that is no member. */
  add(rank: number): void {
    const word = rank >>> 5;
    const bit = 1 << (rank & 31);
    const old = this.#words[word]!;
    invariant((old & bit) === 0, 'a class is linked once');
    this.#words[word] = old | bit;
    this.#summary[word >>> 5]! |= 1 << (word & 31);
    this.count++;
  }

  /** Removes a member. */
  remove(rank: number): void {
    const word = rank >>> 5;
    const left = this.#words[word]! & ~(1 << (rank & 31));
    this.#words[word] = left;
    if (left === 0) this.#summary[word >>> 5]! &= ~(1 << (word & 31));
    this.count--;
  }

  /** The smallest member of rank `from` or more, or -1. */
  next(from: number): number {
    const words = this.#words;
    let word = from >>> 5;
    if (word >= words.length) return -1;
    const rest = words[word]! & (-1 << (from & 31));
    if (rest !== 0) return (word << 5) + lowestBit(rest);
    word++;
    const summary = this.#summary;
    let block = word >>> 5;
    let found = block < summary.length ? summary[block]! & (-1 << (word & 31)) : 0;
    while (found === 0) {
      if (++block >= summary.length) return -1;
      found = summary[block]!;
    }
    word = (block << 5) + lowestBit(found);
    return (word << 5) + lowestBit(words[word]!);
  }

  /** Tells of members, and, where several leaves take turns, of pointers. */
  visit(pass: RecurrencePass, takesTurns: boolean): void {
    if (takesTurns) {
      pass.plain(this.pointer);
      pass.plain(this.resume);
    }
    for (const word of this.#words) pass.plain(word);
  }

  /** Moves the pointer, if it stands somewhere, to the next member or past the end; its own member may be gone. */
  advance(): void {
    if (this.pointer >= 0) this.pointer = this.count === 0 ? -1 : this.next(this.pointer + 1);
  }
}

/** Position of the lowest bit set of a word that is not 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
