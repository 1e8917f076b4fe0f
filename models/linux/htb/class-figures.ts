import type { NestedModel, Values } from '../../model.ts';
import { invariant } from '../../model.ts';
import { parseClassId } from '../class-id.ts';
import { DEFAULT_KERNEL } from '../kernel-parameters.ts';
import { defaultTcVersion, type KernelRules, kernelRules, type TcRules, tcRules } from '../kernels.ts';
import { PacketCost } from '../packet-cost.ts';
import {
  bytesPerSecond,
  defaultBurstBytes,
  HIGH_RESOLUTION_HZ,
  type PacketFraming,
  type RateTable,
  rateTable,
  transmitTime,
} from '../tc.ts';

/** A class as the scenario check leaves it: numbers in bit/s and bytes. */
export interface HtbClassValues {
  readonly rate: number;
  readonly parent?: number;
  readonly ceil?: number;
  readonly burst?: number;
  readonly cburst?: number;
  readonly quantum?: number;
  readonly prio: number;
  readonly mtu: number;
  readonly mpu: number;
  readonly overhead: number;
  readonly linklayer: 'ethernet' | 'atm' | 'adsl';
  readonly limit?: number;
  readonly qdisc?: NestedModel;
}

/** HTB as the scenario check leaves it. */
export interface HtbValues {
  readonly kernel?: string;
  readonly tc?: string;
  readonly hz?: number;
  readonly default?: number;
  readonly r2q: number;
  readonly directQlen?: number;
  readonly txQueueLen?: number;
  readonly hysteresis?: boolean;
  readonly classes: Readonly<Record<string, HtbClassValues>>;
}

/** Views checked values as HTB's own. */
export function htbValues(values: Values): HtbValues {
  return values as unknown as HtbValues;
}

/** A rate of a class with its bucket, from what is configured to what the kernel keeps. */
export interface BucketFigures {
  readonly bytesPerSecond: number;
  /** As configured, or tc's default. */
  readonly burstBytes: number;
  /** Whether the burst is tc's default. */
  readonly burstDefaulted: boolean;
  /** What tc sends: time to send the burst, in ticks of the netlink interface (u32). */
  readonly netlinkTicks: number;
  /** What the kernel keeps, in ticks of its own clock. */
  readonly bufferTicks: number;
  readonly table?: RateTable;
}

/** A class as the kernel keeps it. */
export interface ClassFigures {
  /** As written in the scenario. */
  readonly name: string;
  /** u32. */
  readonly id: number;
  /** Id of the parent; 0: none. */
  readonly parentId: number;
  readonly rate: BucketFigures;
  readonly ceil: BucketFigures;
  readonly quantumBytes: number;
  /** Where the quantum comes from: given, rate / r2q, or that held within 1,000 to 200,000 bytes. */
  readonly quantumRule: 'given' | 'r2q' | 'raised' | 'lowered';
  readonly priority: number;
  /** Length of the leaf's own queue (packets). */
  readonly limitPackets: number;
  /** What tc prices into its tables. */
  readonly tableFraming: PacketFraming;
  /** What the kernel is told. */
  readonly kernelFraming: PacketFraming;
  readonly qdisc?: NestedModel;
}

/** Kernel and tc of an HTB. @throws InvariantError for versions that the scenario check lets through wrongly. */
export function htbRules(values: HtbValues): { kernel: KernelRules; tc: TcRules } {
  const version = values.kernel ?? DEFAULT_KERNEL;
  const kernel = kernelRules(version);
  const tc = tcRules(values.tc ?? defaultTcVersion(version));
  invariant(kernel !== undefined && tc !== undefined, `no rules for kernel ${version} with tc ${values.tc}`);
  return { kernel, tc };
}

/** Queue length of a device that says nothing else (packets). */
export const DEFAULT_QUEUE_PACKETS = 1000;

const LEAST_QUANTUM_BYTES = 1000;
const LARGEST_QUANTUM_BYTES = 200_000;
const INT32_MAX = 2 ** 31 - 1;
const U32_MAX = 2 ** 32 - 1;

