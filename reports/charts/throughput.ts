import type { Series } from '../../sim/run/result.ts';
import type { Chart } from '../chart.ts';
import { aboutReading } from '../facts.ts';
import { formatNumber, formatQuantity, unitFor } from '../format.ts';
import { cleanText } from '../html.ts';
import type { ChartSource, ReadPoint } from '../reading.ts';
import {
  activeSeconds,
  alternates,
  endOfSeries,
  LEAST_INTERVALS,
  meanOf,
  peakOf,
  seriesPoints,
  thinned,
  timeTable,
  untilSeconds,
} from './time.ts';
import { planOf, planRate } from './transfer-plan.ts';
import { domainOf, type Guide, seriesLabels, xyLegend, xyPanel } from './xy.ts';

const WINDOWS = ['1s', '100ms', '10ms'] as const;
const SERIES_LIMIT = 6;
/** Several lines with more steps than this cover each other. */
const READABLE_STEPS = 150;
/** What goes up and down from window to window is drawn in so many intervals: the mean, and a band from least to most. */
const CALM_INTERVALS = 50;

/** Throughput over time in windows that the reader chooses: short ones show the bursts that long ones average away. */
export function throughputCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  const flows = Object.entries(look.point.flows).filter(([, flow]) => flow.series?.throughput !== undefined);
  const active = activeSeconds(look.point);
  const least = active === undefined ? 1 : LEAST_INTERVALS;
  const windows = WINDOWS.filter((w) =>
    flows.some(([, flow]) => {
      const series = flow.series?.throughput?.[w];
      return series !== undefined && untilSeconds(series, active).mean.length >= least;
    }),
  );
  if (windows.length === 0) return [];
  const busiest = [...flows]
    .sort((a, b) => b[1].receivedBytes - a[1].receivedBytes)
    .slice(0, SERIES_LIMIT)
    .map(([name]) => name);
  const drawn = flows.filter(([name]) => busiest.includes(name));
  const labels = seriesLabels(drawn.map(([name]) => name));
  const at = (window: string): { name: string; series: Series }[] =>
    drawn.flatMap(([, flow], i) => {
      const series = flow.series?.throughput?.[window];
      return series === undefined || series.mean.length === 0
        ? []
        : [{ name: labels[i] as string, series: untilSeconds(series, active) }];
    });
  const peaks = windows.map((w) => Math.max(...at(w).map((n) => peakOf(n.series))));
  const bounds = look.readings.filter((r) => busiest.includes(r.flow) && r.configuredBitsPerSecond !== undefined);
  const limits = [...new Set(bounds.map((r) => r.configuredBitsPerSecond as number))].slice(0, 3);
  const nameOf = (rate: number): string => {
    const by = bounds.find((r) => r.configuredBitsPerSecond === rate)?.configuredBy ?? '';
    return by.startsWith('ceil') ? 'ceil' : by.startsWith('the link') ? 'link' : 'configured';
  };
  const unit = unitFor('rate', Math.max(...peaks, ...limits, 1));
  const end = Math.max(...windows.flatMap((w) => at(w).map((n) => endOfSeries(n.series))));
  const time = unitFor('time', end);
  const guides: Guide[] = limits.map((rate) => ({
    label: limits.length === 1 ? nameOf(rate) : `${nameOf(rate)} ${formatNumber(rate / unit.factor)}`,
    from: [0, rate / unit.factor],
    to: [end / time.factor, rate / unit.factor],
  }));
  const panels = windows.map((window) => {
    const named = at(window);
    return xyPanel({
      label: window.replace(/(\d+)/, '$1 '),
      x: { title: 'Simulated time', unit: time.name, domain: [0, end / time.factor] },
      y: {
        title: 'Throughput',
        unit: unit.name,
        domain: domainOf([0, ...peaks.map((p) => p / unit.factor), ...limits.map((l) => l / unit.factor)], true),
      },
      series: named.map(({ name, series }) => ({
        label: name,
        step: true,
        points: seriesPoints(alternates(series) ? thinned(series, CALM_INTERVALS) : series, unit.factor, time.factor),
      })),
      guides,
      height: 260,
    });
  });
  const shortest = windows.length - 1;
  const named = at(windows[shortest] as string);
  const title = titleOf(named, windows[shortest] as string, look, active !== undefined);
  const told = drawn[labels.indexOf(highest(named).name)]?.[0];
  const reading = look.readings.find((r) => r.flow === told);
  const readable = named.length === 1 || (named[0]?.series.mean.length ?? 0) <= READABLE_STEPS;
  const first = title.includes(' but ') && readable ? shortest : Math.max(0, windows.indexOf('100ms'));
  const table = timeTable('Throughput over time', at(windows[first] as string), unit, time);
  return [
    {
      name: 'throughput',
      title,
      ...(reading === undefined ? {} : { about: aboutReading(look, reading) }),
      note: `Bytes as tc counts them, in windows of the chosen length; dashed lines are what is configured; a band spans least and most.${
        flows.length > drawn.length ? ` The ${drawn.length} busiest of ${flows.length} flows are drawn.` : ''
      }`,
      legend: xyLegend(
        labels.map((label) => ({ label, step: true, points: [] })),
        guides,
      ),
      panels,
      arrange: 'choose',
      first,
      table: { ...table, caption: `Throughput in windows of ${(windows[first] as string).replace(/(\d+)/, '$1 ')}` },
    },
  ];
}

function highest<T extends { readonly series: Series }>(named: readonly T[]): T {
  return named.reduce((a, b) => (peakOf(b.series) > peakOf(a.series) ? b : a));
}

/** A series up to the last interval in which something came, or to when the application read the last of it (s). */
function busyPart(series: Series, readSeconds: number): Series {
  const busy = series.max.findLastIndex((value) => value > 0);
  return untilSeconds(series, Math.max(readSeconds, series.startSeconds + (busy + 1) * series.stepSeconds));
}

function titleOf(
  named: readonly { name: string; series: Series }[],
  window: string,
  look: ReadPoint,
  isCut: boolean,
): string {
  const words = window.replace(/(\d+)/, '$1\u00a0');
  const peak = highest(named);
  const [name, figures] = Object.entries(look.point.flows).find(([flow]) => cleanText(flow) === peak.name) ?? [];
  const mean = isCut
    ? meanOf(busyPart(peak.series, figures?.series?.received?.seconds.at(-1) ?? 0))
    : figures?.bitsPerSecond.accounted;
  const most = peakOf(peak.series);
  if (mean === undefined || mean === 0) {
    return `${peak.name} reaches ${formatQuantity(most, 'rate', 4)} in its busiest ${words}`;
  }
  if (most < 1.02 * mean) {
    return `${peak.name} is steady at ${formatQuantity(mean, 'rate', 4)}: its busiest ${words} holds no burst`;
  }
  const whole = name === undefined || figures === undefined ? undefined : planRate(planOf(look, name, figures));
  const average =
    isCut && whole !== undefined ? `${formatQuantity(whole, 'rate', 4)} of payload` : formatQuantity(mean, 'rate', 4);
  const span = isCut ? ' until it is done' : '';
  return `${peak.name} averages ${average}${span} but reaches ${formatQuantity(most, 'rate', 4)} in its busiest ${words}`;
}
