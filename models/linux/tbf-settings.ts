import type { NestedModel, ParameterProblem, Parameters, ShaperDeclaration, Values } from '../model.ts';
import {
  kernelOf,
  kernelParameter,
  kernelReleaseOf,
  release,
  tcOf,
  tcParameter,
  versionProblems,
} from './kernel-parameters.ts';
import type { KernelRules, TcRules } from './kernels.ts';
import { PacketCost } from './packet-cost.ts';
import { deviceParameters, qdiscCounters } from './qdisc-base.ts';
import { Tbf } from './tbf.ts';
import { bytesPerSecond, type PacketFraming, type RateTable, rateTable, TABLE_SLOTS, transmitTime } from './tc.ts';

/** 3.14 has the attribute that tells the burst in bytes (TCA_TBF_BURST), if tc, 3.14 as well, sends it. */
const BURST_IN_BYTES = release(3, 14);

/** Longest time that a burst without the attribute counts for in max_size (ns). */
const LONGEST_BURST_NS = 2 ** 32 - 1;
const LARGEST_U32 = 2n ** 32n - 1n;

/** A bucket of the token bucket filter or the policer. */
export interface Bucket {
  /** Its depth, in ticks of the kernel's clock. */
  readonly bufferTicks: number;
  readonly cost: PacketCost;
}

/** What a token bucket filter is set to. */
export interface TbfSettings extends Bucket {
  readonly tickNs: number;
  readonly peak?: Bucket;
  /** Longest packet that the buckets can ever pass (bytes). */
  readonly maxSizeBytes: number;
  /** Whether longer super-packets are cut into their segments. */
  readonly segments: boolean;
  /** Whether the kernel puts the head back into the child when it may not go yet. */
  readonly requeues: boolean;
  readonly sentAtEnqueue: boolean;
  readonly child: NestedModel;
}

/** A rate as tc and the kernel take it, with the table where the kernel needs one. */
export interface SentRate {
  readonly bytesPerSecond: number;
  readonly table?: RateTable;
  readonly cost: PacketCost;
}

/** Prepares a rate as `tc` does and prices packets as the kernel does. */
export function sentRate(
  kernel: KernelRules,
  tc: TcRules,
  rateBitsPerSecond: number,
  framing: PacketFraming,
): SentRate {
  const rate = bytesPerSecond(rateBitsPerSecond);
  const told = tc.foldsOverhead ? { ...framing, overheadBytes: 0, mpuBytes: 0 } : framing;
  if (kernel.cost === 'fixed-point') return { bytesPerSecond: rate, cost: new PacketCost(kernel, rate, told) };
  const table = rateTable(tc, rate, kernel.netlinkTickNs, framing);
  return { bytesPerSecond: rate, table, cost: new PacketCost(kernel, rate, told, table) };
}

/** Size parameters of a rate in tc's words: what is added to a packet's length before it is priced. */
export const framingParameters = {
  mpu: { type: 'size', help: 'Bytes that a packet is priced for at least.', default: 0, minimum: 0, maximum: 0xffff },
  overhead: {
    type: 'size',
    help: 'Bytes added to each packet before it is priced.',
    default: 0,
    minimum: 0,
    maximum: 0xffff,
  },
  linklayer: {
    type: { choice: ['ethernet', 'atm', 'adsl'] },
    help: 'Whether packets are priced in ATM cells.',
    default: 'ethernet',
  },
} as const satisfies Parameters;

/** Reads {@link framingParameters}; `mtuBytes` is tc's, which chooses the slots of the tables. */
export function framingOf(values: Values, mtuBytes: number): PacketFraming {
  return {
    mtuBytes,
    mpuBytes: values.mpu as number,
    overheadBytes: values.overhead as number,
    atm: values.linklayer === 'atm' || values.linklayer === 'adsl',
  };
}

/** What a kernel that only knows the burst as time lets through at most (sch_tbf.c: tbf_change, 3.8 on). */
function maxSizeFromTime(bufferNs: number, rateBytesPerSecond: number, framing: PacketFraming): number {
  const timeNs = BigInt(Math.min(bufferNs, LONGEST_BURST_NS));
  let bytes = BigInt.asUintN(64, timeNs * BigInt(rateBytesPerSecond)) / 1_000_000_000n;
  if (framing.atm) bytes = (bytes / 53n) * 48n;
  const overhead = BigInt(framing.overheadBytes);
  bytes = bytes > overhead ? bytes - overhead : 0n;
  return Number(bytes < LARGEST_U32 ? bytes : LARGEST_U32);
}

/** The longest packet that the first slot too dear for the bucket leaves (sch_tbf.c: tbf_change, to 3.7). */
function maxSizeFromTable(table: RateTable, bufferTicks: number): number {
  let slots = 0;
  while (slots < TABLE_SLOTS && table.ticks[slots]! <= bufferTicks) slots++;
  return slots * 2 ** table.cellLog - 1;
}

interface SizedBucket extends Bucket {
  readonly maxSizeBytes: number;
}

function bucketOf(values: Values, rateBitsPerSecond: number, burstBytes: number): SizedBucket {
  const kernel = kernelOf(values);
  const tc = tcOf(values);
  const framing = framingOf(values, (values.mtu as number | undefined) ?? 0);
  const rate = sentRate(kernel, tc, rateBitsPerSecond, framing);
  const netlinkTicks = transmitTime(tc, rate.bytesPerSecond, burstBytes, kernel.netlinkTickNs).ticks;
  if (rate.table !== undefined) {
    const maxSizeBytes = maxSizeFromTable(rate.table, netlinkTicks);
    return { bufferTicks: netlinkTicks, cost: rate.cost, maxSizeBytes };
  }
  if (kernelReleaseOf(values) >= BURST_IN_BYTES && tc.wideRates) {
    return { bufferTicks: rate.cost.ticks(burstBytes), cost: rate.cost, maxSizeBytes: burstBytes };
  }
  const bufferTicks = netlinkTicks * kernel.netlinkTickNs;
  return { bufferTicks, cost: rate.cost, maxSizeBytes: maxSizeFromTime(bufferTicks, rate.bytesPerSecond, framing) };
}

