import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readScenario } from '../../sim/cli/scenario-files.ts';
import { simulate } from '../../sim/run/simulate.ts';

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const scenariosIn = (name: string): string[] =>
  readdirSync(folder + name)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => name + file);

const examples = scenariosIn('');

describe.each([...examples, ...scenariosIn('cases/')])('scenarios/%s', (file) => {
  it('meets all that it expects, at every point', () => {
    const { loaded } = readScenario(folder + file);
    const judged = [...loaded.points()].flatMap((point) => {
      const { expectations } = simulate(point, {
        buckets: 0,
        ...(loaded.readBytes === undefined ? {} : { readBytes: loaded.readBytes }),
      });
      return expectations.map((expectation) => ({ variables: point.variables, ...expectation }));
    });
    expect(judged).not.toEqual([]);
    expect(judged.filter(({ passed }) => !passed)).toEqual([]);
  });
});

describe.each(examples)('scenarios/%s', (file) => {
  it('names the schema for editors and says what it shows, in the file and in the page', () => {
    const [first, second, third] = readFileSync(folder + file, 'utf8').split('\n');
    expect(first).toBe('# yaml-language-server: $schema=scenario.schema.json');
    expect(second).toBe('#');
    expect(third).toMatch(/^# \S/);
    const { first: scenario } = readScenario(folder + file).loaded;
    expect(scenario.title).not.toBe('Untitled');
    expect(scenario.about).not.toBe('');
  });
});
