import { describe, expect, it } from 'vitest';
import { estimatorSettings } from '../../../models/linux/rate-estimator.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';

const KERNEL_6_12 = 6_012_000;
const KERNEL_3_2 = 3_002_000;

describe('times of an estimator', () => {
  it.each([
    // 250 ms / -ln(1 - 1/2) = 361 ms, / -ln(3/4) = 869 ms, / -ln(7/8) = 1872 ms: the last of at most 1 s has weight 1/4.
    [250e6, 1e9, 250e6, 2],
    // Rounded up to 500 ms for the timer, 300 ms for the weight: 433, 1043, 2247 ms.
    [300e6, 2.2e9, 500e6, 2],
    [8e9, 100e9, 8e9, 3],
  ])('interval %d ns, average %d ns', (interval, average, periodNs, weightLog) => {
    expect(estimatorSettings(interval, average, KERNEL_6_12)).toMatchObject({ periodNs, weightLog });
  });
  it.each([
    ['an interval beyond 8 s', 8.1e9, 100e9],
    ['an average shorter than an interval', 1e9, 1e9],
  ])('%s is refused', (_, interval, average) => {
    expect(estimatorSettings(interval, average, KERNEL_6_12)).toBeUndefined();
  });
  it('count in steps of 1/32 byte a second before 4.10, of 1/256 since', () => {
    expect(estimatorSettings(1e9, 4e9, KERNEL_3_2)).toMatchObject({ countShift: 5, averageShift: 5, rounding: 15 });
    expect(estimatorSettings(1e9, 4e9, KERNEL_6_12)).toMatchObject({ countShift: 8, averageShift: 8, rounding: 0 });
  });
});

describe('police with avrate', () => {
  const given = { avrate: 400_000, estimator: { interval: 250e6, average: 1e9 }, exceed: 'drop' };

  it('lets all pass until the average is too high, and again when it has fallen', () => {
    // 100,000 bytes/s: 25,000 a period. Averages in bytes/s: 25,000 after 250 ms, 43,750 at 500 ms, 57,812 at 750 ms: that is
    // above 50,000, and stays there as what is dropped counts too.
    const { departures } = run(nested('police', given), [burstOf(200, 1000, { intervalNs: 10e6, startNs: 1e6 })]);
    expect(departures.at(-1)?.arrivedNs).toBe(741e6);
    expect(departures).toHaveLength(75);
  });
  it('counts what it holds back among its counters', () => {
    const source = burstOf(100, 1000, { intervalNs: 10e6, startNs: 1e6 });
    const { root } = run(nested('police', given), [source], { durationNs: 1e9 });
    // The fourth look, at 1 s, is not in it.
    expect(root.report(0).counters).toMatchObject({
      exceeded: 25,
      shot: 25,
      policedBytes: 100_000,
      averageRate: 57_812,
    });
  });
  it('equal is too much', () => {
    // 25,000 bytes/s after the first period are 200 kbit/s.
    const equal = { ...given, avrate: 200_000 };
    const { departures } = run(nested('police', equal), [burstOf(30, 1000, { intervalNs: 10e6, startNs: 1e6 })]);
    expect(departures).toHaveLength(25);
  });
});
