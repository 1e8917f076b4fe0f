/** A field of a CSV line: quoted where it holds a comma, a quote or a line break (RFC 4180). */
export function csvField(value: string | number | boolean): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A CSV line with its end. */
export function csvLine(fields: readonly (string | number | boolean)[]): string {
  return `${fields.map(csvField).join(',')}\n`;
}
