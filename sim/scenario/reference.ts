import { parseFigure } from '../units/quantity.ts';
import { UnitError } from '../units/unit-error.ts';
import { REFERENCE_PARAMETERS } from './common-parameters.ts';
import { parseCsv, type Table } from './csv.ts';
import { figureKindAt, splitPath } from './expectation.ts';
import { type ReadText, readBeside } from './link-trace.ts';
import { Memo } from './memo.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import type { Shape } from './result-shape.ts';
import type { ReferenceSpec } from './scenario.ts';
import { INVALID, type ValueChecker } from './value-checker.ts';

/** A checked `reference:`. */
interface ReferenceKeys {
  readonly file: string;
  readonly label?: string;
  readonly x: ColumnKeys & { readonly variable: string };
  readonly y: ColumnKeys & { readonly figure: string };
  readonly where?: Readonly<Record<string, { readonly column: string; readonly unit: string }>>;
  readonly only?: readonly { readonly column: string; readonly equals: string }[];
}

interface ColumnKeys {
  readonly column: string;
  readonly unit: string;
  readonly factor: number;
}

/**
 * Reads `reference:`, one mapping or a list of them: which file, which column is the variable, which the figure.
 * Cells are read with the unit of their column, then multiplied by its factor. Problems go to `values`.
 *
 * @param variableNames variables that `x` and `where` may name
 * @param shape what figures there are; undefined: not known
 */
export function readReferences(
  node: unknown,
  values: ValueChecker,
  readText: ReadText | undefined,
  variableNames: readonly string[],
  shape: Shape | undefined,
): ReferenceSpec[] {
  if (!Array.isArray(node)) return readReference(node, values, readText, variableNames, shape);
  return node.flatMap((item, i) =>
    values.within(String(i), () => readReference(item, values, readText, variableNames, shape)),
  );
}

function readReference(
  node: unknown,
  values: ValueChecker,
  readText: ReadText | undefined,
  variableNames: readonly string[],
  shape: Shape | undefined,
): ReferenceSpec[] {
  const checked = values.checkMapping(node, REFERENCE_PARAMETERS, new Memo());
  if (checked === INVALID) return [];
  const keys = checked as unknown as ReferenceKeys;
  const before = values.findings.length;
  const named: [string, string[]][] = [[keys.x.variable, ['x', 'variable']]];
  for (const name of Object.keys(keys.where ?? {})) named.push([name, ['where', name]]);
  for (const [name, path] of named) {
    if (!variableNames.includes(name)) {
      values.report(messages.unusedVariable(name, variableNames, nearestName(name, variableNames)), path);
    }
  }
  const figure = splitPath(keys.y.figure);
  const kind = shape === undefined ? 'number' : figureKindAt(figure, shape);
  if (typeof kind !== 'string') values.report(kind, ['y', 'figure']);
  const text = readBeside(keys.file, readText);
  if (typeof text !== 'string') {
    values.report(text, ['file']);
    return [];
  }
  const table = parseCsv(text);
  const columns: [string, string[]][] = [
    [keys.x.column, ['x', 'column']],
    [keys.y.column, ['y', 'column']],
    ...Object.entries(keys.where ?? {}).map(([name, { column }]): [string, string[]] => [
      column,
      ['where', name, 'column'],
    ]),
    ...(keys.only ?? []).map(({ column }, i): [string, string[]] => [column, ['only', String(i), 'column']]),
  ];
  for (const [column, path] of columns) {
    if (table.columns.includes(column)) continue;
    values.report(messages.noSuchColumn(column, table.columns, nearestName(column, table.columns)), path);
  }
  if (values.findings.length > before) return [];
  const rows = readRows(table, keys, values);
  if (values.findings.length > before) return [];
  if (rows.length === 0) values.report(messages.emptyTable(), ['file']);
  const label = keys.label ?? keys.file.replace(/^.*\//, '').replace(/\.csv$/, '');
  return [{ label, variable: keys.x.variable, figure, rows }];
}

function readRows(table: Table, keys: ReferenceKeys, values: ValueChecker): ReferenceSpec['rows'] {
  const cell = (cells: readonly string[], column: string): string => cells[table.columns.indexOf(column)] ?? '';
  const rows: { x: number; y: number; where?: Record<string, string> }[] = [];
  const number = (cells: readonly string[], line: number, { column, unit, factor }: ColumnKeys): number => {
    const text = cell(cells, column);
    try {
      return parseFigure(text + unit) * factor;
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      values.report(messages.notTableNumber(text + unit, line), ['file']);
      return Number.NaN;
    }
  };
  for (const { line, cells } of table.rows) {
    if (keys.only?.some(({ column, equals }) => cell(cells, column) !== equals)) continue;
    const row: (typeof rows)[number] = { x: number(cells, line, keys.x), y: number(cells, line, keys.y) };
    if (keys.where !== undefined) {
      row.where = Object.fromEntries(
        Object.entries(keys.where).map(([name, { column, unit }]) => [name, cell(cells, column) + unit]),
      );
    }
    rows.push(row);
  }
  return rows;
}
