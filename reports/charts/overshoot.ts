import type { Chart, Layout, LegendEntry, Panel, Row, Size, Table } from '../chart.ts';
import { rounded } from '../chart.ts';
import { mappingOf, textOf } from '../document.ts';
import { aboutReading } from '../facts.ts';
import { formatBytes, formatDifference, formatNumber, formatQuantity } from '../format.ts';
import { sizeOfText } from '../quantity.ts';
import { type ChartSource, type Reading, readOf, resultName, variableWords } from '../reading.ts';
import { DASHES, INK, MUTED, SERIES, SHAPES } from '../theme.ts';
import { domainOf, narrowLabelsPx, seriesLabels } from './xy.ts';

const CHART_LIMIT = 6;
const SERIES_LIMIT = 6;
const CATEGORY_LIMIT = 40;

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
  const { link, others } = rolesOf(source);
  const manyFlows = new Set(readings.map((r) => r.flow)).size > 1;
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const key = link === undefined ? '' : (reading.point.variables[link] ?? '');
    const group = groups.get(key) ?? [];
    group.push(reading);
    groups.set(key, group);
  }
  return [...groups].slice(0, CHART_LIMIT).flatMap(([key, group], index) => {
    const where = link === undefined || key === '' ? '' : variableWords(link, key);
    const deviations = group.flatMap((reading) => deviationsOf(source, reading, others, manyFlows));
    const bound = group.every((r) => r.configuredBy === 'its own limit') ? 'its limit' : 'is configured';
    return deviations.length === 0 ? [] : [overshootChart(source, deviations, where, bound, index)];
  });
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

