import type { ExpectationResult, PointResult, Result } from '../sim/run/result.ts';
import { mappingOf, textOf } from './document.ts';
import { formatNumber, formatQuantity, type Measure } from './format.ts';
import { type Html, html, shown } from './html.ts';
import { rateOfText } from './quantity.ts';
import { pointWords, type ReadPoint, resultName } from './reading.ts';
import { orderedValues } from './variables.ts';

const LIST_LIMIT = 60;
const RUN_LIMIT = 100;
/** An expectation may say that a limiter fails: that it holds is no praise of the limiter. */
const MEANING = ': the simulation gives what the scenario says must come out';

/** What a figure of the result measures, by its path. */
export function measureOf(path: string): Measure {
  if (/bitsPerSecond/.test(path)) return 'rate';
  if (/seconds/i.test(path)) return 'time';
  if (/percent/i.test(path)) return 'percent';
  if (/bytes/i.test(path)) return 'bytes';
  return 'count';
}

function valueWords(expectation: ExpectationResult, value: ExpectationResult['actual']): string {
  if (value === null) return 'nothing';
  if (typeof value !== 'number') return String(value);
  return formatQuantity(value, measureOf(expectation.text.split(/\s/)[0] ?? ''), 6);
}

interface Judged {
  /** As the scenario writes it, variables and all; the same for all runs of a grid. */
  readonly written: string;
  readonly read: ReadPoint;
  readonly expectation: ExpectationResult;
}

function judgedOf(read: ReadPoint): Judged[] {
  const lines = mappingOf(read.result.scenario.document).expect;
  const written = Array.isArray(lines) && lines.length === read.point.expectations.length ? lines : undefined;
  return read.point.expectations.map((expectation, i) => ({
    written: textOf(written?.[i]) ?? expectation.text,
    read,
    expectation,
  }));
}

function signOf(passed: boolean): Html {
  return html`<span class="sign" aria-hidden="true">${passed ? '✓' : '✗'}</span>`;
}

/** What came out and what should have. */
export function gotWords(expectation: ExpectationResult): Html {
  return html`got ${shown(valueWords(expectation, expectation.actual))}, expected ${shown(
    valueWords(expectation, expectation.expected),
  )}`;
}

/** A variable that differs between the runs, in words: its name and from where to where it goes. */
function spanWords(document: unknown, name: string, values: readonly string[]): string {
  const ordered = orderedValues([document], name, values);
  const [least, most] = [ordered[0] ?? '', ordered.at(-1) ?? ''];
  const rates = [least, most].map((text) => (/bit|bps/i.test(text) ? rateOfText(text) : undefined));
  const words = rates.map((rate, i) => (rate === undefined ? [least, most][i] : formatQuantity(rate, 'rate', 7)));
  return `‹${name}› (${words.join(' … ')})`;
}

/** The line as it stood in the runs of a group: what is the same in all of them filled in, all else named. */
function groupText(group: readonly Judged[]): string {
  const first = group[0] as Judged;
  if (group.every((j) => j.expectation.text === first.expectation.text)) return first.expectation.text;
  return first.written.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
    const values = group.map((j) => variableOf(j.read, name));
    return new Set(values).size === 1
      ? (values[0] as string)
      : spanWords(first.read.result.scenario.document, name, values);
  });
}

function variableOf({ point, result }: ReadPoint, name: string): string {
  return point.variables[name] ?? textOf(mappingOf(mappingOf(result.scenario.document).vars)[name]) ?? name;
}

/** The runs that are judged: which variables tell them apart, and whose they are. */
interface Runs {
  readonly varying: readonly string[];
  readonly results: readonly Result[];
}

function whereOf(read: ReadPoint, { varying, results }: Runs): string {
  const words = pointWords(read, varying);
  const name = results.length > 1 ? resultName(results, read.resultIndex) : '';
  const where = words === '' ? '' : `with ${words}`;
  return name === '' ? where : [`in ${name}`, where].filter((part) => part !== '').join(' ');
}

