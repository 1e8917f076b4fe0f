import type { FlowResult, PointResult } from '../run/result.ts';
import { FIGURE_COLUMNS } from './figures-csv.ts';
import { figureOf } from './quantity-variables.ts';

/** What a column holds: text, whole numbers, any numbers, or yes and no. */
export type ColumnKind = 'text' | 'count' | 'number' | 'flag';
export type Cell = string | number | boolean | undefined;

/** A row of the table of a sweep: a point and one of its flows; a point that failed has a row without a flow. */
export interface PointRow {
  readonly index: number;
  readonly point: PointResult;
  readonly flowName: string | undefined;
  readonly flow: FlowResult | undefined;
}

/** A column of the table of a sweep. */
export interface PointColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly of: (row: PointRow) => Cell;
}

/**
 * The columns of a sweep's table: the point's index, its variables as written and, where they are quantities, as numbers
 * (`rate`, `rate_value`, in bit/s, bytes or seconds), the flow, its figures, and why the point failed.
 */
export function pointColumns(variables: readonly string[], quantities: ReadonlySet<string>): readonly PointColumn[] {
  return [
    { name: 'point', kind: 'count', of: ({ index }) => index },
    ...variables.flatMap((variable) => variableColumns(variable, variables, quantities)),
    { name: 'flow', kind: 'text', of: ({ flowName }) => flowName },
    ...FIGURE_COLUMNS.map(
      ([name, of]): PointColumn => ({ name, kind: kindOf(name), of: ({ flow }) => (flow ? of(flow) : undefined) }),
    ),
    { name: 'failed', kind: 'text', of: ({ point }) => point.failed },
  ];
}

/** The rows of a point. */
export function pointRows(index: number, point: PointResult): PointRow[] {
  const flows = Object.entries(point.flows);
  if (flows.length === 0) return [{ index, point, flowName: undefined, flow: undefined }];
  return flows.map(([flowName, flow]) => ({ index, point, flowName, flow }));
}

function variableColumns(
  variable: string,
  all: readonly string[],
  quantities: ReadonlySet<string>,
): readonly PointColumn[] {
  const text: PointColumn = { name: variable, kind: 'text', of: ({ point }) => point.variables[variable] };
  const name = `${variable}_value`;
  if (all.includes(name) || !quantities.has(variable)) return [text];
  return [text, { name, kind: 'number', of: ({ point }) => figureOf(point.variables[variable] ?? '') }];
}

function kindOf(name: string): ColumnKind {
  if (name.endsWith('_completed')) return 'flag';
  return /_packets$|^(sent|received)_bytes$/.test(name) ? 'count' : 'number';
}
