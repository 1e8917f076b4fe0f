const NONE = -1;

/** Slots by the number of packets that they hold, the most recent first; those with none are free (sch_sfq.c: dep). */
export class SfqDepths {
  /** The largest number of packets in a slot. */
  longest = 0;
  readonly #length: Int32Array;
  /** First slot of each length, and the lists' chains. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;

  constructor(slots: number, depthPackets: number) {
    this.#length = new Int32Array(slots);
    this.#first = new Int32Array(depthPackets + 1).fill(NONE);
    this.#next = new Int32Array(slots);
    this.#previous = new Int32Array(slots);
    for (let slot = 0; slot < slots; slot++) this.#link(slot);
  }

  /** Packets in a slot. */
  length(slot: number): number {
    return this.#length[slot]!;
  }

  /** The slot that was freed last, or -1; it stays free until it is increased. */
  free(): number {
    return this.#first[0]!;
  }

  /** Of the longest slots the one that became so last. */
  longestSlot(): number {
    return this.#first[this.longest]!;
  }

  /** Counts one more packet in a slot. */
  increase(slot: number): void {
    this.#unlink(slot);
    const length = ++this.#length[slot]!;
    if (this.longest < length) this.longest = length;
    this.#link(slot);
  }

  /** Counts one packet fewer in a slot. */
  decrease(slot: number): void {
    this.#unlink(slot);
    const length = this.#length[slot]!--;
    if (this.longest === length && this.#first[length] === NONE) this.longest--;
    this.#link(slot);
  }

  #link(slot: number): void {
    const length = this.#length[slot]!;
    const first = this.#first[length]!;
    this.#next[slot] = first;
    this.#previous[slot] = NONE;
    if (first !== NONE) this.#previous[first] = slot;
    this.#first[length] = slot;
  }

  #unlink(slot: number): void {
    const next = this.#next[slot]!;
    const previous = this.#previous[slot]!;
    if (previous === NONE) this.#first[this.#length[slot]!] = next;
    else this.#next[previous] = next;
    if (next !== NONE) this.#previous[next] = previous;
  }
}
