/**
 * Classes of a level that wait for an instant, earliest first, first come first among equals: a binary heap over class
 * indexes that knows each one's place.
 */
export class WaitQueue {
  /** Classes that wait. */
  count = 0;
  readonly #heap: Int32Array;
  readonly #keys: Float64Array;
  readonly #arrivals: Float64Array;
  readonly #places: Int32Array;
  #nextArrival = 0;

  /** `capacity` classes at most, with indexes below `classCount`. */
  constructor(capacity: number, classCount: number) {
    this.#heap = new Int32Array(capacity);
    this.#keys = new Float64Array(classCount);
    this.#arrivals = new Float64Array(classCount);
    this.#places = new Int32Array(classCount).fill(-1);
  }

  /** The class that waits for the earliest instant; there must be one. */
  first(): number {
    return this.#heap[0]!;
  }

  /** The instant that a class waits for. */
  keyOf(index: number): number {
    return this.#keys[index]!;
  }

  /** Lets a class wait for `key`; it must not wait yet. */
  add(index: number, key: number): void {
    this.#keys[index] = key;
    this.#arrivals[index] = this.#nextArrival++;
    this.#rise(this.count++, index);
  }

  /** Takes a class out; nothing happens if it does not wait. */
  remove(index: number): void {
    const place = this.#places[index]!;
    if (place < 0) return;
    this.#places[index] = -1;
    const moved = this.#heap[--this.count]!;
    if (moved === index) return;
    if (place > 0 && this.#before(moved, this.#heap[(place - 1) >> 1]!)) this.#rise(place, moved);
    else this.#sink(place, moved);
  }

  #before(one: number, other: number): boolean {
    const difference = this.#keys[one]! - this.#keys[other]!;
    return difference < 0 || (difference === 0 && this.#arrivals[one]! < this.#arrivals[other]!);
  }

  #rise(from: number, index: number): void {
    let place = from;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = this.#heap[parentPlace]!;
      if (!this.#before(index, parent)) break;
      this.#put(place, parent);
      place = parentPlace;
    }
    this.#put(place, index);
  }

  #sink(from: number, index: number): void {
    let place = from;
    for (;;) {
      let childPlace = 2 * place + 1;
      if (childPlace >= this.count) break;
      if (childPlace + 1 < this.count && this.#before(this.#heap[childPlace + 1]!, this.#heap[childPlace]!))
        childPlace++;
      const child = this.#heap[childPlace]!;
      if (!this.#before(child, index)) break;
      this.#put(place, child);
      place = childPlace;
    }
    this.#put(place, index);
  }

  #put(place: number, index: number): void {
    this.#heap[place] = index;
    this.#places[index] = place;
  }
}
