import { createHash } from 'node:crypto';
import type { Result } from '../sim/run/result.ts';
import { arithmeticSection } from './arithmetic.ts';
import { chooseCharts } from './charts/choose.ts';
import { differencesHtml, differencesWords, type ScenarioDifference } from './differences.ts';
import type { SweepDigest } from './digest.ts';
import { digestTables, digestVerdict, drawnWords, partWords } from './digest-html.ts';
import { resolveDocument, yamlText } from './document.ts';
import type { Explanation } from './explanation.ts';
import { figureHtml } from './figure.ts';
import { type Finding, findingsHtml } from './findings.ts';
import { gridData } from './grid.ts';
import { cleanText, clipText, embeddedJson, Html, html, shown } from './html.ts';
import { type Lead, leadOf } from './lead.ts';
import { type ChartSource, chartSource, pointWords, type ReadPoint, readPoints, resultName } from './reading.ts';
import { section } from './section.ts';
import { STYLE } from './style.ts';
import { edgesTable, pointsTable, runName, runTables, tableHtml } from './tables.ts';
import { verdictSection } from './verdict.ts';
import { filesNamed, whatIfData } from './what-if-data.ts';
import { glossary, simulatedWords } from './words.ts';

/** What a page is made of. */
export interface PageInput {
  readonly results: readonly Result[];
  /** By result: what is told of all its runs, where `results` has some of them only. */
  readonly digests?: readonly (SweepDigest | undefined)[];
  readonly explanations: readonly Explanation[];
  /** What a check of the configurations finds, each once. */
  readonly findings: readonly Finding[];
  /** Where the scenarios of two results differ. */
  readonly differences?: readonly ScenarioDifference[];
  /** The command line that makes this page again. */
  readonly command: string;
  /** `reports/client/main.ts`, bundled as a classic script. */
  readonly clientScript: string;
  /** The engine and its models, bundled as a classic script that defines `shaperlab.runPoint`; absent: no what-if. */
  readonly whatIf?: string;
}

const RUNS_IN_FULL = 4;
const DOCUMENT_LIMIT = 60_000;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** What an inline script may hold: no end of the element, no start of a comment. */
function scriptText(script: string): string {
  return script.replace(/<(?=\/script|!--|script)/gi, '\\x3C');
}

function leadHtml({ what, why, counted }: Lead): Html | undefined {
  if (what === undefined && why === '') return undefined;
  return html`<div class="lead">${
    what === undefined
      ? undefined
      : html`<p><b>What happened.</b> ${shown(what, 500)}.${counted === undefined ? undefined : ` Rates count ${counted}.`}</p>`
  }${why === '' ? undefined : html`<p><b>Why.</b> ${shown(why, 800)}</p>`}</div>`;
}

function resultHeading(results: readonly Result[], index: number): Html | undefined {
  if (results.length < 2) return undefined;
  const name = resultName(results, index);
  return html`<h3>${name.charAt(0).toUpperCase()}${name.slice(1)}: ${shown(results[index]?.title ?? '')}</h3>`;
}

function scenarioSection(source: ChartSource, results: readonly Result[]): Html {
  const parts = results.map((result, i) => {
    const look = source.look?.resultIndex === i ? source.look.point : result.points[0];
    const text = yamlText(resolveDocument(result.scenario.document, look?.variables ?? {}));
    const cut = text.length > DOCUMENT_LIMIT;
    const read = source.points.find((p) => p.resultIndex === i && p.point === look);
    const where = read === undefined ? '' : pointWords(read, source.varying);
    return html`${resultHeading(results, i)}${
      where === '' ? undefined : html`<p class="note">With ${shown(where)}.</p>`
    }<details class="fold" open><summary>Scenario with every variable filled in</summary><pre tabindex="0">${text
      .slice(0, DOCUMENT_LIMIT)
      .split('\n')
      .map(
        (line) => html`<bdi>${cleanText(line.replace(/^ +/, (s) => '\u00a0'.repeat(s.length)))}</bdi>\n`,
      )}</pre></details>${cut ? html`<p class="note">The rest is in the scenario file.</p>` : undefined}`;
  });
  return section('scenario', 'The scenario, resolved', parts);
}

