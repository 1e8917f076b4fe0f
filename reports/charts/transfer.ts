import type { FlowResult } from '../../sim/run/result.ts';
import type { Chart } from '../chart.ts';
import { aboutReading } from '../facts.ts';
import { formatDifference, formatNumber, formatQuantity, unitFor } from '../format.ts';
import type { ChartSource, Reading, ReadPoint } from '../reading.ts';
import { pointWords, resultName, variableWords } from '../reading.ts';
import { allowedLine, planDeviationPercent, planOf, type TransferPlan } from './transfer-plan.ts';
import { domainOf, type Guide, seriesLabels, type XySeries, xyLegend, xyPanel } from './xy.ts';

const SERIES_LIMIT = 12;
const LIMITS_DRAWN = 3;

interface Trace {
  readonly read: ReadPoint;
  readonly flow: string;
  readonly reading: Reading | undefined;
  readonly figures: FlowResult;
  readonly plan: TransferPlan;
  readonly seconds: readonly number[];
  readonly bytes: readonly number[];
}

function tracesOf(source: ChartSource): Trace[] {
  return source.points.flatMap((read) =>
    Object.entries(read.point.flows).flatMap(([flow, figures]) => {
      const received = figures.series?.received;
      if (received === undefined || received.bytes.length === 0) return [];
      const reading = read.readings.find((r) => r.flow === flow);
      const plan = planOf(read, flow, figures);
      return [{ read, flow, reading, figures, plan, seconds: received.seconds, bytes: received.bytes }];
    }),
  );
}

/** Traces that differ in one variable only belong in one drawing: those that share the rest with the run looked at. */
function comparable(
  source: ChartSource,
  traces: readonly Trace[],
): { traces: Trace[]; varied: string[]; alikeIn: string } {
  const { read } = told(source, traces);
  const version = source.varying.find((name) => /version|client|kernel/i.test(name)) ?? source.varying[0];
  const fixed = source.varying.filter((name) => name !== version);
  const alike = traces.filter((t) =>
    fixed.every((name) => t.read.point.variables[name] === read.point.variables[name]),
  );
  const [first] = traces;
  const isOneTask = traces.every(
    ({ plan }) => plan.bytes === first?.plan.bytes && plan.limitBitsPerSecond === first.plan.limitBitsPerSecond,
  );
  // In a list of runs nothing may differ in the version alone: a few that do the same are drawn all the same.
  if (alike.length < 2 && isOneTask && traces.length <= SERIES_LIMIT) {
    return { traces: [...traces], varied: [...source.varying], alikeIn: '' };
  }
  return { traces: alike, varied: version === undefined ? [] : [version], alikeIn: pointWords(read, fixed) };
}

function straysOf({ reading }: Trace): number {
  return Math.abs(reading?.deviationPercent ?? 0);
}

/** The trace that the chart is about: the one that strays farthest, in the run that the page looks at if that has any. */
function told({ look }: ChartSource, traces: readonly Trace[]): Trace {
  const looked = traces.filter(({ read }) => read.point === look?.point);
  return (looked.length > 0 ? looked : traces).reduce((a, b) =>
    straysOf(b) > straysOf(a) * (1 + 1e-9) ||
    (a.reading?.deviationPercent === undefined && b.reading?.deviationPercent !== undefined)
      ? b
      : a,
  );
}

/** At most so many of the traces, those that stray farthest, in their order. */
function mostStraying(traces: readonly Trace[], limit: number): Trace[] {
  const kept = new Set([...traces].sort((a, b) => straysOf(b) - straysOf(a)).slice(0, limit));
  return traces.filter((trace) => kept.has(trace));
}

