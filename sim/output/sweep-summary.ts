import { visible } from '../scenario/visible-text.ts';
import type { JournalHeader } from '../sweep/journal-format.ts';
import { figure, fixed, measureOf } from './figures.ts';
import type { FailedExample, SweepTotals } from './sweep-files.ts';
import type { Style } from './terminal.ts';

/**
 * What a sweep came to, as people read it: how many points, what failed, what was expected.
 *
 * @param table lines that show points, empty for none
 */
export function sweepSummary(
  header: JournalHeader,
  totals: SweepTotals,
  wallSeconds: number,
  table: readonly string[],
  style: Style,
): string[] {
  const { title, scenario, seed } = header.head;
  const { points, failed, expectations, failedExpectations } = totals;
  const missing = header.points - points;
  const counts = [
    `${fixed(points, 0)} ${points === 1 ? 'point' : 'points'}`,
    ...(missing > 0 ? [`${fixed(missing, 0)} missing`] : []),
    `seed ${seed}`,
    `${fixed(wallSeconds, 1)} s`,
  ];
  const lines = [style.bold(visible(title === '' ? scenario.file : title)), style.dim(counts.join(' · '))];
  if (table.length > 0) lines.push('', ...table, '');
  const broken = failed.invalid + failed.timeout + failed.fault;
  if (broken > 0) {
    const causes = [
      [failed.invalid, 'invalid'],
      [failed.timeout, 'out of time'],
      [failed.fault, 'a fault of the program'],
    ] as const;
    const named = causes.filter(([count]) => count > 0).map(([count, word]) => `${fixed(count, 0)} ${word}`);
    lines.push(style.bad(`✗ ${fixed(broken, 0)} ${broken === 1 ? 'point' : 'points'} failed: ${named.join(', ')}`));
  }
  if (expectations > 0) {
    const all = fixed(expectations, 0);
    lines.push(
      failedExpectations === 0
        ? style.good(`✓ all ${all} expectations passed`)
        : style.bad(`✗ ${fixed(failedExpectations, 0)} of ${all} expectations failed`),
    );
  }
  lines.push(...totals.examples.map(exampleLine));
  const unlisted = broken + failedExpectations - totals.examples.length;
  if (unlisted > 0) lines.push(`  … and ${fixed(unlisted, 0)} more`);
  lines.push(...[...totals.warnings].map((warning) => `warning: ${visible(warning)}`));
  // A blank line at the end would separate the table from nothing.
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function exampleLine({ variables, cause }: FailedExample): string {
  const where = Object.entries(variables).map(([name, value]) => visible(`${name}=${value}`));
  if (typeof cause === 'string') return `  ${where.join(' ')}: ${visible(cause.split('\n')[0] ?? '')}`;
  const { text, actual } = cause;
  const shown = typeof actual === 'number' ? figure(actual, measureOf((text.split(/\s/)[0] ?? '').split('.'))) : actual;
  return `  ${where.join(' ')}: ${visible(text)}, got ${shown ?? 'no such figure'}`;
}
