import type { Recurrent } from '../../models/recurrence.ts';
import type { Timers } from '../engine/timers.ts';
import { Snapshot } from './recurrence.ts';

/** Share of a run after which the search for a period is given up: what could then still be left out is not worth it. */
const SEARCH_SHARE = 0.3;
/** States in a row whose fingerprints are kept at first, and over which the search then strides. */
const LEAST_KEPT_STATES = 64;
/** A period that is found is tried so often without anything left out: a horizon may lie within it. */
const MOST_TRIES = 3;
/** Beats between two occasions for the caller to stop. */
const LOOKS_AT_A_TIME = 256;

/**
 * Runs to some instant before `endNs`, leaving out whole periods of a state that repeats: the run is advanced as if they
 * had been run, every count with it. The caller runs what is left. Yields now and then; returns the time left out (ns).
 *
 * The state is looked at after an expiry of the timer `beat`, which must be part of what repeats. A state that looks like
 * one of those kept gives a period, which is then run once more and compared in full. The kept states are renewed after
 * about 128, 256, 512 … beats, so that every period is found once the transient is over; a stride is no longer than the
 * time that they span, so that it does not pass over them. With as many states kept as strides made, little is looked at.
 */
export function* leaveOutPeriods(
  timers: Timers,
  models: readonly Recurrent[],
  beat: number,
  endNs: number,
): Generator<undefined, number> {
  const search = new PeriodSearch(timers, models, beat, endNs);
  return yield* search.run();
}

class PeriodSearch {
  readonly #timers: Timers;
  readonly #models: readonly Recurrent[];
  readonly #beat: number;
  readonly #endNs: number;
  readonly #snapshot = new Snapshot();
  /** When a state of some fingerprint was met (ns). */
  readonly #kept = new Map<number, number>();
  #leftOutNs = 0;
  #isOver = false;

  constructor(timers: Timers, models: readonly Recurrent[], beat: number, endNs: number) {
    this.#timers = timers;
    this.#models = models;
    this.#beat = beat;
    this.#endNs = endNs;
  }

  *run(): Generator<undefined, number> {
    const timers = this.#timers;
    const searchEndNs = timers.nowNs + SEARCH_SHARE * (this.#endNs - timers.nowNs);
    for (let beats = 2 * LEAST_KEPT_STATES; !this.#isOver; beats *= 2) {
      const keptStates = Math.max(LEAST_KEPT_STATES, Math.ceil(Math.sqrt(beats)));
      const strides = Math.ceil(beats / keptStates) - 1;
      this.#kept.clear();
      let firstNs = Number.NaN;
      let strideNs = 0;
      for (let looks = 0; looks < keptStates + strides && !this.#isOver; looks++) {
        if (timers.nowNs >= searchEndNs) return this.#leftOutNs;
        if (looks === keptStates) strideNs = timers.nowNs - firstNs;
        if (strideNs > 0 && timers.nowNs + strideNs < this.#endNs) timers.runUntil(timers.nowNs + strideNs);
        this.#look(looks < keptStates);
        if (looks % LOOKS_AT_A_TIME === 0) yield;
        if (looks === 0) firstNs = timers.nowNs;
      }
    }
    return this.#leftOutNs;
  }

  /** Goes on to the next beat, and tries the period that the state there may give. */
  #look(keeps: boolean): void {
    const timers = this.#timers;
    if (!timers.runPast(this.#beat, this.#endNs)) {
      this.#isOver = true;
      return;
    }
    const fingerprint = this.#snapshot.fingerprint(this.#models, timers.nowNs);
    if (this.#snapshot.isHopeless) this.#isOver = true;
    if (fingerprint === undefined) return;
    const metNs = this.#kept.get(fingerprint);
    if (metNs !== undefined && metNs < timers.nowNs) this.#try(timers.nowNs - metNs);
    else if (keeps) this.#kept.set(fingerprint, timers.nowNs);
  }

  /** Runs a period and, where the state is then the same, leaves out as many more as can be. */
  #try(periodNs: number): void {
    const timers = this.#timers;
    const models = this.#models;
    const snapshot = this.#snapshot;
    for (let tries = 0; tries < MOST_TRIES && !this.#isOver; tries++) {
      const targetNs = timers.nowNs + periodNs;
      if (targetNs >= this.#endNs) return;
      snapshot.record(models, timers.nowNs);
      timers.runUntil(targetNs);
      if (!timers.runPast(this.#beat, this.#endNs)) {
        this.#isOver = true;
        return;
      }
      const { nowNs } = timers;
      if (nowNs !== targetNs || !snapshot.equals(models, nowNs)) return;
      const { horizonNs } = snapshot;
      // What passed a horizon counts once, not once a period.
      if (snapshot.takenHorizonNs <= nowNs) continue;
      const room = Math.floor((this.#limitNs(periodNs, horizonNs) - nowNs) / periodNs);
      const periods = Math.min(room, snapshot.mostPeriods);
      if (periods > 0) {
        snapshot.advance(models, nowNs, periods);
        this.#leftOutNs += periods * periodNs;
        tries = -1;
      }
      // Where a count is kept exact there is more to leave out, once a sum of two parts has carried.
      if (horizonNs === Number.POSITIVE_INFINITY && (periods === room || periods === 0)) this.#isOver = true;
    }
  }

  /**
   * How far the run may be advanced: nothing that is under way then may reach the end, where a count would cut it, and
   * nothing that is armed within a period may pass the horizon.
   */
  #limitNs(periodNs: number, horizonNs: number): number {
    const timers = this.#timers;
    return Math.min(this.#endNs - 1, horizonNs - 2 * periodNs) - (timers.lastNs() - timers.nowNs);
  }
}
