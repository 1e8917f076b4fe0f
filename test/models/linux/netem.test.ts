import { describe, expect, it } from 'vitest';
import type { NetemSettings } from '../../../models/linux/netem.ts';
import { netemSettings } from '../../../models/linux/netem-settings.ts';
import type { Qdisc, Values } from '../../../models/model.ts';
import { ECN_CE, MARK_DAMAGED } from '../../../models/packet.ts';
import * as registry from '../../../models/registry.ts';
import { buildQdisc } from '../../../models/registry.ts';
import type { PointResult } from '../../../sim/run/result.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { type ReplaySource, replay } from '../../golden/replay.ts';
import { htbClass, htbOf } from './htb/htb-values.ts';
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

/** What came out, in order: number in the flow, instant in ms, and whether it is marked or damaged. */
interface Out {
  readonly sequence: number;
  readonly ms: number;
  readonly ecn: number;
  readonly damaged: boolean;
}

/** Runs a qdisc with the numbers that it is to draw; copies are let through. */
function driven(
  given: Values,
  sources: readonly ReplaySource[],
  draws: readonly number[] = [],
  kind = 'netem',
): { readonly out: Out[]; readonly root: Qdisc; readonly drawn: number; readonly dropped: number } {
  const out: Out[] = [];
  let drawn = 0;
  let dropped = 0;
  const root = replay(
    (surroundings) => buildQdisc(nested(kind, given), surroundings),
    {
      startNs: 0,
      durationNs: 60e9,
      linkBitsPerSecond: 0,
      linkOverheadBytes: 0,
      timerResolutionNs: 0,
      timerLatencyNs: 0,
      randomUint32: () => draws[drawn++] ?? 0xffffffff,
    },
    sources,
    {
      onDeparture: (packet, packets, nowNs) =>
        out.push({
          sequence: packets.sequence[packet]!,
          ms: nowNs / 1e6,
          ecn: packets.ecn[packet]!,
          damaged: packets.hasMark(packet, MARK_DAMAGED),
        }),
      onDrop: () => dropped++,
    },
  );
  return { out, root, drawn, dropped };
}

const order = (out: readonly Out[]): number[] => out.map(({ sequence }) => sequence);

