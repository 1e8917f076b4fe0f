import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelsOf } from '../../../models/registry.ts';
import { Network } from '../../../sim/run/network.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import type { ScenarioPoint } from '../../../sim/scenario/scenario.ts';

const point = (document: object): ScenarioPoint =>
  checkDocument({ title: 'x', ...document }, { registry: { modelsOf } }).pointAt(0);

/** Share of a run that is left out. */
function shareLeftOut(of: ScenarioPoint): number {
  const network = new Network(of.scenario, { buckets: 0 });
  for (const _ of network.run(1));
  return network.leftOutNs / of.scenario.durationNs;
}

const both = (of: ScenarioPoint) => [simulate(of, { buckets: 0 }), simulate(of, { buckets: 0, fastForward: false })];

const steady = { source: 'cbr', interval: '1ms', size: '1000b', via: ['h'] };

/** 1000-byte packets each millisecond, 8 Mbit/s, through one hop. */
const through = (hop: object, flow: object = steady, duration = '4s'): ScenarioPoint =>
  point({
    duration,
    warmup: '100ms',
    hops: { h: { link: { rate: '100mbit', overhead: '0b' }, ...hop } },
    flows: { f: flow },
  });

const slow = { rate: '5mbit', overhead: '0b' };
const fast = { rate: '10mbit', overhead: '0b' };
const bursts = { source: 'on-off', rate: '30mbit', on: '7ms', off: '13ms', size: '1000b', via: ['h'] };

