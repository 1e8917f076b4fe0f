import type { Series } from './result.ts';

const NS_PER_SECOND = 1e9;

/** A signal in equal time buckets; keeps each bucket's minimum, maximum and mean. */
export class BucketSeries {
  readonly #startNs: number;
  readonly #stepNs: number;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  /** Time of each bucket that the signal was told for: the last one may reach beyond the end. */
  readonly #told: Float64Array;

  constructor(startNs: number, durationNs: number, buckets: number) {
    this.#startNs = startNs;
    this.#stepNs = durationNs / buckets;
    this.#min = new Float64Array(buckets).fill(Number.POSITIVE_INFINITY);
    this.#max = new Float64Array(buckets).fill(Number.NEGATIVE_INFINITY);
    this.#sum = new Float64Array(buckets);
    this.#told = new Float64Array(buckets);
  }

  /** Tells that the signal was `value` from `fromNs` to `toNs`, and touched it at least at `fromNs`. */
  hold(fromNs: number, toNs: number, value: number): void {
    const buckets = this.#min.length;
    let bucket = Math.floor((fromNs - this.#startNs) / this.#stepNs);
    let beginNs = fromNs;
    while (bucket < buckets) {
      const endNs = this.#startNs + (bucket + 1) * this.#stepNs;
      if (value < this.#min[bucket]!) this.#min[bucket] = value;
      if (value > this.#max[bucket]!) this.#max[bucket] = value;
      if (toNs <= endNs) {
        this.#sum[bucket]! += value * (toNs - beginNs);
        this.#told[bucket]! += toNs - beginNs;
        return;
      }
      this.#sum[bucket]! += value * (endNs - beginNs);
      this.#told[bucket]! += endNs - beginNs;
      beginNs = endNs;
      bucket++;
    }
  }

  /** The buckets, values multiplied by `scale`; instants count from the start of the simulation. */
  toSeries(scale: number): Series {
    const stepNs = this.#stepNs;
    return {
      startSeconds: 0,
      stepSeconds: stepNs / NS_PER_SECOND,
      min: Array.from(this.#min, (value) => (value === Number.POSITIVE_INFINITY ? 0 : value * scale)),
      max: Array.from(this.#max, (value) => (value === Number.NEGATIVE_INFINITY ? 0 : value * scale)),
      mean: Array.from(this.#sum, (sum, bucket) => (sum / Math.max(1, this.#told[bucket]!)) * scale),
    };
  }
}

/** A piecewise constant signal that is told of its changes. */
export class StepSignal {
  #value = 0;
  #sinceNs: number;
  readonly #series: BucketSeries;

  constructor(startNs: number, durationNs: number, buckets: number) {
    this.#sinceNs = startNs;
    this.#series = new BucketSeries(startNs, durationNs, buckets);
  }

  /** Tells that the signal has a new value from `nowNs` on. */
  set(nowNs: number, value: number): void {
    if (value === this.#value) return;
    this.#series.hold(this.#sinceNs, nowNs, this.#value);
    this.#value = value;
    this.#sinceNs = nowNs;
  }

  /** The series up to `endNs`. */
  finish(endNs: number, scale: number): Series {
    if (endNs > this.#sinceNs) this.#series.hold(this.#sinceNs, endNs, this.#value);
    this.#sinceNs = endNs;
    return this.#series.toSeries(scale);
  }
}

/** Sums amounts in windows of fixed length and keeps the windows, down-sampled, as a series of rates. */
export class WindowedRate {
  #windowEndNs: number;
  #sum = 0;
  readonly #windowNs: number;
  readonly #series: BucketSeries;

  /** At most `buckets` buckets, each of a whole number of windows. */
  constructor(startNs: number, durationNs: number, windowNs: number, buckets: number) {
    this.#windowNs = windowNs;
    this.#windowEndNs = startNs + windowNs;
    const windows = Math.max(1, Math.floor(durationNs / windowNs));
    const perBucket = Math.ceil(windows / buckets);
    this.#series = new BucketSeries(
      startNs,
      Math.ceil(windows / perBucket) * perBucket * windowNs,
      Math.ceil(windows / perBucket),
    );
  }

  /** Adds an amount at `nowNs`; instants do not go back. */
  add(nowNs: number, amount: number): void {
    if (nowNs >= this.#windowEndNs) this.#close(nowNs);
    this.#sum += amount;
  }

  /** The rate per second in each complete window up to `endNs`, multiplied by `scale`. */
  finish(endNs: number, scale: number): Series {
    this.#close(endNs);
    return this.#series.toSeries((scale * NS_PER_SECOND) / this.#windowNs);
  }

  #close(nowNs: number): void {
    const windowNs = this.#windowNs;
    if (nowNs < this.#windowEndNs) return;
    this.#series.hold(this.#windowEndNs - windowNs, this.#windowEndNs, this.#sum);
    this.#sum = 0;
    const idleWindows = Math.floor((nowNs - this.#windowEndNs) / windowNs);
    if (idleWindows > 0) this.#series.hold(this.#windowEndNs, this.#windowEndNs + idleWindows * windowNs, 0);
    this.#windowEndNs += (idleWindows + 1) * windowNs;
  }
}

/** A growing total as a staircase: every step while there is room, then the steps that are furthest apart in time. */
export class Staircase {
  #seconds: number[] = [];
  #totals: number[] = [];
  #spacing = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Tells that the total is `total` from `seconds` on. */
  add(seconds: number, total: number): void {
    const last = this.#seconds.length - 1;
    // Within the spacing the last step is moved up, except that the step before a pause stays where it is.
    if (last > 0 && seconds - this.#seconds[last - 1]! < this.#spacing) {
      this.#seconds[last] = seconds;
      this.#totals[last] = total;
      return;
    }
    this.#seconds.push(seconds);
    this.#totals.push(total);
    if (this.#seconds.length > 2 * this.#limit) this.#thin();
  }

  /** The steps. */
  finish(): { readonly seconds: readonly number[]; readonly bytes: readonly number[] } {
    return { seconds: this.#seconds, bytes: this.#totals };
  }

  #thin(): void {
    const end = this.#seconds[this.#seconds.length - 1]!;
    this.#spacing = Math.max(this.#spacing * 2, (2 * (end - this.#seconds[0]!)) / this.#limit);
    const seconds = this.#seconds;
    const totals = this.#totals;
    this.#seconds = [];
    this.#totals = [];
    for (let index = 0; index < seconds.length; index++) this.add(seconds[index]!, totals[index]!);
  }
}
