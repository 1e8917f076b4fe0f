const SVG = 'http://www.w3.org/2000/svg';

type Child = Node | string;

/** Makes an HTML element. Text children are text, whatever they contain. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Makes an SVG element. */
export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** Makes a push button. */
export function button(label: string, action: () => void, description = ''): HTMLButtonElement {
  const made = element(
    'button',
    { type: 'button', ...(description === '' ? {} : { 'aria-label': description }) },
    label,
  );
  made.addEventListener('click', action);
  return made;
}

/** Reads the JSON of a script element. */
export function jsonOf<T>(script: Element | null): T | undefined {
  return script === null ? undefined : (JSON.parse(script.textContent ?? 'null') as T);
}

/** Hands a file to the reader. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

let region: HTMLElement | undefined;

/** Says something to readers of the page by ear. */
export function announce(text: string): void {
  if (region === undefined) {
    region = element('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
    document.body.append(region);
  }
  region.textContent = text;
}
