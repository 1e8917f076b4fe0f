/**
 * How HTB prices a packet: a table of 256 slots whose last one prices all that is larger (2.6.22, 2.6.23), the same
 * table with larger packets priced by sums (2.6.24 to 3.7), a 32-bit multiplier and a shift (3.8 on), or the exact
 * size with the result cut to whole ticks (`thread`).
 */
export type CostRule = 'table-clamped' | 'table' | 'fixed-point' | 'exact';

/** What a kernel version computes, where versions differ. */
export interface KernelRules {
  /** As written in the scenario: `2.6.25`, `6.12.117`, `thread`. */
  readonly version: string;
  /** Length of a tick of HTB's clock and tokens (ns). */
  readonly tickNs: number;
  /** Ticks in what the kernel calls a second (1e9 / tickNs, cut). */
  readonly ticksPerSecond: number;
  /** Length of the tick in which tc sends bursts and tables (ns): the second word of /proc/net/psched. */
  readonly netlinkTickNs: number;
  readonly cost: CostRule;
  /** Whether a class keeps its mode down to an empty second bucket, unless the scenario says otherwise. */
  readonly hysteresis: boolean;
  /** Whether the length of a super-packet has the headers of all its segments (net/core/dev.c: qdisc_pkt_len_init), or of one. */
  readonly countsSegmentHeaders: boolean;
  /** Whether the kernel itself adds `overhead`, raises to `mpu`, counts ATM cells; a table may do so all the same. */
  readonly addsOverhead: boolean;
  readonly raisesToMpu: boolean;
  readonly countsCells: boolean;
  /** Whether rates of 2^32 bytes/s and more arrive (RATE64). */
  readonly wideRates: boolean;
  /** Least length of a leaf's queue and of the direct queue, where the device says less (packets). */
  readonly leastLeafPackets: number;
  readonly leastDirectPackets: number;
  /** Whether the length of the direct queue can be set (direct_qlen). */
  readonly directLengthSettable: boolean;
  /** When a leaf's `Sent` counts a packet. */
  readonly leafSentAt: 'enqueue' | 'dequeue';
  /** What the qdisc's `overlimits` counts: dequeues that found nothing, or classes that became CANT_SEND. */
  readonly overlimits: 'idle-dequeue' | 'cant-send';
  /** Whether a class counts its own changes to CANT_SEND. */
  readonly classOverlimits: boolean;
  /** Expired waits that one dequeue handles for a level before it gives up until a tenth of a second later. */
  readonly eventsPerDequeue: number;
}

/** What a version of tc (iproute2) sends, where versions differ. */
export interface TcRules {
  readonly version: string;
  /**
   * Time to send a burst or a packet, in ticks: cut to whole microseconds, then to whole ticks; rounded up once;
   * or rounded up once and held below 2^32.
   */
  readonly transmitTime: 'whole-microseconds' | 'rounded-up' | 'rounded-up-held';
  /** Size for which a slot of the table is priced: its smallest or its largest. */
  readonly slotBound: 'lower' | 'upper';
  /** Whether `overhead` is priced into the table (and the kernel is not told), and must fit 8 bits as `mpu` must. */
  readonly foldsOverhead: boolean;
  /** Whether it knows `linklayer`. */
  readonly linklayer: boolean;
  /** Whether it can send rates of 2^32 bytes/s and more. */
  readonly wideRates: boolean;
}

/** `kernel:` of the accounting that the 2009 thread itself describes: ticks of 1 µs, exact sizes. */
export const THREAD_KERNEL = 'thread';

/** Kernels that HTB is modelled for, in words, for messages. */
export const SUPPORTED_KERNELS = '2.6.22 … 2.6.39, 3.0 … 3.19, 4.0 … 4.20, 5.0 … 5.19, 6.0 … 6.18, or thread';

/** Versions of tc that are modelled, in words, for messages. */
export const SUPPORTED_TCS = '2.6.22 … 2.6.39, 3.0 … 3.19, 4.0 … 4.20, 5.0 … 5.19, 6.0 … 6.19, 7.0';

/** Last minor release of each major one. */
const LAST_MINOR: readonly number[] = [0, 0, 0, 19, 20, 19, 18];
const LAST_TC_MINOR: readonly number[] = [0, 0, 0, 19, 20, 19, 19, 0];

/** Orders releases: 2.6.25 → 2_006_025, 6.12 → 6_012_000; stable updates (2.6.25.4, 6.12.117) count as their release. */
function release(text: string, lastMinors: readonly number[]): number | undefined {
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(text);
  if (match === null) return undefined;
  const major = Number(match[1]);
  const minor = Number(match[2]);
  if (major === 2) {
    const patch = Number(match[3] ?? Number.NaN);
    return minor === 6 && patch >= 22 && patch <= 39 ? 2_006_000 + patch : undefined;
  }
  const last = lastMinors[major] ?? 0;
  const known = major >= 3 && major < lastMinors.length && minor <= last;
  return known ? major * 1_000_000 + minor * 1000 : undefined;
}

