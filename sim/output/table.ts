import { widthOf } from './terminal.ts';

/** A column of a table. */
export interface Column {
  readonly header: string;
  /** Stands above the headers of neighbouring columns that share it. */
  readonly group?: string;
  readonly align: 'left' | 'right';
  readonly cells: readonly string[];
  /** Columns of the highest rank go first where the table is too wide; 0: always stays. */
  readonly dropRank: number;
}

const GAP = '  ';

/** Leaves out whole ranks of columns, highest first, until the table fits; undefined if even the lowest does not. */
export function fitColumns(columns: readonly Column[], width: number): readonly Column[] | undefined {
  let kept = columns;
  while (tableWidth(kept) > width) {
    const highest = Math.max(...kept.map((column) => column.dropRank));
    if (highest <= 0) return undefined;
    kept = kept.filter((column) => column.dropRank < highest);
  }
  return kept;
}

/** Lays out a table: groups where there are any, headers, rows; no line has trailing blanks. */
export function renderTable(columns: readonly Column[], styleHeader: (text: string) => string): string[] {
  const widths = columnWidths(columns);
  const rowCount = Math.max(0, ...columns.map((column) => column.cells.length));
  const lines: string[] = [];
  if (columns.some((column) => column.group !== undefined)) lines.push(styleHeader(groupLine(columns, widths)));
  lines.push(styleHeader(line(columns, widths, (column) => column.header)));
  for (let row = 0; row < rowCount; row++) lines.push(line(columns, widths, (column) => column.cells[row] ?? ''));
  return lines;
}

function tableWidth(columns: readonly Column[]): number {
  return columnWidths(columns).reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** Widths of the columns; the last one of a group is widened where the group's name needs more. */
function columnWidths(columns: readonly Column[]): number[] {
  const widths = columns.map(({ header, cells }) =>
    cells.reduce((width, cell) => Math.max(width, widthOf(cell)), widthOf(header)),
  );
  for (const { first, last, name } of groupSpans(columns)) {
    const span = widths.slice(first, last + 1).reduce((sum, width) => sum + width + GAP.length, -GAP.length);
    if (name !== undefined && widthOf(name) > span) widths[last]! += widthOf(name) - span;
  }
  return widths;
}

interface GroupSpan {
  readonly first: number;
  readonly last: number;
  readonly name: string | undefined;
}

function groupSpans(columns: readonly Column[]): GroupSpan[] {
  const spans: GroupSpan[] = [];
  for (let first = 0; first < columns.length; ) {
    const name = columns[first]!.group;
    let last = first;
    while (name !== undefined && columns[last + 1]?.group === name) last++;
    spans.push({ first, last, name });
    first = last + 1;
  }
  return spans;
}

function groupLine(columns: readonly Column[], widths: readonly number[]): string {
  return groupSpans(columns)
    .map(({ first, last, name }) => {
      const span = widths.slice(first, last + 1).reduce((sum, width) => sum + width + GAP.length, -GAP.length);
      return pad(name ?? '', span, 'left');
    })
    .join(GAP)
    .trimEnd();
}

function line(columns: readonly Column[], widths: readonly number[], cellOf: (column: Column) => string): string {
  return columns
    .map((column, index) => pad(cellOf(column), widths[index]!, column.align))
    .join(GAP)
    .trimEnd();
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + blanks : blanks + text;
}
