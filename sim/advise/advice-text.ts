import { deviation, figure, fixed } from '../output/figures.ts';
import { renderTable } from '../output/table.ts';
import { wrapText } from '../output/wrap.ts';
import type { PointResult } from '../run/result.ts';
import type { Advice } from './advise.ts';
import type { Proposal } from './proposal.ts';

/** Flows beyond this number are left out of the table, those that change least. */
const LISTED_FLOWS = 20;
/** Proposals without effect beyond this number are counted. */
const LISTED_IDLE = 6;

/** Proposals with their reasons, what each flow gets before and after, and what was left out as it changes nothing. */
export function adviceText(
  file: string,
  { proposals, gains, idle, remarks, before, after }: Advice,
  columns: number,
): string {
  const lines: string[] = [];
  if (proposals.length === 0) {
    const but = idle.length + remarks.length === 0 ? '' : ' that changes a figure of this scenario';
    lines.push(`${file}: nothing to propose${but}`);
  } else {
    lines.push(...proposals.flatMap((proposal) => proposalLines(proposal, columns)), '', ...flowTable(before, after));
  }
  for (const gain of gains) lines.push(...wrapText(`better: ${gain}`, columns));
  if (idle.length > 0) {
    lines.push('', 'Left out, as no figure of this scenario gets better by it:');
    lines.push(...idle.slice(0, LISTED_IDLE).flatMap((proposal) => proposalLines(proposal, columns)));
    if (idle.length > LISTED_IDLE) lines.push(`… and ${idle.length - LISTED_IDLE} more; --json has all`);
  }
  for (const remark of remarks) lines.push('', ...wrapText(`note: ${remark}.`, columns));
  return `${lines.join('\n')}\n`;
}

function proposalLines({ path, value, reason }: Proposal, columns: number): string[] {
  return [`${path.join('.')}: ${value}`, ...wrapText(reason, columns - 2).map((line) => `  ${line}`)];
}

function flowTable(before: PointResult, after: PointResult): string[] {
  const rate = (point: PointResult, name: string): number => point.flows[name]!.bitsPerSecond.accounted;
  const change = (name: string): number => Math.abs(rate(after, name) - rate(before, name));
  const all = Object.keys(before.flows);
  const most = new Set(all.toSorted((a, b) => change(b) - change(a)).slice(0, LISTED_FLOWS));
  const names = all.filter((name) => most.has(name));
  const rates = (point: PointResult): string[] => names.map((name) => figure(rate(point, name), 'rate'));
  const drops = (point: PointResult): string[] => names.map((name) => fixed(point.flows[name]!.droppedPackets, 0));
  const delays = (point: PointResult): string[] =>
    names.map((name) =>
      point.flows[name]!.receivedPackets === 0 ? '' : figure(point.flows[name]!.delaySeconds.mean, 'time'),
    );
  const changes = names.map((name) =>
    rate(before, name) === 0 ? '' : deviation(100 * (rate(after, name) / rate(before, name) - 1)),
  );
  const column = (header: string, group: string, cells: readonly string[]) =>
    ({ header, group, align: 'right', cells, dropRank: 0 }) as const;
  const table = renderTable(
    [
      { header: 'flow', align: 'left', cells: names, dropRank: 0 },
      column('before', 'rate', rates(before)),
      column('after', 'rate', rates(after)),
      column('change', 'rate', changes),
      column('before', 'mean delay', delays(before)),
      column('after', 'mean delay', delays(after)),
      column('before', 'drops', drops(before)),
      column('after', 'drops', drops(after)),
    ],
    (text) => text,
  );
  const rest = all.length - names.length;
  return rest === 0 ? table : [...table, `… and ${fixed(rest, 0)} flows that change less; --json has all`];
}
