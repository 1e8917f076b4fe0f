import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { nearestName } from '../../../sim/scenario/nearest.ts';
import type { Overrides } from '../../../sim/scenario/overrides.ts';
import { formatPath, ScenarioError } from '../../../sim/scenario/problem.ts';
import { fakeRegistry } from './fake-models.ts';

const FLOWS = 'flows: { a: { source: steady, via: [wan] } }\n';
const START = 'duration: 1s\nhops: { wan: { link: { rate: 10mbit } } }\n';

function refusal(text: string, overrides: Overrides = {}): ScenarioError {
  try {
    loadScenario(text, 'test.yaml', { registry: fakeRegistry, overrides });
  } catch (error) {
    if (error instanceof ScenarioError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const told = (text: string): string[] =>
  refusal(text).problems.map(
    ({ path, expected, received, hint }) => `${formatPath(path)}: ${expected} / ${received} / ${hint ?? ''}`,
  );

describe('a message', () => {
  test('about a merge key says that there are none', () => {
    const text = `${START}flows: { a: &a { source: steady, via: [wan] }, b: { <<: *a } }\n`;
    expect(told(text)).toEqual([
      'flows.b.<<: a key of its own / the merge key << / merge keys are not supported; ' +
        'an alias (*name) can stand for a whole mapping, whose keys cannot be added to',
    ]);
  });

  test.each([
    [`${START}flows: { __proto__: { source: steady, via: [wan] }, a: { source: steady, via: [wan] } }\n`, 'flows'],
    [`${START}${FLOWS}vars: { __proto__: 5 }\n`, 'vars'],
    [`duration: 1s\nhops: { wan: {}, __proto__: {} }\n${FLOWS}`, 'hops'],
  ])('about the name __proto__ comes once and says that it is reserved', (text, section) => {
    const [problem, ...others] = told(text).filter((line) => line.includes('__proto__'));
    expect(problem).toContain(
      `${section}.__proto__: another name, as this one is reserved / "__proto__" / results are`,
    );
    expect(others).toEqual([]);
  });

  test('about a figure of a name with points hints at the quotes that it needs', () => {
    const flows = 'flows: { a.b: { source: steady, via: [wan] } }\n';
    const expectOf = (path: string): string => `${START}${flows}expect: ['${path} above 1']\n`;
    expect(told(expectOf('flows.a.b.packetsPerSecond'))).toEqual([
      'expect.0: a figure below flows / "a" / did you mean flows."a.b"?',
    ]);
    const loaded = loadScenario(expectOf('flows."a.b".packetsPerSecond'), 'test.yaml', { registry: fakeRegistry });
    expect(loaded.first.expect[0]!.path).toEqual(['flows', 'a.b', 'packetsPerSecond']);
  });

  test('about an empty word never propose an empty one', () => {
    expect(nearestName('', ['', 'ab'])).toBeUndefined();
    expect(nearestName('a', ['', 'a'])).toBe('a');
    expect(
      told(`${START}flows: { a: { source: curl, version: "", limit: 1M, size: 1MiB, via: [wan] } }\n`).join(),
    ).not.toContain('mean ?');
  });

  test('about what must be there never says to leave it out', () => {
    expect(told(`${START}flows:\n`)).toEqual(['flows: at least one flow / none / ']);
    expect(told(`duration:\nhops: { wan: { link: { rate: 10mbit } } }\n${FLOWS}`)[0]).toMatch(/^duration: the key dur/);
    expect(told(`${START}flows: { a: }\n`)[0]).toBe('flows.a: a mapping with source and via / nothing / ');
    expect(told(`${START}${FLOWS}vars:\n`)[0]).toContain('leave the key out');
  });

  test.each<[Overrides, boolean]>([
    [{ set: { foo: '1' } }, true],
    [{ vary: { foo: '1,2' } }, true],
    [{ duration: '0' }, true],
    [{ sample: { points: 9, method: 'random', seed: 1 } }, true],
    [{}, false],
  ])('about %j knows whether the command line is wrong or the file', (overrides, isOfCommandLine) => {
    const text = isOfCommandLine ? START + FLOWS : `${START}${FLOWS}seed: x\n`;
    expect(refusal(text, overrides).isOfCommandLine).toBe(isOfCommandLine);
  });
});