/** One line of `expect:` with what became of it: in one run, or in all runs of a grid. */
function judgedLine(group: readonly Judged[], runsOf: Runs): Html {
  const first = group[0] as Judged;
  const failed = group.filter((j) => !j.expectation.passed);
  const passed = failed.length === 0;
  const text = html`<code>${shown(groupText(group), 300)}</code><br>`;
  if (group.length === 1) {
    const where = whereOf(first.read, runsOf);
    return html`<li class="${passed ? 'passed' : 'failed'}">${signOf(passed)}<div>${text}<span class="detail"><strong>${
      passed ? 'Passed' : 'Failed'
    }</strong>${where === '' ? undefined : html` ${shown(where)}`}: ${gotWords(first.expectation)}</span></div></li>`;
  }
  const ordered = [...failed, ...group.filter((j) => j.expectation.passed)];
  const runs = ordered
    .slice(0, RUN_LIMIT)
    .map(
      ({ read, expectation }) =>
        html`<li class="${expectation.passed ? 'passed' : 'failed'}">${signOf(expectation.passed)}<span><strong>${
          expectation.passed ? 'Passed' : 'Failed'
        }</strong> ${shown(whereOf(read, runsOf))}: ${gotWords(expectation)}</span></li>`,
    );
  const hidden = ordered.length - runs.length;
  return html`<li class="${passed ? 'passed' : 'failed'}">${signOf(passed)}<div>${text}<span class="detail"><strong>${
    passed ? 'Passed' : 'Failed'
  }</strong> in ${
    passed
      ? `all ${formatNumber(group.length, 7)}`
      : `${formatNumber(failed.length, 7)} of ${formatNumber(group.length, 7)}`
  } runs</span><details class="fold" open><summary>Each run</summary><ul class="runs">${runs}</ul>${
    hidden > 0
      ? html`<p class="note">${hidden} more are in the result file; the list begins with what failed.</p>`
      : undefined
  }</details></div></li>`;
}

function failureLine(point: PointResult, where: string): Html {
  return html`<li class="failed"><span class="sign" aria-hidden="true">✗</span><div><strong>Did not run</strong>${
    where === '' ? undefined : html` <span class="where">${shown(where)}</span>`
  }<br><span class="detail">${shown(point.failed ?? '', 400)}</span></div></li>`;
}

/** Whether all expectations hold: the headline, then each of them, failed ones first. */
export function verdictSection(
  points: readonly ReadPoint[],
  varying: readonly string[],
  results: readonly Result[] = [],
): Html {
  const runs = { varying, results };
  const judged = points.flatMap(judgedOf);
  const broken = points.filter((read) => read.point.failed !== undefined);
  const failed = judged.filter((j) => !j.expectation.passed);
  const good = failed.length === 0 && broken.length === 0;
  const parts: string[] = [];
  if (judged.length > 0) {
    parts.push(
      failed.length === 0
        ? judged.length === 1
          ? `The expectation holds${MEANING}`
          : `All ${formatNumber(judged.length, 7)} expectations hold${MEANING}`
        : `${formatNumber(failed.length, 7)} of ${formatNumber(judged.length, 7)} ${
            judged.length === 1 ? 'expectation' : 'expectations'
          } failed`,
    );
  } else if (broken.length === 0) {
    parts.push('No expectation was set');
  }
  if (broken.length > 0)
    parts.push(`${formatNumber(broken.length, 7)} of ${formatNumber(points.length, 7)} runs did not finish`);
  const state = good ? (judged.length === 0 ? 'neutral' : 'passed') : 'failed';
  const groups = new Map<string, Judged[]>();
  for (const j of judged) {
    const key = `${j.read.resultIndex} ${j.written}`;
    const group = groups.get(key) ?? [];
    group.push(j);
    groups.set(key, group);
  }
  const ordered = [...groups.values()].sort((a, b) => Number(holds(a)) - Number(holds(b)));
  const lines = [
    ...broken.map((read) => failureLine(read.point, whereOf(read, runs))),
    ...ordered.map((group) => judgedLine(group, runs)),
  ];
  const hidden = lines.length - LIST_LIMIT;
  return html`<p class="headline ${state}"><span class="sign" aria-hidden="true">${
    state === 'passed' ? '✓' : state === 'failed' ? '✗' : '·'
  }</span> ${parts.join('; ')}.</p>${
    lines.length === 0 ? undefined : html`<ul class="judged">${lines.slice(0, LIST_LIMIT)}</ul>`
  }${hidden > 0 ? html`<p class="note">${hidden} more are in the result file; the list begins with what failed.</p>` : undefined}`;
}

function holds(group: readonly Judged[]): boolean {
  return group.every((j) => j.expectation.passed);
}
