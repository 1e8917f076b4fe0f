import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tbfSettings } from '../../../models/linux/tbf-settings.ts';
import type { Values } from '../../../models/model.ts';
import { PacketPool } from '../../../models/packet.ts';
import { buildQdisc } from '../../../models/registry.ts';
import { replay } from '../../golden/replay.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';
import { valuesOf } from './values-of.ts';

/** Instants (ms) at which a burst leaves a TBF over a device that is never busy. */
function departuresMs(given: Values, count: number, sizeBytes: number): number[] {
  const { departures } = run(nested('tbf', given), [burstOf(count, sizeBytes)]);
  return departures.map(({ endNs }) => endNs! / 1e6);
}

describe('a token bucket filter, as a Linux 6.18 kernel was seen to do it', () => {
  it('lets four 400-byte packets of a burst of 1600 pass at once and then one every half second', () => {
    // 6400 bit/s are 800 bytes/s: 400 bytes take 500 ms.
    expect(departuresMs({ rate: 6400, burst: 1600, limit: 100_000 }, 8, 400)).toEqual([
      0, 0, 0, 0, 500, 1000, 1500, 2000,
    ]);
  });

  it('passes one packet fewer than HTB, which sends as long as tokens are not negative', () => {
    const leaf = { rate: 6400, ceil: 6400, burst: 1600, cburst: 1600, prio: 0, mtu: 1600, mpu: 0, overhead: 0 };
    const classes = { '1:10': { ...leaf, linklayer: 'ethernet' } };
    const { departures } = run(nested('htb', { classes }), [burstOf(8, 400, { priority: 0x10010 })]);
    // Four packets empty the bucket to 0 tokens, a fifth goes on credit; it is paid back before the sixth.
    expect(departures.map(({ endNs }) => endNs! / 1e6)).toEqual([0, 0, 0, 0, 0, 500, 1000, 1500]);
  });

  it('holds what limit allows beyond what has left', () => {
    // Four leave at once; of the other eight, five fit 2000 bytes.
    const { fates } = run(nested('tbf', { rate: 6400, burst: 1600, limit: 2000 }), [burstOf(12, 400)]);
    expect(fates.filter(({ end }) => end === 'departed')).toHaveLength(9);
    expect(fates.filter(({ end }) => end === 'dropped').map(({ sequence }) => sequence)).toEqual([9, 10, 11]);
  });

  it('keeps a bucket of ten seconds where the burst is told in bytes', () => {
    const given = { rate: 8000, burst: 10_000, limit: 100_000 };
    expect(departuresMs(given, 12, 1000)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000, 2000]);
  });

  it('drops what is longer than 2^32 ns of the rate where the burst is told as time', () => {
    // 1000 bytes/s * 4.294967295 s = 4294 bytes.
    const given = { rate: 8000, burst: 10_000, limit: 100_000, tc: '3.13' };
    expect(departuresMs(given, 1, 4294)).toEqual([0]);
    expect(departuresMs(given, 1, 4295)).toEqual([]);
  });

  it('drops packets longer than the burst without counting an overlimit', () => {
    const { root, fates } = run(nested('tbf', { rate: 1e6, burst: 1000, limit: 100_000 }), [burstOf(20, 1514)]);
    expect(fates.every(({ end }) => end === 'dropped')).toBe(true);
    expect(root.report(0).counters).toMatchObject({ droppedPackets: 20, overlimits: 0 });
  });

  it('sends at the peak rate while the large bucket lasts', () => {
    // The small bucket has 600 bytes left after the first packet; 400 more take 0.16 ms at 2500 bytes/ms.
    const given = { rate: 10e6, burst: 50_000, limit: 100_000, peakrate: 20e6, mtu: 1600 };
    expect(departuresMs(given, 4, 1000)).toEqual([0, 0.16, 0.56, 0.96]);
  });

  it('adds overhead once to the burst and to each packet, which mpu raises', () => {
    // Bucket 1700 bytes, packets 300: five leave, 200 bytes are left, 100 more take 125 ms, then 375 ms each.
    const given = { rate: 6400, burst: 1600, limit: 10_000, overhead: 100, mpu: 300 };
    expect(departuresMs(given, 8, 100)).toEqual([0, 0, 0, 0, 0, 125, 500, 875]);
  });
});

