import { isDeepStrictEqual } from 'node:util';
import type { ClassResult, Series } from '../../sim/run/result.ts';
import type { Chart, LegendEntry, Panel, Row } from '../chart.ts';
import { rounded } from '../chart.ts';
import { formatNumber, formatQuantity, unitFor } from '../format.ts';
import type { ChartSource } from '../reading.ts';
import { ERROR_STEPS, GRID, SERIES } from '../theme.ts';
import { activeSeconds, average, endOfSeries, meanOf, seriesPoints, thinned, timeTable, untilSeconds } from './time.ts';
import { domainOf, seriesLabels, xyLegend, xyPanel } from './xy.ts';

const CHART_LIMIT = 3;
/** A full bucket at the start may dwarf all that follows; this share of the time is then left beyond the scale. */
const START_SHARE = 0.1;
/** A course that spans less than this share of its reach, after the start, is flat. */
const LEAST_MOVE = 0.05;
/** Intervals that a line can show; packets come and go within each, and means of finer ones beat against them. */
const INTERVALS = 60;

/** The three modes of a class, from the one that holds back to the one that lets go, and where none matters. */
const MODES = [
  { key: 'cantSend', label: "can't send", colour: (SERIES[1] as (typeof SERIES)[number]).light },
  { key: 'mayBorrow', label: 'may borrow', colour: (ERROR_STEPS[2] as (typeof ERROR_STEPS)[number]).light },
  { key: 'canSend', label: 'can send', colour: (SERIES[0] as (typeof SERIES)[number]).light },
  { key: 'idle', label: 'nothing waits', colour: GRID.light },
] as const;

type ModeShares = NonNullable<NonNullable<ClassResult['series']>['mode']> & { readonly idle: readonly number[] };

/**
 * The modes of a class; where no packet waits in a leaf it is idle, unless it can send: the kernel looks at a class only
 * when packets come to it or leave it, and leaves its mode as it was in between.
 */
function sharesOfClass({ level, series }: ClassResult): ModeShares | undefined {
  const { mode, backlogBytes } = series ?? {};
  if (mode === undefined) return undefined;
  const isIdle = (i: number): boolean => (level ?? 0) === 0 && backlogBytes?.max[i] === 0;
  const unlessIdle = (values: readonly number[]): number[] => values.map((value, i) => (isIdle(i) ? 0 : value));
  return {
    cantSend: unlessIdle(mode.cantSend),
    mayBorrow: unlessIdle(mode.mayBorrow),
    canSend: mode.canSend,
    idle: mode.canSend.map((value, i) => (isIdle(i) ? Math.max(0, 1 - value) : 0)),
  };
}

/** Tokens and ctokens over time, and below them what they decide: the mode of the class. */
export function tokensCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  return Object.entries(look.point.hops)
    .flatMap(([hop, { classes }]) => Object.entries(classes).map(([name, figures]) => ({ hop, name, figures })))
    .filter(
      ({ figures }) => (figures.series?.tokens?.mean.length ?? 0) > 0 && figures.sentPackets > 0 && changes(figures),
    )
    .sort((a, b) => (a.figures.level ?? 0) - (b.figures.level ?? 0) || b.figures.sentBytes - a.figures.sentBytes)
    .slice(0, CHART_LIMIT)
    .map(({ hop, name, figures }, i) =>
      tokensChart(seriesLabels([`${hop} ${name}`])[0] as string, figures, activeSeconds(look.point), i),
    );
}

/** Whether there is a course to draw: tokens that move by more than packets move a bucket that stays full, or modes that change. */
function changes({ series }: ClassResult): boolean {
  const { tokens, ctokens, mode } = series ?? {};
  const moves = (values: readonly number[]): boolean => {
    const later = values.slice(Math.ceil(values.length * START_SHARE));
    return later.length > 0 && Math.max(...later) - Math.min(...later) > LEAST_MOVE * reach(later);
  };
  return (
    [tokens, ctokens].some((s) => s !== undefined && (moves(s.min) || moves(s.max))) ||
    (mode !== undefined && Object.values(mode).some((values) => new Set(values).size > 1))
  );
}

