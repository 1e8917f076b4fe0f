import type { ClassResult, FlowResult } from '../run/result.ts';
import { deviation, droppedShare, figure, figureColumn, fixed } from './figures.ts';
import type { FlowReading, PointReading } from './reading.ts';
import { type Column, fitColumns, renderTable } from './table.ts';
import type { Style, Terminal } from './terminal.ts';

/** Flows or classes beyond this number are shown as a table of so many. */
export const CROWD = 20;

/** The flows of a crowded point as a table: those that stray farthest from their rate, or from the others. */
export function flowsOfCrowd({ flows, point }: PointReading, style: Style, terminal: Terminal): string[] {
  const middle = medianOf(flows.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond));
  const stray = ({ deviationPercent, receivedBitsPerSecond }: FlowReading): number =>
    Math.abs(deviationPercent ?? 100 * (receivedBitsPerSecond / Math.max(1, middle) - 1));
  const chosen = farthestOf(flows, stray);
  const results = chosen.map(({ flow }) => point.flows[flow]!);
  const rate = (header: string, values: readonly (number | undefined)[], dropRank: number): Column => {
    const { unit, cells } = figureColumn(values, 'rate');
    return right(`${header} ${unit}`, cells, dropRank);
  };
  const delay = (of: (result: FlowResult) => number): readonly string[] =>
    results.map((result) => (result.receivedPackets === 0 ? '' : figure(of(result), 'time')));
  const columns = [
    left(
      'flow',
      chosen.map(({ flow }) => flow),
      0,
    ),
    left(
      'class',
      chosen.map(({ className }) => className ?? ''),
      3,
    ),
    rate(
      'allowed',
      chosen.map(({ configured }) => configured?.bitsPerSecond),
      2,
    ),
    rate(
      'received',
      chosen.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond),
      0,
    ),
    right(
      'error',
      chosen.map(({ deviationPercent }) => (deviationPercent === undefined ? '' : deviation(deviationPercent))),
      1,
    ),
    right(
      'mean delay',
      delay(({ delaySeconds }) => delaySeconds.mean),
      4,
    ),
    right(
      'p99',
      delay(({ delaySeconds }) => delaySeconds.p99),
      5,
    ),
    right('dropped', results.map(droppedShare), 2),
  ].filter(({ cells }) => cells.some((cell) => cell !== ''));
  const sum = flows.reduce((total, { receivedBitsPerSecond }) => total + receivedBitsPerSecond, 0);
  const rates = flows.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond);
  const span = `${figure(Math.min(...rates), 'rate')} to ${figure(Math.max(...rates), 'rate')}, half of them above ${figure(middle, 'rate')}`;
  return [
    `${fixed(flows.length, 0)} flows, ${figure(sum, 'rate')} together: ${span}`,
    ...indented(columns, style, terminal),
    more(flows.length - chosen.length, ['flow that strays less', 'flows that stray less']),
  ];
}

/** The classes of a crowded hop as a table: inner ones first, then those that send most and least. */
export function classesOfCrowd(
  classes: Readonly<Record<string, ClassResult>>,
  style: Style,
  terminal: Terminal,
): string[] {
  const all = Object.entries(classes);
  const isInner = ({ level = 0 }: ClassResult): boolean => level > 0;
  const leaves = all.filter(([, result]) => !isInner(result));
  const middle = medianOf(leaves.map(([, { bitsPerSecond }]) => bitsPerSecond));
  const chosen = farthestOf(all, ([, result]) =>
    isInner(result) ? Number.POSITIVE_INFINITY : Math.abs(result.bitsPerSecond / Math.max(1, middle) - 1),
  );
  const rates = figureColumn(
    chosen.map(([, { bitsPerSecond }]) => bitsPerSecond),
    'rate',
  );
  const count = (header: string, dropRank: number): Column =>
    right(
      header,
      chosen.map(([, result]) => (typeof result[header] === 'number' ? fixed(result[header], 0) : '')),
      dropRank,
    );
  const columns = [
    left(
      'class',
      chosen.map(([name]) => name),
      0,
    ),
    left(
      'parent',
      chosen.map(([, { parent }]) => parent ?? ''),
      2,
    ),
    left(
      'mode',
      chosen.map(([, { mode }]) => mode ?? ''),
      3,
    ),
    right(`rate ${rates.unit}`, rates.cells, 0),
    right(
      'packets',
      chosen.map(([, { sentPackets }]) => fixed(sentPackets, 0)),
      1,
    ),
    right(
      'dropped',
      chosen.map(([, { droppedPackets }]) => fixed(droppedPackets, 0)),
      1,
    ),
    right(
      'backlog',
      chosen.map(([, { backlogPackets }]) => fixed(backlogPackets, 0)),
      2,
    ),
    count('lended', 4),
    count('borrowed', 4),
  ].filter(({ cells }) => cells.some((cell) => cell !== ''));
  return [...indented(columns, style, terminal), more(all.length - chosen.length, ['class', 'classes'])];
}

function more(count: number, [one, many]: readonly [string, string]): string {
  return `  … and ${fixed(count, 0)} more ${count === 1 ? one : many}; --all shows each in full, --json has every figure`;
}

function indented(columns: readonly Column[], style: Style, { columns: width }: Terminal): string[] {
  const fitting = fitColumns(columns, width - 2) ?? columns.filter(({ dropRank }) => dropRank === 0);
  return renderTable(fitting, style.dim).map((line) => `  ${line}`);
}

/** So many members as are shown, those of the highest score, in their own order. */
function farthestOf<T>(members: readonly T[], score: (member: T) => number): readonly T[] {
  const farthest = new Set(members.toSorted((a, b) => score(b) - score(a)).slice(0, CROWD));
  return members.filter((member) => farthest.has(member));
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function left(header: string, cells: readonly string[], dropRank: number): Column {
  return { header, align: 'left', cells, dropRank };
}

function right(header: string, cells: readonly string[], dropRank: number): Column {
  return { header, align: 'right', cells, dropRank };
}
