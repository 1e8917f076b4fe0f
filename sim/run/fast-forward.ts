import type { Recurrent } from '../../models/recurrence.ts';
import type { Timers } from '../engine/timers.ts';
import { Snapshot } from './recurrence.ts';

/** Share of a run after which the search for a period is given up: what could then still be left out is not worth it. */
const SEARCH_SHARE = 0.3;

/**
 * Runs to some instant before `endNs`, leaving out whole periods of a state that repeats: the run is advanced as if they
 * had been run, every count with it. The caller runs what is left. Returns the time left out (ns).
 *
 * The state is looked at after each expiry of the timer `beat`, which must be part of what repeats. It is compared with
 * an anchor that is renewed after 1, 2, 4, 8 … beats, which finds every period once the transient is over (Brent's
 * cycle detection).
 */
export function leaveOutPeriods(timers: Timers, models: readonly Recurrent[], beat: number, endNs: number): number {
  const anchor = new Snapshot();
  const searchNs = SEARCH_SHARE * (endNs - timers.nowNs);
  let searchEndNs = timers.nowNs + searchNs;
  let leftOutNs = 0;
  let beats = 0;
  let renewal = 1;
  while (timers.nowNs < searchEndNs && timers.runPast(beat, endNs)) {
    const { nowNs } = timers;
    if (beats > 0 && anchor.equals(models, nowNs)) {
      const { horizonNs } = anchor;
      const periodNs = nowNs - anchor.takenNs;
      // What passed a horizon counts once, not once a period.
      const isClean = anchor.takenHorizonNs > nowNs;
      const room = Math.floor((limitNs(timers, horizonNs, periodNs, endNs) - nowNs) / periodNs);
      const periods = isClean ? Math.min(room, anchor.mostPeriods) : 0;
      if (periods > 0) {
        anchor.advance(models, nowNs, periods);
        leftOutNs += periods * periodNs;
        searchEndNs = timers.nowNs + searchNs;
      }
      if (isClean && horizonNs === Number.POSITIVE_INFINITY) break;
      // Behind the horizon the same period is found again.
      anchor.record(models, timers.nowNs);
    } else if (++beats === renewal) {
      anchor.record(models, nowNs);
      if (anchor.isHopeless) break;
      renewal *= 2;
    }
  }
  return leftOutNs;
}

/**
 * How far a run may be advanced: nothing that is under way then may reach the end, where a count would cut it, and
 * nothing that is armed within a period may pass the horizon.
 */
function limitNs(timers: Timers, horizonNs: number, periodNs: number, endNs: number): number {
  return Math.min(endNs - 1, horizonNs - 2 * periodNs) - (timers.lastNs() - timers.nowNs);
}
