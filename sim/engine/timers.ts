import type { RecurrencePass, Recurrent } from '../../models/recurrence.ts';

/** Told when a timer expires. */
export interface TimerHandler {
  onTimer(timer: number, nowNs: number): void;
}

/** Thrown when an event would lie before the present: a fault of the program, never of a scenario. */
export class TimeReversalError extends Error {
  override readonly name = 'TimeReversalError';
}

/** Up to so many timers, the earliest is found by a scan, which beats a heap. */
const SCAN_LIMIT = 8;
const INITIAL_CAPACITY = 16;
const NOT_QUEUED = -1;
/** Events between two returns to the caller: V8 optimises a function that returns better than a loop that never does. */
const SLICE_EVENTS = 4096;

/**
 * The event queue and clock: a set of timers, each armed for at most one instant.
 *
 * An event is the expiry of a timer. The total order is (time, rank, number): the rank is given at registration, the
 * number is the order of registration; {@link #before} is the one place that says so. Arming an armed timer moves it,
 * so that nothing is allocated per event and the queue holds at most one entry a timer.
 *
 * Instants are integer ns, exact up to 2^53.
 */
export class Timers implements Recurrent {
  /** The present (ns). */
  nowNs = 0;
  /** Events handled so far. */
  events = 0;

  #count = 0;
  readonly #handlers: TimerHandler[] = [];
  #ranks = new Int32Array(INITIAL_CAPACITY);
  /** Expiry by timer; Infinity: not armed. */
  #times = new Float64Array(INITIAL_CAPACITY).fill(Number.POSITIVE_INFINITY);
  /** Armed timers as a four-ary heap, kept only beyond SCAN_LIMIT; #place is its inverse, #keys the times in heap order. */
  #heap = new Int32Array(INITIAL_CAPACITY);
  #keys = new Float64Array(INITIAL_CAPACITY);
  #place = new Int32Array(INITIAL_CAPACITY).fill(NOT_QUEUED);
  #length = 0;
  #usesHeap = false;
  /** Timer after whose expiry a run pauses. */
  #pauseAfter = NOT_QUEUED;
  #paused = false;

  constructor(startNs: number) {
    this.nowNs = startNs;
  }

