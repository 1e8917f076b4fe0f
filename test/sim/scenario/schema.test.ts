import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allModels, modelsOf } from '../../../models/registry.ts';
import { buildSchema } from '../../../sim/scenario/schema.ts';
import { parseText } from '../../../sim/scenario/yaml-document.ts';
import { fakeRegistry } from './fake-models.ts';
import { fitsSchema } from './json-schema.ts';

const schema = buildSchema(fakeRegistry);
const fits = (text: string): boolean => fitsSchema(parseText(text, 'test.yaml').document, schema, schema);
const scenario = (hop: string, flow = '', top = ''): string =>
  `duration: 1s\n${top}\nhops: { wan: { ${hop} } }\nflows: { a: { source: steady, via: [wan]${flow} } }`;

describe('the schema accepts', () => {
  test.each([
    'link: { rate: 1gbit, drop: [1, 2], loss: 0.1%, queue: 40ms }',
    'link: { rate: 1000000, trace: [1ms, 2ms] }',
    'link: { rate: "${rate}", trace: lte.trace }',
    'shaper: plain',
    'shaper: plain, limit: "${limit}", timer: { latency: 5us }',
    'shaper: "${kind}", whatever: 1',
    'shaper: bucket, rate: 1mbit, classes: { "1:10": { rate: 5, qdisc: plain } }',
    'shaper: bucket, rate: 1mbit, classes: { "1:10": { rate: 5, qdisc: { kind: bucket, rate: 5 } } }',
    'shaper: bucket, rate: 1mbit, sizes: [{ size: 5 }], steps: [1], strict: "${strict}", mode: slow',
  ])('%s', (hop) => {
    expect(fits(scenario(hop))).toBe(true);
  });

  test('every key at the top', () => {
    const top =
      'title: T\nabout: A\nseed: 5\nwarmup: 1ms\nclockStart: 0ns\nvars: { rate: 5 }\nsweep: { rate: [5], zip: { a: "1,2" } }\nexpect: [x above 1]\nreference: { file: f, x: { column: c, variable: v }, y: { column: d, figure: e } }';
    expect(fits(scenario('link: {}', ', class: direct, ecn: true, count: 5', top))).toBe(true);
  });
});

describe('the schema refuses', () => {
  test.each([
    ['link: { rates: 1gbit }', ''],
    ['limit: 5', ''],
    ['shaper: plane', ''],
    ['shaper: plain, burst: 5kb', ''],
    ['shaper: bucket', ''],
    ['shaper: bucket, rate: 1mbit, bands: many', ''],
    ['shaper: bucket, rate: 1mbit, classes: { x: { rate: 5 } }', ''],
    ['shaper: bucket, rate: 1mbit, classes: { "1:10": { rate: 5, qdisc: { kind: plain, rate: 5 } } }', ''],
    ['link: {}', ', speed: 5'],
    ['link: {}', ', ecn: maybe'],
  ])('hop { %s } with flow %j', (hop, flow) => {
    expect(fits(scenario(hop, flow))).toBe(false);
  });

  test('a scenario without duration, or with a key that is none', () => {
    expect(fits(scenario('link: {}').replace('duration', 'length'))).toBe(false);
    expect(fits(scenario('link: {}', '', 'speed: 5'))).toBe(false);
  });
});

test('every parameter of every model has its help in the schema', () => {
  const text = JSON.stringify(buildSchema({ modelsOf }));
  const missing = allModels()
    .filter((model) => model.role === 'shaper' || model.role === 'source')
    .flatMap((model) => Object.values(model.parameters))
    .filter(({ help }) => !text.includes(JSON.stringify(help)));
  expect(missing).toEqual([]);
});

test('the schema beside the scenarios is the one of the models (npm run schema writes it)', () => {
  const file = new URL('../../../scenarios/scenario.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(buildSchema({ modelsOf }));
});
