import type { HopResult, Series } from '../../sim/run/result.ts';
import type { Chart } from '../chart.ts';
import { formatQuantity, unitFor } from '../format.ts';
import type { ChartSource } from '../reading.ts';
import {
  activeSeconds,
  endOfSeries,
  LEAST_INTERVALS,
  meanOf,
  type NamedSeries,
  peakOf,
  seriesPoints,
  timeTable,
  untilSeconds,
} from './time.ts';
import { domainOf, seriesLabels, xyLegend, xyPanel } from './xy.ts';

const SERIES_LIMIT = 6;
/** A mean below this share of the peak says how rare the peak is, not how long the queue is. */
const MOSTLY_EMPTY = 0.01;

function queuesOf(name: string, hop: HopResult): NamedSeries[] {
  const queues: NamedSeries[] = [];
  for (const [className, figures] of Object.entries(hop.classes)) {
    const series = figures.series?.backlogBytes;
    if (series !== undefined) queues.push({ name: `${name} ${className}`, series });
  }
  if (queues.length === 0 && hop.series?.backlogBytes !== undefined) {
    queues.push({ name, series: hop.series.backlogBytes });
  }
  return queues;
}

/** Bytes waiting over time: where the delay comes from, and how near a queue is to dropping. */
export function backlogCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  const active = activeSeconds(look.point);
  const least = active === undefined ? 1 : LEAST_INTERVALS;
  const queues = Object.entries(look.point.hops)
    .flatMap(([name, hop]) => queuesOf(name, hop))
    .map((q) => ({ name: q.name, series: untilSeconds(q.series, active) }))
    .filter((q) => q.series.mean.length >= least && peakOf(q.series) > 0)
    .sort((a, b) => peakOf(b.series) - peakOf(a.series));
  if (queues.length === 0) return [];
  const drawn = queues.slice(0, SERIES_LIMIT);
  const labels = seriesLabels(drawn.map((q) => q.name));
  const named = drawn.map((q, i) => ({ name: labels[i] as string, series: q.series }));
  const unit = unitFor('bytes', Math.max(...drawn.map((q) => peakOf(q.series))));
  const end = Math.max(...drawn.map((q) => endOfSeries(q.series)));
  const time = unitFor('time', end);
  const series = named.map((q) => ({
    label: q.name,
    step: true,
    points: seriesPoints(q.series, unit.factor, time.factor),
  }));
  const values = series.flatMap((s) => s.points.map((p) => p.high ?? p.y));
  return [
    {
      name: 'backlog',
      title: titleOf(named[0] as NamedSeries, end),
      note: `Bytes waiting; the band spans least and most of each interval, the line is the mean.${
        queues.length > drawn.length ? ` The ${drawn.length} longest of ${queues.length} queues are drawn.` : ''
      }`,
      legend: xyLegend(series),
      panels: [
        xyPanel({
          x: { title: 'Simulated time', unit: time.name, domain: [0, end / time.factor] },
          y: { title: 'Backlog', unit: unit.name, domain: domainOf([0, ...values], true) },
          series,
          height: 220,
        }),
      ],
      arrange: 'stack',
      first: 0,
      table: timeTable('Backlog over time', named, unit, time),
    },
  ];
}

/** First instant from which the series stays near its peak; undefined if it does not. */
function fullFrom(series: Series): number | undefined {
  const peak = peakOf(series);
  let start = series.mean.length;
  while (start > 0 && (series.mean[start - 1] as number) > 0.9 * peak) start -= 1;
  return start < 0.8 * series.mean.length ? series.startSeconds + start * series.stepSeconds : undefined;
}

function titleOf(queue: NamedSeries, end: number): string {
  const peak = formatQuantity(peakOf(queue.series), 'bytes', 3);
  const full = fullFrom(queue.series);
  if (full !== undefined && full < 0.02 * end) return `The queue of ${queue.name} stands at ${peak} from the start`;
  if (full !== undefined) {
    return `The queue of ${queue.name} fills to ${peak} within ${formatQuantity(full, 'time', 2)} and stays full`;
  }
  const mean = meanOf(queue.series);
  if (mean < MOSTLY_EMPTY * peakOf(queue.series)) {
    return `The queue of ${queue.name} reaches ${peak} but is empty nearly all the time`;
  }
  return `The queue of ${queue.name} reaches ${peak} and holds ${formatQuantity(mean, 'bytes', 3)} on average`;
}
