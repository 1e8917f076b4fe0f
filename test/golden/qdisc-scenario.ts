import { createHash } from 'node:crypto';
import type { NestedModel, QdiscReport, Values } from '../../models/model.ts';
import { CONGESTED, DROPPED } from '../../models/model.ts';
import { ECN_CE, NO_PACKET, PacketPool } from '../../models/packet.ts';
import { buildQdisc } from '../../models/registry.ts';
import { shaperOf, valuesOf } from '../models/linux/values-of.ts';
import { type ReplaySource, replay } from './replay.ts';

/** A qdisc of a golden scenario; options are named as in tc, rates in bit/s, times in `_us`. */
export interface GoldenQdisc {
  readonly handle: number;
  readonly kind: string;
  readonly parent?: number;
  readonly parent_class?: number;
  readonly [option: string]: unknown;
}

/** A scenario of golden/qdisc. */
export interface QdiscScenario {
  readonly name: string;
  readonly link_bps: number;
  readonly link_overhead: number;
  readonly duration_ns: number;
  readonly t0_ns?: number;
  readonly txqueuelen?: number;
  readonly mtu?: number;
  readonly seed?: number;
  readonly bypass?: number;
  readonly ingress?: number;
  readonly timer_res_ns?: number;
  readonly timer_latency_ns?: number;
  readonly qdiscs: readonly GoldenQdisc[];
  readonly sources: readonly {
    readonly flow: number;
    readonly size: number;
    readonly interval_ns: number;
    readonly start_ns: number;
    readonly count: number;
    readonly priority?: number;
    readonly ecn?: number;
    readonly gso_size?: number;
    readonly hdr?: number;
    readonly truesize?: number;
  }[];
}

/** The kernels and tools that the golden outcomes come from. */
export const eras = {
  k2624: { kernel: '2.6.24', tc: '2.6.23' },
  k612: { kernel: '6.12', tc: '6.1' },
} as const;

export type Era = keyof typeof eras;

/** What became of a scenario, in the words of the golden outcomes. */
export interface Outcome {
  readonly departures: (readonly number[])[];
  readonly drops: (readonly number[])[];
  readonly marks: number;
  readonly returned_cn: number;
  readonly returned_drop: number;
  readonly bypassed: number;
  readonly random_used: number;
  readonly random_first: readonly number[];
  readonly sha256: string;
  readonly drop_sha256: string;
  readonly classes: Readonly<Record<string, FlowTally>>;
  readonly report: QdiscReport;
}

/** What a flow sent, lost and got through. */
export interface FlowTally {
  arr: number;
  drop: number;
  txp: number;
  txb: number;
  mark: number;
  first: number;
  last: number;
}

const MICROSECOND_NS = 1000;
const SECOND_NS = 1e9;
const DEFAULT_HEADER_BYTES = 66;
const ETHERNET_HEADER_BYTES = 14;
const SKB_OVERHEAD_BYTES = 768;

/** How options of the golden scenarios translate where the name or the unit differs. */
const translated: Readonly<Record<string, readonly [name: string, scale: number]>> = {
  rate_bit: ['rate', 1],
  peakrate_bit: ['peakrate', 1],
  bandwidth_bit: ['bandwidth', 1],
  minburst: ['mtu', 1],
  latency_us: ['latency', MICROSECOND_NS],
  target_us: ['target', MICROSECOND_NS],
  interval_us: ['interval', MICROSECOND_NS],
  ce_threshold_us: ['ceThreshold', MICROSECOND_NS],
  memory_limit: ['memoryLimit', 1],
  drop_batch: ['dropBatch', 1],
  pkts_rate: ['pktsRate', 1],
  pkts_burst: ['pktsBurst', 1],
  perturb: ['perturb', SECOND_NS],
};
const flags = new Set(['ecn', 'headdrop', 'harddrop', 'nodrop', 'adaptive']);
const structural = new Set(['handle', 'kind', 'parent', 'parent_class', 'old_tc']);

/** tc 3.13 is the last without the burst in bytes. */
const OLD_TC = '3.13';

