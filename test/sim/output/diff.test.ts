import { describe, expect, test } from 'vitest';
import { compareResults } from '../../../sim/output/diff.ts';
import { type Compared, diffReport } from '../../../sim/output/diff-report.ts';
import { fixed } from '../../../sim/output/figures.ts';
import { scenarioDifferences } from '../../../sim/output/scenario-difference.ts';
import type { Result } from '../../../sim/run/result.ts';
import { htbScenario, ranThrough } from './sample.ts';

const TERMINAL = { colour: false, columns: 100 };
const { result } = ranThrough(
  htbScenario(
    '"1:10": { rate: "${rate}" }',
    'load: { source: cbr, rate: 9mbit, size: 500b, via: [wan], class: "1:10" }',
    'vars: { rate: 1mbit }\nsweep: { rate: [1mbit, 2mbit] }',
  ),
);

/** The result with another number of packets sent at its second point. */
function withSent(sentPackets: number): Result {
  const [first, second] = result.points;
  const load = { ...second!.flows.load!, sentPackets };
  return { ...result, points: [first!, { ...second!, flows: { load } }] };
}

describe('a comparison', () => {
  test('finds nothing between a result and itself, whatever the wall clock said', () => {
    const later = { ...result, run: { ...result.run, wallSeconds: 99 } };
    expect(compareResults([result], [later]).differences).toEqual([]);
  });

  test('names the figure by its point, with the difference relative to the larger one', () => {
    const sent = result.points[1]!.flows.load!.sentPackets;
    expect(compareResults([result], [withSent(sent * 2)]).differences).toEqual([
      { path: 'points[rate=2mbit].flows.load.sentPackets', left: sent, right: sent * 2, relative: 0.5 },
    ]);
  });

  test('counts a figure that one side lacks as beyond any tolerance', () => {
    const { differences } = compareResults([result], [{ ...result, points: result.points.slice(0, 1) }]);
    expect(differences.length).toBeGreaterThan(10);
    expect(differences.every(({ relative }) => relative === Number.POSITIVE_INFINITY)).toBe(true);
  });

  test('counts a figure that is not finite as beyond any tolerance', () => {
    const { differences } = compareResults([result], [withSent(Number.POSITIVE_INFINITY)]);
    expect(differences.map(({ relative }) => relative)).toEqual([Number.POSITIVE_INFINITY]);
  });

  test('leaves out series, which depend on --detail', () => {
    const [first] = result.points;
    const load = { ...first!.flows.load!, series: { throughput: {} } };
    const detailed = { ...result, points: [{ ...first!, flows: { load } }, result.points[1]!] };
    expect(compareResults([result], [detailed]).differences).toEqual([]);
  });
});

describe('the report of a comparison', () => {
  const sent = result.points[1]!.flows.load!.sentPackets;
  const comparison = compareResults([result], [withSent(sent + 1)]);
  const compared: Compared = {
    titles: ['a.json: Old', 'b.json: New'],
    scenarios: [{ path: 'vars.rate', a: '1mbit', b: undefined }],
  };

  test('names both sides, what is set differently, and what is outside of the tolerance', () => {
    expect(diffReport(comparison, compared, 0, TERMINAL)).toMatch(
      new RegExp(
        '^A  a.json: Old\nB  b.json: New\nthe scenarios differ in\n   vars.rate: 1mbit → not set\n\n' +
          `figure +A +B +difference[^]*sentPackets +${fixed(sent, 0)} +${fixed(sent + 1, 0)} +\\+0\\.\\d\\d %\n\n` +
          '✗ [\\d,]+ figures compared, 1 differ\n$',
      ),
    );
  });

  test('counts what is within it', () => {
    expect(diffReport(comparison, { ...compared, scenarios: [] }, 0.05, TERMINAL)).toMatch(
      /the scenarios set the same\n\n✓ [\d,]+ figures compared, 1 differ, 0 by more than 5\.00 %\n$/,
    );
  });

  test('writes figures in their units, as they are where they would read alike, and says which differs most', () => {
    const differences = [
      { path: 'point.flows.f.bitsPerSecond.accounted', left: 1e6, right: 2.5e6, relative: 0.6 },
      { path: 'point.flows.f.bitsPerSecond.frame', left: 3000000, right: 3000001, relative: 1e-7 },
      { path: 'point.flows.f.delaySeconds.p50', left: 0, right: 0.01, relative: 1 },
    ];
    const text = diffReport({ compared: 3, differences }, compared, 0, TERMINAL);
    expect(text).toMatch(/accounted +1 Mbit\/s +2\.5 Mbit\/s +\+150\.0 %/);
    expect(text).toMatch(/frame +3000000 +3000001 /);
    expect(text).toMatch(/p50 +0 s +10 ms *\n/);
    expect(text).toMatch(
      /3 differ; most in point\.flows\.f\.bitsPerSecond\.accounted: 1 Mbit\/s → 2\.5 Mbit\/s \(\+150\.0 %\)\n$/,
    );
  });
});

describe('scenarios', () => {
  test('differ in what they set, not in their words; what one of them lacks is not taken apart', () => {
    const a = {
      title: 'A',
      hops: { r: { kernel: '6.12', classes: { '1:10': { rate: '1mbit' } } } },
      sweep: { n: [1, 2] },
    };
    const b = { title: 'B', hops: { r: { kernel: '3.6', classes: {} } }, sweep: { n: [1, 3] } };
    expect(scenarioDifferences(a, b)).toEqual([
      { path: 'hops.r.kernel', a: '6.12', b: '3.6' },
      { path: 'hops.r.classes.1:10', a: '{ rate: 1mbit }', b: undefined },
      { path: 'sweep.n', a: '[1, 2]', b: '[1, 3]' },
    ]);
    expect(scenarioDifferences(a, { ...a, about: 'the same' })).toEqual([]);
  });
});
