import type { Edge } from '../sweep/refine.ts';
import { csvLine } from './csv.ts';
import { deviation, figure, measureOf } from './figures.ts';
import { renderTable } from './table.ts';
import type { Style } from './terminal.ts';

/** Edges that a terminal shows. */
const SHOWN = 40;

/** The edges as CSV: the other variables, the values around each edge as written and as numbers, the figure around it. */
export function edgesCsv(edges: readonly Edge[]): string {
  const others = Object.keys(edges[0]?.others ?? {});
  const lines = edges.map((edge) =>
    csvLine([
      ...others.map((name) => edge.others[name] ?? ''),
      edge.variable,
      edge.below,
      edge.above,
      edge.belowValue,
      edge.aboveValue,
      edge.figure,
      edge.figureBelow,
      edge.figureAbove,
    ]),
  );
  const names = ['below', 'above', 'below_value', 'above_value', 'figure', 'figure_below', 'figure_above'];
  return csvLine([...others, 'variable', ...names]) + lines.join('');
}

/** The edges as a table for people; of many the first ones. */
export function edgesTable(edges: readonly Edge[], style: Style): string[] {
  if (edges.length === 0) return ['no edges: the figure changes nowhere by more than --change'];
  const shown = edges.slice(0, SHOWN);
  const others = Object.keys(shown[0]!.others);
  const measure = measureOf(shown[0]!.figure.split('.'));
  const column = (header: string, cells: readonly string[]) =>
    ({ header, align: 'right', cells, dropRank: 0 }) as const;
  const lines = renderTable(
    [
      ...others.map((name) =>
        column(
          name,
          shown.map((edge) => edge.others[name] ?? ''),
        ),
      ),
      column(
        `${shown[0]!.variable} up to`,
        shown.map(({ below }) => below),
      ),
      column(
        'figure',
        shown.map(({ figureBelow }) => figure(figureBelow, measure)),
      ),
      column(
        'from',
        shown.map(({ above }) => above),
      ),
      column(
        'figure',
        shown.map(({ figureAbove }) => figure(figureAbove, measure)),
      ),
      column(
        'change',
        shown.map((edge) => deviation(100 * (edge.figureAbove / edge.figureBelow - 1))),
      ),
    ],
    style.dim,
  );
  const more = edges.length - shown.length;
  return [`edges of ${shown[0]!.figure}`, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])];
}
