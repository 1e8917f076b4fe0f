import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelsOf } from '../../../models/registry.ts';
import { Network } from '../../../sim/run/network.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import type { ScenarioPoint } from '../../../sim/scenario/scenario.ts';

const point = (document: object): ScenarioPoint =>
  checkDocument({ title: 'x', ...document }, { registry: { modelsOf } }).pointAt(0);

/** One stream into one HTB leaf. */
const leaf = (rate: string, size: number, kernel: string, duration: string): ScenarioPoint =>
  point({
    duration,
    warmup: '20ms',
    hops: { bridge: { shaper: 'htb', kernel, classes: { '1:10': { rate } }, link: { rate: '1gbit' } } },
    flows: { g: { source: 'cbr', rate: '950mbit', size: `${size}b`, via: ['bridge'], class: '1:10' } },
  });

/** Simulated time that a run leaves out (s). */
function leftOutSeconds(of: ScenarioPoint): number {
  const network = new Network(of.scenario, { buckets: 0 });
  for (const _ of network.run(1));
  return network.leftOutNs / 1e9;
}

const both = (of: ScenarioPoint) => [simulate(of, { buckets: 0 }), simulate(of, { buckets: 0, fastForward: false })];

describe('leaving out whole periods', () => {
  it.each(['6.12', '3.6', '2.6.25', 'thread'])(
    'changes no figure of a leaf of kernel %s, and leaves out most of the run',
    (kernel) => {
      const of = leaf('555mbit', 836, kernel, '2s');
      const [short, full] = both(of);
      expect(short).toEqual(full);
      expect(leftOutSeconds(of)).toBeGreaterThan(1.5);
    },
  );

  it('changes no figure where two streams share a tree by deficits, with a queue behind', () => {
    const of = point({
      duration: '3s',
      warmup: '100ms',
      hops: {
        edge: {
          shaper: 'htb',
          kernel: '6.12',
          classes: {
            '1:1': { rate: '10mbit', burst: '20kb', cburst: '20kb' },
            '1:10': { parent: '1:1', rate: '2mbit', ceil: '10mbit', quantum: 1000, limit: 20 },
            '1:20': { parent: '1:1', rate: '2mbit', ceil: '10mbit', quantum: 1000, limit: 20 },
          },
          link: { rate: '80mbit', overhead: '0b', delay: '2ms' },
        },
        wan: { link: { rate: '8mbit', overhead: '0b', delay: '5ms', queue: '20p' } },
      },
      flows: {
        a: { source: 'cbr', interval: '1ms', size: '1000b', via: ['edge', 'wan'], class: '1:10' },
        b: { source: 'cbr', interval: '1ms', size: '1000b', via: ['edge', 'wan'], class: '1:20' },
      },
    });
    const [short, full] = both(of);
    expect(short).toEqual(full);
    expect(leftOutSeconds(of)).toBeGreaterThan(0.5);
  });

  it('changes no figure of random scenarios', () => {
    const size = fc.constantFrom(64, 100, 836, 1514);
    const stream = fc.record({
      size,
      interval: fc.integer({ min: 20, max: 4000 }),
      start: fc.nat(5000),
      leaf: fc.nat(2),
    });
    const scenario = fc.record({
      kernel: fc.constantFrom('2.6.24', '3.6', '6.12', 'thread'),
      rates: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 3 }),
      borrows: fc.boolean(),
      streams: fc.array(stream, { minLength: 1, maxLength: 3 }),
      link: fc.constantFrom('0bit', '10mbit', '100mbit'),
      latency: fc.constantFrom('0s', '7us'),
    });
    fc.assert(
      fc.property(scenario, ({ kernel, rates, borrows, streams, link, latency }) => {
        const classes = Object.fromEntries(
          rates.map((rate, index) => [
            `1:${index + 10}`,
            borrows
              ? { parent: '1:1', rate: `${rate}mbit`, ceil: '50mbit', prio: index === 2 ? 1 : 0 }
              : { rate: `${rate}mbit` },
          ]),
        );
        const of = point({
          duration: '400ms',
          warmup: '50ms',
          hops: {
            h: {
              shaper: 'htb',
              kernel,
              timer: { latency },
              classes: borrows ? { '1:1': { rate: '50mbit' }, ...classes } : classes,
              link: { rate: link },
            },
          },
          flows: Object.fromEntries(
            streams.map(({ size, interval, start, leaf: index }, number) => [
              `f${number}`,
              {
                source: 'cbr',
                interval: `${interval}us`,
                start: `${start}us`,
                size: `${size}b`,
                via: ['h'],
                class: `1:${index + 10}`,
              },
            ]),
          ),
        });
        const [short, full] = both(of);
        expect(short).toEqual(full);
      }),
      { numRuns: 60 },
    );
  });

  it('is not tried where arrivals are random, sizes are drawn, or packets are lost', () => {
    const flow = { source: 'cbr', rate: '5mbit', via: ['h'] };
    const hops = (link: object) => ({ h: { link: { rate: '10mbit', ...link } } });
    expect(leftOutSeconds(point({ duration: '2s', hops: hops({}), flows: { a: flow } }))).toBeGreaterThan(1);
    expect(
      leftOutSeconds(point({ duration: '2s', hops: hops({}), flows: { a: { ...flow, source: 'poisson' } } })),
    ).toBe(0);
    expect(leftOutSeconds(point({ duration: '2s', hops: hops({}), flows: { a: { ...flow, size: 'imix' } } }))).toBe(0);
    expect(leftOutSeconds(point({ duration: '2s', hops: hops({ loss: '1%' }), flows: { a: flow } }))).toBe(0);
    expect(leftOutSeconds(point({ duration: '2s', hops: hops({}), flows: { a: { ...flow, count: 100 } } }))).toBe(0);
  });
});
