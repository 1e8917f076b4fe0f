import type { Chart } from '../chart.ts';
import { formatNumber, unitFor } from '../format.ts';
import type { QuantityKind } from '../quantity.ts';
import { type ChartSource, type Reading, variableWords } from '../reading.ts';
import { quantityVaried, valuesOf } from '../variables.ts';
import { type AxisSpec, domainOf, type Guide, seriesLabels, type XySeries, xyLegend, xyPanel } from './xy.ts';

const SERIES_LIMIT = 12;
/** From this ratio of the largest to the smallest value on, the axis is logarithmic. */
const LOG_FROM = 20;

/** A variable that is a quantity at every point. */
interface Quantity extends QuantityKind {
  readonly name: string;
}

/** The first variable with three values or more that are all quantities. */
export function firstQuantity({ points, varying }: ChartSource): Quantity | undefined {
  for (const name of varying) {
    const kind = valuesOf(points, name).length < 3 ? undefined : quantityVaried(points, name);
    if (kind !== undefined) return { name, ...kind };
  }
  return undefined;
}

/** What each flow gets over a number that varies; a line for each flow and the values of all other variables. */
export function responseLine(
  source: ChartSource,
  quantity: Quantity,
  readings: readonly Reading[],
  title: string,
): Chart {
  const { name, measure, read } = quantity;
  const others = source.varying.filter((other) => other !== name);
  const manyFlows = new Set(readings.map((r) => r.flow)).size > 1;
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const words = others.map((other) => variableWords(other, reading.point.variables[other] ?? ''));
    const key = [...(manyFlows || words.length === 0 ? [reading.flow] : []), ...words].join(', ');
    const group = groups.get(key) ?? [];
    group.push(reading);
    groups.set(key, group);
  }
  const drawn = [...groups].slice(0, SERIES_LIMIT);
  const labels = seriesLabels(drawn.map(([key]) => key));
  const all = drawn.flatMap(([, group]) => group);
  const bounds = [...new Set(all.flatMap((r) => r.configuredBitsPerSecond ?? []))];
  const unit = unitFor('rate', Math.max(...all.map((r) => r.receivedBitsPerSecond), ...bounds));
  const xOf = (reading: Reading): number => read(reading.point.variables[name] ?? '') ?? 0;
  const xs = all.map(xOf);
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const xUnit = unitFor(measure, most);
  const series: XySeries[] = drawn.map(([, group], i) => ({
    label: labels[i] as string,
    points: group
      .map((r) => ({ x: xOf(r) / xUnit.factor, y: r.receivedBitsPerSecond / unit.factor }))
      .sort((a, b) => a.x - b.x),
  }));
  const isLog = least > 0 && most / least >= LOG_FROM;
  const x: AxisSpec = {
    title: name,
    unit: xUnit.name,
    domain: isLog
      ? [least / xUnit.factor / 1.15, (most / xUnit.factor) * 1.15]
      : domainOf([least / xUnit.factor, most / xUnit.factor], false),
    ...(isLog ? { type: 'log' } : {}),
  };
  const guides: Guide[] = bounds.map((bound) => ({
    label: 'configured',
    from: [x.domain[0], bound / unit.factor],
    to: [x.domain[1], bound / unit.factor],
  }));
  const ys = [...series.flatMap(({ points }) => points.map((p) => p.y)), ...bounds.map((bound) => bound / unit.factor)];
  return {
    name: 'response',
    title,
    note: `Each point is one run${bounds.length > 0 ? '; the dashed line is what is configured' : ''}.${
      groups.size > drawn.length ? ` ${drawn.length} of ${groups.size} lines are drawn; the tables hold all.` : ''
    }`,
    legend: xyLegend(series, guides),
    panels: [
      xyPanel({
        x,
        y: { title: 'Received', unit: unit.name, domain: domainOf([0, ...ys], true) },
        series,
        guides,
        height: 320,
      }),
    ],
    arrange: 'stack',
    first: 0,
    table: {
      caption: 'Received in each run',
      columns: [
        { label: name, unit: xUnit.name, number: true },
        { label: 'Line', number: false },
        { label: 'Received', unit: unit.name, number: true },
      ],
      rows: series.flatMap(({ label, points }) => points.map((p) => [formatNumber(p.x), label, formatNumber(p.y)])),
    },
  };
}
