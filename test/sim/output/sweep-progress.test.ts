import { expect, test } from 'vitest';
import { progressText, SweepProgressLine, timeText } from '../../../sim/output/sweep-progress.ts';

const HALF = { pointsDone: 500, points: 1000, failed: 0, share: 0.75 };
const terminal = { colour: false, columns: 80 };

/** What is written to a stream. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

test('a progress says points, rate, the time that is left by the share of the work, and failures', () => {
  // 75 % took 30 s: the rest takes 10 s.
  expect(progressText(HALF, 30_000)).toBe('500 of 1,000 points, 16.667 /s, 10 s left');
  expect(progressText({ ...HALF, failed: 2 }, 30_000)).toBe('500 of 1,000 points, 16.667 /s, 10 s left, 2 failed');
});

test('it is a line that is written anew on a terminal, and erased at the end', () => {
  const out = stream(true);
  const line = new SweepProgressLine(out, terminal, 0);
  for (const nowMs of [500, 2000, 2050, 2100]) line.show(HALF, nowMs);
  line.clear();
  expect(out.written.map((text) => text.slice(0, 5))).toEqual(['\r\u001b[2K', '\r\u001b[2K', '\r\u001b[2K']);
});

test('it is a line now and then in a log', () => {
  const out = stream(false);
  const line = new SweepProgressLine(out, terminal, 0);
  for (let nowMs = 0; nowMs <= 65_000; nowMs += 100) line.show(HALF, nowMs);
  line.clear();
  expect(out.written).toHaveLength(2);
  expect(out.written[0]).toMatch(/^sim: 500 of 1,000 points, .+\n$/);
});

test.each([
  [0.0349, '35 ms'],
  [11.2, '12 s'],
  [119, '119 s'],
  [121, '3 min'],
  [7200, '2.0 h'],
])('%f seconds are %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
