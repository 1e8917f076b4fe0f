import type { DelayHistogram } from '../../sim/run/result.ts';
import type { Chart } from '../chart.ts';
import { formatNumber, formatQuantity, unitFor } from '../format.ts';
import type { ChartSource } from '../reading.ts';
import { placeOf, seriesLabels, xyLegend, xyPanel } from './xy.ts';

const POINT_LIMIT = 400;
const SERIES_LIMIT = 6;
/** Room behind the longest delay for the name of a quantile, as a share of the axis. */
const NAME_ROOM = 0.4;
/** Delays within this share of the largest are one delay to the eye. */
const LEAST_SPREAD = 0.05;

/** The cumulative distribution of a histogram as (seconds, share), thinned to what a chart can show. */
function cumulative(histogram: DelayHistogram): { x: number; y: number }[] {
  const total = histogram.counts.reduce((sum, count) => sum + count, 0);
  const points: { x: number; y: number }[] = [];
  let sum = 0;
  let lastShare = -1;
  histogram.counts.forEach((count, i) => {
    sum += count;
    const share = sum / total;
    const last = i === histogram.counts.length - 1;
    if (share - lastShare < 1 / POINT_LIMIT && !last) return;
    points.push({ x: histogram.upperSeconds[i] as number, y: share });
    lastShare = share;
  });
  return points;
}

/** How long packets took, as a cumulative distribution with p50, p95 and p99 named. */
export function delayCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  const flows = Object.entries(look.point.flows)
    .filter(([, flow]) => (flow.series?.delay?.counts.length ?? 0) > 0)
    .sort((a, b) => b[1].delaySeconds.p99 - a[1].delaySeconds.p99);
  if (flows.length === 0) return [];
  const drawn = flows.slice(0, SERIES_LIMIT);
  const labels = seriesLabels(drawn.map(([name]) => name));
  const largest = Math.max(...drawn.map(([, flow]) => flow.delaySeconds.max));
  const unit = unitFor('time', largest);
  const curves = drawn.map(([, flow]) => cumulative(flow.series?.delay as DelayHistogram));
  const positive = curves
    .flat()
    .map((p) => p.x / unit.factor)
    .filter((x) => x > 0);
  const least = Math.min(...positive);
  const most = Math.max(...positive);
  const logarithmic = positive.length > 0 && most / least > 30;
  // Of delays that hardly differ, the scale of their differences would say nothing: it starts at zero then.
  const isZoomed = least > most / 2 && most - least > LEAST_SPREAD * most;
  const domain: [number, number] = logarithmic
    ? [least * 0.9, most * (most / least) ** NAME_ROOM]
    : [isZoomed ? least - (most - least) * 0.1 : 0, most + (isZoomed ? 0.05 * (most - least) : 0.2 * most) || 1];
  const series = curves.map((curve, i) => {
    const points = curve.map((p) => ({ x: p.x / unit.factor, y: 100 * p.y })).filter((p) => !logarithmic || p.x > 0);
    const start = points[0];
    return {
      label: labels[i] as string,
      step: true,
      points: start === undefined ? [] : [{ x: start.x, y: 0 }, ...points, { x: domain[1], y: 100 }],
    };
  });
  const [, firstFlow] = drawn[0] as (typeof drawn)[number];
  const scale = { type: logarithmic ? 'log' : 'linear', domain } as const;
  const isNearStart = (x: number): boolean => placeOf(scale, x, 1) < NAME_ROOM;
  const named = quantileNames(firstFlow.delaySeconds).map(({ names, seconds, share }) => ({
    label: `${names.join(', ')} ${formatQuantity(seconds, 'time', 3)}`,
    side: share === 99 || isNearStart(seconds / unit.factor) ? ('right' as const) : ('left' as const),
    x: seconds / unit.factor,
    y: share,
  }));
  return [
    {
      name: 'delay',
      title: titleOf(drawn, labels),
      note: `Share of packets that took at most so long, from the source to behind the last hop${
        logarithmic ? '; the time axis is logarithmic' : ''
      }. ${drawn.length > 1 ? `The named points belong to ${labels[0]}.` : ''}`,
      legend: xyLegend(series),
      panels: [
        xyPanel({
          x: { title: 'Delay', unit: unit.name, domain, ...(logarithmic ? { type: 'log' } : {}) },
          y: { title: 'Packets', unit: '%', domain: [0, 100] },
          series,
          named: named.filter((n) => !logarithmic || n.x > 0),
          height: 260,
        }),
      ],
      arrange: 'stack',
      first: 0,
      table: {
        caption: 'Delay of each flow',
        columns: [
          { label: 'Flow', number: false },
          ...['least', 'mean', 'p50', 'p95', 'p99', 'most'].map((label) => ({ label, unit: unit.name, number: true })),
        ],
        rows: flows.map(([name, { delaySeconds: d }]) => [
          name,
          ...[d.min, d.mean, d.p50, d.p95, d.p99, d.max].map((v) => formatNumber(v / unit.factor, 4)),
        ]),
      },
    },
  ];
}

/** Quantiles to name in the drawing; those that read the same have one name, at the first of them. */
function quantileNames(
  delay: Readonly<Record<'p50' | 'p95' | 'p99', number>>,
): { names: string[]; seconds: number; share: number }[] {
  const groups: { names: string[]; seconds: number; share: number }[] = [];
  for (const name of ['p50', 'p95', 'p99'] as const) {
    const seconds = delay[name];
    const before = groups.at(-1);
    if (before !== undefined && formatQuantity(before.seconds, 'time', 3) === formatQuantity(seconds, 'time', 3)) {
      before.names.push(name);
    } else {
      groups.push({ names: [name], seconds, share: Number(name.slice(1)) });
    }
  }
  return groups;
}

function titleOf(
  drawn: readonly (readonly [string, { readonly delaySeconds: { readonly p50: number; readonly p99: number } }])[],
  labels: readonly string[],
): string {
  const [, flow] = drawn[0] as (typeof drawn)[number];
  const { p50, p99 } = flow.delaySeconds;
  const half = formatQuantity(p50, 'time', 3);
  const late = formatQuantity(p99, 'time', 3);
  return half === late
    ? `${labels[0]}: nearly every packet takes ${half}`
    : `${labels[0]}: half of the packets take ${half} or less, one in a hundred more than ${late}`;
}
