import type { RecurrencePass } from '../../recurrence.ts';

/** Children of a place of the heap: four share a cache line. */
const ARITY_SHIFT = 2;
const ARITY = 1 << ARITY_SHIFT;
const NOT_WAITING = -1;

/**
 * Classes of a level that wait for an instant, earliest first, first come first among equals: a heap of typed arrays, in
 * which a class is named by its rank among the classes of the level.
 */
export class WaitQueue {
  /** Classes that wait. */
  count = 0;
  // In the order of the heap: instants (ticks), order of coming, ranks.
  readonly #dues: Float64Array;
  readonly #orders: Float64Array;
  readonly #ranks: Int32Array;
  /** By rank: place in the heap. */
  readonly #places: Int32Array;
  #nextOrder = 0;

  /** `ranks`: how many classes the level has. */
  constructor(ranks: number) {
    this.#dues = new Float64Array(ranks);
    this.#orders = new Float64Array(ranks);
    this.#ranks = new Int32Array(ranks);
    this.#places = new Int32Array(ranks).fill(NOT_WAITING);
  }

  /** The rank that waits for the earliest instant; there must be one. */
  get first(): number {
    return this.#ranks[0]!;
  }

  /** The earliest instant (ticks); there must be one. */
  get firstTicks(): number {
    return this.#dues[0]!;
  }

  /** Lets a class wait until `dueTicks`; it must not wait yet. */
  add(rank: number, dueTicks: number): void {
    this.#rise(this.count++, rank, dueTicks, this.#nextOrder++);
  }

  /** Takes a class out; nothing happens if it does not wait. */
  remove(rank: number): void {
    const place = this.#places[rank]!;
    if (place === NOT_WAITING) return;
    this.#places[rank] = NOT_WAITING;
    const last = --this.count;
    if (place === last) return;
    const dueTicks = this.#dues[last]!;
    const order = this.#orders[last]!;
    const moved = this.#ranks[last]!;
    if (place > 0 && this.#isBefore(dueTicks, order, (place - 1) >> ARITY_SHIFT)) {
      this.#rise(place, moved, dueTicks, order);
    } else {
      this.#sink(place, moved, dueTicks, order);
    }
  }

  /** Tells of the classes that wait, in the order of the heap. */
  visit(pass: RecurrencePass, tickNs: number): void {
    pass.plain(this.count);
    for (let place = 0; place < this.count; place++) {
      pass.plain(this.#ranks[place]!);
      pass.plain(this.#orders[place]! - this.#nextOrder);
      this.#dues[place] = pass.ticks(this.#dues[place]!, tickNs);
    }
  }

  #isBefore(dueTicks: number, order: number, place: number): boolean {
    const other = this.#dues[place]!;
    return dueTicks < other || (dueTicks === other && order < this.#orders[place]!);
  }

  #rise(from: number, rank: number, dueTicks: number, order: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> ARITY_SHIFT;
      if (!this.#isBefore(dueTicks, order, parent)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, rank, dueTicks, order);
  }

  #sink(from: number, rank: number, dueTicks: number, order: number): void {
    const dues = this.#dues;
    let place = from;
    for (;;) {
      const firstChild = (place << ARITY_SHIFT) + 1;
      const end = Math.min(firstChild + ARITY, this.count);
      if (firstChild >= end) break;
      let child = firstChild;
      for (let other = firstChild + 1; other < end; other++) {
        if (this.#isBefore(dues[other]!, this.#orders[other]!, child)) child = other;
      }
      if (this.#isBefore(dueTicks, order, child)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, rank, dueTicks, order);
  }

  #move(from: number, to: number): void {
    const rank = this.#ranks[from]!;
    this.#dues[to] = this.#dues[from]!;
    this.#orders[to] = this.#orders[from]!;
    this.#ranks[to] = rank;
    this.#places[rank] = to;
  }

  #put(place: number, rank: number, dueTicks: number, order: number): void {
    this.#dues[place] = dueTicks;
    this.#orders[place] = order;
    this.#ranks[place] = rank;
    this.#places[rank] = place;
  }
}
