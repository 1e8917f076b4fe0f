/**
 * Signs that hide, move or reorder what a terminal shows: control characters, line ends of any kind, direction marks,
 * invisible signs, halves of surrogate pairs.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The sequences that styles are made of, which may stay in lines that this program laid out. */
const STYLE = '\\u001b\\[(?:1|2|22|31|32|33|39)m';
const LAID_OUT = new RegExp(`${STYLE}|[\\n\\t]|${INVISIBLE.source}`, 'g');

/** A text that came from outside as one line that shows all of it: `⟨U+001B⟩` in place of what would not be seen. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, mark);
}

/** Lines that this program laid out, styled or not, with nothing else in them that a terminal would obey. */
export function visibleLines(text: string): string {
  return text.replace(LAID_OUT, (sign) => (sign.length > 1 || sign === '\n' || sign === '\t' ? sign : mark(sign)));
}

/** Quoted text of JSON or YAML over several lines, with `\\u001b` in place of what would not be seen. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (sign) =>
    sign === '\n' ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function mark(sign: string): string {
  return `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
