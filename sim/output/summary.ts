import type { ExpectationResult, Result } from '../run/result.ts';
import { visible, visibleLines } from '../scenario/visible-text.ts';
import { deviation, figure, fixed, measureOf } from './figures.ts';
import { pointSummary } from './point-summary.ts';
import type { PointReading } from './reading.ts';
import { sweepTable } from './sweep-table.ts';
import { type Style, styleOf, type Terminal } from './terminal.ts';

/** Failed expectations beyond this number are counted, not listed. */
const LISTED_FAILURES = 20;

/**
 * A result as people read it: a table for a sweep, everything for a single point, and what became of the expectations.
 *
 * @param readings the points of the result, in the same order
 * @param all whether a single point is shown in full, however many flows and classes it has
 */
export function summarize(result: Result, readings: readonly PointReading[], terminal: Terminal, all = false): string {
  const style = styleOf(terminal);
  const single = readings.length === 1 ? readings[0] : undefined;
  const title = style.bold(visible(result.title === '' ? result.scenario.file : result.title));
  const parts = [[title, header(result, style)]];
  if (single !== undefined && single.point.failed === undefined) {
    parts.push(pointSummary(single, { style, terminal, all }), referenceLines(single));
  } else if (readings.length > 0) {
    parts.push([''], sweepTable(readings, terminal, style));
  }
  parts.push(single !== undefined ? everyExpectation(single, style) : failures(readings, style));
  return `${parts.flat().join('\n')}\n`;
}

function header({ points, seed, run }: Result, style: Style): string {
  const [first] = points;
  const same = (value: (point: (typeof points)[number]) => number) => points.every((p) => value(p) === value(first!));
  const parts =
    points.length === 1 ? Object.entries(first!.variables).map(([name, value]) => visible(`${name}=${value}`)) : [];
  if (points.length !== 1) parts.push(`${fixed(points.length, 0)} points`);
  parts.push(`seed ${seed}`);
  if (first !== undefined && same((point) => point.durationSeconds) && same((point) => point.warmupSeconds)) {
    const warmup = first.warmupSeconds > 0 ? `, rates from ${figure(first.warmupSeconds, 'time')} on` : '';
    parts.push(`${figure(first.durationSeconds, 'time')} simulated${warmup}`);
  }
  const events = points.reduce((sum, point) => sum + point.events, 0);
  parts.push(`${fixed(events, 0)} events in ${fixed(run.wallSeconds, 2)} s`);
  return style.dim(parts.join(' · '));
}

function referenceLines({ references }: PointReading): string[] {
  if (references.length === 0) return [];
  const lines = references.map(({ label, figure: path, measured, actual, deviationPercent }) => {
    const measure = measureOf(path);
    const here = `${figure(actual, measure)} here, ${deviation(deviationPercent)}`;
    return `  ${visible(label)}: ${figure(measured, measure)} measured, ${here}`;
  });
  return ['', 'reference', ...lines];
}

function everyExpectation({ point }: PointReading, style: Style): string[] {
  if (point.failed !== undefined) return ['', style.bad(`did not run: ${visibleLines(point.failed)}`)];
  if (point.expectations.length === 0) return [];
  return ['', 'expectations', ...point.expectations.map((expectation) => expectationLine(expectation, style))];
}

function failures(readings: readonly PointReading[], style: Style): string[] {
  const judged = readings.flatMap(({ point }) => point.expectations.map((expectation) => ({ point, expectation })));
  const failed = judged.filter(({ expectation }) => !expectation.passed);
  const broken = readings.filter(({ point }) => point.failed !== undefined);
  const lines: string[] = [];
  for (const { point } of broken.slice(0, LISTED_FAILURES)) {
    lines.push(`${style.bad('✗ did not run')}  ${variablesText(point.variables)}: ${visibleLines(point.failed ?? '')}`);
  }
  for (const { point, expectation } of failed.slice(0, LISTED_FAILURES)) {
    lines.push(`  ${variablesText(point.variables)}`, expectationLine(expectation, style));
  }
  const unlisted = failed.length - LISTED_FAILURES;
  if (unlisted > 0) lines.push(`  … and ${fixed(unlisted, 0)} more`);
  if (judged.length > 0) lines.push(verdict(judged.length - failed.length, judged.length, style));
  return lines.length === 0 ? [] : ['', ...lines];
}

function verdict(passed: number, all: number, style: Style): string {
  if (passed === all) return style.good(`✓ all ${fixed(all, 0)} expectations passed`);
  return style.bad(`✗ ${fixed(all - passed, 0)} of ${fixed(all, 0)} expectations failed`);
}

function expectationLine({ text: line, passed, actual, expected }: ExpectationResult, style: Style): string {
  const text = visible(line);
  const measure = measureOf((text.split(/\s/)[0] ?? '').split('.'));
  const show = (value: ExpectationResult['actual']): string => {
    if (value === null) return 'no such figure';
    return typeof value === 'number' ? figure(value, measure) : visible(String(value));
  };
  if (passed) return `  ${style.good('✓ passed')}  ${text}${style.dim(`   ${show(actual)}`)}`;
  const relative =
    typeof actual === 'number' && typeof expected === 'number' && expected !== 0
      ? ` (${deviation(100 * (actual / expected - 1))})`
      : '';
  return `  ${style.bad('✗ failed')}  ${text}   got ${show(actual)}, expected ${show(expected)}${relative}`;
}

function variablesText(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => visible(`${name}=${value}`))
    .join(' ');
}
