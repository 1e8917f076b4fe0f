import type { Chart, Layout, LegendEntry, Panel, Row, Size } from '../chart.ts';
import { rounded } from '../chart.ts';
import { aboutReading } from '../facts.ts';
import { formatDifference, formatNumber, formatQuantity, unitFor } from '../format.ts';
import { type ChartSource, farthest, LEVEL_WORDS, pointWords, type Reading, readOf } from '../reading.ts';
import { INK, MUTED, SERIES, SHAPES } from '../theme.ts';
import { overshootCharts } from './overshoot.ts';
import { firstQuantity, responseLine } from './response-line.ts';
import { staircaseCharts } from './staircase.ts';
import { domainOf, narrowLabelsPx, seriesLabels } from './xy.ts';

const POINT_LIMIT = 40;
const FLOW_LIMIT = 6;

/**
 * What each flow gets at each point of a grid: over a number that varies, or one row a point. Grids of rates that make
 * a staircase, and transfers by size and limit, have drawings of their own.
 */
export function responseCharts(source: ChartSource): Chart[] {
  const { points } = source;
  if (points.length < 2 || source.varying.length === 0 || source.results.length > 1) return [];
  const readings = points.flatMap((p) => p.readings);
  const rates = new Set(readings.map((r) => r.configuredBitsPerSecond));
  if (readings.length === 0 || staircaseCharts(source).length > 0) return [];
  const quantity = firstQuantity(source);
  const transfers = readings.some((r) => r.level === 'transfer') && overshootCharts(source).length > 0;
  if (transfers && (quantity === undefined || /size|bytes|limit|link|bandwidth/i.test(quantity.name))) return [];
  const levels = new Set(readings.map((r) => r.level));
  const counted = levels.size === 1 ? { counted: LEVEL_WORDS[(readings[0] as Reading).level] } : {};
  const worst = farthest(readings);
  const read = readOf(source, worst);
  const about = read === undefined ? {} : { about: aboutReading(read, worst) };
  if (quantity !== undefined)
    return [{ ...responseLine(source, quantity, readings, titleOf(source, readings)), ...counted, ...about }];
  const drawnPoints = points.slice(0, POINT_LIMIT);
  const flows = [...new Set(readings.map((r) => r.flow))].slice(0, FLOW_LIMIT);
  const flowLabels = seriesLabels(flows);
  const pointLabels = seriesLabels(drawnPoints.map((p) => pointWords(p, source.varying)));
  const unit = unitFor(
    'rate',
    Math.max(...readings.map((r) => Math.max(r.receivedBitsPerSecond, r.configuredBitsPerSecond ?? 0))),
  );
  const rows: Row[] = drawnPoints.flatMap((p, i) =>
    p.readings
      .filter((r) => flows.includes(r.flow))
      .map((r) => ({
        series: flowLabels[flows.indexOf(r.flow)] as string,
        y: pointLabels[i] as string,
        x: rounded(r.receivedBitsPerSecond / unit.factor),
        configured: r.configuredBitsPerSecond === undefined ? null : rounded(r.configuredBitsPerSecond / unit.factor),
        result: r.resultIndex,
        point: r.pointIndex,
      })),
  );
  const bounds = [...rates].filter((r) => r !== undefined).map((r) => rounded(r / unit.factor));
  const legend: LegendEntry[] = [
    ...flowLabels.map((label, i) => ({
      label,
      colour: colourOf(i),
      dash: [],
      shape: SHAPES[i % SHAPES.length] as string,
      sign: 'point' as const,
      switchable: true,
    })),
    ...(bounds.length === 0
      ? []
      : [
          {
            label: 'configured',
            colour: MUTED.light,
            dash: [4, 3],
            shape: 'none',
            sign: 'line' as const,
            switchable: false,
          },
        ]),
  ];
  return [
    {
      name: 'response',
      title: titleOf(source, readings),
      ...counted,
      ...about,
      note: `Each row is one run; the dashed line is what is configured.${
        points.length > drawnPoints.length ? ` The first ${drawnPoints.length} of ${points.length} runs are drawn.` : ''
      }`,
      legend,
      panels: [responsePanel(rows, pointLabels, flowLabels, bounds, unit.name)],
      arrange: 'stack',
      first: 0,
      table: {
        caption: 'Received in each run',
        columns: [
          { label: 'Run', number: false },
          { label: 'Flow', number: false },
          { label: 'Configured', unit: unit.name, number: true },
          { label: 'Received', unit: unit.name, number: true },
        ],
        rows: rows.map((r) => [
          r.y as string,
          r.series as string,
          r.configured === null ? null : formatNumber(r.configured as number),
          formatNumber(r.x as number),
        ]),
      },
    },
  ];
}

