import { describe, expect, it } from 'vitest';
import { policeSettings } from '../../../models/linux/police-settings.ts';
import type { Values } from '../../../models/model.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';
import { valuesOf } from './values-of.ts';

/** Numbers of the packets that a policer with `exceed: drop` lets pass. */
function passed(given: Values, ...sources: Parameters<typeof run>[1]): number[] {
  const { departures } = run(nested('police', { exceed: 'drop', ...given }), sources);
  return departures.map(({ sequence }) => sequence);
}

describe('a policer', () => {
  it('passes a burst and drops the rest at once', () => {
    expect(passed({ rate: 8e6, burst: 5000 }, burstOf(8, 1000))).toEqual([0, 1, 2, 3, 4]);
  });

  it('fills up again as time goes by', () => {
    // 1000 bytes/ms: one packet every 500 µs offers twice the rate, every other one passes once the bucket is empty.
    const numbers = passed({ rate: 8e6, burst: 1000 }, burstOf(6, 1000, { intervalNs: 500_000 }));
    expect(numbers).toEqual([0, 2, 4]);
  });

  it('never passes a packet that costs more than the burst, which tc cuts to whole microseconds', () => {
    // 1001 bytes at 625 bytes/ms cost 1601600 ns, the burst of 1000 bytes is 1600 µs.
    expect(passed({ rate: 5e6, burst: 1000 }, burstOf(1, 1001))).toEqual([]);
    expect(passed({ rate: 5e6, burst: 1000 }, burstOf(1, 1000))).toEqual([0]);
  });

  it('of 2.6.24 passes it, for the lower bound of its table prices 1001 bytes as 1000', () => {
    expect(passed({ rate: 5e6, burst: 1000, kernel: '2.6.24', tc: '2.6.23' }, burstOf(1, 1001))).toEqual([0]);
  });

  it('with a rate lets nothing over 2040 bytes pass unless mtu says so', () => {
    expect(passed({ rate: 1e9, burst: 100_000 }, burstOf(1, 2040))).toEqual([0]);
    expect(passed({ rate: 1e9, burst: 100_000 }, burstOf(1, 2041))).toEqual([]);
    expect(passed({ rate: 1e9, burst: 100_000, mtu: 9000 }, burstOf(1, 2041))).toEqual([0]);
  });

  it('takes packets on ingress without their Ethernet header, and mtu with it', () => {
    const given = { rate: 8e6, burst: 986, ingress: true };
    expect(passed(given, burstOf(1, 1000))).toEqual([0]);
    expect(passed(given, burstOf(1, 1001))).toEqual([]);
    expect(passed({ ...given, mtu: 1000 }, burstOf(1, 1000))).toEqual([0]);
    expect(passed({ ...given, mtu: 999 }, burstOf(1, 1000))).toEqual([]);
  });

  it('counts packets where it is told to, from an empty bucket', () => {
    // 1000 packets/s: after 20 ms there are tokens for 20 of the 30.
    const numbers = passed({ pktsRate: 1000, pktsBurst: 100 }, burstOf(30, 60, { startNs: 20e6 }));
    expect(numbers).toHaveLength(20);
  });

  it('bounds its bursts by a peak rate of a bucket of mtu bytes', () => {
    const given = { rate: 8e6, burst: 10_000, peakrate: 80e6, mtu: 1500 };
    expect(passed(given, burstOf(4, 1000))).toEqual([0]);
    // At 10000 bytes/ms the 500 bytes that the second lacks take 50 µs.
    expect(passed(given, burstOf(4, 1000, { intervalNs: 50_000 }))).toEqual([0, 1, 3]);
  });

  it.each(['ok', 'pipe', 'continue'])('lets go on what exceeds where the verdict is %s', (exceed) => {
    const { root, departures } = run(nested('police', { rate: 8e6, burst: 2000, exceed }), [burstOf(5, 1000)]);
    expect(departures).toHaveLength(5);
    const [ok, other] = exceed === 'ok' ? [5, 0] : [2, 3];
    expect(root.report(0).counters).toMatchObject({ exceeded: 3, shot: 0, ok, other, droppedPackets: 0 });
  });

  it.each([
    ['6.12', 16],
    ['4.9', 4],
  ])('drops what exceeds where nothing is said, as Linux %s classifies it again %d times', (kernel, again) => {
    const { root, departures } = run(nested('police', { rate: 8e6, burst: 2000, kernel }), [burstOf(5, 1000)]);
    expect(departures).toHaveLength(2);
    // The action counts each of its runs, but a drop only where its own verdict is drop.
    expect(root.report(0).counters).toMatchObject({
      exceeded: 3 * (1 + again),
      policedPackets: 2 + 3 * (1 + again),
      policedBytes: (2 + 3 * (1 + again)) * 1000,
      shot: 0,
      ok: 2,
      other: 3,
      droppedPackets: 3,
    });
  });

  it('charges what is classified again though it conforms, until the bucket is empty', () => {
    const given = { rate: 8e6, burst: 5000, conform: 'reclassify', exceed: 'pipe' };
    const { root, departures } = run(nested('police', given), [burstOf(1, 1000)]);
    expect(departures).toHaveLength(1);
    expect(root.report(0).counters).toMatchObject({ exceeded: 1, policedPackets: 6, other: 1, droppedPackets: 0 });
  });

  it('hands what passes to the qdisc behind it', () => {
    const behind = nested('pfifo', { limit: 2 });
    const given = { rate: 8e6, burst: 5000, exceed: 'drop', qdisc: behind };
    const { fates } = run(nested('police', given), [burstOf(8, 1000)], { linkBitsPerSecond: 8e3, durationNs: 1 });
    // Five conform: one is on its way, two wait, two find the queue full.
    expect(fates.map(({ end }) => end)).toEqual([
      'departed',
      'held',
      'held',
      'dropped',
      'dropped',
      'dropped',
      'dropped',
      'dropped',
    ]);
  });

  it('keeps the peak bucket as large as a packet of mtu bytes costs', () => {
    const settings = policeSettings(valuesOf('police', { rate: 8e6, burst: 10_000, peakrate: 80e6, mtu: 1500 }));
    expect(settings.peak?.bufferTicks).toBe(150_000);
  });
});
