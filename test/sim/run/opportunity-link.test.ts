import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { meanBitsPerSecond } from '../../../sim/run/opportunity-link.ts';
import type { PointResult } from '../../../sim/run/result.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import type { PacketEvent } from '../../../sim/run/tracer.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';

type Event = [event: PacketEvent, timeMs: number, size: number];

/** Runs flows over one hop whose link follows a trace; gives departures and deliveries, and the result. */
function over(
  link: Record<string, unknown>,
  flows: Record<string, unknown>,
  hop: Record<string, unknown> = {},
  top: Record<string, unknown> = {},
): { events: Event[]; result: PointResult } {
  const events: Event[] = [];
  const named = Object.fromEntries(
    Object.entries(flows).map(([name, flow]) => [name, { via: ['cell'], ...(flow as object) }]),
  );
  const document = { duration: '30ms', ...top, hops: { cell: { ...hop, link } }, flows: named };
  const result = simulate(checkDocument(document, { registry }).pointAt(0), {
    buckets: 0,
    tracer: {
      packet(event, timeNs, _hop, _flow, _class, packet, packets) {
        if (event === 'depart' || event === 'deliver') events.push([event, timeNs / 1e6, packets.sizeBytes[packet]!]);
      },
    },
  });
  return { events, result };
}

/** So many packets at one instant. */
const burst = (count: number, size: string, start = '0s') => ({ source: 'cbr', interval: '0s', count, size, start });
const deliveries = (events: Event[]): number[] => events.flatMap(([event, at]) => (event === 'deliver' ? [at] : []));

describe('a link that follows a trace', () => {
  test('carries one full packet an opportunity: 1514 bytes with the Ethernet header are 1504 there', () => {
    const { events } = over({ trace: ['1ms', '5ms', '6ms'] }, { a: burst(3, '1514b') });
    expect(events).toEqual([
      ['depart', 1, 1514],
      ['deliver', 1, 1514],
      ['depart', 5, 1514],
      ['deliver', 5, 1514],
      ['depart', 6, 1514],
      ['deliver', 6, 1514],
    ]);
  });

  test('carries several small packets in one opportunity', () => {
    // 762 - 10 = 752 bytes each, two of which fill 1504
    const { events } = over({ trace: ['1ms', '5ms'] }, { a: burst(3, '762b') });
    expect(deliveries(events)).toEqual([1, 1, 5]);
  });

  test('goes on with a packet that did not fit, and uses what is left for the next', () => {
    // 2266 - 10 = 2256 = 1504 + 752: the rest and one packet of 752 bytes fill the second opportunity
    const { events } = over({ trace: ['1ms', '5ms', '9ms'] }, { large: burst(1, '2266b'), small: burst(2, '762b') });
    expect(events).toEqual([
      ['depart', 1, 2266],
      ['deliver', 5, 2266],
      ['depart', 5, 762],
      ['deliver', 5, 762],
      ['depart', 9, 762],
      ['deliver', 9, 762],
    ]);
  });

  test('loses an opportunity that nothing waits for; what comes at its very instant is too late', () => {
    const { events } = over({ trace: ['1ms', '5ms', '9ms'] }, { a: burst(1, '100b', '1ms') });
    expect(deliveries(events)).toEqual([5]);
  });

  test('begins again after its last instant, as often as it takes', () => {
    // rounds of 5 ms: 2, 5, 7, 10, 12, 15
    const { events } = over({ trace: ['2ms', '5ms'] }, { a: burst(6, '1514b') });
    expect(deliveries(events)).toEqual([2, 5, 7, 10, 12, 15]);
  });

  test('has as many opportunities at one instant as the trace says, also where rounds meet', () => {
    // 0, 4, 4 and 4 (the next round's 0), 8, 8 and 8, …; at 0 nothing has come yet
    const { events } = over({ trace: ['0ms', '4ms', '4ms'] }, { a: burst(7, '1514b') });
    expect(deliveries(events)).toEqual([4, 4, 4, 8, 8, 8, 12]);
  });

  test('delays after the opportunity', () => {
    const { events } = over({ trace: ['1ms', '5ms'], delay: '20ms' }, { a: burst(2, '1514b') });
    expect(deliveries(events)).toEqual([21, 25]);
  });

  test('counts its trace from the start of the simulation, wherever the clock stands', () => {
    const { events } = over({ trace: ['1ms', '5ms'] }, { a: burst(2, '1514b') }, {}, { clockStart: '7h' });
    expect(deliveries(events)).toEqual([1, 5]);
  });

  test('takes packets from a shaper at its instants only, and lets it hold them back', () => {
    // A packet costs 10 ms, a full bucket. With 0 left at 3 ms the class may send once more, at 6 ms with 3 ms of tokens;
    // the debt of 7 ms is paid at 13 ms, and the next instant is 15 ms.
    const shaper = {
      shaper: 'htb',
      kernel: '6.12',
      default: '1:1',
      classes: { '1:1': { rate: '1211200bit', burst: '1514b', cburst: '1514b' } },
    };
    const { events } = over({ trace: ['3ms'] }, { a: burst(3, '1514b') }, shaper);
    expect(deliveries(events)).toEqual([3, 6, 15]);
  });

  test('drops from its queue what does not fit, in packets or in time', () => {
    const held = (queue: string) =>
      over({ trace: ['10ms'], queue }, { a: burst(20, '1514b') }).result.flows.a!.droppedPackets;
    expect(held('5p')).toBe(15);
    // an opportunity of 1504 bytes every 10 ms: 25 ms are 3760 bytes, two packets
    expect(held('25ms')).toBe(18);
  });

  test('is as busy as the share of its opportunities that is used, after the warm-up', () => {
    // packets leave at 5, 10 and 15 ms; from 10 ms on there are the opportunities at 10, 15, 20 and 25 ms
    const { result } = over({ trace: ['5ms'] }, { a: burst(3, '1514b') }, {}, { warmup: '10ms' });
    expect(result.hops.cell!.link.busyFraction).toBe(0.5);
    expect(result.hops.cell!.link.sentPackets).toBe(3);
  });

  test('gives a TCP flow its rate', () => {
    // 10 opportunities of one packet each in 10 ms: 1000 packets/s
    const trace = Array.from({ length: 10 }, (_, i) => `${i + 1}ms`);
    const { result } = over(
      { trace, delay: '5ms', queue: '100p' },
      { a: { source: 'bulk' } },
      {},
      { duration: '3s', warmup: '1s' },
    );
    expect(result.flows.a!.packetsPerSecond).toBeGreaterThan(990);
    expect(result.flows.a!.packetsPerSecond).toBeLessThanOrEqual(1000);
  });

  test('has the mean rate of its trace', () => {
    expect(meanBitsPerSecond([1e6])).toBe(1504 * 8 * 1000);
    expect(meanBitsPerSecond([0, 5e6, 5e6, 12e6])).toBeCloseTo((4 * 1504 * 8) / 0.012, 6);
  });
});
