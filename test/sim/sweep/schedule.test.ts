import { expect, test } from 'vitest';
import { Schedule } from '../../../sim/sweep/schedule.ts';

const tasks = (...costs: number[]) => costs.map((cost, index) => ({ index, cost }));
const indexesOf = (batch: readonly { readonly index: number }[]) => batch.map(({ index }) => index);

test('the largest point goes first, and alone while nothing is known of the time that points take', () => {
  const schedule = new Schedule(tasks(5, 90, 20));
  expect(indexesOf(schedule.next(1))).toEqual([1]);
  expect(indexesOf(schedule.next(1))).toEqual([2]);
  expect(indexesOf(schedule.next(1))).toEqual([0]);
  expect(schedule.next(1)).toEqual([]);
});

test('points of equal cost go in their order', () => {
  const schedule = new Schedule(tasks(1, 1, 1));
  expect([schedule.next(1), schedule.next(1), schedule.next(1)].flatMap(indexesOf)).toEqual([0, 1, 2]);
});

test('small points go together, as many as take a quarter of a second', () => {
  const schedule = new Schedule(tasks(...new Array(1000).fill(10)));
  const first = schedule.next(1);
  // 10 of cost in 5 ms: 250 ms are 500 of cost, 50 points.
  schedule.finished(first, 5);
  expect(schedule.next(1)).toHaveLength(50);
});

test('towards the end each worker gets its share', () => {
  const schedule = new Schedule(tasks(...new Array(101).fill(10)));
  schedule.finished(schedule.next(5), 0.1);
  // 1000 of cost are left: a quarter of a fifth of it is 50.
  expect(schedule.next(5)).toHaveLength(5);
});

test('the share that is done goes by cost, not by points', () => {
  const schedule = new Schedule(tasks(30, 10));
  schedule.finished(schedule.next(1), 7);
  expect(schedule.doneShare).toBe(0.75);
});