describe('models whose state repeats', () => {
  it.each<[string, object]>([
    ['tbf', { shaper: 'tbf', rate: '5mbit', burst: '10kb', limit: '30kb' }],
    [
      'tbf with a peak rate',
      { shaper: 'tbf', rate: '5mbit', burst: '10kb', limit: '30kb', peakrate: '6mbit', mtu: 2000 },
    ],
    [
      'tbf over pfifo',
      { shaper: 'tbf', rate: '5mbit', burst: '10kb', limit: '1kb', qdisc: { kind: 'pfifo', limit: 7 } },
    ],
    ['pfifo', { shaper: 'pfifo', limit: 9, link: slow }],
    ['bfifo', { shaper: 'bfifo', limit: '9000b', link: slow }],
    ['pfifo_head_drop', { shaper: 'pfifo_head_drop', limit: 9, link: slow }],
    ['pfifo_fast', { shaper: 'pfifo_fast', txQueueLen: 9, link: slow }],
    ['prio', { shaper: 'prio', classes: { '1:2': { qdisc: { kind: 'bfifo', limit: '9000b' } } }, link: slow }],
    ['police', { shaper: 'police', rate: '5mbit', burst: '10kb' }],
    ['police in packets', { shaper: 'police', pktsRate: 500, pktsBurst: 10 }],
    ['token_bucket', { shaper: 'token_bucket', rate: '5mbit', burst: '10kb', limit: '30p' }],
    ['token_bucket as a policer', { shaper: 'token_bucket', rate: '5mbit', burst: '10kb', mode: 'police' }],
    ['leaky_bucket', { shaper: 'leaky_bucket', rate: '7mbit', limit: '30p' }],
    ['gcra', { shaper: 'gcra', rate: '5mbit', tolerance: '5ms', mode: 'police' }],
    ['fixed_window', { shaper: 'fixed_window', rate: '5mbit', window: '20ms', limit: '30p' }],
    ['sliding_log', { shaper: 'sliding_log', rate: '5mbit', window: '20ms', mode: 'police' }],
    ['sliding_counter', { shaper: 'sliding_counter', rate: '5mbit', window: '20ms', mode: 'police' }],
    ['codel below its target', { shaper: 'codel', link: fast }],
    ['fq_codel below its target', { shaper: 'fq_codel', link: fast }],
  ])('leaves out most of a run through %s, and changes no figure', (_, hop) => {
    const of = through(hop);
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.6);
  });

  it('leaves out most of a run through a tree of HTB with a class without packets and a qdisc in a leaf', () => {
    const classes = {
      '1:1': { rate: '5mbit' },
      '1:10': { parent: '1:1', rate: '2mbit', ceil: '5mbit', qdisc: { kind: 'pfifo', limit: 9 } },
      '1:20': { parent: '1:1', rate: '2mbit', ceil: '5mbit' },
      '1:30': { rate: '3mbit' },
    };
    const of = through({ shaper: 'htb', kernel: '6.12', classes }, { ...steady, class: '1:10' });
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.6);
  });

  it('leaves out the period of a clock of ticks, which arrivals in whole ticks have', () => {
    // Arrivals every 1000 ticks of 1.024 µs, departures every 1562: 0.8 s have whole numbers of both.
    const hop = { shaper: 'tbf', kernel: '2.6.24', rate: '5mbit', burst: '10kb', latency: '20ms' };
    const of = through(hop, { ...steady, interval: '1024us' }, '20s');
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.6);
  });

  it('leaves out bursts with pauses of equal length', () => {
    const of = through({ shaper: 'tbf', rate: '5mbit', burst: '10kb', limit: '30kb' }, bursts);
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.6);
  });

  it('leaves out the common period of streams whose rates divide each other by small numbers', () => {
    const of = point({
      duration: '4s',
      hops: { h: { shaper: 'prio', txQueueLen: 5, link: { rate: '10mbit', overhead: '0b' } } },
      flows: {
        a: { source: 'cbr', rate: '3mbit', size: '1514b', via: ['h'] },
        b: { source: 'cbr', rate: '7mbit', size: '1514b', via: ['h'] },
        c: { source: 'cbr', rate: '1mbit', size: '757b', via: ['h'] },
      },
    });
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.6);
  });

  it('is over at once where a model cannot repeat, and not tried where CoDel drops', () => {
    expect(shareLeftOut(through({ shaper: 'codel', link: slow }))).toBe(0);
    expect(shareLeftOut(through({ shaper: 'tbf', rate: '9mbit', burst: '10kb', limit: '9kb', qdisc: 'sfq' }))).toBe(0);
    expect(shareLeftOut(through({}, { ...bursts, lengths: 'exponential' }))).toBe(0);
  });

  it('goes on where the sum of delays passes 2^53, and keeps it exact', () => {
    // 1000 packets wait for 8 s each: the sum of delays passes 2^53 ns after 2^53 / 8e9 = 1,125,900 packets, or 9,007 s.
    const of = point({
      duration: '4h',
      hops: { h: { link: { rate: '1mbit', overhead: '0b', queue: '1000p' } } },
      flows: { f: { source: 'cbr', interval: '4ms', size: '1000b', via: ['h'] } },
    });
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(shareLeftOut(of)).toBeGreaterThan(0.99);
  }, 60_000);
});

const rate = fc.constantFrom('1mbit', '2mbit', '4mbit', '5mbit', '8mbit', '10mbit', '11mbit');
const kernel = fc.constantFrom('2.6.24', '3.6', '6.12');
const burst = fc.integer({ min: 1, max: 20 }).map((kib) => `${kib}kb`);
const packets = fc.integer({ min: 1, max: 40 });
const window = fc.constantFrom('3ms', '10ms', '25ms');
const mode = fc.constantFrom('shape', 'police');
const room = packets.map((count) => `${count}p`);

