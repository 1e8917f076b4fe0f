import { Tinypool } from 'tinypool';
import { PointRunner } from './point-runner.ts';
import type { PointTask, SweepJob } from './sweep-job.ts';

/** What every worker of a pool shares, in memory that is not copied. */
export interface SharedData {
  /** The job as JSON in UTF-8. */
  readonly job: SharedArrayBuffer;
  /** One int32: other than 0 asks to end after the point that runs. */
  readonly stop: SharedArrayBuffer;
}

let runner: PointRunner | undefined;

/** Runs some points; fewer where the pool is asked to stop. Returns a line for each that is done. */
export function runBatch(tasks: readonly PointTask[]): string[] {
  const { job, stop } = Tinypool.workerData as SharedData;
  runner ??= new PointRunner(JSON.parse(Buffer.from(job).toString('utf8')) as SweepJob);
  const stopFlag = new Int32Array(stop);
  const lines: string[] = [];
  for (const task of tasks) {
    if (Atomics.load(stopFlag, 0) !== 0) break;
    lines.push(runner.run(task));
  }
  return lines;
}
