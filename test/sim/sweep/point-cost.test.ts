import { expect, test } from 'vitest';
import { costOf, estimateCosts } from '../../../sim/sweep/point-cost.ts';
import { timeSample } from '../../../sim/sweep/timed-sample.ts';
import { jobOf, loadedOf } from './builder.ts';

const never = new AbortController().signal;

test('a point costs as much more as it has packets', () => {
  const loaded = loadedOf(jobOf({ size: '250b,500b,1000b' }));
  // 20 Mbit for 20 ms in packets of 250, 500 and 1000 bytes: 200, 100 and 50 of them, and 50 for the point itself.
  expect([0, 1, 2].map((index) => costOf(loaded.pointAt(index).scenario))).toEqual([250, 150, 100]);
});

test('the costs of a grid are those of its points, and next to nothing for one that is invalid', async () => {
  const loaded = loadedOf(jobOf({ size: '250b..1000b/1b' }));
  const costs = await estimateCosts(loaded, () => {}, never);
  expect(costs).toHaveLength(751);
  expect(costs[750]).toBe(100);
});

test('a timed sample counts all points, whichever it has timed', () => {
  const loaded = loadedOf(jobOf({ size: '1000b..1399b/1b' }));
  const costs = new Float64Array(400).fill(1);
  const { timed, shortestMs, longestMs, totalMs } = timeSample(loaded, [...costs.keys()], costs, true);
  expect(timed).toBe(9);
  // Every point weighs the same, so the whole lies between 400 times the shortest and 400 times the longest.
  expect(totalMs).toBeGreaterThanOrEqual(400 * shortestMs);
  expect(totalMs).toBeLessThanOrEqual(400 * longestMs);
});
