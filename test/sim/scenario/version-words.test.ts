import { describe, expect, test } from 'vitest';
import { curlVersions } from '../../../models/curl/versions.ts';
import * as registry from '../../../models/registry.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { versionHint, versionRanges } from '../../../sim/scenario/version-words.ts';
import { problemsOf } from './builder.ts';

describe('versions in a message', () => {
  test('are told by ranges, one for each major number, and other names behind', () => {
    expect(versionRanges(curlVersions)).toBe('7.60.0 … 7.88.1, 8.0.0 … 8.22.0 or pr19384');
    const few = Array.from({ length: 13 }, (_, i) => `${i}.1`);
    expect(versionRanges(few)).toBe('0.1, 1.1, 2.1, 3.1, 4.1, 5.1, 6.1, 7.1, 8.1, 9.1, 10.1, 11.1 or 12.1');
  });

  test('are not, where they are few or none', () => {
    expect(versionRanges(['1.0', '2.0'])).toBeUndefined();
    expect(versionRanges(Array.from({ length: 20 }, (_, i) => `name${i}`))).toBeUndefined();
  });

  test.each([
    ['8.18', 'did you mean 8.18.0?'],
    ['8', 'did you mean 8.0.0?'],
    ['8.5.9', 'did you mean 8.5.0?'],
    ['7.99.0', 'did you mean 7.88.1?'],
    ['9.1.0', '8.22.0 is the newest'],
    ['7.20', '7.60.0 is the oldest'],
    ['v8.18.0', 'did you mean 8.18.0?'],
    ['curl 8.19', 'did you mean 8.19.0?'],
    ['curl-8_17_0', 'did you mean 8.17.0?'],
    ['libcurl/7.88.1', 'did you mean 7.88.1?'],
    ['v9.0', '8.22.0 is the newest'],
    ['pr1938', undefined],
    ['newest', undefined],
  ])('%s gets a hint', (word, hint) => {
    expect(versionHint(word, curlVersions)).toBe(hint);
  });
});

test.each([
  ['8.10', '[gw]', ['did you mean 8.10.0?']],
  ['8.18', 'gw', ['did you mean 8.18.0?', 'write [gw]']],
  ['"9.1.0"', '[gw]', ['8.22.0 is the newest']],
  ['pr1938', '[gw]', ['did you mean pr19384?']],
])('a flow with version %s over %s is told what it should be', (version, via, hints) => {
  const text = `duration: 1s\nhops: { gw: { link: { rate: 1mbit } } }\nflows:\n  f: { source: curl, version: ${version}, size: 1MiB, via: ${via} }\n`;
  const problems = problemsOf(() => loadScenario(text, 'test.yaml', { registry }));
  expect(problems.map(({ hint }) => hint).sort()).toEqual([...hints].sort());
});
