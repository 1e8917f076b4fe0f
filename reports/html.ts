/** Markup that is safe to put into the page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Content = Html | string | number | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters, line separators, direction marks and other invisible signs that could hide or reorder what is written. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Makes text printable: invisible characters become visible marks such as `⟨U+202E⟩`, white space becomes single spaces. */
export function cleanText(text: string): string {
  return text
    .replace(INVISIBLE, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
    .replace(/[ \t\n\r]+/g, ' ');
}

/** Cuts text to `length` characters, the last of them an ellipsis; never splits a surrogate pair. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text;
  const signs = Array.from(text.slice(0, 2 * length + 2));
  return signs.length <= length ? text : `${signs.slice(0, length - 1).join('')}…`;
}

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

function render(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeHtml(content);
  let text = '';
  for (const part of content) text += part.text;
  return text;
}

/** Builds markup; whatever is put in and is not {@link Html} is escaped. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = strings[0] as string;
  for (let i = 0; i < contents.length; i++) text += render(contents[i]) + (strings[i + 1] as string);
  return new Html(text);
}

/** Shows a string of the scenario or result: cleaned, cut at `length`, and kept from turning the text around it. */
export function shown(text: string, length = 160): Html {
  return html`<bdi>${clipText(cleanText(text), length)}</bdi>`;
}

/** Writes a value as JSON that can stand in a script element whatever strings it holds. */
export function embeddedJson(value: unknown): Html {
  return new Html(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
