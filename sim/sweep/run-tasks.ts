import { readLineHead } from './point-line.ts';
import { type CostedTask, Schedule } from './schedule.ts';
import type { PointTask } from './sweep-job.ts';

/** Batches that are asked for before the first one is back. */
const FIRST_LANES = 16;

/** What came of a batch. */
export interface BatchResult {
  /** A line for each point that is done; fewer than points where the runner was asked to stop. */
  readonly lines: readonly string[];
  /** How long it ran. */
  readonly tookMs: number;
}

/** What runs batches of points: threads of this machine, or workers at a queue. */
export interface BatchRunner {
  /** How many batches it takes at a time. */
  readonly lanes: number;
  /** How many of them run at a time, as far as is known. */
  readonly parallel: number;
  run(tasks: readonly PointTask[]): Promise<BatchResult>;
  /** Asks to end: points that run are finished, others are left. */
  stop(): void;
  close(): Promise<void>;
}

/** Where finished points go, in whatever order they come. */
export interface PointKeeper {
  /** Keeps them; the next ones may come meanwhile. */
  append(lines: readonly string[]): Promise<void>;
}

/** How far it is. */
export interface SweepProgress {
  /** Points that were finished now. */
  readonly pointsDone: number;
  readonly points: number;
  /** Of those done, the ones that failed. */
  readonly failed: number;
  /** Share of the work, 0 to 1. */
  readonly share: number;
}

/** Runs points and keeps each; returns when all are kept, or when `signal` ended it early. */
export async function runTasks(
  tasks: readonly CostedTask[],
  runner: BatchRunner,
  keeper: PointKeeper,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: SweepProgress) => void },
): Promise<void> {
  const schedule = new Schedule(tasks);
  let pointsDone = 0;
  let failed = 0;
  let ended = signal.aborted;
  let failure: { readonly error: unknown } | undefined;
  const end = (): void => {
    ended = true;
    runner.stop();
  };
  const lanes: Promise<void>[] = [];
  const openLanes = (count: number): void => {
    while (lanes.length < Math.min(count, tasks.length)) lanes.push(runLane());
  };
  const runLane = async (): Promise<void> => {
    try {
      let written = Promise.resolve();
      while (!ended) {
        const batch = schedule.next(runner.parallel);
        if (batch.length === 0) break;
        const { lines, tookMs } = await runner.run(batch);
        schedule.finished(batch, tookMs);
        openLanes(runner.lanes);
        // The next batch runs while this one is written, but no further.
        await written;
        written = keeper.append(lines);
        written.catch(end);
        pointsDone += lines.length;
        failed += lines.filter((line) => readLineHead(line)?.cause !== undefined).length;
        onProgress({ pointsDone, points: tasks.length, failed, share: schedule.doneShare });
      }
      await written;
    } catch (error) {
      failure ??= { error };
      end();
    }
  };
  signal.addEventListener('abort', end);
  try {
    // Until one is back, nothing is known of the time that points take, and batches are small.
    openLanes(Math.min(runner.lanes, FIRST_LANES));
    for (let lane = 0; lane < lanes.length; lane++) await lanes[lane];
    if (failure !== undefined) throw failure.error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
