import type { Chart, LegendEntry, Row, Table } from '../chart.ts';
import { rounded } from '../chart.ts';
import { mappingOf, textOf } from '../document.ts';
import { aboutReading } from '../facts.ts';
import { formatBytes, formatDifference, formatNumber, formatQuantity } from '../format.ts';
import { sizeOfText } from '../quantity.ts';
import { type ChartSource, type Reading, readOf, resultName, variableWords } from '../reading.ts';
import { DASHES, INK } from '../theme.ts';
import { overshootPanel, pointStyle } from './overshoot-panel.ts';
import { seriesLabels } from './xy.ts';

const CHART_LIMIT = 6;
const CATEGORY_LIMIT = 40;
const SERIES_LIMIT = 24;
/** Rows of marks in a drawing that can still be read; a few series are drawn for any number of categories. */
const ROW_LIMIT = 288;
const LEAST_SERIES = 6;

interface Deviation {
  readonly category: string;
  readonly series: string;
  readonly percent: number;
  readonly measured: boolean;
  /** Of what was simulated. */
  readonly reading?: Reading;
}

/** Against the limit that the application set itself, or what it is entitled to; undefined where it is entitled to less. */
function percentOf({ deviationPercent, configuredBy, configuredBitsPerSecond, receivedBitsPerSecond }: Reading) {
  if (configuredBy !== 'its own limit' || configuredBitsPerSecond === undefined) return deviationPercent;
  return 100 * (receivedBitsPerSecond / configuredBitsPerSecond - 1);
}

/** Names of the variables that say how large, how fast and by which link; all others make the series. */
function rolesOf(source: ChartSource): { link: string | undefined; others: string[] } {
  const link = source.varying.find((name) => /link|bandwidth/i.test(name));
  const others = source.varying.filter((name) => name !== link && !/size|bytes|limit/i.test(name));
  return { link, others };
}

function categoryOf(reading: Reading): string {
  const transfer = reading.point.flows[reading.flow]?.transfer;
  const bytes = documentSize(reading) ?? transfer?.bytes ?? 0;
  return `${formatBytes(bytes)} at ${formatQuantity(reading.configuredBitsPerSecond as number, 'rate', 4)}`;
}

function documentSize(reading: Reading): number | undefined {
  const text = reading.point.variables.size;
  return text === undefined ? undefined : sizeOfText(text);
}

/** How far transfers miss their own limit, by size and limit; one chart a link. */
export function overshootCharts(source: ChartSource): Chart[] {
  const readings = source.points
    .flatMap((p) => p.readings)
    .filter((r) => r.level === 'transfer' && r.configuredBitsPerSecond !== undefined && percentOf(r) !== undefined);
  if (readings.length < 2) return [];
  const { link, others: roles } = rolesOf(source);
  const manyFlows = new Set(readings.map((r) => r.flow)).size > 1;
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const key = link === undefined ? '' : (reading.point.variables[link] ?? '');
    const group = groups.get(key) ?? [];
    group.push(reading);
    groups.set(key, group);
  }
  const drawn = farthestOf([...groups.keys()], CHART_LIMIT, (key) =>
    (groups.get(key) as Reading[]).map((r) => percentOf(r) as number),
  );
  return drawn.flatMap((key, index) => {
    const group = groups.get(key) as Reading[];
    const where = link === undefined || key === '' ? '' : variableWords(link, key);
    const deviations = group.flatMap((reading) => deviationsOf(source, reading, roles, manyFlows));
    const bound = group.every((r) => r.configuredBy === 'its own limit') ? 'its limit' : 'is configured';
    const others =
      groups.size > drawn.length && index === 0
        ? ` Drawn are ${drawn.length} of ${groups.size} values of ‹${link}›, those that stray farthest; the tables hold all.`
        : '';
    return deviations.length === 0 ? [] : [overshootChart(source, deviations, { where, bound, index, others })];
  });
}

/** At most `limit` of the names, those with the farthest deviations, in the order given. */
function farthestOf(
  names: readonly string[],
  limit: number,
  percentsOf: (name: string) => readonly number[],
): string[] {
  if (names.length <= limit) return [...names];
  const far = new Map(names.map((name) => [name, Math.max(...percentsOf(name).map(Math.abs))]));
  const kept = new Set([...names].sort((a, b) => (far.get(b) as number) - (far.get(a) as number)).slice(0, limit));
  return names.filter((name) => kept.has(name));
}

