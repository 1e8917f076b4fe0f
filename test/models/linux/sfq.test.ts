import { describe, expect, it } from 'vitest';
import type { Values } from '../../../models/model.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';

/** A link on which 1000 bytes take a millisecond. */
const link = { linkBitsPerSecond: 8e6 };

/** Flows in the order in which the packets of two bursts leave, `small` of 500 bytes and `large` of 1000. */
function turns(given: Values, small: number, large: number): string {
  const sources = [burstOf(small, 500), burstOf(large, 1000, { flow: 2 })];
  return run(nested('sfq', given), sources, link)
    .departures.map(({ flow }) => (flow === 1 ? 's' : 'L'))
    .join('');
}

describe('sfq', () => {
  it('gives each flow a quantum in turn', () => {
    // The first small packet finds the link idle: it is alone and its slot ends with it, so it is not charged. Then
    // small packets go in twos and large ones singly, since the turn is kept while any of the 1000 bytes are left.
    expect(turns({ quantum: 1000 }, 7, 3)).toBe('sssLssLssL');
  });

  it('lets a flow that finds its slot full lose its newest packet, or with headdrop its oldest', () => {
    const kept = (given: Values): number[] =>
      run(nested('sfq', given), [burstOf(6, 100)], link).departures.map(({ sequence }) => sequence);
    expect(kept({ depth: 3 })).toEqual([0, 1, 2, 3]);
    expect(kept({ depth: 3, headdrop: true })).toEqual([0, 3, 4, 5]);
  });

  it('makes room at the cost of the longest flow', () => {
    const sources = [burstOf(10, 100), burstOf(2, 100, { flow: 2 })];
    const { fates } = run(nested('sfq', { limit: 8 }), sources, link);
    // One is on the link, eight of flow 1 fit; the ninth and then two for flow 2 go from its tail.
    const dropped = fates.filter(({ end }) => end === 'dropped');
    expect(dropped.map(({ flow, sequence }) => `${flow}/${sequence}`)).toEqual(['1/7', '1/8', '1/9']);
  });

  describe('with RED on each flow', () => {
    // Thresholds that a burst of 40 packets of 1,000 bytes passes; a weight of 2^-1 lets the average follow at once.
    const red = { redflowlimit: 60_000, min: 3000, max: 6000, avpkt: 1000, burst: 4, probability: 0.5, limit: 200 };
    const counters = (given: Values, ecn: number) =>
      run(nested('sfq', { ...red, ...given }), [burstOf(40, 1000, { ecn })], link).root.report(0).counters;

    it('drops what may not be marked, above max as well', () => {
      const { forcedDrop, probMark, forcedMark } = counters({ ecn: true }, 0) as Record<string, number>;
      expect(forcedDrop).toBeGreaterThan(0);
      expect([probMark, forcedMark]).toEqual([0, 0]);
    });
    it('marks above max, unless harddrop', () => {
      expect(counters({ ecn: true }, 2)).toMatchObject({ forcedDrop: 0, probDrop: 0, droppedPackets: 0 });
      expect(counters({ ecn: true }, 2).forcedMark).toBeGreaterThan(0);
      expect(counters({ ecn: true, harddrop: true }, 2)).toMatchObject({ forcedMark: 0 });
      expect(counters({ ecn: true, harddrop: true }, 2).forcedDrop).toBeGreaterThan(0);
    });
    it('with headdrop marks the oldest', () => {
      expect(counters({ ecn: true, headdrop: true }, 2)).toMatchObject({ forcedMark: 0, probMark: 0, forcedDrop: 0 });
      expect(counters({ ecn: true, headdrop: true }, 2).forcedMarkHead).toBeGreaterThan(0);
    });
    it('takes a packet that has its mark already for marked', () => {
      expect(counters({ ecn: true }, 3)).toMatchObject({ forcedDrop: 0, probDrop: 0 });
    });
  });

  it('knows no more flows than it has slots', () => {
    const sources = [0, 1, 2, 3].map((flow) => burstOf(1, 100, { flow }));
    const { fates } = run(nested('sfq', { flows: 2 }), sources, link);
    expect(fates.map(({ end }) => end)).toEqual(['departed', 'departed', 'departed', 'dropped']);
  });

  it('lets flows of one bucket share a turn', () => {
    const sources = [burstOf(3, 1000), burstOf(3, 1000, { flow: 5 }), burstOf(3, 1000, { flow: 2 })];
    const { departures } = run(nested('sfq', { divisor: 4, quantum: 1000 }), sources, link);
    // 1 and 5 are the same modulo 4.
    expect(departures.map(({ flow }) => flow)).toEqual([1, 1, 2, 1, 2, 5, 2, 5, 5]);
  });

  it('counts allotments in units of 8 bytes before 6.12', () => {
    // A quantum of 1001 bytes is 126 units, so is a packet of 1001 bytes, and one of 1004: nothing is left after one.
    const order = (kernel: string): number[] => {
      const sources = [burstOf(1, 60, { flow: 3 }), burstOf(3, 1004), burstOf(3, 1004, { flow: 2 })];
      const { departures } = run(nested('sfq', { quantum: 1007, kernel }), sources, link);
      return departures.map(({ flow }) => flow);
    };
    expect(order('5.10')).toEqual([3, 1, 2, 1, 2, 1, 2]);
    // 3 bytes are left of the first quantum of 1007: each flow keeps its turn for a second packet.
    expect(order('6.12')).toEqual([3, 1, 1, 2, 2, 1, 2]);
  });
});

describe('the sfq of 2.6', () => {
  const classic = { kernel: '2.6.24' };

  it('holds 126 packets', () => {
    const { fates } = run(nested('sfq', classic), [burstOf(200, 100)], { linkBitsPerSecond: 8, durationNs: 1 });
    expect(fates.filter(({ end }) => end === 'held')).toHaveLength(126);
  });

  it('hands the quantum to the flow whose turn begins, once the one before has used its own up', () => {
    // Flow 1 is alone at first and has 1000 bytes, which its second and third packets use up; flow 2 then has 1000.
    expect(turns({ ...classic, quantum: 1000 }, 7, 3)).toBe('sssLssLssL');
  });

  it('drops from the longest flow', () => {
    const sources = [burstOf(120, 100), burstOf(20, 100, { flow: 2 })];
    const { fates } = run(nested('sfq', classic), sources, { linkBitsPerSecond: 8, durationNs: 1 });
    const dropped = fates.filter(({ end }) => end === 'dropped').map(({ flow }) => flow);
    // 119 + 20 - 126.
    expect(dropped).toEqual(Array(13).fill(1));
  });
});