function overshootChart(
  source: ChartSource,
  all: readonly Deviation[],
  where: string,
  bound: string,
  index: number,
): Chart {
  const categories = [...new Set(all.map((d) => d.category))].slice(0, CATEGORY_LIMIT);
  const names = [...new Set(all.filter((d) => !d.measured).map((d) => d.series))].slice(0, SERIES_LIMIT);
  const references = [...new Set(all.filter((d) => d.measured).map((d) => d.series))];
  const shownLabels = seriesLabels([...names, ...references]);
  const labelOf = new Map([...names, ...references].map((name, i) => [name, shownLabels[i] as string]));
  const drawn = all.filter((d) => labelOf.has(d.series) && categories.includes(d.category));
  const simulated = drawn.filter((d) => !d.measured);
  const claims = simulated.filter(({ reading }) => reading?.deviationPercent !== undefined);
  const worst = (claims.length > 0 ? claims : simulated).reduce((a, b) =>
    Math.abs(b.percent) > Math.abs(a.percent) + 1e-9 ? b : a,
  );
  const read = worst.reading === undefined ? undefined : readOf(source, worst.reading);
  const sizes = drawn.map((d) => Math.abs(d.percent)).filter((p) => p > 0);
  const decades = Math.max(...sizes, 1) > 200;
  const simulatedLabels = names.map((name) => labelOf.get(name) as string);
  const legend: LegendEntry[] = [
    ...simulatedLabels.map((label, i) => ({
      label,
      colour: (SERIES[i % SERIES.length] as (typeof SERIES)[number]).light,
      dash: DASHES[0] as readonly number[],
      shape: SHAPES[i % SHAPES.length] as string,
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
    }${references.length > 0 ? ' Upright strokes were measured on real machines.' : ''}`,
    legend,
    panels: [overshootPanel(rows, categories, simulatedLabels, decades)],
    arrange: 'stack',
    first: 0,
    table: tableOf(categories, [...names, ...references], drawn, labelOf),
  };
}

function tableOf(
  categories: readonly string[],
  names: readonly string[],
  drawn: readonly Deviation[],
  labelOf: ReadonlyMap<string, string>,
): Table {
  const median = (values: readonly number[]): number => {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)] as number;
  };
  return {
    caption: 'Deviation from the limit (of several runs: the median)',
    columns: [
      { label: 'Transfer', number: false },
      ...names.map((name) => ({ label: labelOf.get(name) as string, unit: '%', number: true })),
    ],
    rows: categories.map((category) => [
      category,
      ...names.map((name) => {
        const values = drawn.filter((d) => d.category === category && d.series === name).map((d) => d.percent);
        return values.length === 0 ? null : formatNumber(median(values), 3);
      }),
    ]),
  };
}

function overshootPanel(
  rows: readonly Row[],
  categories: readonly string[],
  names: readonly string[],
  decades: boolean,
): Panel {
  const values = rows.map((r) => r.x as number);
  const linear = domainOf([0, ...values], false);
  const domain: [number, number] = decades
    ? [Math.min(-1, 1.3 * Math.min(...values)), Math.max(10, 1.6 * Math.max(...values))]
    : linear;
  const measured = rows.some((r) => r.role === 'measured');
  const layout = (size: Size): Layout => {
    const height = categories.length * Math.max(26, 9 * names.length + 10);
    return size.narrow
      ? { left: narrowLabelsPx(categories), top: 10, right: 16, bottom: 46, height }
      : { left: 168, top: 10, right: 24, bottom: 46, height };
  };
  return {
    label: 'Deviation',
    rows,
    fields: [
      { name: 'series', label: 'Series', unit: '' },
      { name: 'y', label: 'Transfer', unit: '' },
      { name: 'x', label: 'Deviation', unit: '%' },
    ],
    x: { type: decades ? 'symlog' : 'linear', domain },
    y: { type: 'band', domain: [...categories] },
    layout,
    spec: (size) => {
      const ticks = (
        size.narrow ? [-100, -10, 0, 10, 100, 1000, 10_000, 100_000] : [-10, -1, 0, 1, 10, 100, 1000, 10_000, 100_000]
      ).filter((t) => t >= domain[0] && t <= domain[1]);
      const x = {
        field: 'x',
        type: 'quantitative',
        scale: { type: decades ? 'symlog' : 'linear', domain, nice: false, zero: false },
        axis: {
          title: 'Deviation from the limit (%)',
          grid: true,
          labelOverlap: true,
          ...(decades ? { values: ticks } : { tickCount: size.narrow ? 4 : 8 }),
        },
      };
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: { domain: [...categories], paddingInner: 0.3, paddingOuter: 0.15 },
        axis: {
          title: null,
          labelColor: INK.light,
          labelLimit: 0,
          labelFontSize: size.narrow ? 11 : 12,
        },
      };
      const offset = { field: 'series', type: 'nominal', sort: null, scale: { domain: [...names] } };
      const styles = {
        color: {
          field: 'series',
          type: 'nominal',
          scale: {
            domain: [...names],
            range: names.map((_, i) => (SERIES[i % SERIES.length] as (typeof SERIES)[number]).light),
          },
          legend: null,
        },
        shape: {
          field: 'series',
          type: 'nominal',
          scale: { domain: [...names], range: names.map((_, i) => SHAPES[i % SHAPES.length] as string) },
          legend: null,
        },
      };
      const simulated = [{ filter: { field: 'role', equal: 'simulated' } }];
      return {
        layer: [
          {
            name: 'guide',
            data: { values: [{ x: 0 }] },
            mark: { type: 'rule', color: MUTED.light, strokeWidth: 1.5, strokeDash: [4, 3] },
            encoding: { x },
          },
          ...(measured
            ? [
                {
                  name: 'measured',
                  transform: [{ filter: { field: 'role', equal: 'measured' } }],
                  mark: {
                    type: 'tick',
                    orient: 'vertical',
                    color: INK.light,
                    thickness: 1.5,
                    size: 18,
                    opacity: 0.75,
                    clip: true,
                  },
                  encoding: { x, y },
                },
              ]
            : []),
          {
            name: 'stem',
            transform: simulated,
            mark: { type: 'rule', strokeWidth: 1.5, opacity: 0.55 },
            encoding: { x: { ...x, field: 'x' }, x2: { datum: 0 }, y, yOffset: offset, color: styles.color },
          },
          {
            name: 'point',
            transform: simulated,
            mark: { type: 'point', filled: true, size: 70, opacity: 1 },
            encoding: { x, y, yOffset: offset, ...styles },
          },
        ],
        resolve: { scale: { color: 'independent', shape: 'independent' } },
      };
    },
  };
}
