import type { Chart, Layout, LegendEntry, Panel, Row, Size, Table } from '../chart.ts';
import { rounded } from '../chart.ts';
import { aboutReading } from '../facts.ts';
import { formatDifference, formatNumber, formatSigned } from '../format.ts';
import { cleanText, clipText } from '../html.ts';
import { type ChartSource, farthest, type Reading, readOf, resultName, variableWords } from '../reading.ts';
import { ERROR_INK, ERROR_STEPS, INK } from '../theme.ts';
import { quantityVaried, valuesOf } from '../variables.ts';

const CHART_LIMIT = 4;
/** Transfers up to this many are read better from the dots of the overshoot chart. */
const DOT_PLOT_LIMIT = 200;
const LABELLED_CELLS = 120;

/** The two variables that span the map: a rate or limit across, a packet size (or another number) up. */
function axesOf(source: ChartSource): { across: string; up: string } | undefined {
  const numeric = source.varying.filter(
    (name) => valuesOf(source.points, name).length >= 3 && quantityVaried(source.points, name) !== undefined,
  );
  if (numeric.length < 2) return undefined;
  const up = numeric.find((name) => /size|packet|mtu|length/i.test(name)) ?? (numeric[1] as string);
  const across = numeric.find((name) => name !== up && /rate|limit|ceil/i.test(name)) ?? numeric.find((n) => n !== up);
  return across === undefined ? undefined : { across, up };
}

/** Bounds between the steps: small, clear and large errors on both sides, in round numbers. */
export function errorBounds(deviations: readonly number[]): number[] {
  const sizes = deviations.map(Math.abs).sort((a, b) => a - b);
  const most = sizes.at(-1) ?? 1;
  const round = (value: number): number => {
    const power = 10 ** Math.floor(Math.log10(value));
    const step = [1, 2, 5, 10].find((s) => s * power >= value * 0.999) as number;
    return Number((step * power).toPrecision(2));
  };
  const outer = round(Math.max(most / 3, 1e-6));
  const bounds = [outer / 50, outer / 5, outer].map((b) => Number(b.toPrecision(2)));
  return [...bounds.map((b) => -b).toReversed(), ...bounds];
}

/** The step of a deviation among the seven between the bounds. */
export function stepOf(deviation: number, bounds: readonly number[]): number {
  let step = 0;
  while (step < bounds.length && deviation >= (bounds[step] as number)) step += 1;
  return step;
}

/** Error by packet size and rate; each cell is a run. */
export function heatMapCharts(source: ChartSource): Chart[] {
  const axes = axesOf(source);
  if (axes === undefined) return [];
  const all = source.points.flatMap((p) => p.readings).filter((r) => r.deviationPercent !== undefined);
  const readings = all.filter((r) => r.flow === all[0]?.flow);
  if (readings.length < 9) return [];
  if (readings[0]?.level === 'transfer' && readings.length <= DOT_PLOT_LIMIT) return [];
  const others = source.varying.filter((name) => name !== axes.across && name !== axes.up);
  const groups = new Map<string, Reading[]>();
  for (const reading of readings) {
    const words = others.map((name) => variableWords(name, reading.point.variables[name] ?? ''));
    const key = [
      ...(source.results.length > 1 ? [resultName(source.results, reading.resultIndex)] : []),
      ...words,
    ].join(', ');
    const group = groups.get(key) ?? [];
    group.push(reading);
    groups.set(key, group);
  }
  const bounds = errorBounds(readings.map((r) => r.deviationPercent as number));
  return [...groups].slice(0, CHART_LIMIT).map(([name, group], i) => heatMap(source, axes, name, group, bounds, i));
}

function heatMap(
  source: ChartSource,
  axes: { across: string; up: string },
  name: string,
  group: readonly Reading[],
  bounds: readonly number[],
  index: number,
): Chart {
  const across = valuesOf(source.points, axes.across);
  const up = valuesOf(source.points, axes.up);
  const worst = farthest(group);
  const read = readOf(source, worst);
  const where = `${variableWords(axes.up, worst.point.variables[axes.up] ?? '')} and ${variableWords(axes.across, worst.point.variables[axes.across] ?? '')}`;
  const deviations = group.map((r) => r.deviationPercent as number);
  const wrong = deviations.filter((d) => Math.abs(d) >= 1).length;
  return {
    name: index === 0 ? 'heat-map' : `heat-map-${index + 1}`,
    title: `${name === '' ? '' : `${name}: `}${formatNumber(wrong, 7)} of ${formatNumber(group.length, 7)} runs miss the configured rate by 1\u00a0% or more; the worst, with ${where}, gets ${formatDifference(worst.deviationPercent as number)}`,
    strayPercent: Math.abs(worst.deviationPercent as number),
    ...(read === undefined ? {} : { about: aboutReading(read, worst) }),
    note: 'Received against configured rate, in percent. Each cell is a run; choose one to see its figures.',
    legend: legendOf(bounds, new Set(deviations.map((d) => stepOf(d, bounds)))),
    panels: [heatPanel(across, up, axes, group, bounds)],
    arrange: 'stack',
    first: 0,
    table: pivotOf(across, up, axes, group),
  };
}

function legendOf(bounds: readonly number[], used: ReadonlySet<number>): LegendEntry[] {
  return ERROR_STEPS.flatMap((step, i) => {
    if (!used.has(i)) return [];
    const low = bounds[i - 1];
    const high = bounds[i];
    const label =
      low === undefined
        ? `below ${formatSigned(high as number)}`
        : high === undefined
          ? `${formatSigned(low)} and above`
          : `${formatSigned(low)} to ${formatSigned(high)}`;
    return [{ label, colour: step.light, sign: 'box' as const, dash: [], shape: 'square', switchable: false }];
  });
}

