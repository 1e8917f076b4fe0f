import { describe, expect, it } from 'vitest';
import { activeSeconds, alternates, thinned, untilSeconds } from '../../reports/charts/time.ts';
import { readPoints, valueWords } from '../../reports/reading.ts';
import { verdictSection } from '../../reports/verdict.ts';
import type { PointResult, Result, TransferResult } from '../../sim/run/result.ts';
import { curlResult, flow, series } from './sample-results.ts';

const DONE: TransferResult = {
  bytes: 1e6,
  seconds: 0.4,
  bitsPerSecond: 2e7,
  limitBitsPerSecond: 1e7,
  deviationPercent: 100,
  completed: true,
};

function pointWith(transfer: TransferResult): PointResult {
  const throughput = { '10ms': series(1000, 0.01, (i) => (i < 40 ? 2e7 : 0)) };
  return {
    flows: { load: flow({ packetsPerSecond: 100, transfer, series: { throughput } }) },
  } as unknown as PointResult;
}

describe('charts over time', () => {
  it('end a twentieth after the last interval in which a finite transfer got something', () => {
    expect(activeSeconds(pointWith(DONE))).toBeCloseTo(0.42, 9);
  });

  it('go to the end of the run where a transfer has no end', () => {
    expect(activeSeconds(pointWith({ ...DONE, completed: false }))).toBeUndefined();
  });

  it('are cut after whole intervals', () => {
    expect(
      untilSeconds(
        series(10, 0.1, (i) => i),
        0.42,
      ).mean,
    ).toEqual([0, 1, 2, 3, 4]);
    expect(
      untilSeconds(
        series(10, 0.1, (i) => i),
        undefined,
      ).mean,
    ).toHaveLength(10);
  });

  it('keep least and most of the intervals that they join', () => {
    expect(thinned({ startSeconds: 0, stepSeconds: 1, mean: [1, 3, 5], min: [0, 2, 4], max: [2, 9, 6] }, 2)).toEqual({
      startSeconds: 0,
      stepSeconds: 2,
      mean: [2, 5],
      min: [0, 4],
      max: [9, 6],
    });
  });

  it('tell what goes up and down from what rises', () => {
    expect(alternates(series(20, 1, (i) => i % 2))).toBe(true);
    expect(alternates(series(20, 1, (i) => i))).toBe(false);
  });
});

describe('values in words', () => {
  it('write the bytes of tc as bytes, all else as it stands', () => {
    expect(valueWords('3750b')).toBe('3,750\u00a0B');
    expect(valueWords('3750')).toBe('3750');
    expect(valueWords('8mbit')).toBe('8mbit');
  });
});

describe('a verdict on several runs', () => {
  it('names a variable with its span instead of the text of a template', () => {
    const base = curlResult();
    const points = base.points.slice(0, 2).map((point, i) => {
      const measured = `${10 * (i + 1)}mbit`;
      const text = `flows.a.bitsPerSecond.goodput within 2% of ${measured}`;
      return {
        ...point,
        variables: { ...point.variables, tolerance: '2%', measured },
        expectations: [{ text, passed: true, actual: 1e7, expected: 1e7 }],
      };
    });
    const line = 'flows.a.bitsPerSecond.goodput within $' + '{tolerance} of $' + '{measured}';
    const document = { ...(base.scenario.document as object), expect: [line] };
    const result = { ...base, points, scenario: { ...base.scenario, document } } as Result;
    const words = verdictSection(readPoints([result]), []).text.replaceAll(/<[^>]*>/g, '');
    expect(words).toContain('within 2% of ‹measured› (10\u00a0Mbit/s … 20\u00a0Mbit/s)');
    expect(words).toContain('All 2 expectations hold: the simulation gives what the scenario says must come out.');
  });
});
