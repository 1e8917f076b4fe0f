import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadBytes } from '../../models/model.ts';
import { failedPoint } from '../run/failed-point.ts';
import type { PointResult } from '../run/result.ts';
import { simulateInSteps } from '../run/simulate.ts';
import type { Tracer } from '../run/tracer.ts';
import type { Scenario, ScenarioPoint } from '../scenario/scenario.ts';
import { failureOf } from '../sweep/point-failure.ts';
import type { FailureCause } from '../sweep/point-line.ts';
import type { ScenarioFile } from './scenario-files.ts';

/** Simulated time between two occasions to look up (ns), and the most of them in a run. */
const STEP_NS = 5_000_000;
const MOST_STEPS = 1_000_000;
/** How long a simulation goes on without looking up (ms). */
const PATIENCE_MS = 40;
/** Threads are started where they have work for so long (ms); they take about a third of it to start. */
const THREADS_PAY_MS = 1000;

/** How points are run. */
export interface RunPointsOptions {
  readonly buckets: number;
  readonly receivedSteps: number;
  readonly fastForward: boolean;
  readonly tracer?: Tracer;
  readonly signal: AbortSignal;
  /** Threads at most. */
  readonly jobs: number;
  /** Told now and then how many points are done, with a fraction. */
  readonly onProgress: (pointsDone: number) => void;
  /** Told of every point that is done, in order. */
  readonly onDone: (result: PointResult, scenario: Scenario) => void;
  /** Told of every point that failed, in order with the others. */
  readonly onFailed: (result: PointResult, cause: FailureCause) => void;
}

/**
 * Runs every point of a scenario, in order; on threads as soon as it shows that they pay. Ends early when `signal` says
 * so.
 */
export async function runPoints(file: ScenarioFile, options: RunPointsOptions): Promise<void> {
  const { loaded } = file;
  const startMs = performance.now();
  let lookedUpMs = startMs;
  const lookUp = async (pointsDone: number): Promise<void> => {
    if (performance.now() - lookedUpMs < PATIENCE_MS) return;
    options.onProgress(pointsDone);
    await nextTurn();
    lookedUpMs = performance.now();
  };
  for (let index = 0; index < loaded.pointCount && !options.signal.aborted; index++) {
    const expectedMs = ((performance.now() - startMs) / index) * (loaded.pointCount - index);
    if (index > 0 && options.jobs > 1 && expectedMs > THREADS_PAY_MS) {
      const { runOnThreads } = await import('./run-on-threads.ts');
      return runOnThreads(file, index, options);
    }
    try {
      const point = loaded.pointAt(index);
      const result = await runPoint(point, loaded.readBytes, options, (share) => lookUp(index + share));
      if (result !== undefined) options.onDone(result, point.scenario);
    } catch (error) {
      if (loaded.pointCount === 1) throw error;
      const { text, cause } = failureOf(error);
      options.onFailed(failedPoint(loaded.variablesAt(index), text), cause);
    }
  }
}

/** Runs a point; undefined where it was interrupted. */
async function runPoint(
  point: ScenarioPoint,
  readBytes: ReadBytes | undefined,
  { buckets, receivedSteps, fastForward, tracer, signal }: RunPointsOptions,
  lookUp: (share: number) => Promise<void>,
): Promise<PointResult | undefined> {
  const steps = Math.min(MOST_STEPS, Math.ceil(point.scenario.durationNs / STEP_NS));
  const simulation = simulateInSteps(
    point,
    { buckets, receivedSteps, fastForward, readBytes, ...(tracer === undefined ? {} : { tracer }) },
    steps,
  );
  for (;;) {
    const { done, value } = simulation.next();
    if (done === true) return value;
    await lookUp(value);
    if (signal.aborted) return undefined;
  }
}
