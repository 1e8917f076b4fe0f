import type { PointResult } from '../../sim/run/result.ts';
import type { Chart, Layout, Panel, Row, Size } from '../chart.ts';
import { rounded } from '../chart.ts';
import { formatDifference, formatNumber, formatQuantity, type Measure, unitFor } from '../format.ts';
import { cleanText, clipText } from '../html.ts';
import { type ChartSource, pointWords, type ReadPoint } from '../reading.ts';
import { INK, MUTED, SERIES } from '../theme.ts';
import { domainOf } from './xy.ts';

const ROW_LIMIT = 24;
/** Changes from here on flatten all others (percent). */
const FAR_PERCENT = 400;
const DECADES = [-100, -10, -1, 0, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

interface Figure {
  readonly name: string;
  readonly measure: Measure;
  readonly value: number;
}

interface Change {
  readonly where: string;
  readonly name: string;
  readonly measure: Measure;
  readonly a: number;
  readonly b: number;
  readonly percent: number;
}

function figuresOf(point: PointResult): Figure[] {
  const figures: Figure[] = [];
  for (const [flow, f] of Object.entries(point.flows)) {
    figures.push({ name: `${flow}: received`, measure: 'rate', value: f.bitsPerSecond.accounted });
    figures.push({ name: `${flow}: dropped`, measure: 'packets', value: f.droppedPackets });
    if (f.transfer === undefined) {
      figures.push({ name: `${flow}: delay p50`, measure: 'time', value: f.delaySeconds.p50 });
      figures.push({ name: `${flow}: delay p99`, measure: 'time', value: f.delaySeconds.p99 });
    } else {
      figures.push({ name: `${flow}: transfer time`, measure: 'time', value: f.transfer.seconds });
    }
  }
  for (const [hop, { classes }] of Object.entries(point.hops)) {
    for (const [name, c] of Object.entries(classes)) {
      figures.push({ name: `${hop} ${name}: sent`, measure: 'rate', value: c.bitsPerSecond });
    }
  }
  return figures;
}

function keyOf(read: ReadPoint): string {
  return JSON.stringify(Object.entries(read.point.variables).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function changesOf(source: ChartSource): { changes: Change[]; pairs: number } {
  const second = new Map(source.points.filter((p) => p.resultIndex === 1).map((p) => [keyOf(p), p]));
  const first = source.points.filter((p) => p.resultIndex === 0);
  const single = first.length === 1 && second.size === 1;
  const changes: Change[] = [];
  let pairs = 0;
  for (const read of first) {
    const other = second.get(keyOf(read)) ?? (single ? [...second.values()][0] : undefined);
    if (other === undefined) continue;
    pairs += 1;
    const values = new Map(figuresOf(other.point).map((f) => [f.name, f.value]));
    const where = pointWords(read, source.varying);
    for (const { name, measure, value } of figuresOf(read.point)) {
      const b = values.get(name);
      if (b === undefined || (value === 0 && b === 0)) continue;
      changes.push({
        where,
        name,
        measure,
        a: value,
        b,
        percent: value === 0 ? Number.POSITIVE_INFINITY : 100 * (b / value - 1),
      });
    }
  }
  return { changes, pairs };
}

/** Two results side by side: every figure that both hold, by how much the second differs. */
export function comparisonCharts(source: ChartSource): Chart[] {
  if (source.results.length !== 2) return [];
  const { changes, pairs } = changesOf(source);
  if (changes.length === 0) return [];
  const sorted = [...changes].sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
  const finite = sorted.filter((c) => Number.isFinite(c.percent));
  const drawn = finite.slice(0, ROW_LIMIT);
  const differing = sorted.filter((c) => Math.abs(c.percent) >= 0.005).length;
  const most = drawn[0];
  const title =
    differing === 0 || most === undefined || Math.abs(most.percent) < 0.005
      ? `A and B agree in all ${formatNumber(changes.length, 7)} figures`
      : `B differs from A in ${formatNumber(differing, 7)} of ${formatNumber(changes.length, 7)} figures, most in ${most.name}${
          most.where === '' ? '' : ` at ${most.where}`
        } (${formatDifference(most.percent)})`;
  return [
    {
      name: 'comparison',
      title,
      note: `B against A, in percent of A, ${formatNumber(pairs)} ${pairs === 1 ? 'point' : 'points'} that both hold${
        finite.length > drawn.length ? `; the ${drawn.length} largest differences are drawn` : ''
      }.${isFarApart(drawn.map((c) => c.percent)) ? ' The scale is logarithmic away from zero.' : ''}`,
      legend: [
        {
          label: 'B against A',
          colour: (SERIES[0] as (typeof SERIES)[number]).light,
          sign: 'point',
          dash: [],
          shape: 'circle',
          switchable: false,
        },
      ],
      panels: drawn.length === 0 ? [] : [comparisonPanel(drawn)],
      arrange: 'stack',
      first: 0,
      table: {
        caption: 'Figures of both results, largest difference first',
        columns: [
          { label: 'Point', number: false },
          { label: 'Figure', number: false },
          { label: 'A', number: true },
          { label: 'B', number: true },
          { label: 'Difference', unit: '%', number: true },
        ],
        rows: sorted
          .slice(0, 200)
          .map((c) => [
            c.where === '' ? 'whole run' : c.where,
            c.name,
            formatQuantity(c.a, c.measure),
            formatQuantity(c.b, c.measure),
            Number.isFinite(c.percent) ? formatNumber(c.percent, 3) : 'from zero',
          ]),
        ...(sorted.length > 200 ? { note: `The 200 largest of ${sorted.length} are listed.` } : {}),
      },
    },
  ];
}

/** Whether one change is so large that on an even scale the others were all at zero. */
function isFarApart(percents: readonly number[]): boolean {
  return Math.max(0, ...percents.map(Math.abs)) > FAR_PERCENT;
}

function comparisonPanel(drawn: readonly Change[]): Panel {
  const rows: Row[] = drawn.map((c, i) => {
    const unit = unitFor(c.measure, Math.max(Math.abs(c.a), Math.abs(c.b)));
    return {
      series: 'B against A',
      y: `${i + 1}. ${clipText(cleanText([c.name, c.where].filter((w) => w !== '').join(' · ')), 60)}`,
      x: rounded(c.percent),
      a: `${formatNumber(c.a / unit.factor)} ${unit.name}`.trim(),
      b: `${formatNumber(c.b / unit.factor)} ${unit.name}`.trim(),
    };
  });
  const names = rows.map((r) => r.y as string);
  const values = rows.map((r) => r.x as number);
  const isSymlog = isFarApart(values);
  const domain = domainOf([0, ...values], false);
  const layout = (size: Size): Layout =>
    size.narrow
      ? { left: 150, top: 10, right: 16, bottom: 46, height: 26 * rows.length }
      : { left: 300, top: 10, right: 60, bottom: 46, height: 26 * rows.length };
  return {
    label: 'Differences',
    rows,
    fields: [
      { name: 'y', label: 'Figure', unit: '' },
      { name: 'a', label: 'A', unit: '' },
      { name: 'b', label: 'B', unit: '' },
      { name: 'x', label: 'Difference', unit: '%' },
    ],
    x: { type: isSymlog ? 'symlog' : 'linear', domain },
    y: { type: 'band', domain: names },
    layout,
    spec: (size) => {
      const x = {
        field: 'x',
        type: 'quantitative',
        scale: { ...(isSymlog ? { type: 'symlog' } : {}), domain, nice: false, zero: false },
        axis: {
          title: 'B against A (%)',
          grid: true,
          tickCount: size.narrow ? 3 : 6,
          labelOverlap: true,
          ...(isSymlog ? { values: DECADES.filter((tick) => tick >= domain[0] && tick <= domain[1]) } : {}),
        },
      };
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: { domain: names },
        axis: { title: null, labelColor: INK.light, labelLimit: 0 },
      };
      const colour = (SERIES[0] as (typeof SERIES)[number]).light;
      return {
        layer: [
          {
            name: 'guide',
            data: { values: [{ x: 0 }] },
            mark: { type: 'rule', color: MUTED.light, strokeWidth: 1.5, strokeDash: [4, 3] },
            encoding: { x },
          },
          { name: 'stem', mark: { type: 'rule', color: colour, strokeWidth: 2 }, encoding: { x, x2: { datum: 0 }, y } },
          {
            name: 'point',
            mark: { type: 'point', filled: true, size: 70, color: colour, opacity: 1 },
            encoding: { x, y },
          },
        ],
      };
    },
  };
}
