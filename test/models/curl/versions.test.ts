import { describe, expect, it } from 'vitest';
import { curlVersions, receiveBufferBytes, rulesOf } from '../../../models/curl/versions.ts';

describe('rules of a version', () => {
  it('are known for every version in the list, and for no other', () => {
    for (const version of curlVersions) expect(rulesOf(version)?.version).toBe(version);
    for (const version of ['7.59.0', '8.6', '8.20.1', 'latest']) expect(rulesOf(version)).toBeUndefined();
  });

  it('change where curl changed', () => {
    const changes = curlVersions
      .map((version) => rulesOf(version)!)
      .filter((rules, i, all) => {
        const { version: _, ...own } = rules;
        const { version: __, ...before } = all[i - 1] ?? { version: '' };
        return JSON.stringify(own) !== JSON.stringify(before);
      });
    expect(changes.map((rules) => [rules.version, rules.visit, rules.visitReads, rules.steps])).toEqual([
      ['7.60.0', 'until-empty', 1, 'half-second'],
      ['7.66.0', 'until-empty', 1, 'half-second'],
      ['7.88.0', 'until-empty', 101, 'half-second'],
      ['8.2.0', 'limit-per-visit', 11, 'half-second'],
      ['8.7.0', 'first-data', 11, 'half-second'],
      ['8.10.0', 'first-data', 11, 'half-second'],
      ['8.16.0', 'quarter-limit', 11, 'half-second'],
      ['8.17.0', 'quarter-limit', 11, 'half-second'],
      ['8.18.0', 'tokens', 11, 'half-second'],
      ['8.19.0', 'tokens', 11, 'tuned'],
      ['8.20.0', 'tokens', 11, 'tuned'],
      ['8.21.0', 'tokens', 11, 'tuned'],
      ['pr19384', 'tokens', 11, 'second'],
    ]);
  });

  it('belong to a bucket from 8.18.0 on, and for the pull request', () => {
    const families = curlVersions.filter((version) => rulesOf(version)?.family === 'stepped-bucket');
    expect(families).toEqual(['8.18.0', '8.19.0', '8.20.0', '8.21.0', '8.22.0', 'pr19384']);
  });
});

it.each([
  ['lib', 2_000_000, 16384],
  ['lib', 0, 16384],
  ['tool', 0, 102400],
  ['tool', 102_400, 102400],
  ['tool', 10_240, 10240],
  ['tool', 10, 1024],
] as const)('the receive buffer of %s at %i bytes/s is %i bytes', (client, limit, bytes) => {
  expect(receiveBufferBytes(client, limit)).toBe(bytes);
});
