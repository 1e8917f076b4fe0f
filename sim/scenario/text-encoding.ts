/** Names the encoding of a text that was read as UTF-8 but is not plain UTF-8; undefined where nothing speaks against it. */
export function encodingOf(text: string): string | undefined {
  if (text.startsWith('\ufeff')) return 'UTF-8 with a byte order mark';
  // The mark of UTF-16 is no UTF-8; without it, every other byte of plain text is 0.
  const isMarked = text.startsWith('\ufffd\ufffd') && text.includes('\u0000');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells UTF-16
  if (isMarked || /^(?:[^\u0000]\u0000){2}|^(?:\u0000[^\u0000]){2}/.test(text)) return 'UTF-16';
  return undefined;
}