const V2_6_24 = 2_006_024;
const V2_6_25 = 2_006_025;
const V2_6_26 = 2_006_026;
const V2_6_29 = 2_006_029;
const V2_6_31 = 2_006_031;
const V3_6 = 3_006_000;
const V3_8 = 3_008_000;
const V3_9 = 3_009_000;
const V3_10 = 3_010_000;
const V3_11 = 3_011_000;
const V3_13 = 3_013_000;
const V3_14 = 3_014_000;
const V4_3 = 4_003_000;
const V5_0 = 5_000_000;
const V5_2 = 5_002_000;
const V5_17 = 5_017_000;
const V6_15 = 6_015_000;
const V6_18 = 6_018_000;

/** The accounting of the thread: as a fixed-point kernel, but in ticks of 1 µs and with exact sizes. */
const THREAD_RULES: KernelRules = {
  version: THREAD_KERNEL,
  tickNs: 1000,
  ticksPerSecond: 1_000_000,
  netlinkTickNs: 1000,
  cost: 'exact',
  hysteresis: false,
  countsSegmentHeaders: true,
  addsOverhead: true,
  raisesToMpu: true,
  countsCells: true,
  wideRates: true,
  leastLeafPackets: 1,
  leastDirectPackets: 2,
  directLengthSettable: true,
  leafSentAt: 'dequeue',
  overlimits: 'idle-dequeue',
  classOverlimits: false,
  eventsPerDequeue: Number.POSITIVE_INFINITY,
};

/** A kernel's release as a number that orders them: 2.6.25 → 2_006_025, 6.12.117 → 6_012_000; undefined if not modelled. */
export function kernelRelease(version: string): number | undefined {
  return release(version, LAST_MINOR);
}

/** A release of tc (iproute2) as a number that orders them, see {@link kernelRelease}; undefined if not modelled. */
export function tcRelease(version: string): number | undefined {
  return release(version, LAST_TC_MINOR);
}

/**
 * The rules of a kernel, or undefined for a version that is not modelled.
 *
 * From net/sched/sch_htb.c, sch_api.c, sch_generic.c and include/net/pkt_sched.h of 2.6.22, 2.6.24, 2.6.36, 3.4, 3.6,
 * 4.9, 6.12 and 6.18. Between those, the release of a change is that of its commit: hysteresis off 2.6.26, bail-out
 * by time 2.6.29, lengths of super-packets 3.9, overhead back 3.10, ATM back 3.11, 64-bit rates 3.13, lengths of 0 kept 4.3, overlimits by class
 * 5.0 and alike for the qdisc 5.2, mpu back 5.17.
 */
export function kernelRules(version: string): KernelRules | undefined {
  if (version === THREAD_KERNEL) return THREAD_RULES;
  const kernel = release(version, LAST_MINOR);
  if (kernel === undefined) return undefined;
  const tickNs = kernel < V2_6_31 ? 1024 : kernel < V3_8 ? 64 : 1;
  const table = kernel < V3_8;
  return {
    version,
    tickNs,
    ticksPerSecond: Math.floor(1e9 / tickNs),
    netlinkTickNs: kernel < V2_6_31 ? 1024 : 64,
    cost: kernel < V2_6_24 ? 'table-clamped' : table ? 'table' : 'fixed-point',
    hysteresis: kernel < V2_6_26,
    countsSegmentHeaders: kernel >= V3_9,
    addsOverhead: table ? kernel >= V2_6_24 : kernel >= V3_10,
    raisesToMpu: kernel >= V5_17,
    countsCells: kernel >= V3_11,
    wideRates: kernel >= V3_13,
    leastLeafPackets: kernel < V4_3 ? 1 : 0,
    leastDirectPackets: kernel < V4_3 ? 2 : 0,
    directLengthSettable: kernel >= V3_13,
    leafSentAt: kernel < V3_6 ? 'enqueue' : 'dequeue',
    overlimits: kernel < V5_2 ? 'idle-dequeue' : 'cant-send',
    classOverlimits: kernel >= V5_0,
    eventsPerDequeue: kernel < V2_6_29 ? 500 : Number.POSITIVE_INFINITY,
  };
}

/**
 * The rules of a version of tc, or undefined for one that is not modelled.
 *
 * From tc/tc_core.c, q_htb.c and tc_util.c of iproute2 2.6.23 to 7.0; the upper bound came with 2.6.24, `linklayer`
 * with 2.6.25, 64-bit rates with 3.14, rounding up with 6.15 and the hold below 2^32 with 6.18.
 */
export function tcRules(version: string): TcRules | undefined {
  const tc = release(version, LAST_TC_MINOR);
  if (tc === undefined) return undefined;
  return {
    version,
    transmitTime: tc < V6_15 ? 'whole-microseconds' : tc < V6_18 ? 'rounded-up' : 'rounded-up-held',
    slotBound: tc < V2_6_24 ? 'lower' : 'upper',
    foldsOverhead: tc < V2_6_24,
    linklayer: tc >= V2_6_25,
    wideRates: tc >= V3_14,
  };
}

/** The tc of a kernel's time: iproute2 is numbered as the kernel; the thread used an old one. */
export function defaultTcVersion(kernelVersion: string): string {
  return kernelVersion === THREAD_KERNEL ? '2.6.23' : kernelVersion;
}
