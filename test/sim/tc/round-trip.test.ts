import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Document } from 'yaml';
import { importTc } from '../../../sim/tc/import.ts';
import { complaints, exported, filesIn, scenarioOf, textOf } from './support.ts';

type Mapping = Record<string, unknown>;

const rate = fc.integer({ min: 8, max: 4_000_000 }).map((kilobits) => `${kilobits}kbit`);
const size = fc.integer({ min: 1600, max: 900_000 }).map((bytes) => `${bytes}b`);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
/** A mapping without the keys that drew nothing. */
const record = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Mapping> =>
  fc.record(shape).map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)));

const percent = fc.integer({ min: 0, max: 100_000_000 }).map((millionths) => `${millionths / 1e6}%`);
const milliseconds = fc.integer({ min: 1, max: 500 }).map((ms) => `${ms}ms`);
const overhead = fc.integer({ min: -40, max: 60 });

/** Some of the options, each with what it needs. */
const netem = fc
  .tuple(
    fc.oneof(
      fc.constant({}),
      record({ delay: milliseconds, jitter: maybe(fc.constant('2500us')) }),
      record({
        delay: milliseconds,
        jitter: fc.constant('2500us'),
        delayCorrelation: maybe(percent),
        distribution: maybe(fc.constantFrom('normal', 'pareto', 'paretonormal')),
        reorder: maybe(percent),
      }),
      record({
        delay: milliseconds,
        reorder: percent,
        reorderCorrelation: maybe(percent),
        gap: maybe(fc.integer({ min: 1, max: 9 })),
      }),
    ),
    fc.oneof(
      fc.constant({}),
      record({
        loss: fc.double({ min: 0, max: 1, noNaN: true }).map((share) => share.toFixed(9)),
        lossCorrelation: maybe(percent),
        ecn: maybe(fc.boolean()),
      }),
      record({
        lossState: fc.oneof(
          record({ p13: percent }),
          record({ p13: percent, p31: percent, p32: maybe(percent), p23: maybe(percent), p14: maybe(percent) }),
        ),
      }),
      record({
        lossGemodel: fc.oneof(
          record({ p: percent }),
          record({ p: percent, r: percent, lossInBad: maybe(percent), lossInGood: maybe(percent) }),
        ),
      }),
    ),
    fc.oneof(fc.constant({}), record({ duplicate: percent, duplicateCorrelation: maybe(percent) })),
    fc.oneof(fc.constant({}), record({ corrupt: percent, corruptCorrelation: maybe(percent) })),
    fc.oneof(
      fc.constant({}),
      record({ rate, packetOverhead: maybe(overhead) }),
      record({
        rate,
        packetOverhead: maybe(overhead),
        cellSize: fc.integer({ min: 48, max: 424 }),
        cellOverhead: maybe(overhead),
      }),
    ),
    fc.oneof(
      fc.constant({}),
      record({
        slot: record({
          minDelay: fc.constant('3ms'),
          maxDelay: maybe(fc.constant('5ms')),
          packets: maybe(fc.integer({ min: 1, max: 9 })),
        }),
      }),
      record({
        slot: record({
          distribution: fc.constant('normal'),
          delay: milliseconds,
          jitter: fc.constant('1ms'),
          bytes: maybe(size),
        }),
      }),
    ),
    record({
      limit: maybe(fc.integer({ min: 1, max: 5000 })),
      qdisc: maybe(fc.constant({ kind: 'pfifo', limit: 12 })),
    }),
  )
  .map((parts) => Object.assign({ kind: 'netem' }, ...parts) as Mapping);

