import { describe, expect, it } from 'vitest';
import { burstOf, nested, run } from './qdisc-laws.ts';

const milliseconds = ({ endNs }: { endNs: number | undefined }): number => endNs! / 1e6;

describe('netem', () => {
  it('holds each packet for the delay', () => {
    const { departures } = run(nested('netem', { delay: 10e6 }), [burstOf(3, 1000, { intervalNs: 1e6 })]);
    expect(departures.map(milliseconds)).toEqual([10, 11, 12]);
  });

  it('at a rate delays the first of a burst only', () => {
    // 1000 bytes/ms: the first is out after 10 + 1 ms, the others have waited their delay by then.
    const { departures } = run(nested('netem', { delay: 10e6, rate: 8e6 }), [burstOf(3, 1000)]);
    expect(departures.map(milliseconds)).toEqual([11, 12, 13]);
  });

  it('counts overhead into the time at the rate', () => {
    const { departures } = run(nested('netem', { rate: 8e6, packetOverhead: 500 }), [burstOf(2, 1000)]);
    expect(departures.map(milliseconds)).toEqual([1.5, 3]);
  });

  it('varies the delay by jitter either way, and lets packets overtake each other', () => {
    const source = burstOf(1000, 100, { intervalNs: 100_000 });
    const { departures } = run(nested('netem', { delay: 10e6, jitter: 2e6 }), [source]);
    const delays = departures.map(({ arrivedNs, endNs }) => endNs! - arrivedNs);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(8e6);
    expect(Math.max(...delays)).toBeLessThan(12e6);
    // Even: the mean of 1000 lies within 4 standard errors, 4 * 4e6 / sqrt(12) / sqrt(1000) ns.
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 10e6)).toBeLessThan(146_000);
    expect(departures.some(({ sequence }, index) => sequence !== index)).toBe(true);
  });

  it('with a rate keeps the order all the same', () => {
    const source = burstOf(1000, 100, { intervalNs: 100_000 });
    const { departures } = run(nested('netem', { delay: 10e6, jitter: 2e6, rate: 1e9 }), [source]);
    expect(departures.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it('loses the share that it is told to', () => {
    const { fates } = run(nested('netem', { loss: 0.2 }), [burstOf(10_000, 100)]);
    const lost = fates.filter(({ end }) => end === 'dropped').length;
    // Binomial: 4 standard deviations of sqrt(10000 * 0.2 * 0.8) = 40.
    expect(Math.abs(lost - 2000)).toBeLessThan(160);
  });

  it('loses all or none where each chance is the one before', () => {
    const { fates } = run(nested('netem', { loss: 0.5, lossCorrelation: 1 }), [burstOf(100, 100)]);
    expect(new Set(fates.map(({ end }) => end)).size).toBe(1);
  });

  it('draws no random number without loss or jitter', () => {
    const never = (): number => {
      throw new Error('a draw');
    };
    const { departures } = run(nested('netem', { delay: 1e6, rate: 8e6 }), [burstOf(5, 100)], { randomUint32: never });
    expect(departures).toHaveLength(5);
  });

  it('refuses what exceeds limit, packets on their way included', () => {
    const { fates } = run(nested('netem', { delay: 10e6, limit: 3 }), [burstOf(5, 100)]);
    expect(fates.map(({ end }) => end)).toEqual(['departed', 'departed', 'departed', 'dropped', 'dropped']);
  });
});
