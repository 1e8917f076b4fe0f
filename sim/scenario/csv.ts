/** A table with named columns; `line` is where a row begins, 1-based. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

const CELL = /"((?:[^"]|"")*)"|([^,"\r\n]*)/y;

/** Reads comma-separated values whose first line names the columns (RFC 4180: quoted cells may hold commas and line ends). */
export function parseCsv(text: string): Table {
  const rows: { line: number; cells: string[] }[] = [];
  let position = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  while (position < text.length) {
    const row = { line, cells: [] as string[] };
    for (;;) {
      CELL.lastIndex = position;
      const [whole = '', quoted, plain = ''] = CELL.exec(text) ?? [];
      position += whole.length;
      line += whole.split('\n').length - 1;
      row.cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
      if (text[position] !== ',') break;
      position++;
    }
    // Whatever stands between a closing quote and the end of the line is no cell.
    const end = text.indexOf('\n', position);
    position = end === -1 ? text.length : end + 1;
    line++;
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
  }
  const [header, ...body] = rows;
  return { columns: header?.cells ?? [], rows: body };
}