const leafQdisc = fc.oneof(
  record({ kind: fc.constant('pfifo'), limit: maybe(fc.integer({ min: 0, max: 5000 })) }),
  record({ kind: fc.constant('bfifo'), limit: maybe(size) }),
  record({
    kind: fc.constant('sfq'),
    perturb: maybe(fc.integer({ min: 0, max: 60 }).map((seconds) => `${seconds}s`)),
    quantum: maybe(size),
    headdrop: maybe(fc.boolean()),
    limit: maybe(fc.integer({ min: 20, max: 3000 })),
    depth: maybe(fc.integer({ min: 2, max: 127 })),
    flows: maybe(fc.integer({ min: 2, max: 500 })),
    divisor: maybe(fc.constantFrom(64, 1024)),
  }),
  record({
    kind: fc.constant('sfq'),
    redflowlimit: fc.constant('100000b'),
    min: maybe(fc.constant('8000b')),
    avpkt: maybe(fc.constant('900b')),
    probability: maybe(fc.constantFrom('0.12', '0.02')),
    ecn: maybe(fc.boolean()),
    harddrop: maybe(fc.boolean()),
  }),
  record({
    kind: fc.constant('fq_codel'),
    limit: maybe(fc.integer({ min: 1, max: 20000 })),
    flows: maybe(fc.integer({ min: 1, max: 5000 })),
    target: maybe(fc.integer({ min: 1, max: 50 }).map((ms) => `${ms}ms`)),
    interval: maybe(milliseconds),
    ceThreshold: maybe(milliseconds),
    quantum: maybe(size),
    ecn: maybe(fc.boolean()),
    memoryLimit: maybe(size),
    dropBatch: maybe(fc.integer({ min: 1, max: 200 })),
  }),
  record({
    kind: fc.constant('codel'),
    limit: maybe(fc.integer({ min: 1, max: 20000 })),
    target: maybe(milliseconds),
    interval: maybe(fc.integer({ min: 5, max: 500 }).map((ms) => `${ms}ms`)),
    ceThreshold: maybe(milliseconds),
    ecn: maybe(fc.boolean()),
  }),
  record({
    kind: fc.constant('tbf'),
    rate: fc.constant('2mbit'),
    burst: size,
    latency: milliseconds,
    peakrate: fc.constantFrom('3mbit', '20mbit'),
    mtu: fc.constantFrom('1600b', '2000b'),
    mpu: maybe(fc.constant('64b')),
    overhead: maybe(fc.constant('14b')),
    linklayer: maybe(fc.constantFrom('ethernet', 'atm')),
  }),
  record({
    kind: fc.constant('tbf'),
    rate,
    burst: size,
    limit: size,
    qdisc: maybe(fc.constant({ kind: 'pfifo', limit: 12 })),
  }),
  record({
    kind: fc.constant('fq'),
    limit: maybe(fc.integer({ min: 1, max: 20000 })),
    flowLimit: maybe(fc.integer({ min: 1, max: 200 })),
    quantum: maybe(size),
    initialQuantum: maybe(size),
    maxrate: maybe(rate),
    lowRateThreshold: maybe(rate),
    refillDelay: maybe(fc.integer({ min: 1, max: 50 }).map((ms) => `${ms}ms`)),
  }),
  record({
    kind: fc.constant('red'),
    limit: fc.constant(60_000),
    min: fc.constant(5000),
    max: fc.constant(20_000),
    avpkt: fc.constant(1000),
    burst: fc.constant(20),
    bandwidth: maybe(rate),
    probability: maybe(fc.constantFrom('0.1', '0.02')),
    ecn: maybe(fc.boolean()),
    harddrop: maybe(fc.boolean()),
    adaptive: maybe(fc.boolean()),
  }),
  fc.constant({ kind: 'red', limit: 60_000, avpkt: 1000, ecn: true, nodrop: true }),
  netem,
  record({ kind: fc.constantFrom('pfifo_fast', 'pfifo_head_drop') }),
  record({
    kind: fc.constant('prio'),
    bands: maybe(fc.integer({ min: 3, max: 16 })),
    priomap: maybe(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 16 })),
  }),
);

const htbClass = (parents: readonly string[]): fc.Arbitrary<Mapping> =>
  record({
    parent: parents.length === 0 ? fc.constant(undefined) : maybe(fc.constantFrom(...parents)),
    rate,
    ceil: maybe(rate),
    burst: maybe(size),
    cburst: maybe(size),
    prio: maybe(fc.integer({ min: 0, max: 9 })),
    quantum: maybe(size),
    overhead: maybe(fc.integer({ min: 0, max: 64 }).map((bytes) => `${bytes}b`)),
    mpu: maybe(fc.integer({ min: 0, max: 128 }).map((bytes) => `${bytes}b`)),
    mtu: maybe(size),
    linklayer: maybe(fc.constantFrom('ethernet', 'atm', 'adsl')),
  });

const htbHop: fc.Arbitrary<Mapping> = fc
  .record({
    top: fc.array(htbClass([]), { minLength: 1, maxLength: 2 }),
    below: fc.array(htbClass(['1:1']), { maxLength: 3 }),
    leaf: maybe(leafQdisc),
    limit: maybe(fc.integer({ min: 1, max: 500 })),
    r2q: maybe(fc.integer({ min: 1, max: 50 })),
    directQlen: maybe(fc.integer({ min: 1, max: 50 })),
    kernel: maybe(fc.constantFrom('4.9', '5.15', '6.12')),
    latency: maybe(fc.constant('30us')),
    dport: maybe(fc.integer({ min: 1, max: 65535 })),
  })
  .map(({ top, below, leaf, limit, latency, dport, ...more }) => {
    const classes: Record<string, Mapping> = {};
    for (const [i, one] of top.entries()) classes[`1:${i + 1}`] = { ...one };
    for (const [i, one] of below.entries()) classes[`1:${(0x10 + i).toString(16)}`] = { ...one };
    const last = Object.keys(classes).at(-1)!;
    if (leaf !== undefined) classes[last]!.qdisc = leaf;
    else if (limit !== undefined) classes[last]!.limit = limit;
    const filters =
      dport === undefined
        ? {}
        : { filters: [{ prio: 3, protocol: 'ip', match: `u32 match ip dport ${dport} 0xffff`, class: last }] };
    const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
    const timer = latency === undefined ? {} : { timer: { latency } };
    return {
      shaper: 'htb',
      ...given,
      default: last,
      classes,
      ...filters,
      ...timer,
      link: { rate: '10gbit', delay: '1ms' },
    };
  });

