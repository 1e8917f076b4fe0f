import type { Explanation } from './explanation.ts';
import { type Html, html, shown } from './html.ts';
import { type ChartSource, pointWords, type ReadPoint } from './reading.ts';
import { section } from './section.ts';
import { tableHtml } from './tables.ts';

const IN_FULL = 12;
const OTHER_RUNS = 100;

function ofLook(source: ChartSource, explanations: readonly Explanation[]): Explanation[] {
  return explanations.filter((e) => e.result === source.look?.resultIndex && e.point === source.look.pointIndex);
}

function whyHtml(words: string | undefined): Html | undefined {
  return words === undefined ? undefined : html`<p class="why">${shown(words, 800)}</p>`;
}

function explanationHtml(explanation: Explanation, where: string, index: number): Html {
  const columns = [
    { label: 'Step', number: false },
    { label: 'Value', number: false },
    { label: 'How it comes about', number: false },
  ];
  return html`<h3>${shown(explanation.subject, 160)}${
    where === '' ? undefined : html` <span class="unit">with ${shown(where)}</span>`
  }</h3>
${whyHtml(explanation.cause)}${whyHtml(explanation.conclusion)}${explanation.sections.map((s, i) =>
  tableHtml(
    { caption: s.title, columns, rows: s.lines.map((line) => [line.label, line.value, line.rule]) },
    `explain-${index}-${i}`,
  ),
)}${(explanation.warnings ?? []).map((warning) => html`<p class="note"><strong>Mind:</strong> ${shown(warning, 400)}</p>`)}`;
}

/**
 * The arithmetic of each class at the point that the page looks at, and what it comes to in the other runs.
 *
 * @param lead of what the page found; comes first
 */
export function arithmeticSection(
  source: ChartSource,
  points: readonly ReadPoint[],
  explanations: readonly Explanation[],
  lead: Explanation | undefined,
): Html {
  const title = 'The arithmetic';
  const near = ofLook(source, explanations);
  const shownInFull = near.length > 0 ? near : explanations;
  const ordered = [...shownInFull].sort((a, b) => Number(b === lead) - Number(a === lead));
  if (ordered.length === 0) {
    return section(
      'arithmetic',
      title,
      html`<p>No limiter of this scenario computes in steps that could be shown.</p>`,
    );
  }
  const whereOf = (e: Explanation): string => {
    const read = points.find((p) => p.resultIndex === e.result && p.pointIndex === e.point);
    return read === undefined ? '' : pointWords(read, source.varying);
  };
  const parts = ordered.slice(0, IN_FULL).map((e, i) => explanationHtml(e, whereOf(e), i));
  if (ordered.length > IN_FULL) {
    parts.push(html`<p class="note">${ordered.length - IN_FULL} more: the explain command prints them.</p>`);
  }
  const others = explanations.filter(
    (e) => e.subject === lead?.subject && (e.conclusion ?? e.cause) !== undefined && e !== lead,
  );
  if (others.length > 0) {
    const rows = others.slice(0, OTHER_RUNS).map((e) => [whereOf(e), e.conclusion ?? e.cause ?? '']);
    const table = {
      caption: `${lead?.subject ?? ''} in the other runs`,
      columns: [
        { label: 'With', number: false },
        { label: 'What it comes to', number: false },
      ],
      rows,
      ...(others.length > rows.length ? { note: `The first ${rows.length} of ${others.length} runs.` } : {}),
    };
    parts.push(
      html`<details class="fold" open><summary>The other runs</summary>${tableHtml(table, 'explain-others')}</details>`,
    );
  }
  return section('arithmetic', title, parts);
}