  /** Registers a timer; among events of one instant, lower ranks come first. */
  register(handler: TimerHandler, rank: number): number {
    const timer = this.#count++;
    if (timer === this.#times.length) this.#grow();
    this.#handlers.push(handler);
    this.#ranks[timer] = rank;
    if (this.#count > SCAN_LIMIT && !this.#usesHeap) {
      this.#usesHeap = true;
      for (let other = 0; other < timer; other++) {
        const timeNs = this.#times[other]!;
        if (timeNs !== Number.POSITIVE_INFINITY) this.#insert(other, timeNs);
      }
    }
    return timer;
  }

  /** Instant that the timer is armed for; Infinity if it is not. */
  expiry(timer: number): number {
    return this.#times[timer]!;
  }

  /** Arms the timer for `timeNs`, in place of what it was armed for. @throws TimeReversalError for an instant in the past */
  arm(timer: number, timeNs: number): void {
    if (!(timeNs >= this.nowNs)) {
      throw new TimeReversalError(`timer ${timer} armed for ${timeNs} ns at ${this.nowNs} ns: time never goes back`);
    }
    this.#times[timer] = timeNs;
    if (!this.#usesHeap) return;
    const place = this.#place[timer]!;
    if (place === NOT_QUEUED) {
      if (timeNs !== Number.POSITIVE_INFINITY) this.#insert(timer, timeNs);
    } else if (timeNs === Number.POSITIVE_INFINITY) {
      this.#remove(timer);
    } else if (timeNs < this.#keys[place]!) {
      this.#siftUp(place, timer, timeNs);
    } else {
      this.#siftDown(place, timer, timeNs);
    }
  }

  /** Disarms the timer; nothing happens if it is not armed. */
  cancel(timer: number): void {
    this.#times[timer] = Number.POSITIVE_INFINITY;
    if (this.#usesHeap && this.#place[timer] !== NOT_QUEUED) this.#remove(timer);
  }

  /** Instant of the next event; Infinity if there is none. */
  nextNs(): number {
    if (this.#usesHeap) return this.#length === 0 ? Number.POSITIVE_INFINITY : this.#keys[0]!;
    let earliest = Number.POSITIVE_INFINITY;
    for (let timer = 0; timer < this.#count; timer++) {
      if (this.#times[timer]! < earliest) earliest = this.#times[timer]!;
    }
    return earliest;
  }

  /** Handles every event before `endNs`, then sets the clock to `endNs`. @throws TimeReversalError */
  runUntil(endNs: number): void {
    this.#pauseAfter = NOT_QUEUED;
    let more = true;
    while (more) more = this.#usesHeap ? this.#runHeapSlice(endNs) : this.#runScanSlice(endNs);
    this.nowNs = endNs;
  }

  /** As {@link runUntil}, but handles a slice of many events at most; true: there are more. @throws TimeReversalError */
  runSlice(endNs: number): boolean {
    this.#pauseAfter = NOT_QUEUED;
    const more = this.#usesHeap ? this.#runHeapSlice(endNs) : this.#runScanSlice(endNs);
    if (!more) this.nowNs = endNs;
    return more;
  }

  /** Handles events up to and with the next expiry of `timer`; false: it does not expire before `endNs`, and the clock stands at the last event before. @throws TimeReversalError */
  runPast(timer: number, endNs: number): boolean {
    this.#pauseAfter = timer;
    this.#paused = false;
    let more = true;
    while (more && !this.#paused) more = this.#usesHeap ? this.#runHeapSlice(endNs) : this.#runScanSlice(endNs);
    return this.#paused;
  }

  /** The latest instant that any timer is armed for; the present if none is. */
  lastNs(): number {
    let latest = this.nowNs;
    for (let timer = 0; timer < this.#count; timer++) {
      const timeNs = this.#times[timer]!;
      if (timeNs > latest && timeNs !== Number.POSITIVE_INFINITY) latest = timeNs;
    }
    return latest;
  }

  visit(pass: RecurrencePass): void {
    for (let timer = 0; timer < this.#count; timer++) this.#times[timer] = pass.instant(this.#times[timer]!);
    for (let place = 0; place < this.#length; place++) this.#keys[place] = this.#times[this.#heap[place]!]!;
    this.events = pass.counter(this.events);
    this.nowNs = pass.instant(this.nowNs);
  }

  #runScanSlice(endNs: number): boolean {
    const count = this.#count;
    const times = this.#times;
    const ranks = this.#ranks;
    const handlers = this.#handlers;
    let handled = 0;
    while (handled < SLICE_EVENTS) {
      let first = 0;
      let timeNs = times[0]!;
      for (let timer = 1; timer < count; timer++) {
        const candidate = times[timer]!;
        if (candidate < timeNs || (candidate === timeNs && ranks[timer]! < ranks[first]!)) {
          first = timer;
          timeNs = candidate;
        }
      }
      // The negation also stops on the NaN of an empty set.
      if (!(timeNs < endNs)) {
        this.events += handled;
        return false;
      }
      if (timeNs < this.nowNs) this.#reversed(first, timeNs);
      handled++;
      this.nowNs = timeNs;
      times[first] = Number.POSITIVE_INFINITY;
      handlers[first]!.onTimer(first, timeNs);
      if (first === this.#pauseAfter) {
        this.#paused = true;
        break;
      }
      if (this.#count !== count) break;
    }
    this.events += handled;
    return true;
  }

  #runHeapSlice(endNs: number): boolean {
    for (let handled = 0; handled < SLICE_EVENTS; handled++) {
      if (this.#length === 0 || this.#keys[0]! >= endNs) return false;
      const timer = this.#heap[0]!;
      const timeNs = this.#keys[0]!;
      if (timeNs < this.nowNs) this.#reversed(timer, timeNs);
      this.events++;
      this.nowNs = timeNs;
      // The entry stays on top while its handler runs: most handlers arm their own timer again, which then moves it.
      this.#times[timer] = Number.POSITIVE_INFINITY;
      this.#handlers[timer]!.onTimer(timer, timeNs);
      if (this.#times[timer] === Number.POSITIVE_INFINITY && this.#place[timer] !== NOT_QUEUED) this.#remove(timer);
      if (timer === this.#pauseAfter) {
        this.#paused = true;
        break;
      }
    }
    return true;
  }

  #reversed(timer: number, timeNs: number): never {
    throw new TimeReversalError(`timer ${timer} expires at ${timeNs} ns, but it is ${this.nowNs} ns already`);
  }

  /** The total order of events: time, then rank, then order of registration. */
  #before(timeA: number, timerA: number, timeB: number, timerB: number): boolean {
    if (timeA !== timeB) return timeA < timeB;
    const rankA = this.#ranks[timerA]!;
    const rankB = this.#ranks[timerB]!;
    return rankA !== rankB ? rankA < rankB : timerA < timerB;
  }

  #insert(timer: number, timeNs: number): void {
    this.#siftUp(this.#length++, timer, timeNs);
  }

  #remove(timer: number): void {
    const place = this.#place[timer]!;
    this.#place[timer] = NOT_QUEUED;
    const last = --this.#length;
    if (place === last) return;
    const moved = this.#heap[last]!;
    const timeNs = this.#keys[last]!;
    if (place > 0 && this.#isBeforeParent(place, moved, timeNs)) this.#siftUp(place, moved, timeNs);
    else this.#siftDown(place, moved, timeNs);
  }

  #isBeforeParent(place: number, timer: number, timeNs: number): boolean {
    const parent = (place - 1) >> 2;
    return this.#before(timeNs, timer, this.#keys[parent]!, this.#heap[parent]!);
  }

  #siftUp(start: number, timer: number, timeNs: number): void {
    const heap = this.#heap;
    const keys = this.#keys;
    let place = start;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      const other = heap[parent]!;
      const otherNs = keys[parent]!;
      if (!this.#before(timeNs, timer, otherNs, other)) break;
      heap[place] = other;
      keys[place] = otherNs;
      this.#place[other] = place;
      place = parent;
    }
    heap[place] = timer;
    keys[place] = timeNs;
    this.#place[timer] = place;
  }

  #siftDown(start: number, timer: number, timeNs: number): void {
    const heap = this.#heap;
    const keys = this.#keys;
    const length = this.#length;
    let place = start;
    for (;;) {
      const firstChild = 4 * place + 1;
      if (firstChild >= length) break;
      const end = Math.min(firstChild + 4, length);
      let child = firstChild;
      let childNs = keys[child]!;
      for (let candidate = firstChild + 1; candidate < end; candidate++) {
        const candidateNs = keys[candidate]!;
        if (
          candidateNs < childNs ||
          (candidateNs === childNs && this.#before(candidateNs, heap[candidate]!, childNs, heap[child]!))
        ) {
          child = candidate;
          childNs = candidateNs;
        }
      }
      const other = heap[child]!;
      if (!this.#before(childNs, other, timeNs, timer)) break;
      heap[place] = other;
      keys[place] = childNs;
      this.#place[other] = place;
      place = child;
    }
    heap[place] = timer;
    keys[place] = timeNs;
    this.#place[timer] = place;
  }

  #grow(): void {
    const length = this.#times.length * 2;
    const times = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    times.set(this.#times);
    this.#times = times;
    const keys = new Float64Array(length);
    keys.set(this.#keys);
    this.#keys = keys;
    const heap = new Int32Array(length);
    heap.set(this.#heap);
    this.#heap = heap;
    const ranks = new Int32Array(length);
    ranks.set(this.#ranks);
    this.#ranks = ranks;
    const place = new Int32Array(length).fill(NOT_QUEUED);
    place.set(this.#place);
    this.#place = place;
  }
}