/** A qdisc of a scenario and what is below it, as a scenario file would have it. */
export function modelOf(scenario: QdiscScenario, era: Era, qdisc: GoldenQdisc): NestedModel {
  const values: Record<string, unknown> = {};
  for (const [option, value] of Object.entries(qdisc)) {
    if (structural.has(option)) continue;
    const [name, scale] = translated[option] ?? [option, 1];
    if (flags.has(option)) values[name] = value === 1;
    else values[name] = scale === 1 ? value : (value as number) * scale;
  }
  const surroundings: Values = {
    ...eras[era],
    ...(qdisc.old_tc === 1 ? { tc: OLD_TC } : {}),
    txQueueLen: scenario.txqueuelen ?? 1000,
    deviceMtu: scenario.mtu ?? 1500,
    handle: qdisc.handle * 0x10000,
    ingress: scenario.ingress === 1,
  };
  // Around the golden policer there is no filter that would match again: what is not dropped goes on.
  if (qdisc.kind === 'police' && (values.exceed ?? 'reclassify') === 'reclassify') values.exceed = 'pipe';
  const { parameters } = shaperOf(qdisc.kind);
  for (const [name, value] of Object.entries(surroundings)) if (name in parameters) values[name] = value;
  const children = scenario.qdiscs.filter((candidate) => candidate.parent === qdisc.handle);
  const classes: Record<string, { qdisc: NestedModel }> = {};
  for (const child of children) {
    const model = modelOf(scenario, era, child);
    if (qdisc.kind === 'prio') classes[className(qdisc.handle, child.parent_class!)] = { qdisc: model };
    else values.qdisc = model;
  }
  if (Object.keys(classes).length > 0) values.classes = classes;
  return { kind: qdisc.kind, values: valuesOf(qdisc.kind, values) };
}

function className(major: number, minor: number): string {
  return `${major.toString(16)}:${minor.toString(16)}`;
}

function sourceOf(source: QdiscScenario['sources'][number]): ReplaySource {
  const hdr = source.hdr ?? DEFAULT_HEADER_BYTES;
  const gso = source.gso_size ?? 0;
  const segments = gso > 0 ? Math.ceil((source.size - hdr) / gso) : 1;
  return {
    flow: source.flow,
    priority: source.priority ?? 0,
    // The kernel's length counts the headers of all segments.
    sizeBytes: source.size + (segments - 1) * hdr,
    intervalNs: source.interval_ns,
    startNs: source.start_ns,
    count: source.count,
    ecn: source.ecn ?? 0,
    dress(packets, packet) {
      packets.segments[packet] = segments;
      packets.gsoBytes[packet] = gso;
      packets.headerBytes[packet] = hdr;
      packets.payloadBytes[packet] = source.size - hdr;
      packets.truesizeBytes[packet] = source.truesize ?? source.size + SKB_OVERHEAD_BYTES;
    },
  };
}

/** xorshift32, the generator of the golden runs: the new state is the draw. */
function xorshift32(seed: number, drawn: (value: number) => void): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    drawn(state);
    return state;
  };
}