function colourOf(index: number): string {
  return (SERIES[index % SERIES.length] as (typeof SERIES)[number]).light;
}

function titleOf(source: ChartSource, readings: readonly Reading[]): string {
  const worst = farthest(readings);
  const read = readOf(source, worst);
  if (worst.deviationPercent === undefined) return plainTitle(source, readings);
  const where = read === undefined ? '' : `With ${pointWords(read, source.varying)}, `;
  const received = formatQuantity(worst.receivedBitsPerSecond, 'rate', 4);
  const configured = formatQuantity(worst.configuredBitsPerSecond as number, 'rate', 4);
  const difference = formatDifference(worst.deviationPercent);
  return difference === 'the same'
    ? `In every run what is configured comes out: ${configured}`
    : `${where}${worst.flow} gets ${received} where ${configured} is configured, ${difference}`;
}

/** The finding where nothing is missed that a flow is entitled to: between which rates the first flow moves. */
function plainTitle(source: ChartSource, readings: readonly Reading[]): string {
  const flow = readings[0]?.flow ?? '';
  const rates = readings.filter((r) => r.flow === flow).map((r) => r.receivedBitsPerSecond);
  const [least, most] = [Math.min(...rates), Math.max(...rates)].map((rate) => formatQuantity(rate, 'rate', 4));
  const span = least === most ? `${most}` : `between ${least} and ${most}`;
  return `${flow} gets ${span} in ${formatNumber(source.points.length)} runs; no flow misses a rate that it is entitled to`;
}

function responsePanel(
  rows: readonly Row[],
  points: readonly string[],
  flows: readonly string[],
  bounds: readonly number[],
  unitName: string,
): Panel {
  const domain = domainOf([0, ...rows.map((r) => r.x as number), ...bounds], true);
  const layout = (size: Size): Layout => {
    const height = points.length * Math.max(26, 8 * flows.length + 10);
    return size.narrow
      ? { left: narrowLabelsPx(points), top: 10, right: 16, bottom: 46, height }
      : { left: 210, top: 10, right: 24, bottom: 46, height };
  };
  return {
    label: 'Received',
    rows,
    fields: [
      { name: 'series', label: 'Flow', unit: '' },
      { name: 'y', label: 'Run', unit: '' },
      { name: 'x', label: 'Received', unit: unitName },
      { name: 'configured', label: 'Configured', unit: unitName },
    ],
    x: { type: 'linear', domain },
    y: { type: 'band', domain: [...points] },
    layout,
    spec: (size) => {
      const x = {
        field: 'x',
        type: 'quantitative',
        scale: { domain, nice: false },
        axis: { title: `Received (${unitName})`, grid: true, labelOverlap: true, tickCount: size.narrow ? 4 : 8 },
      };
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: { domain: [...points], paddingInner: 0.3, paddingOuter: 0.15 },
        axis: { title: null, labelColor: INK.light, labelLimit: 0, labelFontSize: size.narrow ? 11 : 12 },
      };
      const yOffset = { field: 'series', type: 'nominal', sort: null, scale: { domain: [...flows] } };
      const color = {
        field: 'series',
        type: 'nominal',
        scale: { domain: [...flows], range: flows.map((_, i) => colourOf(i)) },
        legend: null,
      };
      const shape = {
        field: 'series',
        type: 'nominal',
        scale: { domain: [...flows], range: flows.map((_, i) => SHAPES[i % SHAPES.length] as string) },
        legend: null,
      };
      return {
        layer: [
          {
            name: 'guide',
            data: { values: bounds.map((bound) => ({ x: bound })) },
            mark: { type: 'rule', color: MUTED.light, strokeWidth: 1.5, strokeDash: [4, 3] },
            encoding: { x },
          },
          {
            name: 'stem',
            mark: { type: 'rule', strokeWidth: 1.5, opacity: 0.55 },
            encoding: { x, x2: { datum: 0 }, y, yOffset, color },
          },
          {
            name: 'point',
            mark: { type: 'point', filled: true, size: 70, opacity: 1 },
            encoding: { x, y, yOffset, color, shape },
          },
        ],
        resolve: { scale: { color: 'independent', shape: 'independent' } },
      };
    },
  };
}
