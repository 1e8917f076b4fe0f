import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorrelatedRandom, scaledByRandom, scaledProbability } from '../../../models/linux/netem-random.ts';

const u32 = fc.integer({ min: 0, max: 0xffffffff });

/** Gives the draws one after the other. */
const drawing = (draws: readonly number[]): (() => number) => {
  let at = 0;
  return () => draws[at++]!;
};

describe('correlated random numbers', () => {
  it('are plain draws without a correlation', () => {
    const random = new CorrelatedRandom(0, false, drawing([7, 4_000_000_000]));
    expect([random.next(), random.next()]).toEqual([7, 4_000_000_000]);
  });

  it('are halfway between the draw and the one before at 50 %', () => {
    // rho' = 2^31 + 1; of a draw 0 and the one before, 2^32 - 1: (2^32 - 1) * (2^31 + 1) >> 32 = 2^31; then 2^31 * (2^31 + 1) >> 32 = 2^30.
    const random = new CorrelatedRandom(scaledProbability(0.5), true, drawing([0xffffffff, 0, 0]));
    expect([random.next(), random.next()]).toEqual([0x80000000, 0x40000000]);
  });

  it('stay what they are at 100 %', () => {
    const random = new CorrelatedRandom(scaledProbability(1), true, drawing([12345, 99, 0xffffffff]));
    expect([random.next(), random.next()]).toEqual([12345, 12345]);
  });

  it('equal the 64-bit sum of products for any numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffffffff }), u32, u32, (correlation, first, drawn) => {
        const kept = BigInt(correlation) + 1n;
        const expected = (BigInt(drawn) * (2n ** 32n - kept) + BigInt(first) * kept) >> 32n;
        expect(new CorrelatedRandom(correlation, true, drawing([first, drawn])).next()).toBe(Number(expected));
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe('a share of a time', () => {
  it('is the upper half of the 64-bit product', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 37 - 1 }), u32, (value, random) => {
        expect(scaledByRandom(value, random)).toBe(Number((BigInt(value) * BigInt(random)) >> 32n));
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
