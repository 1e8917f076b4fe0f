const INITIAL_CAPACITY = 64;

/** Things (small integers) in the order of their times; among equal times, in the order in which they came. */
export class TimeHeap {
  length = 0;
  #times = new Float64Array(INITIAL_CAPACITY);
  #orders = new Float64Array(INITIAL_CAPACITY);
  #things = new Int32Array(INITIAL_CAPACITY);
  #order = 0;

  /** Time of the earliest; Infinity if there is none. */
  get earliestNs(): number {
    return this.length === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  /** The earliest; only where there is one. */
  get earliest(): number {
    return this.#things[0]!;
  }

  /** Adds a thing at its time. */
  push(thing: number, timeNs: number): void {
    if (this.length === this.#times.length) this.#grow();
    const order = this.#order++;
    let place = this.length++;
    while (place > 0) {
      const above = (place - 1) >> 1;
      // A newcomer goes behind all of its own time.
      if (this.#times[above]! <= timeNs) break;
      this.#move(above, place);
      place = above;
    }
    this.#put(place, thing, timeNs, order);
  }

  /** Takes the earliest; only where there is one. */
  shift(): number {
    const thing = this.#things[0]!;
    const last = --this.length;
    const time = this.#times[last]!;
    const order = this.#orders[last]!;
    const moved = this.#things[last]!;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= last) break;
      if (below + 1 < last && this.#isBefore(below + 1, this.#times[below]!, this.#orders[below]!)) below++;
      if (!this.#isBefore(below, time, order)) break;
      this.#move(below, place);
      place = below;
    }
    this.#put(place, moved, time, order);
    return thing;
  }

  #isBefore(place: number, timeNs: number, order: number): boolean {
    const own = this.#times[place]!;
    return own < timeNs || (own === timeNs && this.#orders[place]! < order);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#things[from]!, this.#times[from]!, this.#orders[from]!);
  }

  #put(place: number, thing: number, timeNs: number, order: number): void {
    this.#things[place] = thing;
    this.#times[place] = timeNs;
    this.#orders[place] = order;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    const float64 = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(capacity);
      grown.set(old);
      return grown;
    };
    this.#times = float64(this.#times);
    this.#orders = float64(this.#orders);
    const things = new Int32Array(capacity);
    things.set(this.#things);
    this.#things = things;
  }
}