/** What a transfer's own limit allows, or what its way is configured to; each line once. */
function guidesOf(
  traces: readonly Trace[],
  most: number,
  last: number,
  bytesFactor: number,
  timeFactor: number,
): Guide[] {
  const lines = new Map<string, Guide[]>();
  const at = ([seconds, bytes]: readonly [number, number]) => [seconds / timeFactor, bytes / bytesFactor] as const;
  for (const { plan, reading } of traces) {
    const own = plan.limitBitsPerSecond;
    const limit = own > 0 ? own : (reading?.configuredBitsPerSecond ?? 0);
    if (limit <= 0) continue;
    const rate = formatQuantity(limit, 'rate', 4);
    const isOne = own === 0 || plan.clients * plan.rounds === 1;
    const label = `${own > 0 ? 'limit' : 'configured'} ${isOne || plan.clients === 1 ? '' : `${plan.clients} × `}${rate}`;
    // A line of one transfer goes up to the largest of those drawn, so that transfers of several sizes share it.
    const finish = Math.min(last, plan.startSeconds + (8 * most) / limit);
    const parts = isOne
      ? [
          {
            from: [plan.startSeconds, 0] as const,
            to: [finish, (limit * (finish - plan.startSeconds)) / 8] as const,
          },
        ]
      : allowedLine(plan);
    const guides = parts.map((part, i): Guide => {
      const guide = { label, from: at(part.from), to: at(part.to) };
      return i < parts.length - 1 ? { ...guide, goesOn: true } : guide;
    });
    lines.set(JSON.stringify(guides), guides);
  }
  return [...lines.values()].slice(0, LIMITS_DRAWN).flat();
}

/** Bytes over time against the line that the limit allows: lumps stand out as steps. */
export function transferCharts(source: ChartSource): Chart[] {
  const every = tracesOf(source);
  if (every.length === 0) return [];
  const { traces: alike, varied, alikeIn } = comparable(source, every);
  const traces = mostStraying(alike, SERIES_LIMIT);
  const manyFlows = new Set(alike.map((t) => t.flow)).size > 1;
  const names = seriesLabels(
    alike.map((t) => {
      const words = varied
        .filter((name) => t.read.point.variables[name] !== undefined)
        .map((name) =>
          name === 'version'
            ? `curl ${t.read.point.variables[name]}`
            : variableWords(name, t.read.point.variables[name] as string),
        );
      if (source.results.length > 1) words.unshift(resultName(source.results, t.read.resultIndex));
      if (manyFlows) words.unshift(t.flow);
      return words.join(', ') || t.flow;
    }),
  );
  const labelOf = (trace: Trace): string => names[alike.indexOf(trace)] as string;
  const most = Math.max(...traces.flatMap((t) => [...t.bytes]));
  const end = Math.max(...traces.map((t) => t.seconds.at(-1) ?? 0));
  const ownLimits = traces.some((t) => t.plan.limitBitsPerSecond > 0);
  const dues = traces.map(({ plan, reading }) => {
    const limit = plan.limitBitsPerSecond > 0 ? plan.limitBitsPerSecond : (reading?.configuredBitsPerSecond ?? 0);
    return limit > 0 ? plan.startSeconds + (plan.dueSeconds ?? (8 * most) / limit) : 0;
  });
  const last = Math.max(end, ...dues.map((due) => Math.min(due, 4 * end)));
  const unit = unitFor('bytes', most);
  const time = unitFor('time', last);
  const guides = guidesOf(traces, most, last, unit.factor, time.factor);
  const series: XySeries[] = traces.map((t) => ({
    label: labelOf(t),
    step: true,
    points: withStart(t).map((p) => ({ x: p.seconds / time.factor, y: p.bytes / unit.factor })),
  }));
  const main = told(source, traces);
  const measured = measuredSeries(source, main, unit.factor, time.factor);
  const all = [...series, ...measured];
  const xEnd = Math.max(last / time.factor, ...measured.flatMap((s) => s.points.map((p) => p.x)));
  const isSummed = traces.some(({ plan }) => plan.clients * plan.rounds > 1);
  return [
    {
      name: 'transfer',
      title: titleOf(main, subjectOf(main, labelOf(main))),
      ...(main.reading?.deviationPercent === undefined ? {} : { about: aboutReading(main.read, main.reading) }),
      note: `Bytes that the application has received${isSummed ? ', all its transfers together' : ''}${
        guides.length === 0 ? '' : `; the dashed line is what ${ownLimits ? 'the limit' : 'the configured rate'} allows`
      }${isSummed && guides.length > 0 && ownLimits ? ' them' : ''}.${alikeIn === '' ? '' : ` With ${alikeIn}.`}${
        measured.length > 0 ? ' Outlined points were measured on real machines.' : ''
      }${
        alike.length > traces.length
          ? ` Drawn are the ${traces.length} of ${alike.length} that stray farthest; the table holds all.`
          : ''
      }`,
      legend: xyLegend(all, guides),
      panels: [
        xyPanel({
          x: { title: 'Time since the start', unit: time.name, domain: [0, 1.02 * xEnd] },
          y: { title: 'Received', unit: unit.name, domain: domainOf([0, most / unit.factor], true) },
          series: all,
          guides,
          height: 300,
        }),
      ],
      arrange: 'stack',
      first: 0,
      table: {
        caption: isSummed ? 'All the transfers of each flow' : 'Transfers',
        columns: [
          { label: isSummed ? 'Transfers' : 'Transfer', number: false },
          { label: 'Size', unit: unit.name, number: true },
          { label: 'Took', unit: 's', number: true },
          { label: 'At the limit', unit: 's', number: true },
          { label: 'Deviation of the rate', unit: '%', number: true },
        ],
        rows: alike.map((trace) => {
          const { plan, bytes } = trace;
          const size = plan.clients * plan.rounds * plan.bytes || (bytes.at(-1) ?? 0);
          const deviation = planDeviationPercent(plan);
          return [
            labelOf(trace),
            formatNumber(size / unit.factor),
            plan.tookSeconds === undefined ? null : formatNumber(plan.tookSeconds, 4),
            plan.dueSeconds === undefined ? null : formatNumber(plan.dueSeconds, 4),
            deviation === undefined ? null : formatNumber(deviation, 3),
          ];
        }),
      },
    },
  ];
}

