import type { RecurrencePass, Recurrent } from '../../models/recurrence.ts';

const RECORD = 0;
const COMPARE = 1;
const ADVANCE = 2;
const FINGERPRINT = 3;

/** Numbers of a state that make its fingerprint, the first ones; packets are not among them. */
const FINGERPRINT_NUMBERS = 1024;
/** Two odd multipliers of 32 bits for the halves of a fingerprint. */
const FIRST_FACTOR = 0x9e3779b1;
const SECOND_FACTOR = 0x85ebca77;

/** The state and counters of a set of models at one moment, to compare with a later one and to extrapolate from. */
export class Snapshot implements RecurrencePass {
  done = false;
  isBrief = false;
  /** Whether a model has said that it never repeats. */
  isHopeless = false;
  /** The moment (ns). */
  takenNs = 0;
  /** The earliest instant ahead that must not be passed over, as of the moment and as of the last comparison (ns). */
  takenHorizonNs = Number.POSITIVE_INFINITY;
  horizonNs = Number.POSITIVE_INFINITY;
  /** So often the last comparison's period may be added before a count is no longer exact. */
  mostPeriods = Number.POSITIVE_INFINITY;
  #mode = RECORD;
  #nowNs = 0;
  #spanNs = 0;
  #periods = 0;
  #states = new Float64Array(256);
  #stateAt = 0;
  readonly #number = new Float64Array(1);
  readonly #words = new Int32Array(this.#number.buffer);
  #first = 0;
  #second = 0;
  #isUnlike = false;
  readonly #counters: number[] = [];
  #counterAt = 0;
  readonly #sinces: number[] = [];
  #sinceAt = 0;
  readonly #arrays: Float64Array[] = [];
  #arrayAt = 0;

