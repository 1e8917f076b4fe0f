import { describe, expect, test } from 'vitest';
import { Jiffies } from '../../../models/tcp/jiffies.ts';
import { RttEstimator } from '../../../models/tcp/rtt.ts';

describe('kernel ticks', () => {
  const jiffies = new Jiffies(250);

  test('round durations up', () => {
    expect([jiffies.fromUs(1), jiffies.fromUs(4000), jiffies.fromUs(4001)]).toEqual([1, 1, 2]);
  });

  test('let no timer expire early: 56 ticks set in mid-tick end 56 to 57 ticks later', () => {
    // Set at 10 ms, in tick 2; expires on tick 2 + 56 + 1.
    expect(jiffies.expiryNs(10e6, 56)).toBe(59 * 4e6);
  });

  test('expire on multiples of 8 ticks from 63 ticks on, of 64 from 504 on', () => {
    // 2 + 63 = 65: the next multiple of 8 behind it is 72; 2 + 504 = 506: 512.
    expect(jiffies.expiryNs(10e6, 63)).toBe(72 * 4e6);
    expect(jiffies.expiryNs(10e6, 504)).toBe(512 * 4e6);
  });
});

describe('the round-trip estimate', () => {
  test('starts with the first sample, and a timeout of 200 ms more', () => {
    const rtt = new RttEstimator();
    rtt.sample(20_000, 0, 0);
    expect([rtt.srttUs, rtt.timeoutUs]).toEqual([20_000, 220_000]);
  });

  test('moves by an eighth of the difference', () => {
    const rtt = new RttEstimator();
    rtt.sample(20_000, 0, 0);
    rtt.sample(28_000, 1, 2);
    expect(rtt.srttUs).toBe(21_000);
  });

  test('widens the timeout when round trips swing by more than 50 ms', () => {
    const rtt = new RttEstimator();
    rtt.sample(100_000, 0, 0);
    for (let sample = 1; sample < 50; sample++) rtt.sample(sample % 2 === 0 ? 20_000 : 300_000, sample, sample + 1);
    expect(rtt.timeoutUs).toBeGreaterThan(rtt.srttUs + 300_000);
  });

  test('never falls below 200 ms above the round trip, and knows no longer than two minutes', () => {
    const rtt = new RttEstimator();
    for (let sample = 0; sample < 100; sample++) rtt.sample(500, sample, sample + 1);
    expect(rtt.timeoutUs).toBe(200_500);
    rtt.sample(300_000_000, 200, 201);
    expect(rtt.timeoutUs).toBe(120_000_000);
  });
});
