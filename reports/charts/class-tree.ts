import type { Chart, Layout, Panel, Row, Size, Table } from '../chart.ts';
import { rounded } from '../chart.ts';
import { type ClassFinding, classFinding, counterOf, type JudgedClass, judgedClasses } from '../class-finding.ts';
import { formatNumber, unitFor } from '../format.ts';
import { type ChartSource, LEVEL_WORDS } from '../reading.ts';
import { INK, MUTED, SERIES } from '../theme.ts';
import { seriesLabels } from './xy.ts';

const CLASS_LIMIT = 40;
const ROW_HEIGHT = 34;

interface TreeClass extends JudgedClass {
  readonly rate: number | undefined;
  readonly ceil: number | undefined;
}

/** The classes as a tree: what each may have, what it got, and how much of that it borrowed or lent. */
export function classTreeCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  return Object.entries(look.point.hops)
    .filter(([, hop]) => Object.keys(hop.classes).length > 1)
    .map(([hopName, hop], index) => {
      const classes = judgedClasses(look, hopName);
      const tree = classes.slice(0, CLASS_LIMIT).map((c) => ({ ...c, rate: c.written?.rate, ceil: c.written?.ceil }));
      const hidden = Object.keys(hop.classes).length - tree.length;
      return treeChart(classFinding(look, hopName, classes), tree, index, hidden);
    });
}

function treeChart(finding: ClassFinding, tree: readonly TreeClass[], index: number, hidden: number): Chart {
  const unit = unitFor(
    'rate',
    Math.max(1, ...tree.flatMap((c) => [c.figures.bitsPerSecond, c.rate ?? 0, c.ceil ?? 0])),
  );
  const labels = seriesLabels(tree.map((c) => c.name));
  const panel = treePanel(tree, labels, unit);
  const box = { dash: [], shape: 'square', switchable: false } as const;
  return {
    name: index === 0 ? 'class-tree' : `class-tree-${index + 1}`,
    title: finding.title,
    counted: LEVEL_WORDS.accounted,
    strayPercent: Math.abs(finding.strayPercent),
    ...(finding.reason === undefined ? {} : { reason: finding.reason }),
    ...(finding.about === undefined ? {} : { about: finding.about }),
    note: `Bars: what left through the class, in bytes as tc counts them; the thick mark is its rate, the thin one its ceil; behind them the packets that it paid for out of its own rate, and those that it borrowed for.${
      hidden > 0 ? ` ${hidden} more classes are in the tables only.` : ''
    }`,
    legend: [
      { label: 'got', colour: (SERIES[0] as (typeof SERIES)[number]).light, sign: 'box', ...box },
      { label: 'rate', colour: INK.light, sign: 'line', ...box },
      { label: 'ceil', colour: MUTED.light, sign: 'line', ...box, dash: [2, 2] },
    ],
    panels: [panel],
    arrange: 'stack',
    first: 0,
    table: tableOf(tree, labels, unit),
  };
}

function tableOf(tree: readonly TreeClass[], labels: readonly string[], unit: { factor: number; name: string }): Table {
  const rate = (value: number | undefined): string | null =>
    value === undefined ? null : formatNumber(value / unit.factor);
  const count = (value: number | undefined): string | null => (value === undefined ? null : formatNumber(value, 15));
  return {
    caption: 'Classes, parents before children',
    columns: [
      { label: 'Class', number: false },
      { label: 'Parent', number: false },
      { label: 'Rate', unit: unit.name, number: true },
      { label: 'Ceil', unit: unit.name, number: true },
      { label: 'Got', unit: unit.name, number: true },
      { label: 'Lended', unit: 'packets', number: true },
      { label: 'Borrowed', unit: 'packets', number: true },
      { label: 'Dropped', unit: 'packets', number: true },
    ],
    rows: tree.map((c, i) => [
      labels[i] as string,
      c.figures.parent ?? null,
      rate(c.rate),
      rate(c.ceil),
      rate(c.figures.bitsPerSecond),
      count(counterOf(c.figures, 'lended')),
      count(counterOf(c.figures, 'borrowed')),
      count(c.figures.droppedPackets),
    ]),
  };
}

