import type { Table } from './chart.ts';
import { SHARES, type SweepDigest } from './digest.ts';
import { formatNumber, formatQuantity } from './format.ts';
import { type Html, html, shown } from './html.ts';
import { variableWords } from './reading.ts';
import { tableHtml } from './tables.ts';
import { gotWords } from './verdict.ts';

const count = (value: number): string => formatNumber(value, 15);

/** What became of all runs: a headline, each line of `expect:`, and some of the runs that failed. */
export function digestVerdict({ runs, broken, brokenExamples, expectations }: SweepDigest): Html {
  const judged = expectations.reduce((sum, expectation) => sum + expectation.runs, 0);
  const failed = expectations.reduce((sum, expectation) => sum + expectation.failed, 0);
  const words = [
    judged === 0
      ? `${count(runs)} runs; no expectation was set`
      : failed === 0
        ? `All ${count(judged)} expectations of ${count(runs)} runs hold: the simulation gives what the scenario says must come out`
        : `${count(failed)} of ${count(judged)} expectations of ${count(runs)} runs failed`,
    ...(broken === 0 ? [] : [`${count(broken)} runs did not finish`]),
  ];
  const state = failed + broken > 0 ? 'failed' : judged > 0 ? 'passed' : 'neutral';
  const lines = expectations.map((expectation) => {
    const passed = expectation.failed === 0;
    return html`<li class="${passed ? 'passed' : 'failed'}">${signOf(passed)}<div><code>${shown(
      expectation.written,
      300,
    )}</code><br><span class="detail"><strong>${passed ? 'Passed' : 'Failed'}</strong> in ${
      passed ? `all ${count(expectation.runs)}` : `${count(expectation.failed)} of ${count(expectation.runs)}`
    } runs${expectation.examples.map(
      ({ variables, expectation: example }) => html`<br>${shown(wordsOf(variables))}: ${gotWords(example)}`,
    )}</span></div></li>`;
  });
  const unfinished = brokenExamples.map(
    ({ variables, failed: reason }) =>
      html`<li class="failed">${signOf(false)}<div><strong>Did not run</strong> <span class="where">at ${shown(
        wordsOf(variables),
      )}</span><br><span class="detail">${shown(reason ?? '', 400)}</span></div></li>`,
  );
  const all = [...unfinished, ...lines];
  return html`<p class="headline ${state}"><span class="sign" aria-hidden="true">${
    state === 'passed' ? '✓' : state === 'failed' ? '✗' : '·'
  }</span> ${words.join('; ')}.</p>${all.length === 0 ? undefined : html`<ul class="judged">${all}</ul>`}`;
}

/** How many runs are drawn, and where all are. */
export function drawnWords({ runs, drawn, place }: SweepDigest): Html {
  return html`<p class="note">Drawn, listed and in the CSV file of this page are ${count(drawn)} of ${count(
    runs,
  )} runs, evenly chosen, the one that strays farthest among them; every run is in ${shown(place, 300)}. The verdict, the spread and the farthest runs are of all of them.</p>`;
}

/** What is simulated is told of the runs that are drawn. */
export function partWords({ runs, drawn }: SweepDigest): Html {
  return html`<p class="note">This is of the ${count(drawn)} runs that are drawn, out of ${count(runs)}.</p>`;
}

/** The tables of all runs: how far each flow strays, and the runs that stray farthest. */
export function digestTables(digest: SweepDigest, id: string): Html[] {
  const { flows, farthest } = digest;
  if (flows.length === 0) return [];
  const names = Object.keys(farthest[0]?.variables ?? {});
  const spread: Table = {
    caption: `Deviation from the configured rate over all ${count(digest.runs)} runs`,
    columns: [
      { label: 'Flow', number: false },
      { label: 'Runs', number: true },
      { label: 'Off by 1 % or more', number: true },
      ...SHARES.map((share) => ({ label: shareLabel(share), unit: '%', number: true })),
    ],
    rows: flows.map(({ flow, runs, missed, quantiles }) => [
      flow,
      count(runs),
      count(missed),
      ...quantiles.map((value) => formatNumber(value, 3)),
    ]),
  };
  const worst: Table = {
    caption: 'The runs that stray farthest',
    columns: [
      ...names.map((label) => ({ label, number: false })),
      { label: 'Flow', number: false },
      { label: 'Configured', number: true },
      { label: 'Received', number: true },
      { label: 'Deviation', unit: '%', number: true },
    ],
    rows: farthest.map((run) => [
      ...names.map((name) => run.variables[name] ?? null),
      run.flow,
      formatQuantity(run.configuredBitsPerSecond, 'rate', 6),
      formatQuantity(run.receivedBitsPerSecond, 'rate', 6),
      formatNumber(run.deviationPercent, 3),
    ]),
  };
  return [tableHtml(spread, `${id}-spread`), tableHtml(worst, `${id}-farthest`)];
}

function shareLabel(share: number): string {
  if (share === 0) return 'Least';
  if (share === 1) return 'Most';
  return share === 0.5 ? 'Median' : `p${100 * share}`;
}

function wordsOf(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => variableWords(name, value))
    .join(', ');
}

function signOf(passed: boolean): Html {
  return html`<span class="sign" aria-hidden="true">${passed ? '✓' : '✗'}</span>`;
}