function axisText(value: string): string {
  return clipText(cleanText(value), 14);
}

function heatPanel(
  across: readonly string[],
  up: readonly string[],
  axes: { across: string; up: string },
  group: readonly Reading[],
  bounds: readonly number[],
): Panel {
  const rows: Row[] = group.map((r) => {
    const step = stepOf(r.deviationPercent as number, bounds);
    return {
      x: axisText(r.point.variables[axes.across] ?? ''),
      y: axisText(r.point.variables[axes.up] ?? ''),
      deviation: Number((r.deviationPercent as number).toPrecision(4)),
      received: rounded(r.receivedBitsPerSecond / 1e6),
      step,
      result: r.resultIndex,
      point: r.pointIndex,
    };
  });
  const xs = across.map(axisText);
  const ys = up.map(axisText).toReversed();
  const labelled = rows.length <= LABELLED_CELLS;
  const layout = (size: Size): Layout => {
    const cell = Math.max(4, Math.min(34, Math.round((size.narrow ? 320 : 420) / ys.length)));
    // Labels stand at an angle of 50 degrees, the title is below them.
    const longest = Math.max(...xs.map((text) => text.length));
    const bottom = Math.round(54 + 5.2 * longest);
    return size.narrow
      ? { left: 62, top: 30, right: 8, bottom, height: cell * ys.length }
      : { left: 76, top: 30, right: 20, bottom, height: cell * ys.length };
  };
  return {
    label: 'Error',
    rows,
    fields: [
      { name: 'x', label: axes.across, unit: '' },
      { name: 'y', label: axes.up, unit: '' },
      { name: 'deviation', label: 'Deviation', unit: '%' },
      { name: 'received', label: 'Received', unit: 'Mbit/s' },
    ],
    x: { type: 'band', domain: xs },
    y: { type: 'band', domain: ys },
    layout,
    spec: (size) => {
      const place = layout(size);
      const width = size.width - place.left - place.right;
      // Vega leaves out a chosen first label where rounding puts a padded band a hair outside: all are shown, or bands have no padding.
      const every = (values: readonly string[], room: number): Readonly<Record<string, unknown>> => {
        const stride = Math.max(1, Math.ceil(values.length / room));
        return stride === 1 ? {} : { values: values.filter((_, i) => i % stride === 0) };
      };
      const band = (domain: readonly string[], cell: number): Readonly<Record<string, unknown>> => ({
        domain,
        paddingInner: cell >= 22 ? 0.06 : 0,
        paddingOuter: 0,
      });
      const x = {
        field: 'x',
        type: 'nominal',
        sort: null,
        scale: band(xs, width / xs.length),
        axis: {
          title: axisText(axes.across),
          ...every(xs, Math.floor(width / 22)),
          labelAngle: -50,
          domain: false,
          ticks: false,
          labelLimit: 0,
        },
      };
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: band(ys, place.height / ys.length),
        axis: {
          title: axisText(axes.up),
          ...every(ys, Math.max(1, Math.floor(place.height / 22))),
          titleX: -place.left + 2,
          titleY: -8,
        },
      };
      const steps = ERROR_STEPS.map((_, i) => i);
      const ink = {
        field: 'step',
        type: 'ordinal',
        scale: { domain: steps, range: ERROR_INK.map((c) => c.light) },
        legend: null,
      };
      const layers: Readonly<Record<string, unknown>>[] = [
        {
          name: 'cell',
          mark: { type: 'rect' },
          encoding: {
            x,
            y,
            color: {
              field: 'step',
              type: 'ordinal',
              scale: { domain: steps, range: ERROR_STEPS.map((c) => c.light) },
              legend: null,
            },
          },
        },
      ];
      if (labelled && width / xs.length >= 30) {
        layers.push({
          name: 'label',
          mark: { type: 'text', fontSize: 11 },
          encoding: {
            x,
            y,
            text: { field: 'deviation', type: 'quantitative', format: '+.1f' },
            color: ink,
          },
        });
      } else {
        const extreme = rows.reduce((a, b) =>
          Math.abs(b.deviation as number) > Math.abs(a.deviation as number) + 1e-9 ? b : a,
        );
        layers.push({
          name: 'worst',
          data: { values: [extreme] },
          mark: {
            type: 'point',
            shape: 'circle',
            filled: false,
            size: 140,
            strokeWidth: 2,
            color: INK.light,
            opacity: 1,
          },
          encoding: { x, y },
        });
      }
      return { layer: layers, resolve: { scale: { color: 'independent' } } };
    },
  };
}

function pivotOf(
  across: readonly string[],
  up: readonly string[],
  axes: { across: string; up: string },
  group: readonly Reading[],
): Table {
  const cells = new Map(
    group.map((r) => [
      `${r.point.variables[axes.up]}\n${r.point.variables[axes.across]}`,
      r.deviationPercent as number,
    ]),
  );
  return {
    caption: `Deviation in percent, ${axes.up} down, ${axes.across} across`,
    columns: [{ label: axes.up, number: false }, ...across.map((label) => ({ label, number: true }))],
    rows: up.map((u) => [
      u,
      ...across.map((a) => {
        const value = cells.get(`${u}\n${a}`);
        return value === undefined ? null : formatNumber(value, Math.abs(value) < 10 ? 2 : 3);
      }),
    ]),
  };
}
