import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadBytes } from '../../models/model.ts';
import type { PointResult } from '../run/result.ts';
import { simulateInSteps } from '../run/simulate.ts';
import type { Tracer } from '../run/tracer.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { ScenarioError } from '../scenario/problem.ts';
import type { Scenario, ScenarioPoint } from '../scenario/scenario.ts';

/** Simulated time between two occasions to look up (ns), and the most of them in a run. */
const STEP_NS = 5_000_000;
const MOST_STEPS = 1_000_000;
/** How long a simulation goes on without looking up (ms). */
const PATIENCE_MS = 40;

/** How points are run. */
export interface RunPointsOptions {
  readonly buckets: number;
  readonly receivedSteps: number;
  readonly fastForward: boolean;
  readonly tracer?: Tracer;
  readonly signal: AbortSignal;
  /** Told now and then how many points are done, with a fraction. */
  readonly onProgress: (pointsDone: number) => void;
  /** Told of every point that is done, in order. */
  readonly onDone: (result: PointResult, scenario: Scenario) => void;
  /** Told of every point that cannot be run. */
  readonly onFailed: (variables: Readonly<Record<string, string>>, error: unknown) => void;
}

/** Runs every point of a scenario, one after the other; ends early when `signal` says so. */
export async function runPoints(loaded: LoadedScenario, options: RunPointsOptions): Promise<void> {
  let lookedUpMs = performance.now();
  const lookUp = async (pointsDone: number): Promise<void> => {
    if (performance.now() - lookedUpMs < PATIENCE_MS) return;
    options.onProgress(pointsDone);
    await nextTurn();
    lookedUpMs = performance.now();
  };
  for (let index = 0; index < loaded.pointCount && !options.signal.aborted; index++) {
    try {
      const point = loaded.pointAt(index);
      const result = await runPoint(point, loaded.readBytes, options, (share) => lookUp(index + share));
      if (result !== undefined) options.onDone(result, point.scenario);
    } catch (error) {
      if (loaded.pointCount === 1 && !(error instanceof ScenarioError)) throw error;
      options.onFailed(loaded.variablesAt(index), error);
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
  for (let step = 1; ; step++) {
    const { done, value } = simulation.next();
    if (done) return value;
    await lookUp(step / steps);
    if (signal.aborted) return undefined;
  }
}
