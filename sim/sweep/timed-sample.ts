import { simulateInSteps } from '../run/simulate.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { ScenarioError } from '../scenario/problem.ts';

/** Points that are timed, the first one to warm up. */
const SAMPLES = 9;
/** A point is watched for so long at most (ms); what is left of it is extrapolated. */
const WATCHED_MS = 400;
/** The same for one of which nothing is done yet (ms). */
const WATCHED_AT_FIRST_MS = 5 * WATCHED_MS;
const STEPS = 500;

/** What a sample says of a whole sweep. */
export interface SweepEstimate {
  /** Points that were timed. */
  readonly timed: number;
  readonly shortestMs: number;
  readonly longestMs: number;
  /** All points, one after the other. */
  readonly totalMs: number;
}

/** Times some points, from small to large, and estimates how long all of them take on one thread. */
export function timeSample(
  loaded: LoadedScenario,
  indexes: readonly number[],
  costs: Float64Array,
  fastForward: boolean,
): SweepEstimate {
  const ascending = [...indexes].sort((a, b) => costs[a]! - costs[b]!);
  const count = Math.min(SAMPLES, ascending.length);
  const chosen = Array.from(
    { length: count },
    (_, i) => ascending[Math.floor(((i + 0.5) * ascending.length) / count)]!,
  );
  const times: number[] = [];
  let cost = 0;
  for (const [i, index] of [chosen[Math.floor(count / 2)]!, ...chosen].entries()) {
    const ms = timePoint(loaded, index, fastForward);
    // The first one warms up the machine.
    if (i === 0) continue;
    times.push(ms);
    cost += costs[index]!;
  }
  const timedMs = times.reduce((sum, ms) => sum + ms, 0);
  const total = indexes.reduce((sum, index) => sum + costs[index]!, 0);
  return {
    timed: times.length,
    shortestMs: Math.min(...times),
    longestMs: Math.max(...times),
    totalMs: (timedMs * total) / cost,
  };
}

/** How long a point takes (ms). */
function timePoint(loaded: LoadedScenario, index: number, fastForward: boolean): number {
  const startMs = performance.now();
  const tookMs = (): number => performance.now() - startMs;
  try {
    const { readBytes } = loaded;
    const simulation = simulateInSteps(loaded.pointAt(index), { buckets: 0, fastForward, readBytes }, STEPS);
    for (;;) {
      const { done, value } = simulation.next();
      if (done === true) return tookMs();
      // While nothing is done yet, what repeats is looked for, or one instant has very many events.
      if (tookMs() > (value > 0 ? WATCHED_MS : WATCHED_AT_FIRST_MS)) return tookMs() / Math.max(value, 1 / STEPS);
    }
  } catch (error) {
    if (error instanceof ScenarioError) return tookMs();
    throw error;
  }
}
