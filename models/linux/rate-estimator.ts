import type { Surroundings, TimerOwner } from '../model.ts';
import { JIFFY_NS } from './qdisc-base.ts';

const SHORTEST_PERIOD_NS = 250_000_000;
const LONGEST_PERIOD_LOG = 5;
const MOST_WEIGHT_LOG = 30;
/** Estimators of 64 bits and finer steps came with this release. */
const FINE_SINCE = 4_010_000;

/** How an average rate is measured. */
export interface EstimatorSettings {
  /** Time between two looks. */
  readonly periodNs: number;
  /** By how many bits a count of bytes is shifted up, and the average down, to be bytes per second. */
  readonly countShift: number;
  readonly averageShift: number;
  /** Added before the average is shifted down. */
  readonly rounding: number;
  /** Share of a new count in the average, as a power of two. */
  readonly weightLog: number;
}

/**
 * The settings for times as tc is given them (tc/m_estimator.c, tc_core: tc_setup_estimator; net/core/gen_estimator.c).
 *
 * The interval is rounded up to 250 ms times a power of two; the weight 2^-w is the largest with which the average has a
 * time constant of at most `averageNs`.
 *
 * @param kernelRelease see {@link kernelReleaseOf}
 * @returns undefined for what tc refuses
 */
export function estimatorSettings(
  intervalNs: number,
  averageNs: number,
  kernelRelease: number,
): EstimatorSettings | undefined {
  let periodLog = 0;
  while (intervalNs > SHORTEST_PERIOD_NS * 2 ** periodLog) periodLog++;
  if (periodLog > LONGEST_PERIOD_LOG) return undefined;
  let weightLog = 1;
  while (weightLog < MOST_WEIGHT_LOG + 2 && intervalNs / -Math.log(1 - 2 ** -weightLog) <= averageNs) weightLog++;
  weightLog--;
  if (weightLog === 0 || weightLog > MOST_WEIGHT_LOG) return undefined;
  const fine = kernelRelease >= FINE_SINCE;
  return {
    periodNs: SHORTEST_PERIOD_NS * 2 ** periodLog,
    countShift: (fine ? 10 : 7) - periodLog,
    averageShift: fine ? 8 : 5,
    rounding: fine ? 0 : 0xf,
    weightLog,
  };
}

/**
 * The kernel's estimate of a rate: an exponentially weighted average of what has come in each period
 * (net/core/gen_estimator.c: est_timer).
 */
export class RateEstimator implements TimerOwner {
  readonly #settings: EstimatorSettings;
  readonly #countBytes: () => number;
  readonly #surroundings: Surroundings;
  readonly #timer: number;
  #lastBytes = 0;
  #average = 0;
  #nextJiffies: number;

  /** @param countBytes all that has come so far */
  constructor(settings: EstimatorSettings, countBytes: () => number, surroundings: Surroundings) {
    this.#settings = settings;
    this.#countBytes = countBytes;
    this.#surroundings = surroundings;
    this.#timer = surroundings.newTimer(this);
    this.#nextJiffies = Math.floor(surroundings.startNs / JIFFY_NS);
    this.#arm();
  }

  /** The estimate; it changes once a period. */
  get bytesPerSecond(): number {
    return Math.floor((this.#average + this.#settings.rounding) / 2 ** this.#settings.averageShift);
  }

  onTimer(): void {
    const { countShift, weightLog } = this.#settings;
    const bytes = this.#countBytes();
    const rate = (bytes - this.#lastBytes) * 2 ** countShift;
    this.#average += Math.floor(rate / 2 ** weightLog) - Math.floor(this.#average / 2 ** weightLog);
    this.#lastBytes = bytes;
    this.#arm();
  }

  #arm(): void {
    this.#nextJiffies += this.#settings.periodNs / JIFFY_NS;
    this.#surroundings.wakeAt(this.#timer, this.#nextJiffies * JIFFY_NS);
  }
}
