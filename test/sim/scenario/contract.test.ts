import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { modelsOf } from '../../../models/registry.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { buildSchema } from '../../../sim/scenario/schema.ts';
import { fitsSchema } from './json-schema.ts';

const schema = buildSchema({ modelsOf });
const folder = new URL('../../../scenarios/', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
const load = (text: string) => loadScenario(text, 'test.yaml', { registry: { modelsOf }, readText });

const BRIDGE = `
title: HTB staircase with 800-byte packets
about: One paragraph for the reader of the report.
seed: 1
duration: 1s
warmup: 100ms
vars: { rate: 555mbit }
sweep: { rate: [476mbit, 500mbit, 665mbit] }
clockStart: 0ns
hops:
  bridge:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    default: "1:108"
    timer: { resolution: 1ns, latency: 0s }
    classes:
      "1:2":   { rate: 1000mbit }
      "1:10":  { parent: "1:2", rate: 1000mbit }
      "1:108": { parent: "1:10", rate: "\${rate}", prio: 7 }
    link: { rate: 1gbit, delay: 0s, fcs: 4b, overhead: 24b, queue: 1000p }
flows:
  generator: { source: cbr, rate: 950mbit, size: 836b, via: [bridge], class: "1:108" }
expect:
  - flows.generator.bitsPerSecond.frame within 0.5% of 656.25mbit
reference:
  file: data/htb-mail-2009.csv
  x: { column: configured_kbit, unit: kbit, variable: rate }
  y: { column: received_bps, figure: flows.generator.bitsPerSecond.frame }
`;

const DOWNLOADS = `
duration: 10s
hops:
  wan: { link: { rate: 700mbit, delay: 40ms, queue: 40ms, loss: 0.1%, drop: [17, 300] } }
flows:
  bulk: { source: bulk, bytes: 6MB, via: [wan], tcp: { congestion: cubic, rcvbufMax: 6291456, scalingRatio: 0.625, pacing: false } }
  greedy: { source: bulk, via: [wan], tcp: { congestion: reno } }
  curl: { source: curl, version: "8.6.0", limit: 2000000, size: 5MiB, via: [wan], client: lib, tcp: { congestion: cubic, rcvbufMax: 393216 } }
`;

describe('the example of a bridge', () => {
  test('is a sweep of three points', () => {
    const loaded = load(BRIDGE);
    const rates = [...loaded.points()].map(({ variables, scenario }) => {
      const { classes } = scenario.hops[0]!.shaper!.values as { classes: Record<string, { rate: number }> };
      return [variables.rate, classes['1:108']!.rate];
    });
    expect(rates).toEqual([
      ['476mbit', 476e6],
      ['500mbit', 500e6],
      ['665mbit', 665e6],
    ]);
    expect(loaded.references[0]!.rows).toHaveLength(14);
  });

  test.each([
    ['bridge', BRIDGE],
    ['downloads', DOWNLOADS],
  ])('as that of %s fits the schema', (_, text) => {
    const { document } = load(text);
    expect(fitsSchema(document, schema, schema)).toBe(true);
  });
});

test('the example of downloads has its sizes in powers of 1024 and its limit in bytes', () => {
  const { flows } = load(DOWNLOADS).first;
  expect(flows[0]!.source).toMatchObject({ kind: 'bulk', values: { bytes: 6_291_456 } });
  expect(flows[2]!.source).toMatchObject({ kind: 'curl', values: { version: '8.6.0', limit: 2e6, size: 5_242_880 } });
});

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  '%s is right, and fits the schema that it names',
  (name) => {
    const text = readText(name);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=scenario.schema.json');
    const { document } = load(text);
    expect(fitsSchema(document, schema, schema)).toBe(true);
  },
);
