import { describe, expect, it } from 'vitest';
import { burstOf, nested, run } from './qdisc-laws.ts';

const milliseconds = ({ endNs }: { endNs: number | undefined }): number => endNs! / 1e6;

describe('fq', () => {
  it('sends at once what a flow without maxrate has', () => {
    const { departures } = run(nested('fq'), [burstOf(50, 1000)]);
    expect(departures.map(milliseconds)).toEqual(Array(50).fill(0));
  });

  it('paces in quanta after the initial one', () => {
    // The credit of 15140 bytes ends with the 16th packet; a quantum of 3028 bytes takes 3.028 ms at 1000 bytes/ms and
    // pays for three packets each time.
    const { departures } = run(nested('fq', { maxrate: 8e6 }), [burstOf(22, 1000)]);
    expect(departures.map(milliseconds)).toEqual([
      ...Array(16).fill(0),
      ...Array(3).fill(3.028),
      ...Array(3).fill(6.056),
    ]);
  });

  it('paces each packet by itself up to lowRateThreshold', () => {
    // 400 kbit/s are 50 bytes/ms: 1000 bytes take 20 ms.
    const { departures } = run(nested('fq', { maxrate: 400_000 }), [burstOf(4, 1000)]);
    expect(departures.map(milliseconds)).toEqual([0, 20, 40, 60]);
  });

  it('makes up for a late timer in the next gap', () => {
    const { departures } = run(nested('fq', { maxrate: 400_000 }), [burstOf(4, 1000)], { timerLatencyNs: 1e6 });
    expect(departures.map(milliseconds)).toEqual([0, 21, 41, 61]);
  });

  it('waits a second at most', () => {
    const { root, departures } = run(nested('fq', { maxrate: 800 }), [burstOf(3, 1000)]);
    expect(departures.map(milliseconds)).toEqual([0, 1000, 2000]);
    expect(root.report(0).counters.pktsTooLong).toBe(3);
  });

  it('takes turns of a quantum among flows', () => {
    const given = { initialQuantum: 3028 };
    const sources = [burstOf(8, 1514), burstOf(8, 1514, { flow: 2 })];
    const { departures } = run(nested('fq', given), sources, { linkBitsPerSecond: 12_112_000 });
    // Flow 1 is alone for the first packet; its quantum lets a second follow, then each has two in turn.
    expect(departures.map(({ flow }) => flow)).toEqual([1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2]);
  });

  it('bounds what one flow may queue', () => {
    const { root } = run(nested('fq', { maxrate: 8000, flowLimit: 5 }), [burstOf(10, 1000)], { durationNs: 1 });
    // One has left, five are held.
    expect(root.report(0).counters).toMatchObject({ flowsPlimit: 4, droppedPackets: 4, backlogPackets: 5 });
  });

  it('prefers a lower band for as long as its share lasts', () => {
    const sources = [burstOf(5, 1000, { priority: 2 }), burstOf(5, 1000, { flow: 2, priority: 6 })];
    const { departures } = run(nested('fq'), sources, { linkBitsPerSecond: 8e6 });
    expect(departures.map(({ flow }) => flow)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
  });
});
