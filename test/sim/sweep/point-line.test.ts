import { expect, test } from 'vitest';
import { failedPoint } from '../../../sim/run/failed-point.ts';
import { pointLine, readLineHead, resultText } from '../../../sim/sweep/point-line.ts';
import { PointRunner } from '../../../sim/sweep/point-runner.ts';
import { jobOf } from './builder.ts';

const point = failedPoint({ rate: '1mbit' }, 'because');

test.each([undefined, 'invalid', 'timeout', 'fault'] as const)(
  'a line with cause %s is read as it was written',
  (cause) => {
    const line = pointLine(17, point, cause);
    const head = readLineHead(line);
    expect(head).toMatchObject({ index: 17, cause });
    expect(resultText(line, head!)).toBe(JSON.stringify(point));
    expect(JSON.parse(line)).toMatchObject({ point: 17, result: point });
  },
);

test.each(['', '{}', '{"point":-1,"result":{}}', '{"point":1,"result":{', '{"point":1,"cause":"luck","result":{}}'])(
  '%s is no such line',
  (text) => {
    expect(readLineHead(text)).toBeUndefined();
  },
);

test('a point of the grid and the same with its variables given have the same result', () => {
  const runner = new PointRunner(jobOf({ rate: '1mbit,2mbit' }));
  const [inGrid, added] = [runner.run({ index: 1 }), runner.run({ index: 7, variables: { rate: '2mbit' } })];
  expect(added.replace('"point":7', '"point":1')).toBe(inGrid);
});

test('a point whose values are invalid is recorded with what is wrong', () => {
  const runner = new PointRunner(jobOf({ size: '1000b,2000b' }));
  const line = runner.run({ index: 5, variables: { size: 'large' } });
  expect(readLineHead(line)).toMatchObject({ index: 5, cause: 'invalid' });
  const { failed } = JSON.parse(line).result;
  expect(failed).toContain('small.yaml: flows.load.size: expected a size');
  expect(failed).toContain('given on the command line: --vary size');
});

test('a point that takes too long is recorded, with no figure of a clock', () => {
  const runner = new PointRunner(jobOf({ rate: '1mbit,2mbit' }, { pointTimeoutMs: 0 }));
  const line = runner.run({ index: 1 });
  expect(readLineHead(line)?.cause).toBe('timeout');
  expect(JSON.parse(line).result).toEqual(
    failedPoint({ rate: '2mbit' }, 'took longer than the 0 s that a point may take'),
  );
});