  /**
   * A number that states of `models` that are equal have in common, and others hardly ever; undefined where the state
   * cannot be the same as another. What was noted stays.
   */
  fingerprint(models: readonly Recurrent[], nowNs: number): number | undefined {
    this.#begin(FINGERPRINT, nowNs);
    this.isBrief = true;
    this.#first = 0;
    this.#second = 0;
    this.#isUnlike = false;
    for (const model of models) {
      model.visit(this);
      if (this.done) break;
    }
    this.isBrief = false;
    if (this.#isUnlike || this.isHopeless) return undefined;
    return (this.#first >>> 0) * 2 ** 20 + (this.#second >>> 12);
  }

  /** Notes the state of `models` at `nowNs`. */
  record(models: readonly Recurrent[], nowNs: number): void {
    this.takenNs = nowNs;
    this.#begin(RECORD, nowNs);
    for (const model of models) model.visit(this);
    this.takenHorizonNs = this.horizonNs;
  }

  /** Whether the state of `models` at `nowNs` is the one that was noted. */
  equals(models: readonly Recurrent[], nowNs: number): boolean {
    this.#begin(COMPARE, nowNs);
    for (const model of models) {
      model.visit(this);
      if (this.done) return false;
    }
    return true;
  }

  /** Moves `models`, whose state at `nowNs` equals the noted one, ahead by `periods` times the time since then. */
  advance(models: readonly Recurrent[], nowNs: number, periods: number): void {
    this.#begin(ADVANCE, nowNs);
    this.#periods = periods;
    this.#spanNs = periods * (nowNs - this.takenNs);
    for (const model of models) model.visit(this);
  }

  plain(value: number): number {
    if (this.#mode === ADVANCE) return value;
    this.#state(value);
    return value;
  }

  instant(timeNs: number): number {
    if (this.#mode === ADVANCE) return timeNs + this.#spanNs;
    this.#state(timeNs - this.#nowNs);
    return timeNs;
  }

  ticks(timeTicks: number, tickNs: number): number {
    if (this.#mode === ADVANCE) return timeTicks + this.#spanNs / tickNs;
    // With the phase in it, equal distances mean that the span is a whole number of ticks.
    this.#state(timeTicks * tickNs - this.#nowNs);
    return timeTicks;
  }

  due(timeTicks: number, tickNs: number): number {
    if (this.#mode === ADVANCE) return timeTicks + this.#spanNs / tickNs;
    const aheadNs = timeTicks * tickNs - this.#nowNs;
    this.#state(Math.max(aheadNs, 0));
    return timeTicks;
  }

  horizon(timeTicks: number, tickNs: number): void {
    const timeNs = timeTicks * tickNs;
    if (timeNs > this.#nowNs) this.horizonNs = Math.min(this.horizonNs, timeNs);
  }

  since(timeTicks: number, tickNs: number, staleTicks: number): number {
    const index = this.#sinceAt++;
    const before = this.#sinces[index]!;
    if (this.#mode === FINGERPRINT) {
      const pastNs = this.#nowNs - timeTicks * tickNs;
      this.#state(pastNs < staleTicks * tickNs ? pastNs : -1);
      return timeTicks;
    }
    if (this.#mode === ADVANCE) return timeTicks === before ? timeTicks : timeTicks + this.#spanNs / tickNs;
    if (this.#mode === RECORD) {
      this.#sinces[index] = timeTicks;
      return timeTicks;
    }
    const pastBeforeNs = this.takenNs - before * tickNs;
    const isAlike =
      timeTicks === before ? pastBeforeNs >= staleTicks * tickNs : this.#nowNs - timeTicks * tickNs === pastBeforeNs;
    if (!isAlike) this.done = true;
    return timeTicks;
  }

  phase(tickNs: number): void {
    if (this.#mode !== ADVANCE) this.#state(this.#nowNs % tickNs);
  }

  never(): void {
    this.isHopeless = true;
    this.done = true;
  }

  counter(value: number): number {
    const index = this.#counterAt++;
    if (this.#mode === RECORD) this.#counters[index] = value;
    else if (this.#mode === ADVANCE) return value + this.#periods * (value - this.#counters[index]!);
    else if (this.#mode === COMPARE) this.#keepExact(value, value - this.#counters[index]!);
    return value;
  }

  counts(values: Float64Array): void {
    const index = this.#arrayAt++;
    if (this.#mode === RECORD) {
      this.#arrays[index] = values.slice();
    } else if (this.#mode === ADVANCE) {
      const before = this.#arrays[index]!;
      for (let i = 0; i < values.length; i++) values[i]! += this.#periods * (values[i]! - (before[i] ?? 0));
    }
  }

  /** Beyond 2^53 a sum is rounded with each summand, and so not what the sum of the sums would be. */
  #keepExact(value: number, gain: number): void {
    const room = Number.MAX_SAFE_INTEGER - Math.abs(value);
    const step = Math.abs(gain);
    if (this.mostPeriods * step > room) this.mostPeriods = Math.max(0, Math.floor(room / step));
  }

  #begin(mode: number, nowNs: number): void {
    this.#mode = mode;
    this.#nowNs = nowNs;
    this.#stateAt = 0;
    this.#counterAt = 0;
    this.#sinceAt = 0;
    this.#arrayAt = 0;
    this.done = false;
    this.horizonNs = Number.POSITIVE_INFINITY;
    this.mostPeriods = Number.POSITIVE_INFINITY;
  }

  #state(value: number): void {
    const index = this.#stateAt++;
    if (this.#mode === FINGERPRINT) {
      this.#mix(value);
      if (Number.isNaN(value)) this.#isUnlike = true;
      if (this.#isUnlike || index === FINGERPRINT_NUMBERS) this.done = true;
      return;
    }
    if (this.#mode === COMPARE) {
      if (this.#states[index] !== value) this.done = true;
      return;
    }
    if (index === this.#states.length) {
      const grown = new Float64Array(2 * index);
      grown.set(this.#states);
      this.#states = grown;
    }
    this.#states[index] = value;
  }

  #mix(value: number): void {
    // Plus 0: 0 and -0 are equal.
    this.#number[0] = value + 0;
    const low = this.#words[0]!;
    const high = this.#words[1]!;
    this.#first = Math.imul(this.#first ^ low, FIRST_FACTOR) ^ high;
    this.#first = Math.imul(this.#first ^ (this.#first >>> 15), SECOND_FACTOR);
    this.#second = Math.imul((this.#second + high) ^ (low >>> 7), SECOND_FACTOR) ^ low;
    this.#second = Math.imul(this.#second ^ (this.#second >>> 13), FIRST_FACTOR);
  }
}
