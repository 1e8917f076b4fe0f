import type { Field, Layout, LegendEntry, Panel, Row, ScaleInfo, Size, Spec } from '../chart.ts';
import { rounded } from '../chart.ts';
import { cleanText, clipText } from '../html.ts';
import { AXIS, DASHES, INK, MUTED, SERIES, SHAPES } from '../theme.ts';
import { endLabels } from './end-labels.ts';

/** An axis of numbers. */
export interface AxisSpec {
  readonly title: string;
  readonly unit: string;
  readonly domain: readonly [number, number];
  readonly type?: 'linear' | 'log' | 'symlog';
}

/** A line, or points where `measured`; `low` and `high` are drawn as a band. */
export interface XySeries {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly low?: number; readonly high?: number }[];
  readonly measured?: boolean;
  readonly step?: boolean;
}

/** A reference that is no data: the configured rate, a bound, a quantile. */
export interface Guide {
  readonly label: string;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** A part of a longer line, the last part of which bears the name. */
  readonly goesOn?: boolean;
}

/** What an XY panel shows. */
export interface XyContent {
  readonly label?: string;
  readonly x: AxisSpec;
  readonly y: AxisSpec;
  readonly series: readonly XySeries[];
  readonly guides?: readonly Guide[];
  /** Points that are named in the drawing. */
  readonly named?: readonly {
    readonly x: number;
    readonly y: number;
    readonly label: string;
    readonly side: 'left' | 'right';
  }[];
  readonly height?: number;
}

const MARKER_LIMIT = 60;
/** Letters of a label that have room behind the end of a line. */
const END_LETTERS = 23;

/** Labels that name series: cleaned, short, and each its own. */
export function seriesLabels(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const label = clipText(cleanText(name), 48).trim() || '(no name)';
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}

/** Space that the names of rows need on a small screen (px), at most half of it: about 6 px a letter at 11 px. */
export function narrowLabelsPx(names: readonly string[]): number {
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  return Math.min(176, Math.max(64, Math.ceil(5.7 * longest) + 12));
}

/** A padded domain around values; starts at zero where the values come near it. */
export function domainOf(values: readonly number[], fromZero: boolean): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low)) return [0, 1];
  if (fromZero && low > 0) low = 0;
  if (fromZero && high < 0) high = 0;
  const span = high - low || Math.abs(high) || 1;
  return [
    fromZero && low === 0 ? 0 : rounded(low - 0.06 * span),
    fromZero && high === 0 ? 0 : rounded(high + 0.06 * span),
  ];
}

/** The place of a value on a scale of `length` px. */
export function placeOf(scale: ScaleInfo, value: number, length: number): number {
  const [low, high] = scale.domain as [number, number];
  const turn = (v: number): number => {
    if (scale.type === 'log') return Math.log(Math.max(v, Number.MIN_VALUE));
    if (scale.type === 'symlog') return Math.sign(v) * Math.log1p(Math.abs(v));
    return v;
  };
  return ((turn(value) - turn(low)) / (turn(high) - turn(low))) * length;
}

/** Moves labels apart that would cover each other, keeping their order; `gap` is the least distance. */
export function spreadLabels(places: readonly number[], gap: number, low: number, high: number): number[] {
  const order = places.map((_, i) => i).sort((a, b) => (places[a] as number) - (places[b] as number));
  const result = [...places];
  let floor = low;
  for (const i of order) {
    result[i] = Math.max(result[i] as number, floor);
    floor = (result[i] as number) + gap;
  }
  let ceiling = high;
  for (const i of order.toReversed()) {
    result[i] = Math.min(result[i] as number, ceiling);
    ceiling = (result[i] as number) - gap;
  }
  return result;
}

function hasMarkers(lines: readonly XySeries[]): boolean {
  return lines.every((s) => s.points.length <= MARKER_LIMIT && s.step !== true);
}

/** The legend of XY series and guides, in the order of their colours. */
export function xyLegend(series: readonly XySeries[], guides: readonly Guide[] = []): LegendEntry[] {
  const lines = series.filter((s) => !s.measured);
  const measured = series.filter((s) => s.measured);
  return [
    ...lines.map((s, i) => ({
      label: s.label,
      ...lineStyle(i),
      ...(hasMarkers(lines) ? {} : { shape: 'none' }),
      sign: 'line' as const,
      switchable: true,
    })),
    ...measured.map((s, i) => ({
      label: s.label,
      ...measuredStyle(i),
      sign: 'point' as const,
      hollow: true,
      switchable: true,
    })),
    ...[...new Set(guides.map((g) => g.label))].map((label) => ({
      label,
      colour: MUTED.light,
      dash: [4, 3],
      shape: 'circle',
      sign: 'line' as const,
      switchable: false,
    })),
  ];
}

