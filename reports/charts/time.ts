import type { PointResult, Series } from '../../sim/run/result.ts';
import type { Table } from '../chart.ts';
import { formatNumber } from '../format.ts';

/** A series of the result with the name of what it is of. */
export interface NamedSeries {
  readonly name: string;
  readonly series: Series;
}

/** Fewer intervals than this are no course of time. */
export const LEAST_INTERVALS = 4;

/** Share of the active time that is drawn behind its end. */
const AFTER_THE_END = 0.05;

/**
 * Until when something happens (s), with a little room; undefined: to the end of the run. What comes after the last of
 * a point's finite transfers is idle, and averages over it say only how long it is.
 */
export function activeSeconds(point: PointResult): number | undefined {
  let last = 0;
  for (const { transfer, transfers, series } of Object.values(point.flows)) {
    const all = transfers ?? (transfer === undefined ? [] : [transfer]);
    if (all.length === 0 || all.some((t) => !t.completed)) return undefined;
    const windows = Object.values(series?.throughput ?? {}).filter((w) => w.mean.length > 0);
    if (windows.length === 0) return undefined;
    const finest = windows.reduce((a, b) => (b.stepSeconds < a.stepSeconds ? b : a));
    const busy = finest.max.findLastIndex((value) => value > 0);
    // An application may read later than the packets come: its transfer lasts until then.
    const read = series?.received?.seconds.at(-1) ?? 0;
    last = Math.max(last, finest.startSeconds + (busy + 1) * finest.stepSeconds, read);
  }
  return last > 0 ? last * (1 + AFTER_THE_END) : undefined;
}

/** The part of a series up to an instant (s), whole intervals; all of it where there is none. */
export function untilSeconds(series: Series, endSeconds: number | undefined): Series {
  if (endSeconds === undefined) return series;
  const count = Math.ceil((endSeconds - series.startSeconds) / series.stepSeconds - 1e-9);
  const { mean, min, max } = series;
  return { ...series, mean: mean.slice(0, count), min: min.slice(0, count), max: max.slice(0, count) };
}

/** A series in at most `most` intervals: the mean of the means, the least and the most of what each spans. */
export function thinned(series: Series, most: number): Series {
  const group = Math.ceil(series.mean.length / most);
  if (group <= 1) return series;
  const [mean, min, max]: [number[], number[], number[]] = [[], [], []];
  for (let start = 0; start < series.mean.length; start += group) {
    mean.push(average(series.mean.slice(start, start + group)));
    min.push(Math.min(...series.min.slice(start, start + group)));
    max.push(Math.max(...series.max.slice(start, start + group)));
  }
  return { startSeconds: series.startSeconds, stepSeconds: group * series.stepSeconds, mean, min, max };
}

/** Whether a series goes up and down from interval to interval, so that its line would fill an area. */
export function alternates({ mean }: Series): boolean {
  let turns = 0;
  for (let i = 2; i < mean.length; i++) {
    const [a, b, c] = [mean[i - 2] as number, mean[i - 1] as number, mean[i] as number];
    if ((b - a) * (c - b) < 0) turns += 1;
  }
  return turns > 0.5 * mean.length;
}

/** The mean of some values; 0 of none. */
export function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The largest value that a series holds. */
export function peakOf(series: Series): number {
  let peak = 0;
  for (const value of series.max) if (value > peak) peak = value;
  return peak;
}

/** End of a series' last bucket (s). */
export function endOfSeries(series: Series): number {
  return series.startSeconds + series.mean.length * series.stepSeconds;
}

/** Mean of a series over all its buckets from `fromSeconds` on. */
export function meanOf(series: Series, fromSeconds = 0): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < series.mean.length; i++) {
    if (series.startSeconds + i * series.stepSeconds < fromSeconds - 1e-9) continue;
    sum += series.mean[i] as number;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Points of a series for drawing; `factor` turns values into the axis's unit, `timeFactor` times. */
export function seriesPoints(
  series: Series,
  factor: number,
  timeFactor: number,
): { x: number; y: number; low?: number; high?: number }[] {
  const points: { x: number; y: number; low?: number; high?: number }[] = series.mean.map((mean, i) => ({
    x: (series.startSeconds + i * series.stepSeconds) / timeFactor,
    y: mean / factor,
    low: (series.min[i] ?? mean) / factor,
    high: (series.max[i] ?? mean) / factor,
  }));
  const last = points.at(-1);
  if (last !== undefined) points.push({ ...last, x: endOfSeries(series) / timeFactor });
  return points;
}

const TABLE_ROWS = 40;

/** A table over time of at most forty rows; longer series are summarised by least, mean and most. */
export function timeTable(
  caption: string,
  named: readonly NamedSeries[],
  unit: { readonly factor: number; readonly name: string },
  time: { readonly factor: number; readonly name: string },
): Table {
  const longest = named.reduce((most, n) => Math.max(most, n.series.mean.length), 0);
  const group = Math.max(1, Math.ceil(longest / TABLE_ROWS));
  const rows: (string | null)[][] = [];
  const first = named[0]?.series;
  for (let start = 0; first !== undefined && start < longest; start += group) {
    const row: (string | null)[] = [formatNumber((first.startSeconds + start * first.stepSeconds) / time.factor, 5)];
    for (const { series } of named) {
      const end = Math.min(start + group, series.mean.length);
      if (start >= end) {
        row.push(null, null, null);
        continue;
      }
      let sum = 0;
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let i = start; i < end; i++) {
        sum += series.mean[i] as number;
        low = Math.min(low, series.min[i] as number);
        high = Math.max(high, series.max[i] as number);
      }
      row.push(
        formatNumber(low / unit.factor),
        formatNumber(sum / (end - start) / unit.factor),
        formatNumber(high / unit.factor),
      );
    }
    rows.push(row);
  }
  return {
    caption,
    columns: [
      { label: 'From', unit: time.name, number: true },
      ...named.flatMap(({ name }) => [
        { label: `${name}: least`, unit: unit.name, number: true },
        { label: 'mean', unit: unit.name, number: true },
        { label: 'most', unit: unit.name, number: true },
      ]),
    ],
    rows,
    ...(group > 1 ? { note: `Each row sums up ${group} intervals; the CSV file holds all of them.` } : {}),
  };
}
