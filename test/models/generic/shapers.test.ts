import { describe, expect, it } from 'vitest';
import { meterKinds } from '../../../models/generic/kinds.ts';
import { genericShapers } from '../../../models/generic/shapers.ts';
import type { QdiscReport, Values } from '../../../models/model.ts';
import { buildQdisc } from '../../../models/registry.ts';
import { replay } from '../../golden/replay.ts';

const SIZES = [1514, 66, 836] as const;

interface Outcome {
  readonly departures: {
    readonly timeNs: number;
    readonly flow: number;
    readonly sequence: number;
    readonly bytes: number;
  }[];
  readonly dropped: number;
  readonly report: QdiscReport;
}

/** Three flows of 4 Mbit/s each in packets of different sizes, for half a second, and their way out. */
function shape(kind: string, values: Values, count = 1000): Outcome {
  const departures: Outcome['departures'] = [];
  let dropped = 0;
  const endNs = 20e9;
  const root = replay(
    (surroundings) => buildQdisc({ kind, values }, surroundings),
    {
      startNs: 17,
      durationNs: endNs,
      linkBitsPerSecond: 0,
      linkOverheadBytes: 0,
      timerResolutionNs: 0,
      timerLatencyNs: 0,
    },
    SIZES.map((sizeBytes, flow) => ({
      flow,
      priority: 0,
      sizeBytes,
      intervalNs: sizeBytes * 2000,
      startNs: flow,
      count,
    })),
    {
      onDeparture(packet, packets, timeNs) {
        departures.push({
          timeNs,
          flow: packets.flow[packet]!,
          sequence: packets.sequence[packet]!,
          bytes: packets.sizeBytes[packet]!,
        });
      },
      onDrop() {
        dropped++;
      },
    },
  );
  return { departures, dropped, report: root.report(endNs) };
}

const shared: Values = { rate: 5_000_001, limit: { packets: 200 }, mode: 'shape' };
const own: Readonly<Record<string, Values>> = {
  token_bucket: { burst: 6000 },
  leaky_bucket: {},
  gcra: { tolerance: 3_000_000 },
  fixed_window: { window: 50_000_000 },
  sliding_log: { window: 50_000_000 },
  sliding_counter: { window: 50_000_000 },
};

describe.each(genericShapers.map((shaper) => shaper.kind))('%s', (kind) => {
  const values = { ...shared, ...own[kind] };

  it('keeps the order of each flow, and accounts for every packet', () => {
    const { departures, dropped, report } = shape(kind, values);
    for (const flow of SIZES.keys()) {
      const sequence = departures.filter((departure) => departure.flow === flow).map((departure) => departure.sequence);
      expect(sequence).toEqual([...sequence].sort((a, b) => a - b));
    }
    expect(departures.length + dropped + report.counters.backlogPackets!).toBe(3 * 1000);
    expect(report.counters.sentBytes).toBe(departures.reduce((sum, departure) => sum + departure.bytes, 0));
    expect(dropped).toBeGreaterThan(0);
  });

  it('never lets more out than its own bound', () => {
    const meter = meterKinds.find((model) => model.kind === kind)!.createMeter(values, 17);
    let sentBytes = 0;
    for (const { timeNs, bytes } of shape(kind, values).departures) {
      expect(meter.conformsAt(bytes, timeNs)).toBe(timeNs);
      meter.spend(bytes, timeNs);
      sentBytes += bytes;
      expect(sentBytes).toBeLessThanOrEqual(meter.boundBytes(timeNs));
    }
  });

  it('polices: what does not conform on arrival is dropped, nothing waits', () => {
    const { departures, dropped, report } = shape(kind, { ...values, mode: 'police' });
    expect(report.counters.overlimits).toBe(dropped);
    expect(dropped).toBeGreaterThan(0);
    // Each packet leaves at its arrival: 17 + flow + sequence * interval.
    for (const { timeNs, flow, sequence } of departures)
      expect(timeNs).toBe(17 + flow + sequence * SIZES[flow]! * 2000);
  });
});

it('a token bucket sends a packet in the nanosecond in which there are tokens for it', () => {
  // 1514 and 66 bytes leave 20 of 1600; 836 have to wait until 816 more are there: 816 * 8 / 10 Mbit/s = 652,800 ns.
  const values = { rate: 10e6, burst: 1600, limit: { packets: 10_000 }, mode: 'shape' };
  const { departures } = shape('token_bucket', values, 1);
  expect(departures.map((departure) => departure.timeNs - 17)).toEqual([0, 1, 652_800]);
});

it('a packet that is larger than the burst is dropped', () => {
  const { dropped, departures } = shape('token_bucket', { ...shared, burst: 1000 }, 10);
  expect(dropped).toBe(10);
  expect(departures).toHaveLength(20);
});

it('the queue may be bounded in bytes and in time', () => {
  const byBytes = shape('leaky_bucket', { rate: 5e6, limit: { bytes: 25_000 }, mode: 'shape' });
  const byTime = shape('leaky_bucket', { rate: 5e6, limit: { ns: 40_000_000 }, mode: 'shape' });
  expect(byTime.departures).toEqual(byBytes.departures); // 5 Mbit/s * 40 ms = 25,000 bytes
});
