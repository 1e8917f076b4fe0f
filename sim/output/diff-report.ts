import { visible } from '../scenario/visible-text.ts';
import type { Comparison, Difference, Figure } from './diff.ts';
import { deviation, fixed } from './figures.ts';
import { renderTable } from './table.ts';
import { styleOf, type Terminal } from './terminal.ts';

/** A comparison as people read it: the figures that differ by more than `tolerance`, and how many there are in all. */
export function diffReport({ compared, differences }: Comparison, tolerance: number, terminal: Terminal): string {
  const style = styleOf(terminal);
  const outside = differences.filter(({ relative }) => relative > tolerance);
  const lines: string[] = [];
  if (outside.length > 0) {
    const column = (header: string, align: 'left' | 'right', cellOf: (difference: Difference) => string) =>
      ({ header, align, cells: outside.map(cellOf), dropRank: 0 }) as const;
    const table = [
      column('figure', 'left', ({ path }) => visible(path)),
      column('left', 'right', ({ left }) => figureText(left)),
      column('right', 'right', ({ right }) => figureText(right)),
      column('difference', 'right', differenceText),
    ];
    lines.push(...renderTable(table, style.dim), '');
  }
  const counts = `${fixed(compared, 0)} figures compared, ${fixed(differences.length, 0)} differ`;
  if (tolerance === 0) lines.push(outside.length === 0 ? style.good(`✓ ${counts}`) : style.bad(`✗ ${counts}`));
  else {
    const verdict = `${counts}, ${fixed(outside.length, 0)} by more than ${fixed(100 * tolerance, 2)} %`;
    lines.push(outside.length === 0 ? style.good(`✓ ${verdict}`) : style.bad(`✗ ${verdict}`));
  }
  return `${lines.join('\n')}\n`;
}

function figureText(figure: Figure | undefined): string {
  return figure === undefined ? 'none' : visible(String(figure));
}

function differenceText({ left, right }: Difference): string {
  if (typeof left !== 'number' || typeof right !== 'number') return '';
  return left === 0 ? '' : deviation(100 * (right / left - 1));
}
