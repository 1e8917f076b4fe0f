import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogHistogram } from '../../../sim/run/histogram.ts';

describe('the delay histogram', () => {
  it('gives quantiles within 0.4 % of the nearest rank, whatever the range', () => {
    const value = fc.oneof(fc.nat(300), fc.nat(1_000_000), fc.integer({ min: 0, max: 2 ** 52 }));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const histogram = new LogHistogram();
          for (const item of values) histogram.add(item);
          const sorted = values.toSorted((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!;
          expect(Math.abs(histogram.quantile(share) - exact)).toBeLessThanOrEqual(exact / 256);
        },
      ),
    );
  });

  it('keeps minimum, maximum, count and mean exact', () => {
    const histogram = new LogHistogram();
    for (const value of [5, 1_000_003, 77]) histogram.add(value);
    expect([histogram.min, histogram.max, histogram.total, histogram.mean]).toEqual([5, 1_000_003, 3, 1_000_085 / 3]);
  });

  it('keeps the mean exact where the sum is beyond 2^53', () => {
    const histogram = new LogHistogram();
    // six values of 2^51 + 1: a plain sum beyond 2^53 would lose the odd ones
    for (let i = 0; i < 6; i++) histogram.add(2 ** 51 + 1);
    expect(histogram.mean).toBe(2 ** 51 + 1);
  });

  it('is all zero when empty', () => {
    const histogram = new LogHistogram();
    expect([histogram.min, histogram.max, histogram.mean, histogram.quantile(0.5)]).toEqual([0, 0, 0, 0]);
    expect(histogram.toSeconds()).toEqual({ upperSeconds: [], counts: [] });
  });

  it('lists its cells in ascending order with every value counted once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 40 })), (values) => {
        const histogram = new LogHistogram();
        for (const item of values) histogram.add(item);
        const { upperSeconds, counts } = histogram.toSeconds();
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
        expect(upperSeconds).toEqual(upperSeconds.toSorted((a, b) => a - b));
      }),
    );
  });
});
