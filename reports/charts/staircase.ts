import type { Chart, Table } from '../chart.ts';
import { mappingOf, textOf } from '../document.ts';
import { aboutReading } from '../facts.ts';
import { formatDifference, formatNumber, formatQuantity, unitFor } from '../format.ts';
import {
  type ChartSource,
  farthest,
  LEVEL_WORDS,
  type Reading,
  rateVariable,
  readOf,
  resultName,
  variableWords,
} from '../reading.ts';
import { domainOf, type Guide, seriesLabels, type XySeries, xyLegend, xyPanel } from './xy.ts';

const SERIES_LIMIT = 12;

/** What a line of the staircase has in common: the flow and the values of all other variables. */
function lineName(source: ChartSource, reading: Reading, others: readonly string[], manyFlows: boolean): string {
  const words = others
    .filter((name) => reading.point.variables[name] !== undefined)
    .map((name) => variableWords(name, reading.point.variables[name] as string));
  if (source.results.length > 1) words.unshift(resultName(source.results, reading.resultIndex));
  if (manyFlows) words.unshift(reading.flow);
  if (words.length > 0) return words.join(', ');
  return kernelOf(reading) ?? reading.flow;
}

function kernelOf(reading: Reading): string | undefined {
  const read = mappingOf(reading.result.scenario.document);
  for (const hop of Object.values(mappingOf(read.hops))) {
    const kernel = textOf(mappingOf(hop).kernel);
    if (kernel !== undefined && !kernel.includes('$'))
      return kernel === 'thread' ? "the thread's kernel" : `kernel ${kernel}`;
  }
  return undefined;
}

function evenly<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  return Array.from({ length: limit }, (_, i) => items[Math.round((i * (items.length - 1)) / (limit - 1))] as T);
}

/** Configured against received rate: steps show where the arithmetic of the limiter rounds. */
export function staircaseCharts(source: ChartSource): Chart[] {
  const readings = source.points
    .flatMap((p) => p.readings)
    .filter((r) => r.configuredBitsPerSecond !== undefined && r.level !== 'transfer');
  if (new Set(readings.map((r) => r.configuredBitsPerSecond)).size < 3) return [];
  const rateName = rateVariable(readings, source.varying);
  const others = source.varying.filter((name) => name !== rateName);
  const manyFlows = new Set(readings.map((r) => r.flow)).size > 1;
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const name = lineName(source, reading, others, manyFlows);
    const group = groups.get(name) ?? [];
    group.push(reading);
    groups.set(name, group);
  }
  const drawn = evenly(
    [...groups].filter(([, group]) => new Set(group.map((r) => r.configuredBitsPerSecond)).size >= 3),
    SERIES_LIMIT,
  );
  if (drawn.length === 0) return [];
  const all = drawn.flatMap(([, group]) => group);
  const largest = Math.max(...all.map((r) => Math.max(r.configuredBitsPerSecond as number, r.receivedBitsPerSecond)));
  const unit = unitFor('rate', largest);
  const references = source.results.flatMap((result) =>
    result.references.filter((r) => r.variable === rateName && r.figure[2] === 'bitsPerSecond'),
  );
  const labels = seriesLabels([...drawn.map(([name]) => name), ...references.map((r) => r.label)]);
  const series: XySeries[] = [
    ...drawn.map(([, group], i) => ({
      label: labels[i] as string,
      points: group
        .map((r) => ({
          x: (r.configuredBitsPerSecond as number) / unit.factor,
          y: r.receivedBitsPerSecond / unit.factor,
        }))
        .sort((a, b) => a.x - b.x),
    })),
    ...references.map((reference, i) => ({
      label: labels[drawn.length + i] as string,
      measured: true,
      points: reference.rows
        .map((row) => ({ x: row.x / unit.factor, y: row.y / unit.factor }))
        .sort((a, b) => a.x - b.x),
    })),
  ];
  const xs = series.flatMap((s) => s.points.map((p) => p.x));
  const ys = series.flatMap((s) => s.points.map((p) => p.y));
  const xDomain = domainOf(xs, false);
  const yDomain = domainOf([...ys, Math.min(...xs), Math.max(...xs)], false);
  const guides: Guide[] = [{ label: 'as configured', from: [xDomain[0], xDomain[0]], to: [xDomain[1], xDomain[1]] }];
  const worst = farthest(all);
  const read = readOf(source, worst);
  const worstName = labels[drawn.findIndex(([, group]) => group.includes(worst))] as string;
  const levels = new Set(all.map((r) => r.level));
  const counted = levels.size === 1 ? LEVEL_WORDS[worst.level] : 'what the limiter of each run counts';
  return [
    {
      name: 'staircase',
      title: titleOf(worst, worstName),
      ...(read === undefined ? {} : { about: aboutReading(read, worst) }),
      counted,
      note: `Each point is one run. Received counts ${counted}; a limiter that keeps its word follows the dashed line.${
        references.length > 0 ? ' Outlined points were measured on real machines.' : ''
      }${groups.size > drawn.length ? ` ${drawn.length} of ${groups.size} lines are drawn; the tables hold all.` : ''}`,
      legend: xyLegend(series, guides),
      panels: [
        xyPanel({
          x: { title: 'Configured', unit: unit.name, domain: xDomain },
          y: { title: 'Received', unit: unit.name, domain: yDomain },
          series,
          guides,
          height: 340,
        }),
      ],
      arrange: 'stack',
      first: 0,
      table: tableOf(series, unit.name),
    },
  ];
}

function titleOf(reading: Reading, name: string): string {
  const configured = formatQuantity(reading.configuredBitsPerSecond as number, 'rate', 4);
  const received = formatQuantity(reading.receivedBitsPerSecond, 'rate', 4);
  if (reading.deviationPercent === undefined) return 'No rate is missed that a flow is entitled to';
  const difference = formatDifference(reading.deviationPercent);
  if (difference === 'the same') return `Every rate comes out as configured, within 0.005\u00a0%`;
  return /^(kernel|the thread)/.test(name) || name === reading.flow
    ? `At ${configured}, ${name} sends ${received}, ${difference}`
    : `${name}: at ${configured}, ${received} come out, ${difference}`;
}

function tableOf(series: readonly XySeries[], unit: string): Table {
  const xs = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  const bySeries = series.map((s) => new Map(s.points.map((p) => [p.x, p.y])));
  return {
    caption: 'Configured and received rate',
    columns: [
      { label: 'Configured', unit, number: true },
      ...series.flatMap((s) => [
        { label: s.label, unit, number: true },
        { label: 'Deviation', unit: '%', number: true },
      ]),
    ],
    rows: xs.map((x) => [
      formatNumber(x, 7),
      ...bySeries.flatMap((values) => {
        const y = values.get(x);
        return y === undefined ? [null, null] : [formatNumber(y), formatNumber(100 * (y / x - 1), 3)];
      }),
    ]),
  };
}