function seriesName(source: ChartSource, reading: Reading, others: readonly string[], manyFlows: boolean): string {
  const words = others
    .filter((name) => reading.point.variables[name] !== undefined)
    .map((name) =>
      name === 'version'
        ? `curl ${reading.point.variables[name]}`
        : variableWords(name, reading.point.variables[name] as string),
    );
  if (source.results.length > 1) words.unshift(resultName(source.results, reading.resultIndex));
  if (manyFlows) words.unshift(reading.flow);
  return words.join(', ') || sourceName(reading);
}

/** The flow by its program and version where the scenario tells, else by its name. */
function sourceName(reading: Reading): string {
  const written = mappingOf(mappingOf(mappingOf(reading.result.scenario.document).flows)[reading.flow]);
  const version = textOf(written.version);
  return version === undefined || version.includes('$')
    ? reading.flow
    : `${textOf(written.source) ?? ''} ${version}`.trim();
}

function deviationsOf(
  source: ChartSource,
  reading: Reading,
  others: readonly string[],
  manyFlows: boolean,
): Deviation[] {
  const category = categoryOf(reading);
  const list: Deviation[] = [
    {
      category,
      series: seriesName(source, reading, others, manyFlows),
      percent: percentOf(reading) as number,
      measured: false,
      reading,
    },
  ];
  for (const reference of reading.result.references) {
    if (reference.figure[0] !== 'flows' || reference.figure[1] !== reading.flow || reference.figure[2] !== 'transfer')
      continue;
    for (const row of reference.rows) {
      if (!matches(row, reference.variable, reading)) continue;
      const percent = measuredPercent(reference.figure[3], row.y, reading);
      if (percent !== undefined) list.push({ category, series: reference.label, percent, measured: true });
    }
  }
  return list;
}

function matches(
  row: { readonly x: number; readonly where?: Readonly<Record<string, string>> },
  variable: string,
  reading: Reading,
): boolean {
  const limit = reading.configuredBitsPerSecond as number;
  const size = documentSize(reading);
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.abs(b);
  const fits = /size|bytes/i.test(variable)
    ? size !== undefined && near(row.x, size)
    : near(row.x, limit) || near(8 * row.x, limit);
  if (!fits) return false;
  return Object.entries(row.where ?? {}).every(([name, value]) => {
    const own =
      reading.point.variables[name] ?? textOf(mappingOf(mappingOf(reading.result.scenario.document).vars)[name]);
    return own === undefined || own === value;
  });
}

function measuredPercent(figure: string | undefined, value: number, reading: Reading): number | undefined {
  const limit = reading.configuredBitsPerSecond as number;
  if (figure === 'bitsPerSecond') return 100 * (value / limit - 1);
  if (figure === 'deviationPercent') return value;
  if (figure === 'seconds') {
    const bytes = reading.point.flows[reading.flow]?.transfer?.bytes ?? 0;
    return value > 0 ? 100 * ((8 * bytes) / value / limit - 1) : undefined;
  }
  return undefined;
}

/** What tells one of the charts from the others. */
interface Place {
  /** The link in words; empty where there is one chart. */
  readonly where: string;
  /** What the rates are compared with. */
  readonly bound: string;
  readonly index: number;
  /** What is said of charts that are not drawn. */
  readonly others: string;
}

