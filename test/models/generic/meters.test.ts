import { describe, expect, it } from 'vitest';
import { CellRateMeter, type Meter, TokenBucketMeter } from '../../../models/generic/meter.ts';
import {
  FixedWindowMeter,
  quotaBytes,
  SlidingCounterMeter,
  SlidingLogMeter,
} from '../../../models/generic/window-meters.ts';

/** Spends `bytes` as early as the meter lets it, `count` times from `nowNs` on. Returns the instants. */
function spendGreedily(meter: Meter, bytes: number, count: number, nowNs = 0): number[] {
  const instants: number[] = [];
  for (let i = 0; i < count; i++) {
    nowNs = meter.conformsAt(bytes, nowNs);
    meter.spend(bytes, nowNs);
    instants.push(nowNs);
  }
  return instants;
}

describe('token bucket', () => {
  it('lets the burst through at once and then keeps the rate', () => {
    // 1000 bytes at 8 Mbit/s take 1 ms.
    expect(spendGreedily(new TokenBucketMeter(8e6, 3000, 0), 1000, 5)).toEqual([0, 0, 0, 1e6, 2e6]);
  });

  it('saves up the burst while nothing comes, and no more', () => {
    const meter = new TokenBucketMeter(8e6, 2000, 0);
    spendGreedily(meter, 1000, 2);
    expect(spendGreedily(meter, 1000, 4, 1e9)).toEqual([1e9, 1e9, 1e9 + 1e6, 1e9 + 2e6]);
  });

  it('loses nothing to rounding', () => {
    // 100 bytes at 7 bit/s take 800/7 s: after 7000 of them exactly 800,000 s have passed.
    const meter = new TokenBucketMeter(7, 100, 0);
    expect(spendGreedily(meter, 100, 7001).at(-1)).toBe(800_000e9);
  });

  it('never lets through what is larger than the burst', () => {
    expect(new TokenBucketMeter(8e6, 1000, 0).conformsAt(1001, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts bursts of gigabytes exactly', () => {
    // 5 GB at 1 Gbit/s are 40 s: the byte after the burst comes 8 ns later.
    const meter = new TokenBucketMeter(1e9, 5e9, 0);
    meter.spend(5e9, 0);
    expect(meter.conformsAt(1, 0)).toBe(8);
    expect(meter.conformsAt(5e9, 0)).toBe(40e9);
  });
});

describe('cell rate', () => {
  it('spaces by the rate when nothing may come early: a leaky bucket', () => {
    expect(spendGreedily(new CellRateMeter(8e6, 0, 0), 1000, 3)).toEqual([0, 1e6, 2e6]);
  });

  it('lets a cell come early by the tolerance', () => {
    // Due times 0, 1, 2, 3 ms; each may come 1.5 ms before its own.
    expect(spendGreedily(new CellRateMeter(8e6, 1.5e6, 0), 1000, 4)).toEqual([0, 0, 0.5e6, 1.5e6]);
  });

  it('asks for the due time, not for room: a large cell passes when a small one would', () => {
    const meter = new CellRateMeter(8e6, 0, 0);
    meter.spend(1000, 0);
    expect(meter.conformsAt(100_000, 0)).toBe(meter.conformsAt(1, 0));
  });
});

describe('windows', () => {
  it('turn a rate into a quota, rounded down', () => {
    expect(quotaBytes(8_000_003, 333_333_333)).toBe(333_333);
    expect(quotaBytes(1e12, 3600e9)).toBe(450e12);
  });

  it('fixed: two quotas may meet at a boundary', () => {
    const meter = new FixedWindowMeter(2000, 1e9, 0);
    expect(spendGreedily(meter, 1000, 2, 999e6)).toEqual([999e6, 999e6]);
    expect(spendGreedily(meter, 1000, 3, 999e6)).toEqual([1e9, 1e9, 2e9]);
  });

  it('log: a length has to wait until so much has left the window', () => {
    const meter = new SlidingLogMeter(2000, 1e9, 0);
    meter.spend(1000, 100e6);
    meter.spend(500, 300e6);
    meter.spend(500, 400e6);
    expect(meter.conformsAt(1000, 500e6)).toBe(1100e6);
    expect(meter.conformsAt(1001, 500e6)).toBe(1300e6);
    expect(meter.conformsAt(2000, 500e6)).toBe(1400e6);
  });

  it('log: remembers more entries than it has room for at first', () => {
    const meter = new SlidingLogMeter(1000, 1e9, 0);
    for (let i = 0; i < 1000; i++) meter.spend(1, i);
    expect(meter.conformsAt(1, 1000)).toBe(1e9);
    expect(meter.conformsAt(1000, 1000)).toBe(1e9 + 999);
  });

  it('counter: the previous window counts in proportion to what is left of it', () => {
    const meter = new SlidingCounterMeter(2000, 1e9, 0);
    meter.spend(2000, 0);
    // 2000 * (1 - elapsed) <= 2000 - 500: from a quarter of the second window on.
    expect(meter.conformsAt(500, 0)).toBe(1250e6);
    meter.spend(500, 1250e6);
    expect(meter.conformsAt(500, 1250e6)).toBe(1500e6);
  });

  it('counter: a full quota needs both windows behind it', () => {
    const meter = new SlidingCounterMeter(2000, 1e9, 0);
    meter.spend(1, 0);
    expect(meter.conformsAt(2000, 0)).toBe(2e9);
  });
});
