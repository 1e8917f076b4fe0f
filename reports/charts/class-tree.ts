import type { ClassResult } from '../../sim/run/result.ts';
import type { Chart, Layout, Panel, Row, Size, Table } from '../chart.ts';
import { rounded } from '../chart.ts';
import { type Mapping, mappingOf, textOf } from '../document.ts';
import { formatDifference, formatNumber, formatQuantity, unitFor } from '../format.ts';
import { clipText } from '../html.ts';
import { rateOfText } from '../quantity.ts';
import { type ChartSource, LEVEL_WORDS } from '../reading.ts';
import { INK, MUTED, SERIES } from '../theme.ts';
import { seriesLabels } from './xy.ts';

const CLASS_LIMIT = 40;
const ROW_HEIGHT = 34;

interface TreeClass {
  readonly name: string;
  readonly depth: number;
  readonly figures: ClassResult;
  readonly rate: number | undefined;
  readonly ceil: number | undefined;
}

function treeOf(classes: Readonly<Record<string, ClassResult>>, written: Mapping): TreeClass[] {
  const parentOf = (name: string): string | undefined =>
    classes[name]?.parent ?? textOf(mappingOf(written[name]).parent);
  const childrenOf = new Map<string, string[]>();
  const roots: string[] = [];
  for (const name of Object.keys(classes)) {
    const parent = parentOf(name);
    const siblings = parent === undefined || !(parent in classes) ? roots : (childrenOf.get(parent) ?? []);
    siblings.push(name);
    if (siblings !== roots) childrenOf.set(parent as string, siblings);
  }
  const result: TreeClass[] = [];
  const visit = (name: string, depth: number): void => {
    const spec = mappingOf(written[name]);
    const rate = rateOfText(textOf(spec.rate) ?? '');
    result.push({
      name,
      depth,
      figures: classes[name] as ClassResult,
      rate,
      ceil: rateOfText(textOf(spec.ceil) ?? '') ?? rate,
    });
    if (depth > 10) return;
    for (const child of childrenOf.get(name) ?? []) visit(child, depth + 1);
  };
  for (const name of roots) visit(name, 0);
  return result;
}

function counter(figures: ClassResult, name: string): number | undefined {
  const value = figures[name];
  return typeof value === 'number' ? value : undefined;
}

/** The classes as a tree: what each may have, what it got, and how much of that it borrowed or lent. */
export function classTreeCharts(source: ChartSource): Chart[] {
  const look = source.look;
  if (look === undefined) return [];
  const hops = mappingOf(look.document.hops);
  return Object.entries(look.point.hops)
    .filter(([, hop]) => Object.keys(hop.classes).length > 1)
    .map(([hopName, hop], index) => {
      const written = mappingOf(mappingOf(hops[hopName]).classes);
      const tree = treeOf(hop.classes, written).slice(0, CLASS_LIMIT);
      const hidden = Object.keys(hop.classes).length - tree.length;
      return treeChart(hopName, tree, index, hidden);
    });
}

function treeChart(hopName: string, tree: readonly TreeClass[], index: number, hidden: number): Chart {
  const unit = unitFor(
    'rate',
    Math.max(1, ...tree.flatMap((c) => [c.figures.bitsPerSecond, c.rate ?? 0, c.ceil ?? 0])),
  );
  const labels = seriesLabels(tree.map((c) => c.name));
  const panel = treePanel(tree, labels, unit);
  const strayed = strayedLeaf(tree, labels);
  const reason = reasonOf(strayed);
  const box = { dash: [], shape: 'square', switchable: false } as const;
  return {
    name: index === 0 ? 'class-tree' : `class-tree-${index + 1}`,
    title: titleOf(strayed, hopName),
    counted: LEVEL_WORDS.accounted,
    strayPercent: Math.abs(strayed?.percent ?? 0),
    ...(reason === undefined ? {} : { reason }),
    note: `Bars: what left through the class, in bytes as tc counts them; the thick mark is its rate, the thin one its ceil.${
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

interface Strayed {
  readonly label: string;
  readonly leaf: TreeClass;
  readonly percent: number;
}

/** The leaf whose throughput is farthest from its rate. */
function strayedLeaf(tree: readonly TreeClass[], labels: readonly string[]): Strayed | undefined {
  const parents = new Set(tree.map((c) => c.figures.parent));
  return tree
    .map((leaf, i) => ({ leaf, label: labels[i] as string }))
    .filter(({ leaf }) => !parents.has(leaf.name) && (leaf.rate ?? 0) > 0 && leaf.figures.bitsPerSecond > 0)
    .map(({ leaf, label }) => ({
      leaf,
      label,
      percent: 100 * (leaf.figures.bitsPerSecond / (leaf.rate as number) - 1),
    }))
    .sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent))[0];
}

function titleOf(strayed: Strayed | undefined, hopName: string): string {
  if (strayed === undefined) return `Classes of ${hopName}: nothing was sent through a leaf`;
  const got = formatQuantity(strayed.leaf.figures.bitsPerSecond, 'rate', 4);
  const rate = formatQuantity(strayed.leaf.rate as number, 'rate', 4);
  const difference = formatDifference(strayed.percent);
  const borrowing = strayed.percent > 0 && (counter(strayed.leaf.figures, 'borrowed') ?? 0) > 0 ? ', by borrowing' : '';
  return difference === 'the same'
    ? `Every class of ${hopName} got its rate; ${strayed.label} sent ${got}`
    : `Class ${strayed.label} got ${got}, ${difference} than its rate of ${rate}${borrowing}`;
}

/** Who paid for the packets of a class that got more than its rate. */
function reasonOf(strayed: Strayed | undefined): string | undefined {
  const own = strayed === undefined ? 0 : (counter(strayed.leaf.figures, 'lended') ?? 0);
  const borrowed = strayed === undefined ? 0 : (counter(strayed.leaf.figures, 'borrowed') ?? 0);
  if (strayed === undefined || strayed.percent <= 0 || borrowed === 0) return undefined;
  return `${strayed.label} paid for ${formatNumber(own, 15)} packets out of its own rate; for ${formatNumber(borrowed, 15)} more it borrowed what the classes above it had left.`;
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
      count(counter(c.figures, 'lended')),
      count(counter(c.figures, 'borrowed')),
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
    y: `${'\u2003'.repeat(Math.max(0, c.depth - 1))}${c.depth > 0 ? '└ ' : ''}${labels[i]}`,
    x: rounded(c.figures.bitsPerSecond / unit.factor),
    rate: c.rate === undefined ? null : rounded(c.rate / unit.factor),
    ceil: c.ceil === undefined ? null : rounded(c.ceil / unit.factor),
    lended: counter(c.figures, 'lended') ?? null,
    borrowed: counter(c.figures, 'borrowed') ?? null,
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
  const borrowed = counter(c.figures, 'borrowed');
  const lended = counter(c.figures, 'lended');
  const isMixed = borrowed !== undefined && borrowed > 0;
  if (lended !== undefined && lended > 0) {
    words.push(`${shortCount(lended)} ${isMixed ? 'own' : 'packets at its own rate'}`);
  }
  if (isMixed) words.push(`${shortCount(borrowed)} borrowed packets`);
  return clipText(words.join(' · '), 38);
}

function shortCount(value: number): string {
  return value >= 1e6
    ? `${formatNumber(value / 1e6, 3)}M`
    : value >= 1e4
      ? `${formatNumber(value / 1e3, 3)}k`
      : formatNumber(value, 15);
}