function sourceSection(input: PageInput): Html {
  const parts = input.results.map(
    (result, i) => html`${resultHeading(input.results, i)}<dl class="source">
<dt>Scenario</dt><dd><code>${shown(result.scenario.file, 300)}</code></dd>
<dt>SHA-256 of it</dt><dd><code>${shown(result.scenario.sha256, 80)}</code></dd>
<dt>Seed</dt><dd>${result.seed}</dd>
<dt>shaperlab</dt><dd>${shown(result.run.version, 60)}</dd>
<dt>Node.js</dt><dd>${shown(result.run.node, 60)}</dd></dl>`,
  );
  return section('source', 'How to get this page again', [
    ...parts,
    html`<p>This command makes the same page, byte for byte:</p><pre tabindex="0"><code>${shown(input.command, 4000)}</code></pre>`,
  ]);
}

function tablesSection(source: ChartSource, points: readonly ReadPoint[], digests: PageInput['digests'] = []): Html {
  const parts: Html[] = digests.flatMap((digest, i) =>
    digest === undefined ? [] : digestTables(digest, `table-all-${i}`),
  );
  const all = pointsTable(source, points);
  if (all !== undefined) {
    const caption = digests.some((digest) => digest !== undefined) ? 'Runs that are drawn' : all.caption;
    parts.push(html`<div id="all-runs">${tableHtml({ ...all, caption }, 'table-runs')}</div>`);
  }
  source.results.forEach((result, i) => {
    const edges = edgesTable(result);
    if (edges !== undefined) parts.push(tableHtml(edges, `table-edges-${i}`));
  });
  const inFull = points.length <= RUNS_IN_FULL ? source.points : source.look === undefined ? [] : [source.look];
  inFull.forEach((read, i) => {
    const name = runName(source, read);
    parts.push(
      html`<h3>${
        inFull.length === 1 && points.length === 1
          ? 'The run'
          : shown(`${name.charAt(0).toUpperCase()}${name.slice(1)}`)
      }${source.results.length > 1 ? html` <span class="unit">${resultName(source.results, read.resultIndex)}</span>` : undefined}</h3>`,
      ...runTables(read).map((table, j) => tableHtml(table, `table-run-${i}-${j}`)),
    );
  });
  return section('tables', 'Tables', parts);
}

function whatIfSection(input: PageInput, source: ChartSource): Html | undefined {
  if (input.whatIf === undefined) return undefined;
  const files = filesNamed(source);
  if (files.length > 0) {
    return section(
      'what-if',
      'What if …',
      html`<p>The page cannot run this scenario again, as it needs ${shown(files.join(', '))}. Change it and run it on the command line.</p>`,
    );
  }
  const data = whatIfData(source);
  if (data === undefined) return undefined;
  return html`<section id="what-if" class="whatif-section" aria-labelledby="what-if-title" hidden><h2 id="what-if-title">What if …</h2>
<p>Change a value and run the scenario again, here in the page. Nothing is sent anywhere.</p>
<div class="whatif"></div>
<script type="application/json" id="what-if-data">${embeddedJson(data)}</script>
<script type="application/json" id="what-if-engine">${embeddedJson(input.whatIf)}</script></section>
`;
}

/** The run that charts over time look at, in words. */
function lookedAt({ results, varying }: ChartSource, look: ReadPoint): string {
  const words = pointWords(look, varying);
  const name = results.length > 1 ? resultName(results, look.resultIndex) : '';
  return [name, words].filter((part) => part !== '').join(', ');
}

/** The title of the page: of two results with one title, once. */
function titleOf(results: readonly Result[]): string {
  const titles = new Set(results.map((r) => r.title));
  const [only] = titles;
  if (results.length === 2 && titles.size === 1) return `${only}, A and B`;
  if (results.length === 2) return results.map((r, i) => `${resultName(results, i)}: ${r.title}`).join(' and ');
  return [...titles].join(' and ') || 'Simulation';
}