function withStart(trace: Trace): { seconds: number; bytes: number }[] {
  const points = trace.seconds.map((seconds, i) => ({ seconds, bytes: trace.bytes[i] as number }));
  const first = points[0];
  return first !== undefined && first.seconds > 0 ? [{ seconds: 0, bytes: 0 }, ...points] : points;
}

/** Measured traces: references over the time since the start (s) that give bytes. */
function measuredSeries(source: ChartSource, trace: Trace, bytesFactor: number, timeFactor: number): XySeries[] {
  return source.results.flatMap((result) =>
    result.references
      .filter((r) => r.variable === 'seconds' && r.figure[1] === trace.flow)
      .map((r) => ({
        label: seriesLabels([r.label])[0] as string,
        measured: true,
        points: r.rows.map((row) => ({ x: row.x / timeFactor, y: row.y / bytesFactor })),
      })),
  );
}

/** The transfer as the subject of a sentence: a value alone, as `link 1gbit`, does nothing. */
function subjectOf({ flow }: Trace, label: string): string {
  return label.includes('curl ') || label.startsWith(flow) ? label : `${flow} with ${label}`;
}

function titleOf({ plan, reading, bytes }: Trace, label: string): string {
  const { tookSeconds, dueSeconds, clients, rounds } = plan;
  if (tookSeconds === undefined || dueSeconds === undefined) return plainTitle(reading, label, bytes.at(-1) ?? 0);
  const count = clients * rounds;
  const at = clients > 1 && rounds > 1 ? `, ${clients} at a time` : '';
  const done = count === 1 ? '' : ` with ${count} transfers${at},`;
  const off = Math.abs(tookSeconds - dueSeconds);
  const limit = clients === 1 ? 'its limit asks' : 'their limits ask';
  return off < 0.005 * dueSeconds
    ? `${label} ${count === 1 ? 'takes' : `is done${done} after`} ${formatQuantity(tookSeconds, 'time', 4)}, as ${limit}`
    : `${label} is done${done} after ${formatQuantity(tookSeconds, 'time', 3)}, ${formatQuantity(off, 'time', 3)} ${
        tookSeconds < dueSeconds ? 'early' : 'late'
      }: ${limit} for ${formatQuantity(dueSeconds, 'time', 3)}`;
}

/** The finding where no transfer has both a limit of its own and an end: the rate against what is configured. */
function plainTitle(reading: Reading | undefined, label: string, receivedBytes: number): string {
  if (reading?.deviationPercent === undefined) {
    return `${label} receives ${formatQuantity(receivedBytes, 'bytes', 3)}`;
  }
  const received = formatQuantity(reading.receivedBitsPerSecond, 'rate', 4);
  const configured = formatQuantity(reading.configuredBitsPerSecond ?? 0, 'rate', 4);
  const difference = formatDifference(reading.deviationPercent);
  return `${label} gets ${received} where ${configured} is configured${difference === 'the same' ? '' : `, ${difference}`}`;
}