function overshootChart(source: ChartSource, all: readonly Deviation[], { where, bound, index, others }: Place): Chart {
  const every = all.filter((d) => !d.measured);
  const allCategories = [...new Set(all.map((d) => d.category))];
  const allNames = [...new Set(every.map((d) => d.series))];
  const references = [...new Set(all.filter((d) => d.measured).map((d) => d.series))];
  const percents = (key: 'category' | 'series') => (name: string) =>
    every.filter((d) => d[key] === name).map((d) => d.percent);
  const categories = farthestOf(allCategories, CATEGORY_LIMIT, percents('category'));
  const most = Math.max(LEAST_SERIES, Math.min(SERIES_LIMIT, Math.floor(ROW_LIMIT / categories.length)));
  const names = farthestOf(allNames, most, percents('series'));
  const shownLabels = seriesLabels([...allNames, ...references]);
  const labelOf = new Map([...allNames, ...references].map((name, i) => [name, shownLabels[i] as string]));
  const shown = new Set([...names, ...references]);
  const drawn = all.filter((d) => shown.has(d.series) && categories.includes(d.category));
  const claims = every.filter(({ reading }) => reading?.deviationPercent !== undefined);
  const worst = (claims.length > 0 ? claims : every).reduce((a, b) =>
    Math.abs(b.percent) > Math.abs(a.percent) + 1e-9 ? b : a,
  );
  const read = worst.reading === undefined ? undefined : readOf(source, worst.reading);
  const sizes = drawn.map((d) => Math.abs(d.percent)).filter((p) => p > 0);
  const decades = Math.max(...sizes, 1) > 200;
  const simulatedLabels = names.map((name) => labelOf.get(name) as string);
  const legend: LegendEntry[] = [
    ...simulatedLabels.map((label, i) => ({
      label,
      ...pointStyle(i),
      dash: DASHES[0] as readonly number[],
      sign: 'point' as const,
      switchable: true,
    })),
    ...references.map((name) => ({
      label: labelOf.get(name) as string,
      colour: INK.light,
      dash: [],
      shape: 'tick',
      sign: 'point' as const,
      switchable: true,
    })),
  ];
  const rows: Row[] = drawn.map((d) => ({
    role: d.measured ? 'measured' : 'simulated',
    series: labelOf.get(d.series) as string,
    y: d.category,
    x: rounded(d.percent),
  }));
  const difference = formatDifference(worst.percent);
  return {
    name: index === 0 ? 'overshoot' : `overshoot-${index + 1}`,
    title: `${where === '' ? '' : `With ${where}: `}${labelOf.get(worst.series)} gets ${difference} ${
      difference === 'the same' ? 'as' : 'than'
    } ${bound} for ${worst.category}`,
    strayPercent: Math.abs(worst.percent),
    ...(read === undefined || worst.reading === undefined ? {} : { about: aboutReading(read, worst.reading) }),
    note: `Average rate of the transfer against ${
      bound === 'its limit' ? 'the limit that it was given; zero is as asked' : 'what is configured'
    }.${
      decades ? ' The scale is logarithmic away from zero.' : ''
    }${references.length > 0 ? ' Upright strokes were measured on real machines.' : ''}${partWords(
      names.length,
      allNames.length,
      'series',
    )}${partWords(categories.length, allCategories.length, 'transfers')}${others}`,
    legend,
    panels: [overshootPanel(rows, categories, simulatedLabels, decades)],
    arrange: 'stack',
    first: 0,
    table: tableOf(allCategories, [...allNames, ...references], all, labelOf),
  };
}

/** What is said where a part is drawn only. */
function partWords(drawn: number, count: number, what: string): string {
  return drawn === count ? '' : ` Drawn are the ${drawn} of ${count} ${what} that stray farthest; the table holds all.`;
}

function tableOf(
  categories: readonly string[],
  names: readonly string[],
  all: readonly Deviation[],
  labelOf: ReadonlyMap<string, string>,
): Table {
  const cells = new Map<string, number[]>();
  for (const { category, series, percent } of all) {
    const key = `${category}\n${series}`;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [percent]);
    else cell.push(percent);
  }
  const cellOf = (category: string, name: string): string | null => {
    const sorted = cells.get(`${category}\n${name}`)?.sort((a, b) => a - b);
    return sorted === undefined ? null : formatNumber(sorted[Math.floor((sorted.length - 1) / 2)] as number, 3);
  };
  const caption = 'Deviation from the limit (of several runs: the median)';
  const labels = names.map((name) => labelOf.get(name) as string);
  const percent = (label: string) => ({ label, unit: '%', number: true });
  // The longer list goes down, so that the table fits the page.
  return names.length > categories.length
    ? {
        caption,
        columns: [{ label: 'Series', number: false, order: labels }, ...categories.map(percent)],
        rows: names.map((name, i) => [labels[i] as string, ...categories.map((category) => cellOf(category, name))]),
      }
    : {
        caption,
        columns: [{ label: 'Transfer', number: false }, ...labels.map(percent)],
        rows: categories.map((category) => [category, ...names.map((name) => cellOf(category, name))]),
      };
}