function tokensChart(name: string, figures: ClassResult, active: number | undefined, index: number): Chart {
  const series = figures.series as NonNullable<ClassResult['series']>;
  const fine = [
    { name: 'tokens', series: series.tokens },
    { name: 'ctokens', series: series.ctokens },
  ].flatMap((n) => (n.series === undefined ? [] : [{ name: n.name, series: untilSeconds(n.series, active) }]));
  const [own, ceil] = fine;
  // Where ceil and cburst are rate and burst, one line would hide the other.
  const isOne = own !== undefined && ceil !== undefined && isDeepStrictEqual(own.series, ceil.series);
  const distinct = isOne ? [{ name: 'tokens = ctokens', series: own.series }] : fine;
  const named = distinct.map((n) => ({ name: n.name, series: thinned(n.series, INTERVALS) }));
  const whole = named.flatMap((n) => [...n.series.min, ...n.series.max]);
  const later = named.flatMap((n) => {
    const skip = Math.ceil(n.series.mean.length * START_SHARE);
    return [...n.series.min.slice(skip), ...n.series.max.slice(skip)];
  });
  const cut = later.length > 0 && reach(whole) > 8 * reach(later) && reach(later) > 0;
  const [low, high] = domainOf(cut ? later : whole, true);
  const unit = unitFor('time', Math.max(Math.abs(low), Math.abs(high)));
  const end = Math.max(...fine.map((n) => endOfSeries(n.series)));
  const time = unitFor('time', end);
  const lines = named.map((n) => ({
    label: n.name,
    step: true,
    points: seriesPoints(n.series, unit.factor, time.factor),
  }));
  const first = (named[0] as (typeof named)[number]).series;
  const count = (fine[0] as (typeof fine)[number]).series.mean.length;
  const shares = sharesOfClass(figures);
  const mode = shares === undefined ? undefined : modeOf(shares, (values) => values.slice(0, count));
  const isIdle = mode !== undefined && average(mode.idle) > 0;
  const legend: LegendEntry[] = xyLegend(lines);
  const x = { title: 'Simulated time', unit: time.name, domain: [0, end / time.factor] as [number, number] };
  const panels: Panel[] = [
    xyPanel({
      label: 'Tokens',
      x,
      y: { title: 'Tokens, as time of sending', unit: unit.name, domain: [low / unit.factor, high / unit.factor] },
      series: lines,
      guides: [{ label: 'empty', from: [0, 0], to: [x.domain[1], 0] }],
      height: 200,
    }),
  ];
  if (mode !== undefined) {
    panels.push(
      modePanel(
        modeOf(mode, thinnedShares),
        first.startSeconds / time.factor,
        first.stepSeconds / time.factor,
        x.domain,
        time.name,
      ),
    );
    for (const { key, label, colour } of MODES) {
      if (key === 'idle' && !isIdle) continue;
      legend.push({ label, colour, dash: [], shape: 'square', sign: 'box', switchable: false });
    }
  }
  return {
    name: index === 0 ? 'tokens' : `tokens-${index + 1}`,
    title: titleOf(name, first, mode),
    note: `A class may send while its tokens are not used up, and borrow while its ctokens are not. Tokens are written as the time of sending that they pay for.${
      cut ? ' The full bucket at the start is beyond the scale.' : ''
    }${sendsInDebt(fine, mode) ? ' A class that may send may do so until it owes a whole burst (hysteresis), so that it can send while its tokens are below empty.' : ''}${
      isIdle ? ' The kernel looks at a class only when packets come or leave: its mode counts where packets wait.' : ''
    }`,
    legend,
    panels,
    arrange: 'stack',
    first: 0,
    table: timeTable(`Tokens of ${name}`, named, unit, time),
  };
}

