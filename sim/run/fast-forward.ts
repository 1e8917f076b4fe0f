import type { Recurrent } from '../../models/recurrence.ts';
import type { Timers } from '../engine/timers.ts';
import { Snapshot } from './recurrence.ts';

/** Share of a run after which the search for a period is given up: what could then still be left out is not worth it. */
const SEARCH_SHARE = 0.3;

/**
 * Runs to some instant before `endNs`, leaving out whole periods of a state that repeats: the run is advanced as if they
 * had been run, every count with it. The caller runs what is left.
 *
 * The state is looked at after each expiry of the timer `beat`, which must be part of what repeats. It is compared with
 * an anchor that is renewed after 1, 2, 4, 8 … beats, which finds every period once the transient is over (Brent's
 * cycle detection).
 */
export function leaveOutPeriods(timers: Timers, models: readonly Recurrent[], beat: number, endNs: number): void {
  const anchor = new Snapshot();
  const searchNs = SEARCH_SHARE * (endNs - timers.nowNs);
  let searchEndNs = timers.nowNs + searchNs;
  let beats = 0;
  let renewal = 1;
  while (timers.nowNs < searchEndNs && timers.runPast(beat, endNs)) {
    const { nowNs } = timers;
    if (beats > 0 && anchor.equals(models, nowNs)) {
      const periodNs = nowNs - anchor.takenNs;
      const periods = Math.floor((limitNs(timers, anchor.horizonNs, periodNs, endNs) - nowNs) / periodNs);
      if (periods > 0) {
        anchor.advance(models, nowNs, periods);
        searchEndNs = timers.nowNs + searchNs;
      }
      if (anchor.horizonNs === Number.POSITIVE_INFINITY) return;
      // Behind the horizon the same period is found again.
      anchor.record(models, timers.nowNs);
    } else if (++beats === renewal) {
      anchor.record(models, nowNs);
      renewal *= 2;
    }
  }
}

/** How far a run may be advanced: to before the end, and to where nothing that is armed within a period passes the horizon. */
function limitNs(timers: Timers, horizonNs: number, periodNs: number, endNs: number): number {
  return Math.min(endNs - 1, horizonNs - (timers.lastNs() - timers.nowNs) - 2 * periodNs);
}
