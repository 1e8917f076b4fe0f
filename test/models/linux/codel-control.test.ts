import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codelSetting, codelTime, newtonStep } from '../../../models/linux/codel-control.ts';

/** The step in 64-bit integers, as C computes it. */
function wideNewtonStep(recInvSqrt: number, count: number): number {
  const x = BigInt(recInvSqrt) << 16n;
  const square = (x * x) >> 32n;
  const value = BigInt.asUintN(64, (3n << 32n) - BigInt(count) * square) >> 2n;
  return Number(BigInt.asUintN(16, (BigInt.asUintN(64, value * x) >> 31n) >> 16n));
}

describe("CoDel's inverse square root", () => {
  it('goes one step a drop, so that it starts far from 65536 / sqrt(count)', () => {
    let rec = 65_535;
    const steps = [2, 3, 4, 5, 6, 7, 8].map((count) => {
      rec = newtonStep(rec, count);
      return rec;
    });
    expect(steps).toEqual([32_769, 36_864, 31_968, 28_935, 26_481, 24_588, 23_037]);
  });

  it.each([
    [5, 5],
    [10, 32_781],
    [65, 95],
    [66, 32_865],
    [200, 33_066],
  ])('wraps like 64-bit integers when count jumps to %i', (count, rec) => {
    expect(newtonStep(65_535, count)).toBe(rec);
  });

  it('equals 64-bit integers whatever the count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), fc.integer({ min: 0, max: 0xffffffff }), (rec, count) => {
        expect(newtonStep(rec, count)).toBe(wideNewtonStep(rec, count));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});

describe("CoDel's clock", () => {
  it('counts 1.024 µs and wraps at 2^32', () => {
    expect(codelTime(1023)).toBe(0);
    expect(codelTime(1024)).toBe(1);
    expect(codelTime(2 ** 42 + 2048)).toBe(2);
  });

  it('makes 4882 of 5 ms and 97656 of 100 ms', () => {
    expect(codelSetting(5e6)).toBe(4882);
    expect(codelSetting(100e6)).toBe(97_656);
  });
});
