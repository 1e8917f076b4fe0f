import type { ClassResult, DelaySummary, FlowResult, HopResult, TransferResult } from '../run/result.ts';
import { CROWD, classesOfCrowd, flowsOfCrowd } from './crowd.ts';
import { concise, deviation, droppedShare, figure, figureColumn, fixed } from './figures.ts';
import type { FlowReading, PointReading } from './reading.ts';
import type { Style, Terminal } from './terminal.ts';

const LEVELS = [
  { level: 'goodput', says: 'payload' },
  { level: 'accounted', says: 'as tc counts: with the Ethernet header' },
  { level: 'frame', says: 'with FCS, as an analyser counts' },
  { level: 'wire', says: 'all that the line carries' },
] as const;

/** How much of a point is shown. */
export interface PointView {
  readonly style: Style;
  readonly terminal: Terminal;
  /** Every flow and class in full, however many there are. */
  readonly all: boolean;
}

/** A point: a block a flow, a block a hop with its classes in tc's words; a table where they are too many for that. */
export function pointSummary(reading: PointReading, view: PointView): string[] {
  const { point } = reading;
  const { style, terminal, all } = view;
  const flows =
    all || reading.flows.length <= CROWD
      ? reading.flows.flatMap((flow) => ['', ...flowBlock(flow, point.flows[flow.flow]!, style)])
      : ['', ...flowsOfCrowd(reading, style, terminal)];
  const hops = Object.entries(point.hops).flatMap(([name, hop]) => ['', ...hopBlock(name, hop, view)]);
  return [...flows, ...hops];
}

function flowBlock(reading: FlowReading, flow: FlowResult, style: Style): string[] {
  const where = reading.className === undefined ? '' : `, class ${reading.className}`;
  const lines = [`flow ${style.bold(reading.flow)} via ${reading.via.join(', ')}${where}`];
  const say = (name: string, text: string, remark = ''): void => {
    lines.push(`  ${name.padEnd(10)}${text}${remark === '' ? '' : style.dim(`   ${remark}`)}`);
  };
  const { configured } = reading;
  const held = LEVELS.map(({ level }) => flow.bitsPerSecond[level]);
  const rates = figureColumn([flow.bitsPerSecond.offered, ...held], 'rate');
  const allowed = figureColumn([configured?.bitsPerSecond], 'rate');
  const width = Math.max(...[...rates.cells, ...allowed.cells].map((cell) => cell.length));
  const rate = (index: number): string => `${rates.cells[index]!.padStart(width)} ${rates.unit}`;

  if (configured !== undefined) {
    const { guaranteedBitsPerSecond: own, by } = configured;
    const value = `${allowed.cells[0]!.padStart(width)} ${allowed.unit}`;
    const bound = own === undefined ? by : `ceil of ${by}, ${figure(own, 'rate')} of its own`;
    say('allowed', value, configured.shared ? `${bound}, shared with other flows` : bound);
  }
  const transfers = flow.transfers ?? (flow.transfer === undefined ? [] : [flow.transfer]);
  for (const transfer of transfers) {
    const text = transferText(transfer, reading);
    say('transfer', reading.level === 'transfer' ? style.bold(text) : text);
  }
  const idles = flow.transfer?.completed === true;
  say(
    'offered',
    rate(0),
    idles ? 'from here on over the whole window' : reading.unsaturated ? 'less than allowed' : '',
  );
  LEVELS.forEach(({ level, says }, index) => {
    const received = flow.bitsPerSecond[level];
    const compares = reading.deviationPercent !== undefined && configured !== undefined && reading.level !== 'transfer';
    const difference = compares ? deviation(100 * (received / configured.bitsPerSecond - 1)).padStart(9) : '';
    const value = `${rate(index + 1)}${difference === '' ? '' : `  ${difference}`}`;
    say(level, reading.level === level ? style.bold(value) : value, says);
  });
  say('packets', `${concise(flow.packetsPerSecond)} /s`, packetCounts(flow));
  if (flow.receivedPackets > 0) {
    say('delay', delays(flow.delaySeconds, ['min', 'mean', 'max']));
    say('quantiles', delays(flow.delaySeconds, ['p50', 'p95', 'p99']), 'within 0.4 %');
  }
  const counters = Object.entries(flow.counters ?? {}).map(([name, value]) => `${name} ${concise(value)}`);
  if (counters.length > 0) say('counters', counters.join(' · '));
  return lines;
}

function packetCounts(flow: FlowResult): string {
  const { sentPackets, receivedPackets, droppedPackets } = flow;
  const dropped = `${fixed(droppedPackets, 0)} dropped${droppedPackets > 0 ? ` (${droppedShare(flow)})` : ''}`;
  const underWay = sentPackets - receivedPackets - droppedPackets;
  const rest = underWay > 0 ? [`${fixed(underWay, 0)} under way at the end`] : [];
  return [`${fixed(sentPackets, 0)} sent`, `${fixed(receivedPackets, 0)} received`, dropped, ...rest].join(', ');
}

function delays(delay: DelaySummary, names: readonly (keyof DelaySummary)[]): string {
  return names.map((name) => `${name} ${figure(delay[name], 'time')}`).join(' · ');
}

