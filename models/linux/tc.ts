import type { TcRules } from './kernels.ts';

/** Microseconds in a second, tc's unit of time. */
const MICROSECONDS = 1_000_000;

/** Rates of tc before 3.14 are 32-bit (bytes/s). */
export const NARROW_RATE_LIMIT = 2 ** 32;

/** Clock rate that tc reads where the kernel has high-resolution timers, which it takes for HZ. */
export const HIGH_RESOLUTION_HZ = 1_000_000_000;

/** Slots of a rate table. */
export const TABLE_SLOTS = 256;

/** Bytes per second of a rate in bit/s: the remainder of 8 is lost (tc/tc_util.c: get_rate). */
export function bytesPerSecond(rateBitsPerSecond: number): number {
  return Math.floor(rateBitsPerSecond / 8);
}

/** Ticks in a microsecond, as tc reads them from /proc/net/psched (tc/tc_core.c: tc_core_init). */
export function ticksPerMicrosecond(netlinkTickNs: number): number {
  return 1000 / netlinkTickNs;
}

/** Default of `burst` and `cburst` (bytes): one timer interrupt's worth of the rate, and `mtu` (tc/q_htb.c). */
export function defaultBurstBytes(rateBytesPerSecond: number, hz: number, mtuBytes: number): number {
  return (Math.floor(rateBytesPerSecond / hz) + mtuBytes) >>> 0;
}

/** The time to send `sizeBytes`, and how tc came to it. */
export interface TransmitTime {
  /** Exact time (µs). */
  readonly exactMicroseconds: number;
  /** Whole microseconds that tc cut it to, before 6.15. */
  readonly wholeMicroseconds?: number;
  /** What the kernel is sent (u32). */
  readonly ticks: number;
}

/**
 * The time to send `sizeBytes` at a rate, in the kernel's ticks (tc/tc_core.c: tc_calc_xmittime).
 *
 * Up to 6.14 it is cut to whole microseconds and then to whole ticks; from 6.15 rounded up, once. What does not fit 32
 * bits wraps, as on x86-64, and is held at 2^32 - 1 from 6.18.
 */
export function transmitTime(
  rules: TcRules,
  rateBytesPerSecond: number,
  sizeBytes: number,
  netlinkTickNs: number,
): TransmitTime {
  const exactMicroseconds = MICROSECONDS * (sizeBytes / rateBytesPerSecond);
  const perMicrosecond = ticksPerMicrosecond(netlinkTickNs);
  if (rules.transmitTime === 'whole-microseconds') {
    const wholeMicroseconds = exactMicroseconds >>> 0;
    return { exactMicroseconds, wholeMicroseconds, ticks: (wholeMicroseconds * perMicrosecond) >>> 0 };
  }
  const ticks = Math.ceil(exactMicroseconds * perMicrosecond);
  const held = rules.transmitTime === 'rounded-up-held' && ticks >= 2 ** 32;
  return { exactMicroseconds, ticks: held ? 2 ** 32 - 1 : ticks >>> 0 };
}

/** The burst that tc shows for what the kernel keeps (bytes; tc/tc_core.c: tc_calc_xmitsize). */
export function transmitSizeBytes(
  rules: TcRules,
  rateBytesPerSecond: number,
  ticks: number,
  netlinkTickNs: number,
): number {
  const microseconds = ticks / ticksPerMicrosecond(netlinkTickNs);
  const shown = rules.transmitTime === 'whole-microseconds' ? Math.floor(microseconds) : microseconds;
  const bytes = Math.floor((rateBytesPerSecond * shown) / MICROSECONDS);
  return rules.transmitTime === 'rounded-up-held' ? bytes : bytes >>> 0;
}

/** A rate table as tc sends it and the kernels before 3.8 use it. */
export interface RateTable {
  /** Bytes of a slot, as a power of two. */
  readonly cellLog: number;
  /** Added to a length before the look-up (bytes): -1 where slots are priced for their largest size. */
  readonly cellAlignBytes: number;
  /** Ticks of each slot (u32). */
  readonly ticks: Uint32Array;
}

/** What a table is made from, beside the rate. */
export interface PacketFraming {
  readonly mtuBytes: number;
  readonly mpuBytes: number;
  readonly overheadBytes: number;
  readonly atm: boolean;
}

/** The smallest slot size (as a power of two) at which packets of `mtuBytes` still have a slot of their own. */
export function cellLogOf(mtuBytes: number): number {
  const mtu = mtuBytes === 0 ? 2047 : mtuBytes;
  let cellLog = 0;
  while (mtu >>> cellLog > TABLE_SLOTS - 1) cellLog++;
  return cellLog;
}

/** Bytes that ATM cells of 53 bytes need for `sizeBytes`, 48 to a cell. */
export function atmBytes(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 48) * 53;
}

/** The size that a slot is priced for (bytes; tc/tc_core.c: tc_calc_rtable). */
export function slotBytes(rules: TcRules, slot: number, cellLog: number, framing: PacketFraming): number {
  if (rules.slotBound === 'lower') {
    return Math.max(slot * 2 ** cellLog + framing.overheadBytes, framing.mpuBytes);
  }
  const bytes = Math.max((slot + 1) * 2 ** cellLog, framing.mpuBytes);
  return framing.atm ? atmBytes(bytes) : bytes;
}

/** The rate table that tc computes. */
export function rateTable(
  rules: TcRules,
  rateBytesPerSecond: number,
  netlinkTickNs: number,
  framing: PacketFraming,
): RateTable {
  const cellLog = cellLogOf(framing.mtuBytes);
  const ticks = new Uint32Array(TABLE_SLOTS);
  for (let slot = 0; slot < TABLE_SLOTS; slot++) {
    const bytes = slotBytes(rules, slot, cellLog, framing);
    ticks[slot] = transmitTime(rules, rateBytesPerSecond, bytes, netlinkTickNs).ticks;
  }
  return { cellLog, cellAlignBytes: rules.slotBound === 'lower' ? 0 : -1, ticks };
}

/**
 * A size as tc shows it: `1600b`, `20Kb`, `1Mb`; the larger units only within 16 bytes of whole Kb or 1024 bytes of
 * whole Mb (tc/tc_util.c: print_size).
 */
export function formatTcSize(bytes: number): string {
  const kilo = 1024;
  const mega = kilo * kilo;
  const wholeMega = Math.round(bytes / mega);
  if (bytes >= mega && Math.abs(wholeMega * mega - bytes) < kilo) return `${wholeMega}Mb`;
  const wholeKilo = Math.round(bytes / kilo);
  if (bytes >= kilo && Math.abs(wholeKilo * kilo - bytes) < 16) return `${wholeKilo}Kb`;
  return `${bytes}b`;
}