describe('a token bucket filter of 2.6.24', () => {
  it('prices by the table, in ticks of 1.024 µs', () => {
    // 400 bytes at 800 bytes/s: 500000 µs are 488281 ticks; the bucket holds 1953125, four times that and one more.
    const given = { rate: 6400, burst: 1600, limit: 100_000, kernel: '2.6.24', tc: '2.6.23' };
    const late = departuresMs(given, 6, 400).slice(4);
    expect(late).toEqual([(488_280 * 1024) / 1e6, ((488_280 + 488_281) * 1024) / 1e6]);
  });

  it('takes as longest packet what the last slot of the table below the bucket covers', () => {
    const settings = tbfSettings(
      valuesOf('tbf', { rate: 6400, burst: 1600, limit: 1, kernel: '2.6.24', tc: '2.6.23' }),
    );
    // Slot 200 (1600 bytes) still fits, slot 201 does not: 201 * 8 - 1.
    expect(settings.maxSizeBytes).toBe(1607);
  });

  it('counts packets as sent when they come in, and how often the head went back', () => {
    const given = { rate: 6400, burst: 1600, limit: 100_000, kernel: '2.6.24' };
    const { root } = run(nested('tbf', given), [burstOf(8, 400)], { durationNs: 1 });
    expect(root.report(0).counters).toMatchObject({ sentPackets: 8, backlogPackets: 4, requeues: 4, overlimits: 4 });
  });
});

describe('super-packets at a token bucket filter', () => {
  /** Ten segments of 1000 bytes of payload, 42 of headers each: 10420 bytes. */
  function superPacket(burst: number): { sizes: number[]; ms: number[]; drops: number; live: number } {
    const sizes: number[] = [];
    const ms: number[] = [];
    let drops = 0;
    let pool = new PacketPool();
    replay(
      (surroundings) => buildQdisc(nested('tbf', { rate: 800_000, burst, limit: 60_000 }), surroundings),
      {
        startNs: 0,
        durationNs: 1e9,
        linkBitsPerSecond: 0,
        linkOverheadBytes: 0,
        timerResolutionNs: 0,
        timerLatencyNs: 0,
      },
      [
        burstOf(1, 10_420, {
          dress(packets, packet) {
            packets.segments[packet] = 10;
            packets.gsoBytes[packet] = 1000;
            packets.headerBytes[packet] = 42;
            packets.payloadBytes[packet] = 10_000;
          },
        }),
      ],
      {
        onArrival(_, packets) {
          pool = packets;
        },
        onDeparture(packet, packets, nowNs) {
          sizes.push(packets.sizeBytes[packet]!);
          ms.push(nowNs / 1e6);
          expect(packets.payloadBytes[packet]! / packets.segments[packet]!).toBe(1000);
          expect(packets.sequence[packet]).toBe(0);
        },
        onDrop: () => {
          drops++;
        },
      },
    );
    return { sizes, ms, drops, live: pool.live };
  }

  it('leave whole where the burst holds them', () => {
    expect(superPacket(20_000)).toEqual({ sizes: [10_420], ms: [0], drops: 0, live: 0 });
  });

  it('are cut into segments where it does not', () => {
    // Four of 1042 bytes fit 5000; 832 bytes are left, 210 more take 2.1 ms at 100 bytes/ms, then 10.42 ms each.
    const { sizes, ms, drops, live } = superPacket(5000);
    expect(sizes).toEqual(Array(10).fill(1042));
    expect(ms.map((time) => Math.round(time * 100) / 100)).toEqual([0, 0, 0, 0, 2.1, 12.52, 22.94, 33.36, 43.78, 54.2]);
    expect({ drops, live }).toEqual({ drops: 0, live: 0 });
  });

  it('are dropped where not even a segment fits', () => {
    expect(superPacket(900)).toEqual({ sizes: [], ms: [], drops: 1, live: 0 });
  });
});

describe('the bound of a token bucket filter', () => {
  it('holds in any stretch of time: no more than a bucket and what the time brings', () => {
    const burst = 3000;
    const values = valuesOf('tbf', { rate: 4e6, burst, limit: 30_000 });
    const { cost, bufferTicks } = tbfSettings(values);
    const sources = fc.array(
      fc.record({
        flow: fc.constant(1),
        priority: fc.constant(0),
        sizeBytes: fc.integer({ min: 60, max: 1514 }),
        intervalNs: fc.integer({ min: 0, max: 3e6 }),
        startNs: fc.integer({ min: 0, max: 1e8 }),
        count: fc.integer({ min: 1, max: 40 }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(sources, (given) => {
        const distinct = given.map((source, index) => ({ ...source, flow: index }));
        const { departures } = run({ kind: 'tbf', values }, distinct);
        departures.forEach((first, index) => {
          let costNs = 0;
          for (const { bytes, endNs } of departures.slice(index)) {
            costNs += cost.ticks(bytes);
            expect(costNs).toBeLessThanOrEqual(bufferTicks + endNs! - first.endNs!);
          }
        });
      }),
      { numRuns: 40, seed: 1 },
    );
  });
});