describe('netem’s copies', () => {
  it('come in once more before the packet itself, and are not doubled again', () => {
    const { out, root, drawn } = driven({ duplicate: 1, delay: 1e6 }, [burstOf(2, 100)], [0, 0]);
    expect(order(out)).toEqual([0, 0, 1, 1]);
    expect(root.report(0).counters).toMatchObject({ duplicated: 2, sentPackets: 4, backlogPackets: 0 });
    expect(drawn).toBe(2);
  });
  it('a packet that is both doubled and lost comes out once', () => {
    // Draws: copy, loss, for each packet.
    const { out, root, dropped } = driven({ duplicate: 1, loss: 1 }, [burstOf(3, 100)], Array(6).fill(0));
    expect(order(out)).toEqual([0, 1, 2]);
    expect(root.report(0).counters).toMatchObject({ lost: 3, duplicated: 0, droppedPackets: 0 });
    expect(dropped).toBe(0);
  });
  it('below HTB are charged to the class like any packet', () => {
    const leaf = htbClass({ rate: 8e6, qdisc: nested('netem', { duplicate: 1 }) });
    const { out, root } = driven(htbOf({ '1:1': leaf }, { default: 0x10001 }), [burstOf(3, 1000)], [0, 0, 0], 'htb');
    expect(order(out)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(root.report(0).classes['1:1']?.counters).toMatchObject({ sentPackets: 6, backlogPackets: 0 });
    expect(root.lengthPackets).toBe(0);
  });
  it('reach TCP as duplicates, at the sender’s own device too', () => {
    const yaml =
      'duration: 5s\nhops:\n  h: { shaper: netem, delay: 5ms, duplicate: 50%, link: { rate: 20mbit } }\nflows:\n  f: { source: bulk, bytes: 1MB, via: [h], tcp: { limiterAt: sender } }\n';
    const loaded = loadScenario(yaml, 'x.yaml', { registry });
    const point = simulate(loaded.pointAt(0), { buckets: 0 });
    const { duplicated } = point.hops.h!.counters as { duplicated: number };
    const flow = point.flows.f!;
    expect(flow.transfer).toMatchObject({ completed: true, bytes: 1048576 });
    // 725 segments and more, each doubled with one half.
    expect(duplicated).toBeGreaterThan(300);
    // All of them arrive; those that open the connection carry nothing and are not counted.
    const expected = flow.sentPackets + duplicated;
    expect(flow.droppedPackets).toBe(0);
    expect(flow.receivedPackets).toBeGreaterThanOrEqual(expected - 3);
    expect(flow.receivedPackets).toBeLessThanOrEqual(expected);
  });
  it('do not come in when the packet finds no room', () => {
    const { out, dropped } = driven({ duplicate: 1, delay: 1e6, limit: 2 }, [burstOf(2, 100)], [0, 0]);
    expect(order(out)).toEqual([0, 0]);
    expect(dropped).toBe(1);
  });
});

describe('netem’s damage', () => {
  it('marks packets for their receiver and sends them on', () => {
    // 0.5 is 2^31: equal is damaged, more is not.
    const { out, root } = driven({ corrupt: 0.5 }, [burstOf(2, 100)], [2 ** 31, 2 ** 31 + 1]);
    expect(out.map(({ damaged }) => damaged)).toEqual([true, false]);
    expect(root.report(0).counters.corrupted).toBe(1);
  });
  it('costs a flow its packets at the end of the path, and TCP a retransmission', () => {
    const flows = (corrupt: string, source: string): PointResult['flows'] => {
      const yaml = `duration: 5s\nhops:\n  h: { shaper: netem, corrupt: ${corrupt}, link: { rate: 20mbit, delay: 5ms } }\nflows:\n  f: { ${source}, via: [h] }\n`;
      const loaded = loadScenario(yaml, 'x.yaml', { registry });
      return simulate(loaded.pointAt(0), { buckets: 0 }).flows;
    };
    expect(flows('100%', 'source: cbr, interval: 1ms, size: 100b, count: 50').f).toMatchObject({
      sentPackets: 50,
      droppedPackets: 50,
      receivedPackets: 0,
    });
    const tcp = flows('1%', 'source: bulk, bytes: 1MB').f!;
    expect(tcp.transfer).toMatchObject({ completed: true, bytes: 1048576 });
    expect(tcp.droppedPackets).toBeGreaterThan(0);
  });
});

describe('netem’s order', () => {
  it('with a gap of 5 sends every fifth packet at once', () => {
    // One packet a ms, held for 10 ms; 4 and 9 overtake all that wait.
    const { out, root } = driven({ delay: 10e6, reorder: 1, gap: 5 }, [burstOf(10, 100, { intervalNs: 1e6 })]);
    const at = Object.fromEntries(out.map(({ sequence, ms }) => [sequence, ms]));
    expect(at).toEqual({ 0: 10, 1: 11, 2: 12, 3: 13, 4: 4, 5: 15, 6: 16, 7: 17, 8: 18, 9: 9 });
    expect(root.report(0).counters.requeues).toBe(2);
  });
  it('sends at once what is drawn at or below the chance, the newest first', () => {
    // 25 % is 1073741824: the second waits for its 10 ms, the others do not.
    const { out } = driven({ delay: 10e6, reorder: 0.25 }, [burstOf(3, 100)], [1073741824, 1073741825, 0]);
    expect(order(out)).toEqual([0, 2, 1]);
  });
});

describe('netem’s distributions', () => {
  it('take the entry of the draw, in 1/8192 of the jitter, rounded', () => {
    // Draw 3072: entry 5526. Jitter 1 ms = 122 * 8192 + 576: (576 * 5526 + 4096) / 8192 = 389 (cut), + 122 * 5526 = 674561 ns.
    const { out } = driven({ delay: 10e6, jitter: 1e6, distribution: 'normal' }, [burstOf(1, 100)], [3072]);
    expect(out[0]?.ms).toBe(10.674561);
  });
  it('round away from 0 below it', () => {
    // Draw 1024 + 4096: entry -5525. (-(576 * 5525) - 4096) / 8192 = -388.9 → -388, - 122 * 5525 = -674438 ns.
    const { out } = driven({ delay: 10e6, jitter: 1e6, distribution: 'normal' }, [burstOf(1, 100)], [5120]);
    expect(out[0]?.ms).toBe(9.325562);
  });
});

describe('netem’s losses', () => {
  it('are marks where packets can be marked', () => {
    const { out, root } = driven(
      { loss: 1, ecn: true },
      [burstOf(1, 100, { ecn: 2 }), { ...burstOf(1, 100), flow: 2 }],
      [0, 0],
    );
    expect(out).toMatchObject([{ ecn: ECN_CE }]);
    expect(root.report(0).counters).toMatchObject({ ecnMark: 1, lost: 1, droppedPackets: 1 });
  });
  it('of states and of Gilbert and Elliott come from their chains', () => {
    const state = { p13: 0.5, p31: 0.5, p32: 0, p23: 1, p14: 0 };
    // Draws 0: lost in a burst; 0: back in the gap; 2^31: above p13, received.
    expect(order(driven({ lossState: state }, [burstOf(3, 100)], [0, 0, 2 ** 31]).out)).toEqual([1, 2]);
    const chain = { p: 1, r: 0, lossInBad: 1, lossInGood: 0 };
    // The first turns the state bad and is judged as good; then all are lost, but for a draw of 0.
    expect(order(driven({ lossGemodel: chain }, [burstOf(3, 100)], [0, 0, 0, 1, 0, 0]).out)).toEqual([0, 2]);
  });
  it('have the defaults of tc for probabilities that are left out', () => {
    const yaml = (given: string): string =>
      `duration: 1s\nhops:\n  h: { shaper: netem, ${given} }\nflows:\n  f: { source: cbr, interval: 1ms, size: 100b, via: [h] }\n`;
    const settings = (given: string): NetemSettings =>
      netemSettings(loadScenario(yaml(given), 'x.yaml', { registry }).first.hops[0]!.shaper!.values);
    const all = 0xffffffff;
    const tenth = Math.round(0.1 * all);
    expect(settings('lossState: { p13: 10% }').stateLoss).toEqual({
      p13: tenth,
      p31: Math.round(0.9 * all),
      p32: 0,
      p23: all,
      p14: 0,
    });
    expect(settings('lossGemodel: { p: 10% }').gilbertElliott).toEqual({
      p: tenth,
      r: Math.round(0.9 * all),
      passInBad: 0,
      lossInGood: 0,
    });
  });
});

describe('netem’s rate with cells', () => {
  it('counts whole cells with their overhead', () => {
    // 100 bytes are 3 cells of 48, 159 bytes with 5 more each; 1 byte a µs.
    const { out } = driven({ rate: 8e6, cellSize: 48, cellOverhead: 5 }, [burstOf(1, 100)]);
    expect(out[0]?.ms).toBe(0.159);
  });
  it('takes bytes off where the overhead is negative', () => {
    const { out } = driven({ rate: 8e6, packetOverhead: -14 }, [burstOf(1, 100)]);
    expect(out[0]?.ms).toBe(0.086);
  });
});

describe('netem’s slots', () => {
  it('let so many packets go together, and then none until the next', () => {
    const { out } = driven({ slot: { minDelay: 5e6, packets: 2 } }, [burstOf(5, 100)], Array(9).fill(0));
    expect(out.map(({ ms }) => ms)).toEqual([0, 0, 5, 5, 10]);
  });
  it('end with the packet that uses up the bytes', () => {
    const { out } = driven({ slot: { minDelay: 5e6, bytes: 150 } }, [burstOf(3, 100)], Array(9).fill(0));
    expect(out.map(({ ms }) => ms)).toEqual([0, 0, 5]);
  });
  it('begin anew for a packet that is due after them', () => {
    // The slot of the instant 0 is over at 1 ms: one more delay, 4 ms and half of 2 ms.
    const { out } = driven(
      { slot: { minDelay: 4e6, maxDelay: 6e6 } },
      [burstOf(1, 100, { startNs: 1e6 })],
      [2 ** 31, 2 ** 31],
    );
    expect(out.map(({ ms }) => ms)).toEqual([6]);
  });
  it('can be as far apart as a distribution says', () => {
    // Entry 3072 of normal: as above, 10.674561 ms after the slot that ends with its only packet.
    const slot = { distribution: 'normal', delay: 10e6, jitter: 1e6, packets: 1 };
    const { out } = driven({ slot }, [burstOf(2, 100)], [3072, 3072]);
    expect(out.map(({ ms }) => ms)).toEqual([0, 10.674561]);
  });
});

describe('a qdisc below netem', () => {
  const child = nested('tbf', { rate: 8e6, burst: 1000, limit: 2500 });

  it('gets each packet when its delay is over', () => {
    // 1000 bytes each ms behind the delay of 10 ms, all of which come at once.
    const { out, root } = driven({ delay: 10e6, qdisc: child }, [burstOf(2, 1000)]);
    expect(out.map(({ ms }) => ms)).toEqual([10, 11]);
    expect(root.lengthPackets).toBe(0);
  });
  it('takes what it drops off the lengths above', () => {
    // All four come at 10 ms; two fit the queue of 2500 bytes.
    const { out, root, dropped } = driven({ delay: 10e6, qdisc: child }, [burstOf(4, 1000)]);
    expect(out.map(({ ms }) => ms)).toEqual([10, 11]);
    expect(dropped).toBe(2);
    expect(root.report(0).counters).toMatchObject({ droppedPackets: 2, backlogPackets: 0, backlogBytes: 0 });
  });
});