const fifo = fc.oneof(
  fc.record({ kind: fc.constantFrom('pfifo', 'pfifo_head_drop'), limit: packets }),
  fc.record({ kind: fc.constant('bfifo'), limit: fc.integer({ min: 1000, max: 30_000 }) }),
  fc.record({ kind: fc.constant('codel') }),
  fc.record({ kind: fc.constant('fq_codel'), flows: fc.constantFrom(2, 16), limit: packets }),
);
const generic = fc.oneof(
  fc.record({ kind: fc.constant('token_bucket'), rate, burst, mode, limit: room }),
  fc.record({ kind: fc.constant('leaky_bucket'), rate, mode, limit: room }),
  fc.record({ kind: fc.constant('gcra'), rate, tolerance: window, mode, limit: room }),
  fc.record({
    kind: fc.constantFrom('fixed_window', 'sliding_log', 'sliding_counter'),
    rate,
    window,
    mode,
    limit: room,
  }),
);
const tbf = fc.record({ kind: fc.constant('tbf'), rate, burst, limit: burst, kernel });
const leaf = fc.oneof(fifo, generic, tbf);
const police = fc.record({ kind: fc.constant('police'), rate, burst, kernel, qdisc: fifo });
const prio = fc.record({
  kind: fc.constant('prio'),
  priomap: fc.array(fc.nat(2), { minLength: 1, maxLength: 1 }),
  txQueueLen: packets,
  classes: fc.dictionary(fc.constantFrom('1:1', '1:2', '1:3'), fc.record({ qdisc: leaf })),
});
const nested = fc.record({ kind: fc.constant('tbf'), rate, burst, limit: burst, qdisc: fc.oneof(fifo, prio) });
const htb = fc.record({
  kind: fc.constant('htb'),
  kernel,
  default: fc.constant('1:12'),
  classes: fc.record({
    '1:1': fc.record({ rate, burst, cburst: burst }),
    '1:11': fc.record({ rate, limit: packets }),
    '1:12': fc.record({ parent: fc.constant('1:1'), rate, ceil: rate, qdisc: leaf }),
    '1:13': fc.record({ parent: fc.constant('1:1'), rate, limit: packets }),
  }),
});
const shaper = fc.oneof(fifo, generic, tbf, police, prio, nested, htb);

const source = fc.oneof(
  fc.record({ source: fc.constant('cbr'), interval: fc.integer({ min: 1, max: 12 }).map((n) => `${n * 256}us`) }),
  fc.record({ source: fc.constant('cbr'), rate }),
  fc.record({
    source: fc.constant('on-off'),
    rate,
    on: fc.constantFrom('1ms', '4ms'),
    off: fc.constantFrom('1ms', '6ms'),
  }),
);
const stream = fc.record({
  source,
  size: fc.constantFrom(64, 250, 500, 1000, 1514),
  start: fc.integer({ min: 0, max: 3000 }),
  leaf: fc.nat(2),
});

describe('random networks of models', () => {
  it('give the same figures whether or not whole periods are left out', () => {
    let leftOut = 0;
    fc.assert(
      fc.property(
        fc.array(shaper, { minLength: 1, maxLength: 2 }),
        fc.array(stream, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('0bit', '10mbit', '100mbit'),
        (shapers, streams, link) => {
          const hops = shapers.map(({ kind, ...parameters }, index) => [
            `h${index}`,
            { shaper: kind, ...parameters, link: { rate: link, overhead: '0b', delay: index === 0 ? '1ms' : '0s' } },
          ]);
          const flows = streams.map(({ source: { ...parameters }, size, start, leaf: number }, index) => [
            `f${index}`,
            {
              ...parameters,
              size: `${size}b`,
              start: `${start}us`,
              via: shapers.map((_, hop) => `h${hop}`),
              ...(shapers.some(({ kind }) => kind === 'htb') ? { class: `1:1${number + 1}` } : {}),
            },
          ]);
          const of = point({
            duration: '1s',
            warmup: '50ms',
            hops: Object.fromEntries(hops),
            flows: Object.fromEntries(flows),
          });
          const [short, full] = both(of);
          expect(short).toEqual(full);
          if (shareLeftOut(of) > 0) leftOut++;
        },
      ),
      { numRuns: 120 },
    );
    expect(leftOut).toBeGreaterThan(30);
  }, 60_000);
});
