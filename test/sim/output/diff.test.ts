import { describe, expect, test } from 'vitest';
import { compareResults } from '../../../sim/output/diff.ts';
import { diffReport } from '../../../sim/output/diff-report.ts';
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

  test('lists what is outside of the tolerance', () => {
    expect(diffReport(comparison, 0, TERMINAL)).toMatch(
      new RegExp(`sentPackets +${sent} +${sent + 1} +\\+0\\.\\d\\d %\n\n✗ [\\d,]+ figures compared, 1 differ\n$`),
    );
  });

  test('counts what is within it', () => {
    expect(diffReport(comparison, 0.05, TERMINAL)).toMatch(
      /^✓ [\d,]+ figures compared, 1 differ, 0 by more than 5\.00 %\n$/,
    );
  });
});
