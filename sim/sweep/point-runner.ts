import * as registry from '../../models/registry.ts';
import { failedPoint } from '../run/failed-point.ts';
import type { PointResult } from '../run/result.ts';
import { simulateInSteps } from '../run/simulate.ts';
import { type LoadedScenario, loadScenario } from '../scenario/load-scenario.ts';
import { bytesBeside } from './named-files.ts';
import { failureOf } from './point-failure.ts';
import { type FailureCause, pointLine } from './point-line.ts';
import type { PointTask, SweepJob } from './sweep-job.ts';

/** Parts of a point's simulated time, after each of which the clock is looked at. */
const STEPS = 1000;

/** Thrown inside a point that takes too long. */
class OutOfTime extends Error {}

/** Runs the points of one sweep: the scenario is read and checked once. */
export class PointRunner {
  readonly #job: SweepJob;
  readonly #loaded: LoadedScenario;

  /** @throws ScenarioError */
  constructor(job: SweepJob) {
    this.#job = job;
    this.#loaded = loadScenario(job.text, job.file, {
      registry,
      overrides: job.overrides,
      readText: (name) => {
        const text = job.files[name];
        if (text === undefined) throw new Error(`${name} did not come with the sweep`);
        return text;
      },
      readBytes: bytesBeside(job.file),
    });
  }

  /** Runs a point and writes its line; a point that fails is a line as well. */
  run(task: PointTask): string {
    try {
      return pointLine(task.index, this.#simulate(task));
    } catch (error) {
      if (error instanceof OutOfTime) return this.timeoutLine(task);
      const { text, cause } = failureOf(error);
      return this.failedLine(task, text, cause);
    }
  }

  /** The line of a point that took too long. */
  timeoutLine(task: PointTask): string {
    const limitMs = this.#job.pointTimeoutMs!;
    return this.failedLine(task, `took longer than the ${limitMs / 1000} s that a point may take`, 'timeout', limitMs);
  }

  /** The line of a point that failed. */
  failedLine(
    { index, variables = this.#loaded.variablesAt(index) }: PointTask,
    text: string,
    cause: FailureCause,
    limitMs?: number,
  ): string {
    return pointLine(index, failedPoint(variables, text), cause, limitMs);
  }

  #simulate({ index, variables }: PointTask): PointResult {
    const point = variables === undefined ? this.#loaded.pointAt(index) : this.#loaded.pointOf(variables);
    const { buckets, receivedSteps, fastForward, pointTimeoutMs } = this.#job;
    const { readBytes } = this.#loaded;
    const steps = pointTimeoutMs === undefined ? 1 : STEPS;
    const endMs = performance.now() + (pointTimeoutMs ?? Number.POSITIVE_INFINITY);
    const simulation = simulateInSteps(point, { buckets, receivedSteps, fastForward, readBytes }, steps);
    for (;;) {
      const { done, value } = simulation.next();
      if (done === true) return value;
      if (performance.now() > endMs) throw new OutOfTime();
    }
  }
}