/** A transfer against the limit that it sets itself; without one, against what it was allowed alone. */
function transferText(transfer: TransferResult, { configured: allowed, limitedBy }: FlowReading): string {
  const { bytes, seconds, bitsPerSecond, limitBitsPerSecond, deviationPercent, completed } = transfer;
  let against = '';
  if (limitedBy !== undefined) {
    against = `, limited by ${limitedBy}, below the limit of ${figure(limitBitsPerSecond, 'rate')}`;
  } else if (limitBitsPerSecond > 0 && !completed) {
    against = `, the limit is ${figure(limitBitsPerSecond, 'rate')}`;
  } else if (limitBitsPerSecond > 0) {
    against = `, ${deviation(deviationPercent)} against the limit of ${figure(limitBitsPerSecond, 'rate')}`;
  } else if (allowed?.shared === false && allowed.guaranteedBitsPerSecond === undefined) {
    against = `, ${deviation(100 * (bitsPerSecond / allowed.bitsPerSecond - 1))} against what is allowed`;
  }
  const end = completed ? '' : ', not completed';
  return `${fixed(bytes, 0)} ${bytes === 1 ? 'byte' : 'bytes'} in ${figure(seconds, 'time')}: ${figure(bitsPerSecond, 'rate')}${against}${end}`;
}

type Hop = Omit<HopResult, 'link'> & Partial<Pick<HopResult, 'link'>>;

function hopBlock(name: string, hop: Hop, view: PointView, depth = 0): string[] {
  const { style, terminal, all } = view;
  const indent = '  '.repeat(depth);
  const { link } = hop;
  const kind = hop.kind === undefined ? '' : ` (${hop.kind})`;
  const line = link === undefined ? '' : `: link ${fixed(100 * link.busyFraction, 1)} % busy${lossText(link)}`;
  const lines = [`${indent}${depth === 0 ? 'hop' : 'qdisc in'} ${style.bold(name)}${kind}${line}`];
  const counters = pairs(
    Object.entries(hop.counters).filter(([key, value]) => value !== 0 && !TC_LINE_COUNTERS.has(key)),
  );
  if ('sentPackets' in hop.counters) lines.push(...tcLines(hop.counters).map((text) => `${indent}  ${text}`));
  if (counters !== '') lines.push(`${indent}   ${counters}`);
  const used = Object.entries(hop.classes).filter(
    ([name, { sentPackets, droppedPackets, backlogPackets }]) =>
      name !== 'direct' || sentPackets + droppedPackets + backlogPackets > 0,
  );
  const children = Object.entries(hop.children ?? {});
  if (all || used.length <= CROWD) {
    for (const [className, values] of used) lines.push(...classBlock(className, values, indent, style));
  } else lines.push(...classesOfCrowd(Object.fromEntries(used), style, terminal).map((text) => indent + text));
  if (all || children.length <= CROWD) {
    for (const [child, nested] of children) lines.push(...hopBlock(child, nested, view, depth + 1));
  } else lines.push(`${indent}  ${fixed(children.length, 0)} qdiscs in its classes; --all shows each in full`);
  return lines;
}

function lossText({ droppedPackets, lostPackets }: HopResult['link']): string {
  const parts = [
    ...(droppedPackets > 0 ? [`${fixed(droppedPackets, 0)} dropped`] : []),
    ...(lostPackets > 0 ? [`${fixed(lostPackets, 0)} lost`] : []),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

function classBlock(name: string, values: ClassResult, indent: string, style: Style): string[] {
  const parent = values.parent === undefined ? 'root' : `parent ${values.parent}`;
  const level = values.level === undefined ? '' : ` ${parent} level ${values.level}`;
  const mode = values.mode === undefined ? '' : ` ${values.mode}`;
  const rates = `${figure(values.bitsPerSecond, 'rate')}, ${concise(values.packetsPerSecond)} packets/s`;
  const lines = [`${indent}  class ${style.bold(name)}${style.dim(`${level}${mode}`)}: ${rates}`];
  lines.push(...tcLines(values).map((text) => `${indent}  ${text}`));
  const known = new Set(['lended', 'borrowed', 'giants', 'tokens', 'ctokens']);
  const own = Object.entries(values).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !CLASS_COUNTERS_ELSEWHERE.has(entry[0]),
  );
  const of = (...names: string[]) => pairs(own.filter(([key]) => names.includes(key)));
  const groups = [
    of('lended', 'borrowed', 'giants'),
    of('tokens', 'ctokens'),
    pairs(own.filter(([key]) => !known.has(key))),
  ];
  for (const group of groups) if (group !== '') lines.push(`${indent}   ${group}`);
  return lines;
}

const TC_LINE_COUNTERS = new Set([
  'sentPackets',
  'sentBytes',
  'droppedPackets',
  'dropped',
  'overlimits',
  'requeues',
  'backlogPackets',
  'backlogBytes',
]);
const CLASS_COUNTERS_ELSEWHERE = new Set([
  ...TC_LINE_COUNTERS,
  'bitsPerSecond',
  'packetsPerSecond',
  'level',
  'tokensShown',
  'ctokensShown',
]);

/** The first two lines of `tc -s`. */
function tcLines(counters: Readonly<Record<string, unknown>>): string[] {
  const of = (name: string) => counters[name] ?? 0;
  return [
    ` Sent ${of('sentBytes')} bytes ${of('sentPackets')} pkt (dropped ${of('droppedPackets')}, overlimits ${of('overlimits')} requeues ${of('requeues')})`,
    ` backlog ${of('backlogBytes')}b ${of('backlogPackets')}p`,
  ];
}

function pairs(entries: readonly (readonly [string, number])[]): string {
  return entries.map(([name, value]) => `${name}: ${value}`).join(' ');
}
