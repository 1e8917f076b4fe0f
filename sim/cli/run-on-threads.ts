import type { PointResult } from '../run/result.ts';
import { costAt } from '../sweep/point-cost.ts';
import { readLineHead, resultText } from '../sweep/point-line.ts';
import { PointPool } from '../sweep/point-pool.ts';
import { runTasks } from '../sweep/run-tasks.ts';
import type { RunPointsOptions } from './run-points.ts';
import type { ScenarioFile } from './scenario-files.ts';
import { jobOf } from './sweep-job-of.ts';
import { WORKER_FILE } from './worker-file.ts';

/** Runs the points from `from` on, on threads, and tells of them in their order. */
export async function runOnThreads(file: ScenarioFile, from: number, options: RunPointsOptions): Promise<void> {
  const { loaded } = file;
  const count = loaded.pointCount - from;
  const tasks = Array.from({ length: count }, (_, i) => ({ index: from + i, cost: costAt(loaded, from + i) }));
  const pool = await PointPool.start(jobOf(file, options), {
    workers: Math.min(options.jobs, count),
    workerFile: WORKER_FILE,
  });
  // Points that are done before one in front of them wait for it.
  const waiting = new Map<number, string>();
  let next = from;
  const keeper = {
    async append(lines: readonly string[]): Promise<void> {
      for (const line of lines) waiting.set(readLineHead(line)!.index, line);
      for (let line = waiting.get(next); line !== undefined; line = waiting.get(next)) {
        waiting.delete(next);
        tell(file, line, options);
        next++;
      }
    },
  };
  try {
    await runTasks(tasks, pool, keeper, {
      signal: options.signal,
      onProgress: ({ share }) => options.onProgress(from + share * count),
    });
    for (const index of [...waiting.keys()].sort((a, b) => a - b)) tell(file, waiting.get(index)!, options);
  } finally {
    await pool.close();
  }
}

function tell({ loaded }: ScenarioFile, line: string, { onDone, onFailed }: RunPointsOptions): void {
  const head = readLineHead(line)!;
  const result = JSON.parse(resultText(line, head)) as PointResult;
  if (head.cause === undefined) onDone(result, loaded.pointAt(head.index).scenario);
  else onFailed(result, head.cause);
}
