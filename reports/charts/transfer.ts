import type { FlowResult } from '../../sim/run/result.ts';
import type { Chart } from '../chart.ts';
import { aboutReading } from '../facts.ts';
import { formatDifference, formatNumber, formatQuantity, unitFor } from '../format.ts';
import type { ChartSource, Reading, ReadPoint } from '../reading.ts';
import { resultName, variableWords } from '../reading.ts';
import { domainOf, type Guide, seriesLabels, type XySeries, xyLegend, xyPanel } from './xy.ts';

const SERIES_LIMIT = 6;

interface Trace {
  readonly read: ReadPoint;
  readonly flow: string;
  readonly figures: FlowResult;
  readonly seconds: readonly number[];
  readonly bytes: readonly number[];
}

function tracesOf(source: ChartSource): Trace[] {
  return source.points.flatMap((read) =>
    Object.entries(read.point.flows).flatMap(([flow, figures]) => {
      const received = figures.series?.received;
      return received === undefined || received.bytes.length === 0
        ? []
        : [{ read, flow, figures, seconds: received.seconds, bytes: received.bytes }];
    }),
  );
}

/** The transfer's own limit, or else what its way is configured to (bit/s); 0: none. */
function boundOf({ read, flow, figures }: Trace): number {
  const own = figures.transfer?.limitBitsPerSecond ?? 0;
  return own > 0 ? own : (read.readings.find((r) => r.flow === flow)?.configuredBitsPerSecond ?? 0);
}

/** Traces that differ in one variable only belong in one drawing: those that share the rest with the point looked at. */
function comparable(source: ChartSource, traces: readonly Trace[]): { traces: Trace[]; varied: string[] } {
  const chosen = mostTelling(traces);
  const version = source.varying.find((name) => /version|client|kernel/i.test(name)) ?? source.varying[0];
  const fixed = source.varying.filter((name) => name !== version);
  const alike = traces.filter((t) =>
    fixed.every((name) => t.read.point.variables[name] === chosen.read.point.variables[name]),
  );
  return { traces: alike, varied: version === undefined ? [] : [version] };
}

/** The longest of the transfers that stray by a tenth or more, where steps can be seen; of equals the one that strays farthest. */
function mostTelling(traces: readonly Trace[]): Trace {
  const strays = (t: Trace): number => Math.abs(t.figures.transfer?.deviationPercent ?? 0);
  const due = (t: Trace): number => {
    const limit = t.figures.transfer?.limitBitsPerSecond ?? 0;
    return limit > 0 ? (t.figures.transfer?.bytes ?? 0) / limit : 0;
  };
  const straying = traces.filter((t) => strays(t) >= 10);
  return (straying.length > 0 ? straying : traces).reduce((a, b) =>
    due(b) > due(a) * (1 + 1e-9) || (due(b) >= due(a) * (1 - 1e-9) && strays(b) > strays(a) + 1e-9) ? b : a,
  );
}

