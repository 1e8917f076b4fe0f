import type { ClassProbe, Qdisc, QdiscReport } from '../../models/model.ts';
import type { PacketPool } from '../../models/packet.ts';
import type { RecurrencePass } from '../../models/recurrence.ts';
import { OPPORTUNITY_BYTES } from './opportunity-link.ts';
import type { ClassResult, HopResult, Series } from './result.ts';
import { StepSignal, WindowedRate } from './series.ts';
import type { Tracer } from './tracer.ts';
import { type RunWindow, throughputWindows } from './window.ts';

/** Classes beyond this number get counters but no series: a thousand leaves would cost more than the simulation. */
const SERIES_CLASSES = 48;

/** What a port's meter needs to name things in a trace. */
export interface TraceNames {
  readonly tracer: Tracer;
  readonly flowName: (flow: number) => string;
  readonly flowClass: (flow: number) => string;
}

interface ClassSeries {
  readonly throughput: readonly { readonly name: string; readonly rate: WindowedRate }[];
  readonly backlog: StepSignal;
  readonly tokens: StepSignal;
  readonly ctokens: StepSignal;
  readonly cantSend: StepSignal;
  readonly mayBorrow: StepSignal;
  departedBytes: number;
}

/** Watches one port: link use, losses, the classes' share of the window, and, where wanted, series and the trace. */
export class PortMeter {
  /** Of all departures, also of the one under way, which ends at `#leftNs`. */
  #transmissionNs = 0;
  #leftNs = 0;
  #warmBusyNs = 0;
  #departedPackets = 0;
  /** Of a link that follows a trace: bytes that went and that could have gone, since the warm-up. */
  #usedBytes = 0;
  #offeredBytes = 0;
  #droppedPackets = 0;
  #lostPackets = 0;
  #warmPackets: number[] = [];
  #warmBytes: number[] = [];
  #backlog: StepSignal | undefined;
  #classSeries: ClassSeries[] = [];
  #probe: ClassProbe | undefined;
  #qdisc!: Qdisc;
  readonly #hop: string;
  readonly #kind: string | undefined;
  readonly #window: RunWindow;
  readonly #packets: PacketPool;
  readonly #trace: TraceNames | undefined;

  constructor(
    hop: string,
    kind: string | undefined,
    window: RunWindow,
    packets: PacketPool,
    trace: TraceNames | undefined,
  ) {
    this.#hop = hop;
    this.#kind = kind;
    this.#window = window;
    this.#packets = packets;
    this.#trace = trace;
  }