function modeOf(mode: ModeShares, change: (values: readonly number[]) => readonly number[]): ModeShares {
  return {
    cantSend: change(mode.cantSend),
    mayBorrow: change(mode.mayBorrow),
    canSend: change(mode.canSend),
    idle: change(mode.idle),
  };
}

/** Shares in the intervals of `thinned`. */
function thinnedShares(values: readonly number[]): readonly number[] {
  return thinned({ startSeconds: 0, stepSeconds: 1, mean: values, min: values, max: values }, INTERVALS).mean;
}

/** Whether a class can send most of the time though its tokens are below empty most of the time. */
function sendsInDebt(named: readonly { readonly series: Series }[], mode: ModeShares | undefined): boolean {
  const tokens = (named[0] as (typeof named)[number]).series;
  const inDebt = tokens.mean.filter((value) => value < 0).length / tokens.mean.length;
  return mode !== undefined && inDebt > 0.5 && average(mode.canSend) > 0.5;
}

function reach(values: readonly number[]): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

function sharesOf(mode: ModeShares): { label: string; share: number }[] {
  return MODES.map(({ key, label }) => {
    const values = mode[key];
    return { label, share: average(values) };
  });
}

function titleOf(name: string, tokens: Parameters<typeof meanOf>[0], mode: ModeShares | undefined): string {
  if (mode === undefined) {
    return `Class ${name} holds tokens for ${formatQuantity(meanOf(tokens), 'time', 3)} of sending on average`;
  }
  const words = sharesOf(mode)
    .filter(({ share }) => share >= 0.005)
    .sort((a, b) => b.share - a.share)
    .map(({ label, share }) => `${label} ${formatNumber(100 * share, 2)}\u00a0%`);
  return `Class ${name}: ${words.join(', ')} of the time`;
}

function modePanel(
  mode: ModeShares,
  start: number,
  step: number,
  domain: readonly [number, number],
  timeName: string,
): Panel {
  const rows: Row[] = [];
  const count = mode.canSend.length;
  for (let i = 0; i <= count; i++) {
    let base = 0;
    for (const { key, label } of MODES) {
      const share = 100 * (mode[key][Math.min(i, count - 1)] ?? 0);
      rows.push({
        series: label,
        x: rounded(start + i * step),
        y: rounded(share),
        low: rounded(base),
        high: rounded(base + share),
      });
      base += share;
    }
  }
  return {
    label: 'Mode',
    rows,
    fields: [
      { name: 'series', label: 'Mode', unit: '' },
      { name: 'x', label: 'Simulated time', unit: timeName },
      { name: 'y', label: 'Share of the interval', unit: '%' },
    ],
    x: { type: 'linear', domain: [...domain] },
    y: { type: 'linear', domain: [0, 100] },
    layout: (size) =>
      size.narrow
        ? { left: 52, top: 34, right: 14, bottom: 26, height: 48 }
        : { left: 60, top: 34, right: 158, bottom: 26, height: 56 },
    spec: (size) => ({
      layer: [
        {
          name: 'area',
          mark: { type: 'area', clip: true, interpolate: 'step-after' },
          encoding: {
            x: {
              field: 'x',
              type: 'quantitative',
              scale: { domain: [...domain], nice: false, zero: false },
              axis: { title: null, tickCount: size.narrow ? 4 : 8, labelFlush: true },
            },
            y: {
              field: 'low',
              type: 'quantitative',
              scale: { domain: [0, 100], nice: false },
              axis: { title: 'Mode (% of time)', values: [0, 50, 100], titleX: size.narrow ? -50 : -58, titleY: -14 },
            },
            y2: { field: 'high' },
            color: {
              field: 'series',
              type: 'nominal',
              scale: { domain: MODES.map((m) => m.label), range: MODES.map((m) => m.colour) },
              legend: null,
            },
          },
        },
      ],
    }),
  };
}
