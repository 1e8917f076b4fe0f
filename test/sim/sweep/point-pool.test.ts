import { expect, test } from 'vitest';
import { readLineHead } from '../../../sim/sweep/point-line.ts';
import { PointPool } from '../../../sim/sweep/point-pool.ts';
import { jobOf } from './builder.ts';

const FAILING = new URL('failing-worker.mjs', import.meta.url);
const job = jobOf({ rate: '1mbit..10mbit/1mbit' });
const tasksOf = (...indexes: number[]) => indexes.map((index) => ({ index }));

async function linesOf(indexes: readonly number[], more = {}): Promise<readonly string[]> {
  const pool = await PointPool.start({ ...job, ...more }, { workers: 1, workerFile: FAILING });
  try {
    return (await pool.run(tasksOf(...indexes))).lines;
  } finally {
    await pool.close();
  }
}

test('a point that takes its thread with it has failed, and the others of its batch are done', async () => {
  const lines = await linesOf([1, 2, 4]);
  expect(lines.map((line) => readLineHead(line))).toMatchObject([
    { index: 1, cause: undefined },
    { index: 2, cause: 'fault' },
    { index: 4, cause: undefined },
  ]);
  expect(JSON.parse(lines[1]!).result).toMatchObject({
    variables: { rate: '3mbit' },
    failed: 'its thread ended: out of memory',
  });
});

test('a point that is stuck within one instant is ended after its time', async () => {
  const [line] = await linesOf([3], { pointTimeoutMs: 10 });
  expect(readLineHead(line!)?.cause).toBe('timeout');
  expect(JSON.parse(line!).result).toMatchObject({
    variables: { rate: '4mbit' },
    failed: 'took longer than the 0.01 s that a point may take',
  });
});

test('threads that cannot start are no failed points', async () => {
  const missing = new URL('no-such-worker.mjs', import.meta.url);
  await expect(PointPool.start(job, { workers: 2, workerFile: missing })).rejects.toThrow();
});
