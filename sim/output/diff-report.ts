import { visible } from '../scenario/visible-text.ts';
import type { Comparison, Difference, Figure } from './diff.ts';
import { deviation, figure, fixed, measureOf } from './figures.ts';
import type { ScenarioDifference } from './scenario-difference.ts';
import { renderTable } from './table.ts';
import { styleOf, type Terminal } from './terminal.ts';

/** What is compared, by name, and where its scenarios differ. */
export interface Compared {
  readonly titles: readonly [string, string];
  readonly scenarios: readonly ScenarioDifference[];
}

/** Differences between scenarios beyond this number are counted, not listed. */
const LISTED_SCENARIO = 20;

/**
 * A comparison as people read it: what is set differently, the figures that differ by more than `tolerance`, how many
 * there are in all, and which differs most.
 */
export function diffReport(
  { compared, differences }: Comparison,
  { titles, scenarios }: Compared,
  tolerance: number,
  terminal: Terminal,
): string {
  const style = styleOf(terminal);
  const outside = differences.filter(({ relative }) => relative > tolerance);
  const lines = [`A  ${visible(titles[0])}`, `B  ${visible(titles[1])}`, ...scenarioLines(scenarios), ''];
  if (outside.length > 0) {
    const column = (header: string, align: 'left' | 'right', cellOf: (difference: Difference) => string) =>
      ({ header, align, cells: outside.map(cellOf), dropRank: 0 }) as const;
    const table = [
      column('figure', 'left', ({ path }) => visible(path)),
      column('A', 'right', (difference) => figureTexts(difference)[0]),
      column('B', 'right', (difference) => figureTexts(difference)[1]),
      column('difference', 'right', differenceText),
    ];
    lines.push(...renderTable(table, style.dim), '');
  }
  const counts = `${fixed(compared, 0)} figures compared, ${fixed(differences.length, 0)} differ`;
  const most = mostText(differences);
  const verdict =
    tolerance === 0 ? counts : `${counts}, ${fixed(outside.length, 0)} by more than ${fixed(100 * tolerance, 2)} %`;
  lines.push(outside.length === 0 ? style.good(`✓ ${verdict}${most}`) : style.bad(`✗ ${verdict}${most}`));
  return `${lines.join('\n')}\n`;
}

function scenarioLines(scenarios: readonly ScenarioDifference[]): string[] {
  if (scenarios.length === 0) return ['the scenarios set the same'];
  const text = (value: string | undefined): string => (value === undefined ? 'not set' : visible(value));
  const listed = scenarios
    .slice(0, LISTED_SCENARIO)
    .map(({ path, a, b }) => `   ${visible(path)}: ${text(a)} → ${text(b)}`);
  const more = scenarios.length - listed.length;
  return ['the scenarios differ in', ...listed, ...(more > 0 ? [`   … and ${fixed(more, 0)} more`] : [])];
}

/** What flows got, which is looked at before inner counters. */
const OF_FLOWS = /\.flows\..*\.(?:bitsPerSecond|packetsPerSecond|delaySeconds|transfer)\b/;

/** The figure of a flow that differs most, or of all where none does; empty where there is no choice. */
function mostText(differences: readonly Difference[]): string {
  const changes = differences.flatMap((difference) => {
    const percent = percentOf(difference);
    return percent === undefined ? [] : [{ difference, percent }];
  });
  if (changes.length < 2) return '';
  const ofFlows = changes.filter((change) => OF_FLOWS.test(change.difference.path));
  const { difference, percent } = (ofFlows.length > 0 ? ofFlows : changes).reduce((a, b) =>
    Math.abs(b.percent) > Math.abs(a.percent) ? b : a,
  );
  const [left, right] = figureTexts(difference);
  return `; most in ${visible(difference.path)}: ${left} → ${right} (${deviation(percent)})`;
}

/** Both figures in the unit that they are read in; as they are where they read alike. */
function figureTexts({ path, left, right }: Difference): readonly [string, string] {
  const measure = measureOf(path.split('.'));
  const read = (value: Figure | undefined): string => {
    if (value === undefined) return 'none';
    return typeof value === 'number' && measure !== 'plain' ? figure(value, measure) : visible(String(value));
  };
  const texts = [read(left), read(right)] as const;
  return texts[0] === texts[1] ? [String(left), String(right)] : texts;
}

function percentOf({ left, right }: Difference): number | undefined {
  if (typeof left !== 'number' || typeof right !== 'number' || left === 0) return undefined;
  const percent = 100 * (right / left - 1);
  return Number.isFinite(percent) ? percent : undefined;
}

function differenceText(difference: Difference): string {
  const percent = percentOf(difference);
  return percent === undefined ? '' : deviation(percent);
}
