import { describe, expect, test } from 'vitest';
import type { LoadedScenario } from '../../../sim/scenario/load-scenario.ts';
import type { Overrides } from '../../../sim/scenario/overrides.ts';
import { brief, load } from './builder.ts';

const HOP = 'link: { rate: "${rate}", delay: "${delay}" }';
const GRID = 'rate: 1mbit..100mbit/1mbit, delay: "1ms..10ms/1ms"';

function sweep(text: string, overrides: Overrides = {}): LoadedScenario {
  return load({ top: `vars: { rate: 1mbit, delay: 5ms }\nsweep: { ${text} }`, hop: HOP }, { overrides });
}
const pointsOf = (loaded: LoadedScenario) =>
  Array.from({ length: loaded.pointCount }, (_, index) => loaded.variablesAt(index));
const textsOf = (loaded: LoadedScenario) => pointsOf(loaded).map((point) => JSON.stringify(point));

describe('a random sample', () => {
  test('has so many different points of the grid', () => {
    const texts = textsOf(sweep(`${GRID}, sample: 200`));
    expect(new Set(texts).size).toBe(200);
    const all = new Set(textsOf(sweep(GRID)));
    expect(texts.every((text) => all.has(text))).toBe(true);
  });

  test('is the same for the same seed, and another for another', () => {
    const drawn = (seed: number) => textsOf(sweep(`${GRID}, sample: { points: 20, seed: ${seed} }`));
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
    expect(textsOf(sweep(`${GRID}, sample: 20`))).toEqual(drawn(1));
  });

  test('may be all of the grid, and not more', () => {
    expect(new Set(textsOf(sweep('rate: "1mbit,2mbit,3mbit", sample: 3'))).size).toBe(3);
    expect(brief(() => sweep('rate: "1mbit,2mbit,3mbit", sample: 4'))).toEqual([
      'sweep.sample: expected at most 3 points, all that the grid has but received 4',
    ]);
  });

  test('of a grid of a billion points costs no more than its points', () => {
    const loaded = sweep('rate: 1bit..1gbit/1bit, delay: "1ms..10ms/1us", sample: 5');
    expect(new Set(textsOf(loaded)).size).toBe(5);
    expect(loaded.pointAt(4).variables).toEqual(loaded.variablesAt(4));
  });

  test('takes variables that go in step together', () => {
    const texts = textsOf(sweep('zip: { rate: "1mbit,2mbit", delay: "1ms,2ms" }, sample: 2'));
    expect(texts.sort()).toEqual(['{"rate":"1mbit","delay":"1ms"}', '{"rate":"2mbit","delay":"2ms"}']);
  });
});

describe('a Latin hypercube', () => {
  const cube = (points: number) => pointsOf(sweep(`${GRID}, sample: { points: ${points}, method: latin-hypercube }`));

  test('has each value once where there are as many points as values', () => {
    const rates = cube(100).map(({ rate }) => Number.parseInt(rate!, 10));
    expect(rates.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  test('has each value equally often where there are fewer values than points', () => {
    const delays = cube(100).map(({ delay }) => delay!);
    for (const delay of new Set(delays)) expect(delays.filter((other) => other === delay)).toHaveLength(10);
    expect(new Set(delays).size).toBe(10);
  });

  test('has one value of each part where there are more values than points', () => {
    const parts = cube(20).map(({ rate }) => Math.floor((Number.parseInt(rate!, 10) - 1) / 5));
    expect(parts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('pairs the variables at random', () => {
    const pairs = cube(10).map(({ rate, delay }) => [Number.parseInt(rate!, 10), Number.parseInt(delay!, 10)]);
    const byRate = pairs.toSorted(([a], [b]) => a! - b!).map(([, delay]) => delay);
    expect(byRate).not.toEqual(byRate.toSorted((a, b) => a! - b!));
  });
});

describe('what is given on the command line', () => {
  test('takes a sample of the grid of the file', () => {
    const loaded = sweep(GRID, { sample: { points: 7, method: 'random', seed: 3 } });
    expect(textsOf(loaded)).toEqual(textsOf(sweep(`${GRID}, sample: { points: 7, seed: 3 }`)));
  });

  test('lets variables go in step that the file varies', () => {
    const loaded = sweep(GRID, { zip: { rate: '5mbit,6mbit', delay: '1ms,2ms' } });
    expect(pointsOf(loaded)).toEqual([
      { rate: '5mbit', delay: '1ms' },
      { rate: '6mbit', delay: '2ms' },
    ]);
  });
});

test.each([
  ['0', 'sweep.sample: expected a whole number from 1 to 1000000 but received 0'],
  ['many', 'sweep.sample: expected a whole number from 1 to 1000000 but received "many"'],
  ['{ points: 5, method: latin }', 'sweep.sample.method: expected random or latin-hypercube but received "latin"'],
  ['{ points: 5, seed: -1 }', 'sweep.sample.seed: expected a whole number from 0 to 9007199254740991 but received -1'],
  ['{ points: 5, sed: 1 }', 'sweep.sample.sed: expected a known key but received sed'],
])('sample: %s is refused', (text, complaint) => {
  expect(brief(() => sweep(`${GRID}, sample: ${text}`))[0]).toBe(complaint);
});