/** The child's limit (bytes): as given, or what waits for `latency` (tc/q_tbf.c). */
export function tbfLimitBytes(values: Values): number {
  const limit = values.limit as number | undefined;
  if (limit !== undefined) return limit;
  const latencySeconds = Math.floor((values.latency as number) / 1000) / 1e6;
  const waiting = (rateBitsPerSecond: unknown, burstBytes: unknown): number =>
    bytesPerSecond(rateBitsPerSecond as number) * latencySeconds + (burstBytes as number);
  const atRate = waiting(values.rate, values.burst);
  return Math.trunc(values.peakrate === undefined ? atRate : Math.min(atRate, waiting(values.peakrate, values.mtu)));
}

/** Computes what tc and the kernel make of the values. */
export function tbfSettings(values: Values): TbfSettings {
  const kernel = kernelOf(values);
  const kernelRelease = kernelReleaseOf(values);
  const main = bucketOf(values, values.rate as number, values.burst as number);
  const peakrate = values.peakrate as number | undefined;
  const peak = peakrate === undefined ? undefined : bucketOf(values, peakrate, values.mtu as number);
  return {
    tickNs: kernel.tickNs,
    bufferTicks: main.bufferTicks,
    cost: main.cost,
    ...(peak === undefined ? {} : { peak }),
    maxSizeBytes: Math.min(main.maxSizeBytes, peak?.maxSizeBytes ?? main.maxSizeBytes),
    segments: kernelRelease >= release(3, 9),
    requeues: kernelRelease < release(2, 6, 30),
    sentAtEnqueue: kernelRelease < release(3, 0),
    child: (values.qdisc as NestedModel | undefined) ?? { kind: 'bfifo', values: { limit: tbfLimitBytes(values) } },
  };
}

function check(values: Values): ParameterProblem[] {
  const problems = versionProblems(values);
  const { rate, peakrate, limit, latency, mtu } = values as Record<string, number | undefined>;
  if ((limit === undefined) === (latency === undefined)) {
    problems.push({
      path: [limit === undefined ? 'limit' : 'latency'],
      expected: 'either limit or latency',
      received: limit === undefined ? 'neither' : 'both',
      hint: 'limit is the queue in bytes, latency the time that a packet may wait in it, e.g. "latency: 50ms"',
    });
  }
  if (peakrate !== undefined && mtu === undefined) {
    problems.push({
      path: ['mtu'],
      expected: "the depth of the peak rate's bucket",
      received: 'none',
      hint: 'peakrate needs it; at least the longest frame, e.g. "mtu: 1540"',
    });
  }
  if (problems.length > 0) return problems;
  if (peakrate !== undefined && peakrate <= rate! && kernelOf(values).cost === 'fixed-point') {
    problems.push({
      path: ['peakrate'],
      expected: `a rate above rate (${rate} bit/s)`,
      received: `${peakrate} bit/s`,
      hint: 'the kernel refuses a peak rate that is not higher',
    });
    return problems;
  }
  if (tbfSettings(values).maxSizeBytes <= 0) {
    problems.push({
      path: ['burst'],
      expected: 'room for at least one byte',
      received: `${values.burst as number} bytes`,
      hint: 'no packet could ever pass; take at least the longest frame, and rate/HZ',
    });
  }
  return problems;
}

/** `tbf`: one rate, a bucket, and optionally a peak rate. */
export const tbf: ShaperDeclaration = {
  kind: 'tbf',
  role: 'shaper',
  summary: 'Token bucket filter: a rate with a burst, and optionally a peak rate (sch_tbf).',
  parameters: {
    rate: { type: 'rate', help: 'Rate at which the bucket fills.', required: true, minimum: 8 },
    burst: { type: 'size', help: 'Depth of the bucket (bytes).', required: true, minimum: 1, maximum: 0xffffffff },
    limit: { type: 'size', help: 'Bytes that wait at most; this or latency.', minimum: 0, maximum: 0xffffffff },
    latency: { type: 'duration', help: 'Time that a packet waits at most, from which tc computes limit.' },
    peakrate: { type: 'rate', help: 'Rate of a second, small bucket.', minimum: 8 },
    mtu: {
      type: 'size',
      help: "Depth of the peak rate's bucket (minburst); it also sets the slots of the rate tables.",
      minimum: 1,
      maximum: 0xffffffff,
    },
    ...framingParameters,
    qdisc: {
      type: { model: 'shaper' },
      help: 'Qdisc that holds the packets; default bfifo with the limit. Another ignores it.',
    },
    kernel: kernelParameter,
    tc: tcParameter,
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    tokens: "Tokens after the last packet, in ticks of the kernel's clock (3.8 on: ns).",
    ptokens: "Tokens of the peak rate's bucket after the last packet.",
    checkpoint: 'Instant of the last packet, in ticks.',
    buffer: 'Depth of the bucket in ticks.',
    mtu: "Depth of the peak rate's bucket in ticks.",
    maxSize: 'Longest packet that can pass (bytes).',
    requeues: 'Times that the head went back to the child (before 2.6.30).',
  },
  check,
  create: (values, surroundings, build) => new Tbf(tbfSettings(values), values, surroundings, build),
};