function treePanel(
  tree: readonly TreeClass[],
  labels: readonly string[],
  unit: { factor: number; name: string },
): Panel {
  const rows: Row[] = tree.map((c, i) => ({
    series: 'got',
    // Blanks in front would be trimmed.
    y: `${c.depth > 0 ? `└${'──'.repeat(c.depth - 1)} ` : ''}${labels[i]}`,
    x: rounded(c.figures.bitsPerSecond / unit.factor),
    rate: c.rate === undefined ? null : rounded(c.rate / unit.factor),
    ceil: c.ceil === undefined ? null : rounded(c.ceil / unit.factor),
    lended: counterOf(c.figures, 'lended') ?? null,
    borrowed: counterOf(c.figures, 'borrowed') ?? null,
    text: textFor(c, unit),
    got: gotText(c, unit),
  }));
  const names = rows.map((r) => r.y as string);
  const most = Math.max(1, ...tree.flatMap((c) => [c.figures.bitsPerSecond, c.rate ?? 0, c.ceil ?? 0])) / unit.factor;
  const domain = [0, rounded(most * 1.04)];
  const layout = (size: Size): Layout =>
    size.narrow
      ? { left: 96, top: 10, right: 56, bottom: 46, height: ROW_HEIGHT * tree.length }
      : { left: 150, top: 10, right: 230, bottom: 46, height: ROW_HEIGHT * tree.length };
  return {
    label: 'Classes',
    rows,
    fields: [
      { name: 'y', label: 'Class', unit: '' },
      { name: 'x', label: 'Got', unit: unit.name },
      { name: 'rate', label: 'Rate', unit: unit.name },
      { name: 'ceil', label: 'Ceil', unit: unit.name },
      { name: 'lended', label: 'Lended', unit: 'packets' },
      { name: 'borrowed', label: 'Borrowed', unit: 'packets' },
    ],
    x: { type: 'linear', domain },
    y: { type: 'band', domain: names },
    layout,
    spec: (size) => {
      const place = layout(size);
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: { domain: names, paddingInner: 0.45, paddingOuter: 0.25 },
        axis: {
          title: null,
          labelAlign: 'left',
          labelPadding: place.left - 4,
          labelLimit: 0,
          labelColor: INK.light,
        },
      };
      const scale = { domain, nice: false };
      const axis = { title: `Throughput (${unit.name})`, tickCount: size.narrow ? 4 : 6, grid: true, labelFlush: true };
      const tick = (field: string, mark: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
        name: field,
        transform: [{ filter: { field, valid: true } }],
        mark: { type: 'tick', orient: 'vertical', ...mark },
        encoding: { y, x: { field, type: 'quantitative', scale, axis } },
      });
      return {
        layer: [
          {
            name: 'bar',
            mark: { type: 'bar', color: (SERIES[0] as (typeof SERIES)[number]).light, cornerRadiusEnd: 2 },
            encoding: { y, x: { field: 'x', type: 'quantitative', scale, axis } },
          },
          tick('ceil', { color: MUTED.light, thickness: 1.5, size: 28 }),
          tick('rate', { color: INK.light, thickness: 3, size: 24 }),
          {
            name: 'label',
            mark: { type: 'text', align: 'left', baseline: 'middle', color: INK.light },
            encoding: {
              y,
              x: { value: size.width - place.left - place.right + 10 },
              text: { field: size.narrow ? 'got' : 'text', type: 'nominal' },
            },
          },
        ],
      };
    },
  };
}

function gotText(c: TreeClass, unit: { factor: number }): string {
  return formatNumber(c.figures.bitsPerSecond / unit.factor, 4);
}

function textFor(c: TreeClass, unit: { factor: number; name: string }): string {
  const words = [gotText(c, unit)];
  const borrowed = counterOf(c.figures, 'borrowed');
  const lended = counterOf(c.figures, 'lended');
  const isMixed = borrowed !== undefined && borrowed > 0;
  if (lended !== undefined && lended > 0) {
    words.push(`${shortCount(lended)} ${isMixed ? 'own' : 'packets at its own rate'}`);
  }
  if (isMixed) words.push(`${shortCount(borrowed)} borrowed`);
  return words.join(' · ');
}

function shortCount(value: number): string {
  return value >= 1e6
    ? `${formatNumber(value / 1e6, 3)}M`
    : value >= 1e4
      ? `${formatNumber(value / 1e3, 3)}k`
      : formatNumber(value, 15);
}