function partOf(digest: SweepDigest | undefined): Html | undefined {
  return digest === undefined ? undefined : partWords(digest);
}

/** Of a result that is drawn in part, the verdict counts all its runs. */
function verdictParts(points: readonly ReadPoint[], source: ChartSource, digests: PageInput['digests'] = []): Html[] {
  const whole = points.filter(({ resultIndex }) => digests[resultIndex] === undefined);
  const parts = digests.flatMap((digest) => (digest === undefined ? [] : [digestVerdict(digest), drawnWords(digest)]));
  return whole.length > 0 || parts.length === 0
    ? [verdictSection(whole, source.varying, source.results), ...parts]
    : parts;
}

/**
 * Makes the HTML page of one or more results: offline, without a request, the same bytes for the same results.
 *
 * @throws Error when a chart's specification cannot be drawn, which is a fault of the chart.
 */
export async function renderPage(input: PageInput): Promise<string> {
  const source = chartSource(input.results);
  const points = readPoints(input.results);
  const charts = chooseCharts(source);
  const differences = input.results.length === 2 ? (input.differences ?? []) : [];
  const lead = leadOf(source, charts, input.explanations, differencesWords(differences));
  const figures: Html[] = [];
  for (const chart of charts) figures.push(await figureHtml(chart));
  const lookWords = source.look === undefined ? '' : lookedAt(source, source.look);
  const title = titleOf(input.results);
  const words = input.results.map(
    (result, i) =>
      html`${resultHeading(input.results, i)}${simulatedWords(
        chartSource([result]),
        result,
      )}${partOf(input.digests?.[i])}`,
  );
  const whatIf = whatIfSection(input, source);
  const body = [
    section('verdict', 'Verdict', html`${verdictParts(points, source, input.digests)}${leadHtml(lead)}`),
    section('simulated', 'What was simulated', words),
    section(
      'charts',
      'Charts',
      html`${
        lookWords === ''
          ? undefined
          : html`<p class="note">Charts over time look at the run that strays farthest: ${shown(lookWords)}.</p>`
      }${figures.length === 0 ? html`<p>There is nothing to draw.</p>` : figures}`,
    ),
    ...(whatIf === undefined ? [] : [whatIf]),
    tablesSection(source, points, input.digests),
    arithmeticSection(source, points, input.explanations, lead.explanation),
    scenarioSection(source, input.results),
    sourceSection(input),
  ];
  const terms = glossary(body.map((part) => part.text).join(' '));
  const findings = findingsHtml(input.findings);
  body[1] = section('simulated', 'What was simulated', [
    ...(differences.length === 0 ? [] : [differencesHtml(differences)]),
    ...words,
    ...(findings === undefined ? [] : [findings]),
    terms,
  ]);
  const contents = [
    ['verdict', 'Verdict'],
    ['simulated', 'What was simulated'],
    ['charts', 'Charts'],
    ...(whatIf === undefined ? [] : [['what-if', 'What if …']]),
    ['tables', 'Tables'],
    ['arithmetic', 'The arithmetic'],
    ['scenario', 'The scenario'],
    ['source', 'How to get this page again'],
  ];
  const script = scriptText(input.clientScript);
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(STYLE)}; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'`;
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${clipText(cleanText(title), 120)}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#verdict">Skip to the verdict</a>
<div class="layout">
<header><div><p class="kicker">shaperlab report</p><h1>${shown(title, 240)}</h1></div></header>
<nav class="contents" aria-label="Contents"><ol>${contents.map(
    ([id, label]) => html`<li><a href="#${id as string}">${label as string}</a></li>`,
  )}</ol></nav>
<main>
${body}</main>
<footer><p>Made by shaperlab ${shown(input.results[0]?.run.version ?? '', 40)}. The page works offline and asks for nothing.</p></footer>
</div>
<script type="application/json" id="grid-data">${embeddedJson(gridData(source))}</script>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return page.text;
}