/** Bytes over time against the line that the limit allows: lumps stand out as steps. */
export function transferCharts(source: ChartSource): Chart[] {
  const every = tracesOf(source);
  if (every.length === 0) return [];
  const { traces: alike, varied } = comparable(source, every);
  const traces = alike.slice(0, SERIES_LIMIT);
  const manyFlows = new Set(traces.map((t) => t.flow)).size > 1;
  const labels = seriesLabels(
    traces.map((t) => {
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
  const most = Math.max(...traces.flatMap((t) => [...t.bytes]));
  const end = Math.max(...traces.map((t) => t.seconds.at(-1) ?? 0));
  const limits = [...new Set(traces.map(boundOf).filter((l) => l > 0))];
  const ownLimits = traces.some((t) => (t.figures.transfer?.limitBitsPerSecond ?? 0) > 0);
  const last = Math.max(end, ...limits.map((l) => Math.min((8 * most) / l, 4 * end)));
  const unit = unitFor('bytes', most);
  const time = unitFor('time', last);
  const guides: Guide[] = limits.slice(0, 3).map((limit) => {
    const finish = Math.min(last, (8 * most) / limit);
    return {
      label: `${ownLimits ? 'limit' : 'configured'} ${formatQuantity(limit, 'rate', 4)}`,
      from: [0, 0],
      to: [finish / time.factor, (limit * finish) / 8 / unit.factor],
    };
  });
  const series: XySeries[] = traces.map((t, i) => ({
    label: labels[i] as string,
    step: true,
    points: withStart(t).map((p) => ({ x: p.seconds / time.factor, y: p.bytes / unit.factor })),
  }));
  const measured = measuredSeries(source, traces[0] as Trace, unit.factor, time.factor);
  const all = [...series, ...measured];
  const told = toldOf(traces);
  const xEnd = Math.max(last / time.factor, ...measured.flatMap((s) => s.points.map((p) => p.x)));
  return [
    {
      name: 'transfer',
      title: titleOf(traces, labels),
      ...(told === undefined ? {} : { about: aboutReading(told.read, told.reading) }),
      note: `Bytes that the application has received${
        guides.length === 0 ? '' : `; the dashed line is what ${ownLimits ? 'the limit' : 'the configured rate'} allows`
      }.${
        measured.length > 0 ? ' Outlined points were measured on real machines.' : ''
      }${alike.length > traces.length ? ` ${traces.length} of ${alike.length} transfers are drawn.` : ''}`,
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
        caption: 'Transfers drawn above',
        columns: [
          { label: 'Transfer', number: false },
          { label: 'Size', unit: unit.name, number: true },
          { label: 'Took', unit: 's', number: true },
          { label: 'At the limit it takes', unit: 's', number: true },
          { label: 'Deviation of the rate', unit: '%', number: true },
        ],
        rows: traces.map(({ figures, bytes }, i) => {
          const size = figures.transfer?.bytes ?? bytes.at(-1) ?? 0;
          const limit = figures.transfer?.limitBitsPerSecond ?? 0;
          return [
            labels[i] as string,
            formatNumber(size / unit.factor),
            figures.transfer === undefined ? null : formatNumber(figures.transfer.seconds, 4),
            limit > 0 ? formatNumber((8 * size) / limit, 4) : null,
            limit > 0 ? formatNumber(figures.transfer?.deviationPercent ?? 0, 3) : null,
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

/** The transfer that the title is about; undefined where none misses what it is entitled to. */
function toldOf(traces: readonly Trace[]): { read: ReadPoint; reading: Reading } | undefined {
  return traces
    .flatMap(({ read, flow }) => {
      const reading = read.readings.find((r) => r.flow === flow);
      return reading?.deviationPercent === undefined ? [] : [{ read, reading }];
    })
    .sort((a, b) => Math.abs(b.reading.deviationPercent ?? 0) - Math.abs(a.reading.deviationPercent ?? 0))[0];
}

function titleOf(traces: readonly Trace[], labels: readonly string[]): string {
  const timed = traces
    .map(({ figures }, i) => ({ transfer: figures.transfer, label: labels[i] as string }))
    .filter((t) => t.transfer?.completed === true && t.transfer.limitBitsPerSecond > 0);
  const strayed = timed.sort(
    (a, b) => Math.abs(b.transfer?.deviationPercent ?? 0) - Math.abs(a.transfer?.deviationPercent ?? 0),
  )[0];
  if (strayed?.transfer === undefined) return plainTitle(traces, labels);
  const { bytes, seconds, limitBitsPerSecond } = strayed.transfer;
  const due = (8 * bytes) / limitBitsPerSecond;
  const difference = seconds < due ? 'early' : 'late';
  const off = Math.abs(seconds - due);
  return off < 0.005 * due
    ? `${strayed.label} takes ${formatQuantity(seconds, 'time', 4)}, as its limit asks`
    : `${strayed.label} is done after ${formatQuantity(seconds, 'time', 3)}, ${formatQuantity(off, 'time', 3)} ${difference}: its limit asks for ${formatQuantity(due, 'time', 3)}`;
}

/** The finding where no transfer has both a limit of its own and an end: the one farthest from what is configured. */
function plainTitle(traces: readonly Trace[], labels: readonly string[]): string {
  const rated = traces
    .map((t, i) => ({ label: labels[i] as string, reading: t.read.readings.find((r) => r.flow === t.flow) }))
    .filter(({ reading }) => reading?.deviationPercent !== undefined)
    .sort((a, b) => Math.abs(b.reading?.deviationPercent ?? 0) - Math.abs(a.reading?.deviationPercent ?? 0))[0];
  if (rated?.reading === undefined) {
    return `${labels[0]} receives ${formatQuantity(traces[0]?.bytes.at(-1) ?? 0, 'bytes', 3)}`;
  }
  const received = formatQuantity(rated.reading.receivedBitsPerSecond, 'rate', 4);
  const configured = formatQuantity(rated.reading.configuredBitsPerSecond ?? 0, 'rate', 4);
  const difference = formatDifference(rated.reading.deviationPercent ?? 0);
  return `${rated.label} gets ${received} where ${configured} is configured${difference === 'the same' ? '' : `, ${difference}`}`;
}