/** Runs a golden scenario. */
export function replayQdisc(scenario: QdiscScenario, era: Era): Outcome {
  const departures: number[][] = [];
  const drops: number[][] = [];
  const randomFirst: number[] = [];
  const departed = createHash('sha256');
  const dropped = createHash('sha256');
  const classes: Record<string, FlowTally> = {};
  let randomUsed = 0;
  let marks = 0;
  let arrivals = 0;
  let enqueued = 0;
  let congested = 0;
  let refused = 0;
  const tally = (flow: number): FlowTally => {
    classes[flow] ??= { arr: 0, drop: 0, txp: 0, txb: 0, mark: 0, first: 0, last: 0 };
    return classes[flow];
  };
  const lengthOf = (packets: PacketPool, packet: number): number =>
    packets.sizeBytes[packet]! - (scenario.ingress === 1 ? ETHERNET_HEADER_BYTES : 0);
  const arrivedMarked = new Set<number>();
  let arriving = NO_PACKET;
  let pool = new PacketPool();
  const recordDrop = (packet: number, packets: PacketPool, nowNs: number): void => {
    const flow = packets.flow[packet]!;
    const sizeBytes = lengthOf(packets, packet);
    tally(flow).drop++;
    drops.push([nowNs, flow, sizeBytes, packets.sequence[packet]!]);
    dropped.update(`${nowNs} ${flow} ${sizeBytes} ${packets.sequence[packet]!}\n`);
    if (packet === arriving) arriving = NO_PACKET;
  };

  const root = replay(
    (surroundings) => buildQdisc(modelOf(scenario, era, scenario.qdiscs[0]!), surroundings),
    {
      startNs: scenario.t0_ns ?? 0,
      durationNs: scenario.duration_ns,
      linkBitsPerSecond: scenario.link_bps,
      linkOverheadBytes: scenario.link_overhead,
      timerResolutionNs: scenario.timer_res_ns ?? 0,
      timerLatencyNs: scenario.timer_latency_ns ?? 0,
      bypass: scenario.bypass === 1,
      randomUint32: xorshift32(scenario.seed ?? 1, (value) => {
        if (randomFirst.length < 8) randomFirst.push(value);
        randomUsed++;
      }),
    },
    scenario.sources.map(sourceOf),
    {
      onArrival(packet, packets) {
        arrivals++;
        arriving = packet;
        pool = packets;
        tally(packets.flow[packet]!).arr++;
        if (packets.ecn[packet] === ECN_CE) arrivedMarked.add(packet);
        else arrivedMarked.delete(packet);
      },
      onEnqueued(result, nowNs) {
        enqueued++;
        if (result === CONGESTED) congested++;
        if (result !== DROPPED) return;
        refused++;
        // A super-packet none of whose segments found room: the golden runs also recorded that it was freed.
        if (arriving !== NO_PACKET) recordDrop(arriving, pool, nowNs);
      },
      onDeparture(packet, packets, nowNs) {
        const flow = packets.flow[packet]!;
        const sizeBytes = lengthOf(packets, packet);
        const mark = packets.ecn[packet] === ECN_CE && !arrivedMarked.has(packet) ? 1 : 0;
        const entry = tally(flow);
        if (entry.txp === 0) entry.first = nowNs;
        entry.txp++;
        entry.txb += sizeBytes;
        entry.mark += mark;
        entry.last = nowNs;
        marks += mark;
        departures.push([nowNs, flow, sizeBytes, packets.sequence[packet]!, mark]);
        departed.update(`${nowNs} ${flow} ${sizeBytes} ${packets.sequence[packet]!} ${mark}\n`);
      },
      onDrop: recordDrop,
    },
  );
  return {
    departures,
    drops,
    marks,
    returned_cn: congested,
    returned_drop: refused,
    bypassed: arrivals - enqueued,
    random_used: randomUsed,
    random_first: randomFirst,
    sha256: departed.digest('hex'),
    drop_sha256: dropped.digest('hex'),
    classes,
    report: root.report((scenario.t0_ns ?? 0) + scenario.duration_ns),
  };
}

/** The report of the qdisc with a handle, anywhere in the tree. */
export function reportOf(scenario: QdiscScenario, report: QdiscReport, handle: number): QdiscReport {
  const qdisc = scenario.qdiscs.find((candidate) => candidate.handle === handle)!;
  if (qdisc.parent === undefined) return report;
  const above = reportOf(scenario, report, qdisc.parent);
  const parent = scenario.qdiscs.find((candidate) => candidate.handle === qdisc.parent)!;
  const name = parent.kind === 'prio' ? className(qdisc.parent, qdisc.parent_class!) : '1:1';
  return above.children[name]!;
}

/** How the kernel's fields are called in reports, where it is not the same in camel case. */
const reported: Readonly<Record<string, string>> = {
  qlen: 'backlogPackets',
  backlog: 'backlogBytes',
  packets: 'sentPackets',
  bytes: 'sentBytes',
  drops: 'droppedPackets',
  t_c: 'checkpoint',
  child_requeues: 'requeues',
  toks: 'tokens',
  ptoks: 'ptokens',
  pkttoks: 'packetTokens',
  mtu_ptoks: 'mtuTokens',
  act_overlimits: 'exceeded',
  act_drops: 'shot',
  pipe_or_other: 'other',
  maxpacket: 'maxPacket',
  lastcount: 'lastCount',
  memory_usage: 'memoryUsed',
  max_P: 'maxP',
};

/** Fields of the golden wrapper around the policer, which is no qdisc in the kernel and counts nothing itself. */
const policeWrapper = new Set(['packets', 'bytes', 'limit', 'overlimits']);
/** Kinds that keep the limit where the golden state shows it. */
const showsLimit = new Set(['codel', 'fq_codel']);

/** The counters of a report under the names of a golden state. */
export function stateOf(kind: string, golden: Values, report: QdiscReport): Values {
  const state: Record<string, unknown> = {};
  for (const field of Object.keys(golden)) {
    if (field === 'kind') state[field] = kind;
    else if (kind === 'police' && policeWrapper.has(field)) state[field] = golden[field];
    else if (field === 'limit' && !showsLimit.has(kind)) state[field] = golden[field];
    else {
      const name = reported[field] ?? field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      state[field] = report.counters[name];
    }
  }
  return state;
}