/** Bytes that a leaf may send per turn (net/sched/sch_htb.c: htb_change_class). */
function quantum(rateBytesPerSecond: number, r2q: number, given: number | undefined) {
  if (given !== undefined && given !== 0) return { quantumBytes: given, quantumRule: 'given' } as const;
  const quantumBytes = Math.min(Math.floor(rateBytesPerSecond / Math.max(1, r2q)), INT32_MAX);
  if (quantumBytes < LEAST_QUANTUM_BYTES) return { quantumBytes: LEAST_QUANTUM_BYTES, quantumRule: 'raised' } as const;
  if (quantumBytes > LARGEST_QUANTUM_BYTES) {
    return { quantumBytes: LARGEST_QUANTUM_BYTES, quantumRule: 'lowered' } as const;
  }
  return { quantumBytes, quantumRule: 'r2q' } as const;
}

/** One bucket: what tc computes from the configuration, and what the kernel makes of it. */
function bucket(
  kernel: KernelRules,
  tc: TcRules,
  hz: number,
  rateBitsPerSecond: number,
  burst: number | undefined,
  framing: PacketFraming,
): BucketFigures {
  const sent = bytesPerSecond(rateBitsPerSecond);
  // tc takes a burst of 0 for none given.
  const burstDefaulted = burst === undefined || burst === 0;
  const burstBytes = burstDefaulted ? defaultBurstBytes(sent, hz, framing.mtuBytes) : burst;
  const netlinkTicks = transmitTime(tc, sent, burstBytes, kernel.netlinkTickNs).ticks;
  const bufferTicks = netlinkTicks * (kernel.netlinkTickNs / kernel.tickNs);
  const usesTable = kernel.cost === 'table' || kernel.cost === 'table-clamped';
  const figures = {
    bytesPerSecond: kernel.wideRates ? sent : Math.min(sent, U32_MAX),
    burstBytes,
    burstDefaulted,
    netlinkTicks,
    bufferTicks,
  };
  return usesTable ? { ...figures, table: rateTable(tc, sent, kernel.netlinkTickNs, framing) } : figures;
}

/** All figures of the class `name`: the arithmetic of tc and of the kernel's class set-up. */
export function classFigures(values: HtbValues, name: string): ClassFigures {
  const { kernel, tc } = htbRules(values);
  const given = values.classes[name];
  const id = parseClassId(name);
  invariant(given !== undefined && id !== undefined, `no class ${name}`);
  const tableFraming: PacketFraming = {
    mtuBytes: given.mtu,
    mpuBytes: given.mpu,
    overheadBytes: given.overhead,
    atm: given.linklayer !== 'ethernet',
  };
  // An old tc prices the overhead into its table and packs it above mpu in the field that later kernels read as mpu.
  const folded = tc.foldsOverhead && kernel.cost !== 'exact';
  const kernelFraming = folded
    ? { ...tableFraming, overheadBytes: 0, mpuBytes: given.mpu + given.overhead * 256 }
    : tableFraming;
  const hz = values.hz ?? HIGH_RESOLUTION_HZ;
  const rate = bucket(kernel, tc, hz, given.rate, given.burst, tableFraming);
  const ceil = bucket(kernel, tc, hz, given.ceil ?? given.rate, given.cburst, tableFraming);
  const parentId = given.parent ?? 0;
  return {
    name,
    id,
    parentId: (parentId & 0xffff) === 0 ? 0 : parentId,
    rate,
    ceil,
    ...quantum(rate.bytesPerSecond, values.r2q, given.quantum),
    priority: Math.min(given.prio, 7),
    limitPackets: given.limit ?? Math.max(kernel.leastLeafPackets, values.txQueueLen ?? DEFAULT_QUEUE_PACKETS),
    tableFraming,
    kernelFraming,
    ...(given.qdisc === undefined ? {} : { qdisc: given.qdisc }),
  };
}

/** The cost function of one of a class's buckets. */
export function bucketCost(kernel: KernelRules, bucketFigures: BucketFigures, framing: PacketFraming): PacketCost {
  return new PacketCost(kernel, bucketFigures.bytesPerSecond, framing, bucketFigures.table);
}
