import { counted } from './format.ts';
import { type Html, html, shown } from './html.ts';

/** Something that is allowed in a configuration and probably a mistake. */
export interface Finding {
  /** The rule that finds it: what is found by the same rule is told once, with all its places. */
  readonly rule: string;
  /** Dotted path in the scenario. */
  readonly place: string;
  readonly text: string;
  readonly hint: string;
}

const GROUP_LIMIT = 40;
const PLACES = 12;

/** What a check of the configurations finds, what is of one kind together; undefined where it finds nothing. */
export function findingsHtml(findings: readonly Finding[]): Html | undefined {
  if (findings.length === 0) return undefined;
  const groups = new Map<string, Finding[]>();
  const told = new Map(findings.map((finding) => [`${finding.place}\n${finding.text}`, finding]));
  for (const finding of told.values()) {
    const group = groups.get(finding.rule) ?? [];
    group.push(finding);
    groups.set(finding.rule, group);
  }
  const kinds = groups.size < told.size ? `, of ${counted(groups.size, 'kind')},` : '';
  const heading = told.size === 1 ? 'One thing to look at' : `${told.size} things to look at${kinds}`;
  return html`<h3>${heading} in the configuration</h3><ul class="findings">${[...groups.values()]
    .slice(0, GROUP_LIMIT)
    .map(groupHtml)}</ul>${
    groups.size > GROUP_LIMIT
      ? html`<p class="note">The first ${GROUP_LIMIT} kinds of them; <code>sim validate</code> lists them all.</p>`
      : undefined
  }`;
}

function groupHtml(group: readonly Finding[]): Html {
  const [{ place, text, hint }, ...others] = group as [Finding, ...Finding[]];
  const named = others.slice(0, PLACES - 1).map((other) => html`, <code>${shown(other.place, 200)}</code>`);
  const more = others.length - named.length;
  const alike =
    others.length === 0
      ? undefined
      : html` <span class="note">The same kind in ${counted(others.length, 'more place')}: ${named.map((item, i) =>
          i === 0 ? html`<code>${shown((others[0] as Finding).place, 200)}</code>` : item,
        )}${more > 0 ? ` and ${more} more, which sim validate lists` : ''}.</span>`;
  return html`<li><code>${shown(place, 200)}</code>: ${shown(text, 500)}. <span class="note">Hint: ${shown(
    hint,
    300,
  )}.</span>${alike}</li>`;
}
