import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NestedModel, Qdisc, Values } from '../../../models/model.ts';
import { buildQdisc } from '../../../models/registry.ts';
import { type ReplaySettings, type ReplaySource, replay } from '../../golden/replay.ts';
import { valuesOf } from './values-of.ts';

/** One packet's fate: flow, number in the flow, bytes, instants (ns); `endNs` is undefined while it is held. */
export interface Fate {
  readonly flow: number;
  readonly sequence: number;
  readonly bytes: number;
  readonly arrivedNs: number;
  endNs: number | undefined;
  end: 'held' | 'departed' | 'dropped';
}

/** What a run gave: the qdisc, every packet in the order of arrival, the departures in theirs. */
export interface Run {
  readonly root: Qdisc;
  readonly fates: readonly Fate[];
  readonly departures: readonly Fate[];
}

/** A model with the defaults of its declaration, to be nested. */
export function nested(kind: string, given: Values = {}): NestedModel {
  return { kind, values: valuesOf(kind, given) };
}

/** Numerical Recipes' linear congruential generator: enough to make random decisions, the same each time. */
function congruential(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

const EXACT: ReplaySettings = {
  startNs: 0,
  durationNs: 60e9,
  linkBitsPerSecond: 0,
  linkOverheadBytes: 0,
  timerResolutionNs: 0,
  timerLatencyNs: 0,
};

/** Runs a qdisc under sources with distinct flows, for a minute over a device that is never busy unless told otherwise. */
export function run(model: NestedModel, sources: readonly ReplaySource[], settings: Partial<ReplaySettings> = {}): Run {
  const fates: Fate[] = [];
  const departures: Fate[] = [];
  const held = new Map<string, Fate>();
  const take = (flow: number, sequence: number): Fate => {
    const fate = held.get(`${flow}/${sequence}`);
    if (fate === undefined) throw new Error(`packet ${sequence} of flow ${flow} came out twice, or out of nothing`);
    held.delete(`${flow}/${sequence}`);
    return fate;
  };
  const root = replay(
    (surroundings) => buildQdisc(model, surroundings),
    { ...EXACT, randomUint32: congruential(1), ...settings },
    sources,
    {
      onArrival(packet, packets, nowNs) {
        const fate: Fate = {
          flow: packets.flow[packet]!,
          sequence: packets.sequence[packet]!,
          bytes: packets.sizeBytes[packet]!,
          arrivedNs: nowNs,
          endNs: undefined,
          end: 'held',
        };
        fates.push(fate);
        held.set(`${fate.flow}/${fate.sequence}`, fate);
      },
      onDeparture(packet, packets, nowNs) {
        const fate = take(packets.flow[packet]!, packets.sequence[packet]!);
        fate.end = 'departed';
        fate.endNs = nowNs;
        departures.push(fate);
      },
      onDrop(packet, packets, nowNs) {
        const fate = take(packets.flow[packet]!, packets.sequence[packet]!);
        fate.end = 'dropped';
        fate.endNs = nowNs;
      },
    },
  );
  return { root, fates, departures };
}

/** `count` packets of `sizeBytes` of flow 1 at once. */
export function burstOf(count: number, sizeBytes: number, more: Partial<ReplaySource> = {}): ReplaySource {
  return { flow: 1, priority: 0, sizeBytes, intervalNs: 0, startNs: 0, count, ...more };
}

/** Sources of up to four flows, sparse or dense. */
const anySources = fc
  .array(
    fc.record({
      sizeBytes: fc.integer({ min: 60, max: 1514 }),
      intervalNs: fc.integer({ min: 0, max: 3_000_000 }),
      startNs: fc.integer({ min: 0, max: 5_000_000 }),
      count: fc.integer({ min: 1, max: 60 }),
      priority: fc.integer({ min: 0, max: 15 }),
      ecn: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((sources) => sources.map((source, index) => ({ ...source, flow: index + 1 })));

const anySettings = fc.record({
  linkBitsPerSecond: fc.constantFrom(0, 1_000_000, 10_000_000),
  linkOverheadBytes: fc.constantFrom(0, 24),
  durationNs: fc.integer({ min: 1_000_000, max: 200_000_000 }),
  startNs: fc.integer({ min: 0, max: 1e12 }),
});

/** What may be different with a qdisc: whether packets of a flow may overtake each other. */
export interface LawExceptions {
  readonly reorders?: boolean;
}

/** States as tests what every qdisc must obey whatever comes in. */
export function itObeysTheQdiscLaws(name: string, model: NestedModel, exceptions: LawExceptions = {}): void {
  const always = (law: (result: Run, sources: readonly ReplaySource[], settings: Partial<ReplaySettings>) => void) =>
    fc.assert(
      fc.property(anySources, anySettings, (sources, settings) =>
        law(run(model, sources, settings), sources, settings),
      ),
      { numRuns: 20, seed: 1 },
    );

  it(`${name}: what came in has left, was dropped, or is held, packet by packet and byte by byte`, () => {
    always(({ root, fates }) => {
      const held = fates.filter(({ end }) => end === 'held');
      expect(root.lengthPackets).toBe(held.length);
      expect(root.backlogBytes).toBe(held.reduce((sum, { bytes }) => sum + bytes, 0));
      const { counters } = root.report(0);
      expect(counters.backlogPackets).toBe(held.length);
    });
  });

  it(`${name}: nothing leaves before it came`, () => {
    always(({ departures }) => {
      for (const { arrivedNs, endNs } of departures) expect(endNs).toBeGreaterThanOrEqual(arrivedNs);
    });
  });

  if (exceptions.reorders !== true) {
    it(`${name}: packets of a flow leave in the order in which they came`, () => {
      always(({ departures }) => {
        const last = new Map<number, number>();
        for (const { flow, sequence } of departures) {
          expect(sequence).toBeGreaterThan(last.get(flow) ?? -1);
          last.set(flow, sequence);
        }
      });
    });
  }

  it(`${name}: the same run again is the same run`, () => {
    always((result, sources, settings) => {
      expect(run(model, sources, settings).fates).toEqual(result.fates);
    });
  });
}
