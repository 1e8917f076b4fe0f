import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Staircase, StepSignal, WindowedRate } from '../../../sim/run/series.ts';

describe('a step signal', () => {
  it('keeps minimum, maximum and the mean over time of each bucket', () => {
    const signal = new StepSignal(0, 100, 2);
    signal.set(10, 4);
    signal.set(20, 0);
    signal.set(75, 8);
    const series = signal.finish(100, 1);
    // Bucket 0: 4 for 10 of 50 ns. Bucket 1: 8 for 25 of 50 ns.
    expect(series).toEqual({ startSeconds: 0, stepSeconds: 50e-9, min: [0, 0], max: [4, 8], mean: [0.8, 4] });
  });

  it('never loses a peak, however short', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.nat(999), value: fc.nat(1000) }), { minLength: 1 }), (changes) => {
        const sorted = changes.toSorted((a, b) => a.at - b.at);
        const signal = new StepSignal(0, 1000, 7);
        for (const { at, value } of sorted) signal.set(at, value);
        const peak = Math.max(...sorted.map(({ value }) => value));
        expect(Math.max(...signal.finish(1000, 1).max)).toBe(peak);
      }),
    );
  });
});

describe('a windowed rate', () => {
  it('shows bursts that an average hides', () => {
    const rate = new WindowedRate(0, 1e9, 10e6, 10);
    rate.add(255e6, 1000);
    const series = rate.finish(1e9, 8);
    // 1000 bytes in one window of 10 ms: 800 kbit/s there, a tenth of that over the bucket of ten windows.
    expect(series.max[2]).toBe(800_000);
    expect(series.min[2]).toBe(0);
    expect(series.mean[2]).toBeCloseTo(80_000, 6);
    expect(series.max.filter((value) => value > 0)).toHaveLength(1);
  });

  it('is not lower in the last bucket, which may hold fewer windows', () => {
    const rate = new WindowedRate(0, 1e9, 10e6, 30);
    for (let at = 0; at < 1e9; at += 1e6) rate.add(at, 125);
    // 125 bytes a millisecond: 1 Mbit/s; 100 windows in buckets of 4.
    for (const mean of rate.finish(1e9, 8).mean) expect(mean).toBeCloseTo(1e6, 6);
    const uneven = new WindowedRate(0, 1e9, 10e6, 40);
    for (let at = 0; at < 1e9; at += 1e6) uneven.add(at, 125);
    // Buckets of 3 windows: the 34th holds one.
    const { mean } = uneven.finish(1e9, 8);
    expect(mean).toHaveLength(34);
    for (const value of mean) expect(value).toBeCloseTo(1e6, 6);
  });

  it('sums to what was added in complete windows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(999), amount: fc.nat(1000) })),
        fc.integer({ min: 1, max: 40 }),
        (adds, buckets) => {
          const rate = new WindowedRate(0, 1000, 25, buckets);
          let total = 0;
          for (const { at, amount } of adds.toSorted((a, b) => a.at - b.at)) {
            rate.add(at, amount);
            total += amount;
          }
          const { mean, stepSeconds } = rate.finish(1000, 1);
          // The last bucket may hold fewer than its windows.
          const seconds = mean.map((_, index) => Math.min(stepSeconds, 1000e-9 - index * stepSeconds));
          expect(mean.reduce((sum, value, index) => sum + value * seconds[index]!, 0)).toBeCloseTo(total, 6);
        },
      ),
    );
  });
});

describe('a staircase', () => {
  it('keeps every step while there are few', () => {
    const stairs = new Staircase(10);
    for (const [seconds, total] of [
      [0, 1],
      [1, 5],
      [2, 9],
    ] as const)
      stairs.add(seconds, total);
    expect(stairs.finish()).toEqual({ seconds: [0, 1, 2], bytes: [1, 5, 9] });
  });

  it('is bounded, ends at the total, and keeps both edges of a pause', () => {
    const stairs = new Staircase(50);
    let total = 0;
    for (let i = 0; i < 10_000; i++) {
      total += 10;
      stairs.add(i * 1e-4, total);
    }
    for (let i = 0; i < 10_000; i++) {
      total += 10;
      stairs.add(5 + i * 1e-4, total);
    }
    const { seconds, bytes } = stairs.finish();
    expect(seconds.length).toBeLessThanOrEqual(101);
    expect(bytes.at(-1)).toBe(200_000);
    expect(seconds.some((value, index) => value < 1.1 && value > 0.9 && seconds[index + 1]! >= 5)).toBe(true);
    expect(seconds.some((value) => value >= 5 && value < 5.1)).toBe(true);
  });
});