  /** Names the qdisc to watch; `buckets` 0: no series. */
  watch(qdisc: Qdisc, buckets: number): void {
    this.#qdisc = qdisc;
    this.#probe = qdisc.probe;
    if (buckets === 0) return;
    const { startNs, endNs } = this.#window;
    const durationNs = endNs - startNs;
    this.#backlog = new StepSignal(startNs, durationNs, buckets);
    const names = this.#probe?.names ?? [];
    if (names.length > SERIES_CLASSES) return;
    this.#classSeries = names.map(() => ({
      throughput: throughputWindows(durationNs).map(({ name, windowNs }) => ({
        name,
        rate: new WindowedRate(startNs, durationNs, windowNs, buckets),
      })),
      backlog: new StepSignal(startNs, durationNs, buckets),
      tokens: new StepSignal(startNs, durationNs, buckets),
      ctokens: new StepSignal(startNs, durationNs, buckets),
      cantSend: new StepSignal(startNs, durationNs, buckets),
      mayBorrow: new StepSignal(startNs, durationNs, buckets),
      departedBytes: 0,
    }));
  }

  /** The warm-up is over: what has left so far does not count for the rates. */
  warm(): void {
    this.#warmBusyNs = this.#busyNs(this.#window.warmNs);
    this.#usedBytes = 0;
    this.#offeredBytes = 0;
    const probe = this.#probe;
    if (probe === undefined) return;
    this.#warmPackets = probe.names.map((_, index) => probe.departedPackets(index));
    this.#warmBytes = probe.names.map((_, index) => probe.departedBytes(index));
  }

  /** Tells of its counts. */
  visit(pass: RecurrencePass): void {
    this.#transmissionNs = pass.counter(this.#transmissionNs);
    this.#leftNs = pass.instant(this.#leftNs);
    this.#departedPackets = pass.counter(this.#departedPackets);
    this.#droppedPackets = pass.counter(this.#droppedPackets);
    this.#lostPackets = pass.counter(this.#lostPackets);
  }

  arrived(packet: number, nowNs: number): void {
    if (this.#trace !== undefined) this.#tell('arrive', packet, nowNs);
  }

  departed(packet: number, nowNs: number, transmissionNs: number): void {
    this.#departedPackets++;
    this.#transmissionNs += transmissionNs;
    this.#leftNs = nowNs + transmissionNs;
    if (this.#trace !== undefined) this.#tell('depart', packet, nowNs);
  }

  /** A link that follows a trace could send, and so many bytes went. */
  opportunity(usedBytes: number): void {
    this.#usedBytes += usedBytes;
    this.#offeredBytes += OPPORTUNITY_BYTES;
  }

  dropped(packet: number, nowNs: number): void {
    this.#droppedPackets++;
    if (this.#trace !== undefined) this.#tell('drop', packet, nowNs);
  }

  lost(packet: number, nowNs: number): void {
    this.#lostPackets++;
    if (this.#trace !== undefined) this.#tell('drop', packet, nowNs);
  }

  delivered(packet: number, nowNs: number): void {
    if (this.#trace !== undefined) this.#tell('deliver', packet, nowNs);
  }

  /** Something happened at the port: takes what series show. */
  changed(nowNs: number): void {
    if (this.#backlog === undefined) return;
    this.#backlog.set(nowNs, this.#qdisc.backlogBytes);
    const probe = this.#probe;
    if (probe === undefined) return;
    for (let index = 0; index < this.#classSeries.length; index++) {
      const series = this.#classSeries[index]!;
      const departedBytes = probe.departedBytes(index);
      if (departedBytes !== series.departedBytes) {
        for (const { rate } of series.throughput) rate.add(nowNs, departedBytes - series.departedBytes);
        series.departedBytes = departedBytes;
      }
      series.backlog.set(nowNs, probe.backlogBytes(index));
      series.tokens.set(nowNs, probe.tokensNs(index, nowNs));
      series.ctokens.set(nowNs, probe.ctokensNs(index, nowNs));
      const mode = probe.mode(index);
      series.cantSend.set(nowNs, mode === 0 ? 1 : 0);
      series.mayBorrow.set(nowNs, mode === 1 ? 1 : 0);
    }
  }

  /** How long the link has been busy until `nowNs`, the present. */
  #busyNs(nowNs: number): number {
    return this.#transmissionNs - Math.max(0, this.#leftNs - nowNs);
  }

  /** The figures of the hop at the end of the run. */
  result(): HopResult {
    const { warmNs, endNs } = this.#window;
    const report = this.#qdisc.report(endNs);
    const nested = hopOfReport(report);
    const classes: Record<string, ClassResult> = { ...nested.classes };
    const probe = this.#probe;
    if (probe !== undefined) {
      const seconds = (endNs - warmNs) / 1e9;
      probe.names.forEach((name, index) => {
        // The direct queue is reported only where it was used.
        if (classes[name] === undefined) return;
        const packets = probe.departedPackets(index) - (this.#warmPackets[index] ?? 0);
        const bytes = probe.departedBytes(index) - (this.#warmBytes[index] ?? 0);
        const series = this.#classSeries[index];
        classes[name] = {
          ...classes[name],
          bitsPerSecond: (bytes * 8) / seconds,
          packetsPerSecond: packets / seconds,
          ...(series === undefined ? {} : { series: finishSeries(series, endNs) }),
        };
      });
    }
    return {
      ...(this.#kind === undefined ? {} : { kind: this.#kind }),
      counters: nested.counters,
      classes,
      ...(nested.children === undefined ? {} : { children: nested.children }),
      link: {
        busyFraction: this.#busyFraction(),
        sentPackets: this.#departedPackets,
        droppedPackets: this.#droppedPackets,
        lostPackets: this.#lostPackets,
      },
      ...(this.#backlog === undefined ? {} : { series: { backlogBytes: this.#backlog.finish(endNs, 1) } }),
    };
  }

  /** Share of the window; of a link that follows a trace, of what it could carry. */
  #busyFraction(): number {
    if (this.#offeredBytes > 0) return this.#usedBytes / this.#offeredBytes;
    const { warmNs, endNs } = this.#window;
    return (this.#busyNs(endNs) - this.#warmBusyNs) / (endNs - warmNs);
  }

  #tell(event: 'arrive' | 'drop' | 'depart' | 'deliver', packet: number, nowNs: number): void {
    const trace = this.#trace!;
    const packets = this.#packets;
    const flow = packets.flow[packet]!;
    const className = this.#qdisc.classOf?.(packet) ?? trace.flowClass(flow);
    const timeNs = nowNs - this.#window.startNs;
    trace.tracer.packet(event, timeNs, this.#hop, trace.flowName(flow), className, packet, packets);
  }
}

function finishSeries(series: ClassSeries, endNs: number): NonNullable<ClassResult['series']> {
  const throughput: Record<string, Series> = {};
  for (const { name, rate } of series.throughput) throughput[name] = rate.finish(endNs, 8);
  const cantSend = series.cantSend.finish(endNs, 1).mean;
  const mayBorrow = series.mayBorrow.finish(endNs, 1).mean;
  return {
    throughput,
    backlogBytes: series.backlog.finish(endNs, 1),
    tokens: series.tokens.finish(endNs, 1e-9),
    ctokens: series.ctokens.finish(endNs, 1e-9),
    mode: { cantSend, mayBorrow, canSend: cantSend.map((share, index) => Math.max(0, 1 - share - mayBorrow[index]!)) },
  };
}

function hopOfReport(report: QdiscReport): Omit<HopResult, 'link'> {
  const classes: Record<string, ClassResult> = {};
  for (const [name, { parent, level, mode, counters }] of Object.entries(report.classes)) {
    classes[name] = {
      ...(parent === undefined ? {} : { parent }),
      ...(level === undefined ? {} : { level }),
      ...(mode === undefined ? {} : { mode }),
      sentPackets: 0,
      sentBytes: 0,
      droppedPackets: 0,
      backlogPackets: 0,
      bitsPerSecond: 0,
      packetsPerSecond: 0,
      ...counters,
    };
  }
  const children = Object.entries(report.children);
  return {
    counters: report.counters,
    classes,
    ...(children.length === 0
      ? {}
      : { children: Object.fromEntries(children.map(([name, child]) => [name, hopOfReport(child)])) }),
  };
}
