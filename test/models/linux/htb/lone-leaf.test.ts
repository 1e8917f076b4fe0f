import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Htb } from '../../../../models/linux/htb/htb.ts';
import type { HtbClassState } from '../../../../models/linux/htb/probe.ts';
import type { QdiscReport, Surroundings, Values } from '../../../../models/model.ts';
import { NO_PACKET, PacketPool } from '../../../../models/packet.ts';
import { buildQdisc } from '../../../../models/registry.ts';
import { htbClass, htbOf } from './htb-values.ts';

interface Arrival {
  readonly gapNs: number;
  readonly sizeBytes: number;
  readonly segments: number;
}

interface Outcome {
  readonly departures: readonly string[];
  readonly state: HtbClassState;
  readonly report: QdiscReport;
}

/**
 * Drives an HTB with a watchdog that is never late, behind a device that is never busy. `exactTimers` says what the qdisc
 * is told of the watchdog: where it is told so, a leaf that is alone does without rows and wait queue.
 */
function drive(values: Values, arrivals: readonly Arrival[], exactTimers: boolean): Outcome {
  const packets = new PacketPool();
  let wakeNs = Number.POSITIVE_INFINITY;
  const surroundings: Surroundings = {
    packets,
    startNs: 0,
    exactTimers,
    newWatchdog: () => 0,
    newTimer: () => 0,
    wakeAt: (_timer, timeNs) => {
      wakeNs = timeNs;
    },
    drop: (packet) => packets.free(packet),
    randomUint32: () => 0,
  };
  const qdisc = new Htb(values, surroundings, buildQdisc);
  const departures: string[] = [];
  let nowNs = 0;
  const take = (): void => {
    for (let packet = qdisc.dequeue(nowNs); packet !== NO_PACKET; packet = qdisc.dequeue(nowNs)) {
      departures.push(`${packets.sequence[packet]} at ${nowNs}`);
      packets.free(packet);
    }
  };
  arrivals.forEach(({ gapNs, sizeBytes, segments }, index) => {
    const arrivalNs = nowNs + gapNs;
    while (wakeNs <= arrivalNs) {
      nowNs = wakeNs;
      wakeNs = Number.POSITIVE_INFINITY;
      take();
    }
    nowNs = arrivalNs;
    const packet = packets.fill(0, sizeBytes, sizeBytes, 0x10010, index, nowNs);
    packets.segments[packet] = segments;
    qdisc.enqueue(packet, nowNs);
    take();
  });
  return { departures, state: qdisc.probe.state(0), report: qdisc.report(nowNs) };
}

describe('a leaf that is alone in its tree', () => {
  const arrival = fc.record({
    gapNs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 3_000_000_000 })),
    sizeBytes: fc.integer({ min: 40, max: 9000 }),
    segments: fc.integer({ min: 1, max: 6 }),
  });

  it('sends, counts and keeps tokens as in a tree with turns', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('2.6.22', '2.6.25', '2.6.33', '3.6', '3.10', '5.2', '6.12', 'thread'),
        fc.integer({ min: 8_000, max: 2_000_000_000 }),
        fc.integer({ min: 100, max: 300 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        fc.array(arrival, { minLength: 1, maxLength: 120 }),
        (kernel, rate, ceilPercent, hysteresis, limit, arrivals) => {
          const ceil = Math.floor((rate * ceilPercent) / 100);
          const values = htbOf({ '1:10': htbClass({ rate, ceil, limit }) }, { kernel, hysteresis });
          const alone = drive(values, arrivals, true);
          const general = drive(values, arrivals, false);
          expect(alone.departures).toEqual(general.departures);
          expect(alone.departures.length).toBeGreaterThan(0);
          // The looks at idle levels, once a second, end in dequeues that find nothing: counted by the general tree only.
          const { overlimits: _alone, ...counters } = alone.report.counters;
          const { overlimits: _general, ...expected } = general.report.counters;
          expect(counters).toEqual(expected);
          expect(alone.report.classes).toEqual(general.report.classes);
          expect(alone.state).toEqual(general.state);
        },
      ),
      { numRuns: 400 },
    );
  });
});
