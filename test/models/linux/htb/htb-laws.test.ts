import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classFigures, type HtbClassValues, htbRules } from '../../../../models/linux/htb/class-figures.ts';
import { htb as declaration } from '../../../../models/linux/htb/declaration.ts';
import { Htb } from '../../../../models/linux/htb/htb.ts';
import { buildQdisc } from '../../../../models/registry.ts';
import { type ReplaySettings, type ReplaySource, replay } from '../../../golden/replay.ts';
import { htbClass, htbOf } from './htb-values.ts';

const HANDLE = 0x10000;

/** A tree of up to eight classes: each hangs below an earlier one, or at the root. */
const trees = fc
  .array(
    fc.record({
      above: fc.nat(),
      rate: fc.integer({ min: 8, max: 200_000_000 }),
      ceil: fc.option(fc.integer({ min: 8, max: 400_000_000 }), { nil: undefined }),
      burst: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
      cburst: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
      quantum: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
      prio: fc.integer({ min: 0, max: 9 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((specs) => {
    const classes: Record<string, HtbClassValues> = {};
    specs.forEach(({ above, rate, prio, ...given }, index) => {
      const at = above % (index + 1);
      const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const parent = at === index ? {} : { parent: HANDLE + at + 1 };
      classes[`1:${(index + 1).toString(16)}`] = htbClass({ rate, prio, ...own, ...parent });
    });
    return classes;
  });

const sourceLists = fc.array(
  fc.record({
    target: fc.nat(9),
    sizeBytes: fc.integer({ min: 60, max: 3000 }),
    intervalNs: fc.integer({ min: 1000, max: 1_000_000 }),
    startNs: fc.nat(5_000_000),
    count: fc.integer({ min: 1, max: 60 }),
  }),
  { minLength: 1, maxLength: 4 },
);

const kernels = fc.constantFrom('2.6.23', '2.6.24', '2.6.31', '3.6', '3.9', '4.9', '6.12', '6.18', 'thread');

const runs = fc.record({
  classes: trees,
  sources: sourceLists,
  kernel: kernels,
  hysteresis: fc.boolean(),
  startNs: fc.nat(10_000_000_000),
  linkBitsPerSecond: fc.constantFrom(0, 10_000_000, 1_000_000_000),
  timerLatencyNs: fc.constantFrom(0, 50_000),
});
type Run = typeof runs extends fc.Arbitrary<infer Value> ? Value : never;

/** What happened in a run. */
interface Trace {
  readonly arrived: Map<number, number>;
  readonly events: string[];
  readonly order: Map<number, number[]>;
  bytesIn: number;
  bytesOut: number;
  bytesDropped: number;
}

function trace(run: Run, each?: (root: Htb, nowNs: number) => void): { htb: Htb; trace: Trace } {
  const values = htbOf(run.classes, { kernel: run.kernel, hysteresis: run.hysteresis, txQueueLen: 30 });
  const settings: ReplaySettings = {
    startNs: run.startNs,
    durationNs: 30_000_000,
    linkBitsPerSecond: run.linkBitsPerSecond,
    linkOverheadBytes: 24,
    timerResolutionNs: 0,
    timerLatencyNs: run.timerLatencyNs,
  };
  const sources: ReplaySource[] = run.sources.map(({ target, ...source }, flow) => ({
    ...source,
    flow,
    priority: HANDLE + (target % (Object.keys(run.classes).length + 1)),
  }));
  const told: Trace = { arrived: new Map(), events: [], order: new Map(), bytesIn: 0, bytesOut: 0, bytesDropped: 0 };
  const key = (flow: number, sequence: number): number => flow * 1000 + sequence;
  let root: Htb | undefined;
  const htb = replay(
    (surroundings) => {
      root = new Htb(values, surroundings, buildQdisc);
      return root;
    },
    settings,
    sources,
    {
      onArrival: (packet, packets, nowNs) => {
        told.arrived.set(key(packets.flow[packet]!, packets.sequence[packet]!), nowNs);
        told.bytesIn += packets.sizeBytes[packet]!;
      },
      onDrop: (packet, packets, nowNs) => {
        told.bytesDropped += packets.sizeBytes[packet]!;
        told.events.push(`drop ${nowNs} ${packets.flow[packet]}`);
      },
      onDeparture: (packet, packets, nowNs) => {
        const flow = packets.flow[packet]!;
        const sequence = packets.sequence[packet]!;
        expect(nowNs).toBeGreaterThanOrEqual(told.arrived.get(key(flow, sequence))!);
        told.bytesOut += packets.sizeBytes[packet]!;
        const order = told.order.get(flow) ?? [];
        told.order.set(flow, order);
        order.push(sequence);
        told.events.push(`depart ${nowNs} ${flow} ${sequence}`);
        each?.(root!, nowNs);
      },
    },
  );
  return { htb, trace: told };
}

describe('an HTB of any tree, on any kernel', () => {
  it('is accepted by its own check', () => {
    fc.assert(
      fc.property(runs, ({ classes, kernel }) => {
        expect(declaration.check!(htbOf(classes, { kernel }))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('loses no byte: what came has left, was dropped, or waits', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { htb, trace: told } = trace(run);
        expect(told.bytesOut + told.bytesDropped + htb.backlogBytes).toBe(told.bytesIn);
        const { classes, counters } = htb.report(0);
        const waiting = Object.values(classes).reduce((sum, entry) => sum + entry.counters.backlogBytes!, 0);
        expect(waiting).toBe(htb.backlogBytes);
        expect(counters.sentBytes).toBe(told.bytesOut);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the order of a flow, and sends nothing before it came', () => {
    fc.assert(
      fc.property(runs, (run) => {
        for (const order of trace(run).trace.order.values()) {
          expect(order).toEqual([...order].sort((one, other) => one - other));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps tokens between minus a minute and the bucket', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const values = htbOf(run.classes, { kernel: run.kernel });
        const span = 60 * htbRules(values).kernel.ticksPerSecond;
        const figures = Object.keys(run.classes).map((name) => classFigures(values, name));
        trace(run, ({ probe }, nowNs) => {
          for (const { name, rate, ceil } of figures) {
            const index = probe.names.indexOf(name);
            const { tokens, ctokens } = probe.state(index);
            // While a class borrows, its tokens grow past the bucket until it next sends on its own.
            expect(probe.tokensNs(index, nowNs)).toBeLessThanOrEqual(rate.bufferTicks * htbRules(values).kernel.tickNs);
            expect(ctokens).toBeLessThanOrEqual(ceil.bufferTicks);
            expect(tokens).toBeGreaterThan(-span);
            expect(ctokens).toBeGreaterThan(-span);
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('does the same each time', () => {
    fc.assert(
      fc.property(runs, (run) => {
        expect(trace(run).trace.events).toEqual(trace(run).trace.events);
      }),
      { numRuns: 50 },
    );
  });

  it('sends no more from a leaf than its ceil allows: rate × time, a bucket and a packet (without hysteresis)', () => {
    fc.assert(
      fc.property(runs, (any) => {
        const run: Run = { ...any, hysteresis: false, kernel: '6.18' };
        const values = htbOf(run.classes, { kernel: run.kernel });
        const { htb } = trace(run);
        for (const name of Object.keys(run.classes)) {
          const { id, ceil } = classFigures(values, name);
          // Children that send at their own rates do not ask the classes above; debts of slow ones are cut at a minute.
          const leaf = !Object.values(run.classes).some(({ parent }) => parent === id);
          if (!leaf || ceil.bytesPerSecond < 1000) continue;
          const index = htb.probe.names.indexOf(name);
          const bucketBytes = (ceil.bufferTicks * ceil.bytesPerSecond) / 1e9;
          const bound = ceil.bytesPerSecond * 0.03 + bucketBytes + 3000;
          expect(htb.probe.departedBytes(index)).toBeLessThanOrEqual(bound);
        }
      }),
      { numRuns: 200 },
    );
  });
});
