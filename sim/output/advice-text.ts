import type { PointResult } from '../run/result.ts';
import type { Proposal } from '../tc/advise.ts';
import { figure } from './figures.ts';
import { renderTable } from './table.ts';

/** Proposals with their reasons, and what each flow gets before and after. */
export function adviceText(
  file: string,
  proposals: readonly Proposal[],
  before: PointResult,
  after: PointResult,
): string {
  if (proposals.length === 0) return `${file}: nothing to propose\n`;
  const lines = proposals.flatMap(({ path, value, reason }) => [`${path.join('.')}: ${value}`, `  ${reason}`]);
  const names = Object.keys(before.flows);
  const rates = (point: PointResult): string[] =>
    names.map((name) => figure(point.flows[name]!.bitsPerSecond.accounted, 'rate'));
  const drops = (point: PointResult): string[] => names.map((name) => String(point.flows[name]!.droppedPackets));
  const table = renderTable(
    [
      { header: 'flow', align: 'left', cells: names, dropRank: 0 },
      { header: 'before', group: 'rate', align: 'right', cells: rates(before), dropRank: 0 },
      { header: 'after', group: 'rate', align: 'right', cells: rates(after), dropRank: 0 },
      { header: 'before', group: 'drops', align: 'right', cells: drops(before), dropRank: 0 },
      { header: 'after', group: 'drops', align: 'right', cells: drops(after), dropRank: 0 },
    ],
    (text) => text,
  );
  return `${[...lines, '', ...table].join('\n')}\n`;
}
