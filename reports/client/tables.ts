import { button } from './dom.ts';

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  'kbit/s': 1e3,
  'Mbit/s': 1e6,
  'Gbit/s': 1e9,
};

/** The number that a cell shows, its unit taken into account; undefined for words. */
export function numberOf(text: string): number | undefined {
  const match = /^([−-]?[\d,]*\.?\d+(?:e[−-]?\d+)?)[\s\u00a0]?(\S*)$/.exec(text.trim());
  if (match === null) return undefined;
  const value = Number((match[1] as string).replace(/,/g, '').replace(/−/g, '-'));
  return value * (UNITS[match[2] ?? ''] ?? 1);
}

function sortBy(table: HTMLTableElement, column: number, ascending: boolean): void {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[column];
    const text = cell?.textContent ?? '';
    const order = cell?.dataset.order;
    return { row, text, number: order === undefined ? numberOf(text) : Number(order) };
  });
  const sign = ascending ? 1 : -1;
  keyed.sort((a, b) => {
    if (a.number !== undefined && b.number !== undefined) return sign * (a.number - b.number);
    if ((a.number === undefined) !== (b.number === undefined)) return a.number === undefined ? 1 : -1;
    return sign * a.text.localeCompare(b.text, 'en', { numeric: true });
  });
  body.append(...keyed.map(({ row }) => row));
}

/** Lets the columns of a table be sorted by their headings. */
export function makeSortable(table: HTMLTableElement): void {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if ((table.tBodies[0]?.rows.length ?? 0) < 2) return;
  heads.forEach((head, column) => {
    const control = button('', () => {
      const ascending = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      sortBy(table, column, ascending);
    });
    control.append(...head.childNodes);
    head.append(control);
  });
}