const plainHop: fc.Arbitrary<Mapping> = fc.oneof(
  leafQdisc.map(({ kind, ...rest }) => ({ shaper: kind, ...rest, ...(kind === 'prio' ? { handle: '1:' } : {}) })),
  record({
    shaper: fc.constant('police'),
    rate,
    burst: size,
    mtu: maybe(size),
    exceed: fc.constantFrom('drop', 'reclassify', 'ok', 'pipe', 'continue'),
    conform: maybe(fc.constantFrom('ok', 'pipe', 'drop', 'continue')),
    ingress: maybe(fc.boolean()),
    link: maybe(fc.constant({ delay: '3ms' })),
  }),
  record({
    shaper: fc.constant('police'),
    avrate: rate,
    estimator: fc.constant({ interval: '250ms', average: '1s' }),
    mtu: maybe(size),
    exceed: fc.constant('drop'),
  }),
  record({
    shaper: fc.constant('police'),
    pktsRate: fc.integer({ min: 1, max: 100_000 }),
    pktsBurst: fc.integer({ min: 1, max: 5000 }),
    exceed: fc.constant('drop'),
  }),
  record({ link: fc.constant({ rate: '5mbit', delay: '7ms', loss: '0.1%', queue: '30p' }) }),
);

const scenario = fc
  .record({
    hops: fc.array(fc.oneof(htbHop, plainHop), { minLength: 1, maxLength: 3 }),
    title: fc.constantFrom('T', 'A: "b" # c'),
  })
  .map(({ hops, title }) => ({
    title,
    duration: '1s',
    hops: Object.fromEntries(hops.map((hop, i) => [`hop${i}`, hop])),
    flows: { f: { source: 'cbr', rate: '1mbit', size: '800b', via: hops.map((_, i) => `hop${i}`), dport: 22 } },
    expect: ['flows.f.bitsPerSecond.accounted below 1gbit'],
  }));

/** The scenario that comes back, and what was said. */
function roundTrip(yaml: string): { readonly before: unknown; readonly after: unknown; readonly said: string[] } {
  const loaded = scenarioOf(yaml);
  const { script, left } = exported(loaded);
  const back = importTc(script, 'exported.sh');
  return { before: loaded.first, after: scenarioOf(back.yaml!).first, said: [...left, ...complaints(back.messages)] };
}

describe('import(export(scenario)) is the scenario', () => {
  it('for random trees', () => {
    fc.assert(
      fc.property(scenario, (document) => {
        const { before, after, said } = roundTrip(new Document(document).toString());
        expect(said).toEqual([]);
        expect(after).toEqual(before);
      }),
      { numRuns: 300, seed: 20090503 },
    );
  });
  it.each(filesIn('scenarios/cases').filter((name) => name.endsWith('.yaml')))('for %s', (name) => {
    const { before, after, said } = roundTrip(textOf(`scenarios/cases/${name}`));
    expect(said).toEqual([]);
    expect(after).toEqual(before);
  });
  it('a probability is a percentage for tc', () => {
    const yaml =
      'duration: 1s\nhops:\n  h: { shaper: netem, delay: 10ms, jitter: 2ms, delayCorrelation: 0.2, loss: 0.07, rate: 5mbit, packetOverhead: 12 }\nflows:\n  f: { source: cbr, rate: 1mbit, via: [h] }\n';
    const loaded = scenarioOf(yaml);
    const { script } = exported(loaded);
    expect(script).toContain('root netem delay 10ms 2ms 20% loss 7% rate 5mbit 12\n');
  });
  it('says which shapers tc does not know', () => {
    const yaml =
      'duration: 1s\nhops:\n  h: { shaper: token_bucket, rate: 1mbit, burst: 10kb }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [h] }\n';
    expect(roundTrip(yaml).said).toEqual(['hop h: token_bucket, which tc does not know']);
  });
});
