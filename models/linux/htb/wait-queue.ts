import type { RecurrencePass } from '../../recurrence.ts';
import type { HtbClass } from './htb-class.ts';

/**
 * Classes of a level that wait for an instant, earliest first, first come first among equals: a binary heap; each class
 * knows its place.
 */
export class WaitQueue {
  /** Classes that wait. */
  count = 0;
  readonly #heap: HtbClass[] = [];
  #nextOrder = 0;

  /** The class that waits for the earliest instant; there must be one. */
  first(): HtbClass {
    return this.#heap[0]!;
  }

  /** Lets a class wait until `waitTicks`; it must not wait yet. */
  add(entry: HtbClass, waitTicks: number): void {
    entry.waitTicks = waitTicks;
    entry.waitOrder = this.#nextOrder++;
    this.#rise(this.count++, entry);
  }

  /** Takes a class out; nothing happens if it does not wait. */
  remove(entry: HtbClass): void {
    const place = entry.waitPlace;
    if (place < 0) return;
    entry.waitPlace = -1;
    const moved = this.#heap[--this.count]!;
    if (moved === entry) return;
    if (place > 0 && before(moved, this.#heap[(place - 1) >> 1]!)) this.#rise(place, moved);
    else this.#sink(place, moved);
  }

  /** Tells of the classes that wait, in the order of the heap. */
  visit(pass: RecurrencePass, tickNs: number): void {
    pass.plain(this.count);
    for (let place = 0; place < this.count; place++) {
      const entry = this.#heap[place]!;
      pass.plain(entry.figures.id);
      pass.plain(entry.waitOrder - this.#nextOrder);
      entry.waitTicks = pass.ticks(entry.waitTicks, tickNs);
    }
  }

  #rise(from: number, entry: HtbClass): void {
    let place = from;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = this.#heap[parentPlace]!;
      if (!before(entry, parent)) break;
      this.#put(place, parent);
      place = parentPlace;
    }
    this.#put(place, entry);
  }

  #sink(from: number, entry: HtbClass): void {
    let place = from;
    for (;;) {
      let childPlace = 2 * place + 1;
      if (childPlace >= this.count) break;
      if (childPlace + 1 < this.count && before(this.#heap[childPlace + 1]!, this.#heap[childPlace]!)) childPlace++;
      const child = this.#heap[childPlace]!;
      if (!before(child, entry)) break;
      this.#put(place, child);
      place = childPlace;
    }
    this.#put(place, entry);
  }

  #put(place: number, entry: HtbClass): void {
    this.#heap[place] = entry;
    entry.waitPlace = place;
  }
}

function before(one: HtbClass, other: HtbClass): boolean {
  const difference = one.waitTicks - other.waitTicks;
  return difference < 0 || (difference === 0 && one.waitOrder < other.waitOrder);
}
