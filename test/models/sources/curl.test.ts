import { describe, expect, it } from 'vitest';
import { curlVersions, rulesOf } from '../../../models/curl/versions.ts';
import * as registry from '../../../models/registry.ts';
import { curlPlan } from '../../../models/sources/curl.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { problemsOf } from '../../sim/scenario/builder.ts';

/** Loads a scenario of one curl with these keys, in flow style. */
function load(keys: string) {
  const flow = `{ source: curl, size: 1MiB, via: [lan], ${keys} }`;
  const text = `duration: 1s\nhops: { lan: { link: { rate: 1gbit } } }\nflows:\n  f: ${flow}\n`;
  return loadScenario(text, 'test.yaml', { registry });
}

function limitOf(keys: string): number {
  return curlPlan(load(keys).first.flows[0]!.source.values).limitBytesPerSecond;
}

describe('a limit', () => {
  it.each(['7.60.0', '8.6.0', '8.17.0', '8.18.0', 'pr19384'])(
    'with a fraction, t or p is refused as by %s',
    (version) => {
      for (const limit of ['1.5M', '0.5k', '1t', '2P']) {
        const [problem, ...others] = problemsOf(() => load(`version: ${version}, limit: ${limit}`));
        expect(others).toEqual([]);
        expect(problem).toMatchObject({ path: ['flows', 'f', 'limit'], received: `"${limit}"` });
        expect(problem!.expected).toContain(`as curl ${version} reads it`);
      }
    },
  );

  it('that is refused is told in bytes', () => {
    const [problem] = problemsOf(() => load('version: 8.18.0, limit: 1.5M'));
    expect(problem!.hint).toBe('fractions, t and p came with 8.19.0; for 8.18.0 write 1572864');
  });

  it('is refused at every point of a sweep where it stands with too old a release', () => {
    const text = `sweep: { version: [8.18.0, 8.19.0] }
duration: 1s
hops: { lan: { link: { rate: 1gbit } } }
flows:
  f: { source: curl, version: "\${version}", limit: 2.5M, size: 1MiB, via: [lan] }
`;
    const problems = problemsOf(() => loadScenario(text, 'test.yaml', { registry }));
    expect(problems.map(({ hint }) => hint)).toEqual([expect.stringContaining('for 8.18.0 write 2621440')]);
  });

  it('of whole numbers with one letter is read alike by old and new releases', () => {
    for (const version of ['7.60.0', '8.6.0', '8.18.0', 'pr19384', '8.19.0', '8.22.0']) {
      expect(limitOf(`version: ${version}, limit: 16m`)).toBe(16 * 1024 * 1024);
      expect(limitOf(`version: ${version}, limit: 100K`)).toBe(102_400);
    }
  });

  it('with fractions, t and p is read by 8.19.0 and later', () => {
    const later = curlVersions.filter((version) => rulesOf(version)!.readsFractions);
    expect(later).toEqual(['8.19.0', '8.20.0', '8.21.0', '8.22.0']);
    for (const version of later) {
      expect(limitOf(`version: ${version}, limit: 1.5M`)).toBe(1_572_864);
      expect(limitOf(`version: ${version}, limit: 1T`)).toBe(2 ** 40);
    }
  });

  it('of an application on the library is a number, however it is written here', () => {
    expect(limitOf('version: 8.6.0, client: lib, limit: 1.5M')).toBe(1_572_864);
  });

  it('of 0 is none', () => {
    expect(limitOf('version: 8.22.0, limit: 0')).toBe(0);
  });
});

it('an upload has no answer of unknown length, and no window of HTTP/2', () => {
  const problems = problemsOf(() => load('version: 8.22.0, direction: upload, length: chunked, http: 2'));
  expect(problems.map(({ path, expected }) => [path.at(-1), expected])).toEqual([
    ['length', 'known for an upload'],
    ['http', '1.1 for an upload'],
  ]);
});