function lineStyle(index: number): { colour: string; dash: readonly number[]; shape: string } {
  return {
    colour: (SERIES[index % SERIES.length] as (typeof SERIES)[number]).light,
    // A colour that comes again has another dash and shape.
    dash: DASHES[(index + Math.floor(index / SERIES.length)) % DASHES.length] as readonly number[],
    shape: SHAPES[(index + Math.floor(index / SERIES.length)) % SHAPES.length] as string,
  };
}

function measuredStyle(index: number): { colour: string; dash: readonly number[]; shape: string } {
  return { colour: INK.light, dash: [], shape: SHAPES[index % SHAPES.length] as string };
}

function endOf(guide: Guide, x: readonly [number, number], y: ScaleInfo, height: number): number {
  const [x1, y1] = guide.from;
  const [x2, y2] = guide.to;
  const atEdge = x2 === x1 ? y2 : y1 + ((y2 - y1) * (Math.min(x[1], x2) - x1)) / (x2 - x1);
  return height - placeOf(y, atEdge, height);
}

function valueScale(axis: AxisSpec): Spec {
  const scale = { type: axis.type ?? 'linear', domain: [...axis.domain], nice: false };
  return axis.type === 'log' ? scale : { ...scale, zero: false };
}

/** Builds a panel of lines, bands, points and guides over two number axes. Values are in the axes' units. */
export function xyPanel(content: XyContent): Panel {
  const lines = content.series.filter((s) => !s.measured);
  const measured = content.series.filter((s) => s.measured);
  const guides = content.guides ?? [];
  const rows: Row[] = [];
  const add = (role: string) => (s: XySeries) => {
    for (const p of s.points) {
      const row = { role, series: s.label, x: rounded(p.x), y: rounded(p.y) };
      rows.push(p.low === undefined ? row : { ...row, low: rounded(p.low), high: rounded(p.high ?? p.y) });
    }
  };
  lines.forEach(add('simulated'));
  measured.forEach(add('measured'));
  const hasBand = rows.some((r) => r.low !== undefined);
  const fields: Field[] = [
    { name: 'series', label: 'Series', unit: '' },
    { name: 'x', label: content.x.title, unit: content.x.unit },
    { name: 'y', label: content.y.title, unit: content.y.unit },
  ];
  if (hasBand) {
    fields.push({ name: 'low', label: 'Least in the interval', unit: content.y.unit });
    fields.push({ name: 'high', label: 'Most in the interval', unit: content.y.unit });
  }
  const xScale: ScaleInfo = { type: content.x.type ?? 'linear', domain: content.x.domain };
  const yScale: ScaleInfo = { type: content.y.type ?? 'linear', domain: content.y.domain };
  const height = content.height ?? 300;
  const layout = (size: Size): Layout =>
    size.narrow
      ? { left: 52, top: 34, right: 14, bottom: 46, height: Math.round(height * 0.85) }
      : { left: 60, top: 34, right: 158, bottom: 48, height };

  const spec = (size: Size): Spec => {
    const place = layout(size);
    const width = size.width - place.left - place.right;
    const withUnit = (axis: AxisSpec): string => (axis.unit === '' ? axis.title : `${axis.title} (${axis.unit})`);
    const x = {
      field: 'x',
      type: 'quantitative',
      scale: valueScale(content.x),
      axis: { title: withUnit(content.x), tickCount: size.narrow ? 4 : 8, labelFlush: true, labelOverlap: true },
    };
    const y = {
      field: 'y',
      type: 'quantitative',
      scale: valueScale(content.y),
      axis: {
        title: withUnit(content.y),
        tickCount: Math.max(2, Math.round(place.height / 50)),
        titleX: -place.left + 2,
        titleY: -14,
        labelOverlap: true,
      },
    };
    const styled = (set: readonly XySeries[], style: typeof lineStyle): Record<string, Spec> => {
      const domain = set.map((s) => s.label);
      const styles = set.map((_, i) => style(i));
      return {
        color: {
          field: 'series',
          type: 'nominal',
          scale: { domain, range: styles.map((s) => s.colour) },
          legend: null,
        },
        strokeDash: {
          field: 'series',
          type: 'nominal',
          scale: { domain, range: styles.map((s) => s.dash) },
          legend: null,
        },
        shape: {
          field: 'series',
          type: 'nominal',
          scale: { domain, range: styles.map((s) => s.shape) },
          legend: null,
        },
      };
    };
    const layers: Spec[] = [];
    const only = (role: string): Spec[] => [{ filter: { field: 'role', equal: role } }];
    if (lines.length > 0) {
      const style = styled(lines, lineStyle);
      if (hasBand) {
        layers.push({
          name: 'band',
          transform: only('simulated'),
          mark: {
            type: 'area',
            clip: true,
            opacity: 0.22,
            ...(lines.some((s) => s.step) ? { interpolate: 'step-after' } : {}),
          },
          encoding: {
            x,
            y: { ...y, field: 'low' },
            y2: { field: 'high' },
            color: style.color,
          },
        });
      }
    }
    if (guides.length > 0) {
      layers.push({
        name: 'guide',
        data: {
          values: guides.map((g) => ({
            label: g.label,
            x: rounded(g.from[0]),
            y: rounded(g.from[1]),
            toX: rounded(g.to[0]),
            toY: rounded(g.to[1]),
          })),
        },
        mark: { type: 'rule', clip: true, color: MUTED.light, strokeDash: [4, 3], strokeWidth: 1.5 },
        encoding: { x, y, x2: { field: 'toX' }, y2: { field: 'toY' } },
      });
    }
    if (lines.length > 0) {
      const style = styled(lines, lineStyle);
      layers.push({
        name: 'line',
        transform: only('simulated'),
        mark: { type: 'line', clip: true, ...(lines.some((s) => s.step) ? { interpolate: 'step-after' } : {}) },
        encoding: { x, y, color: style.color, strokeDash: style.strokeDash },
      });
      if (hasMarkers(lines)) {
        layers.push({
          name: 'marker',
          transform: only('simulated'),
          mark: { type: 'point', clip: true, filled: true, size: 34, opacity: 1 },
          encoding: { x, y, color: style.color, shape: style.shape },
        });
      }
    }
    if (measured.length > 0) {
      const style = styled(measured, measuredStyle);
      layers.push({
        name: 'measured',
        transform: only('measured'),
        mark: { type: 'point', clip: true, filled: false, size: 64, strokeWidth: 1.6, opacity: 1, color: INK.light },
        encoding: { x, y, shape: style.shape },
      });
    }
    const named = content.named ?? [];
    if (named.length > 0) {
      layers.push({
        name: 'named',
        data: { values: named.map((n) => ({ label: n.label, side: n.side, x: rounded(n.x), y: rounded(n.y) })) },
        layer: [
          { mark: { type: 'point', filled: true, size: 50, opacity: 1, color: INK.light }, encoding: { x, y } },
          ...(['left', 'right'] as const).map((side) => ({
            transform: [{ filter: { field: 'side', equal: side } }],
            mark: {
              type: 'text',
              align: side === 'left' ? 'right' : 'left',
              dx: side === 'left' ? -8 : 8,
              dy: side === 'left' ? -2 : 12,
              fontWeight: 600,
            },
            encoding: { x, y, text: { field: 'label', type: 'nominal' } },
          })),
        ],
      });
    }
    if (!size.narrow) {
      const labels: { label: string; place: number; colour: string }[] = [];
      const ends = endLabels(
        lines.map((s) => s.label),
        END_LETTERS,
      );
      lines.forEach((s, i) => {
        const last = s.points.at(-1);
        if (last)
          labels.push({
            label: ends[i] as string,
            place: place.height - placeOf(yScale, last.y, place.height),
            colour: lineStyle(i).colour,
          });
      });
      for (const g of guides) {
        if (g.goesOn !== true && (g.from[0] !== g.to[0] || g.from[1] === g.to[1])) {
          labels.push({ label: g.label, place: endOf(g, content.x.domain, yScale, place.height), colour: MUTED.light });
        }
      }
      const spread = spreadLabels(
        labels.map((l) => l.place),
        16,
        0,
        place.height,
      );
      if (labels.length > 0) {
        layers.push({
          name: 'label',
          data: {
            values: labels.map((l, i) => ({
              label: clipText(l.label, END_LETTERS),
              place: rounded(spread[i] as number),
              colour: l.colour,
            })),
          },
          mark: { type: 'text', align: 'left', baseline: 'middle', fontWeight: 600 },
          encoding: {
            x: { value: width + 8 },
            y: { field: 'place', type: 'quantitative', scale: null, axis: null },
            text: { field: 'label', type: 'nominal' },
            color: { field: 'colour', type: 'nominal', scale: null },
          },
        });
      }
    }
    if (layers.length === 0 || rows.length === 0) {
      layers.push({ name: 'empty', mark: { type: 'point', opacity: 0, color: AXIS.light }, encoding: { x, y } });
    }
    return {
      layer: layers,
      resolve: { scale: { color: 'independent', shape: 'independent', strokeDash: 'independent' } },
    };
  };
  return { label: content.label ?? '', rows, fields, x: xScale, y: yScale, layout, spec };
}
