import type { Column } from '../figure.ts';

/** Rows again from the columns that the page was given. */
export function rowsOf(columns: Readonly<Record<string, Column>>): Record<string, string | number | null>[] {
  const rows: Record<string, string | number | null>[] = [];
  for (const [name, column] of Object.entries(columns)) {
    const count = 'texts' in column ? column.at.length : column.length;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? {};
      row[name] = 'texts' in column ? (column.texts[column.at[i] as number] ?? null) : (column[i] ?? null);
      rows[i] = row;
    }
  }
  return rows;
}

/** Writes CSV as RFC 4180 has it; texts that a spreadsheet would take for a formula are defused. */
export function csvOf(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
