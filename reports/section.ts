import { type Html, html } from './html.ts';

/** A part of the page with its heading. */
export function section(id: string, title: string, content: Html | readonly Html[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>
`;
}
