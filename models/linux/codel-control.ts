import type { PacketPool } from '../packet.ts';
import { NO_PACKET } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { markCongestion } from './qdisc-base.ts';

/** Threshold that is never passed: marking by `ceThreshold` is off. */
export const CE_THRESHOLD_OFF = 0x7fffffff;

/** CoDel's unit of time. */
const CLOCK_NS = 1024;

const TWO_POW_24 = 2 ** 24;
const TWO_POW_31 = 2 ** 31;
const TWO_POW_32 = 2 ** 32;
const TWO_POW_33 = 2 ** 33;
const TWO_POW_49 = 2 ** 49;
const REC_INV_SQRT_ONE = 0xffff;

/** What CoDel is set to; times in its own unit of 1.024 µs. */
export interface CodelSettings {
  readonly target: number;
  readonly interval: number;
  readonly ceThreshold: number;
  readonly ecn: boolean;
  /** Backlog (bytes) up to which nothing is dropped; absent: the longest packet seen so far (as 3.6). */
  readonly standingBytes?: number;
  /** Whether an empty queue forgets that the delay was above target (4.9 does not). */
  readonly forgetsWhenEmpty: boolean;
}

/** The queues that CoDel looks after. */
export interface CodelQueues {
  /** Bytes in the whole qdisc. */
  readonly backlogBytes: number;
  /** Takes the oldest packet of a flow, or NO_PACKET; the lengths are right afterwards. */
  popFlow(flow: number): number;
  /** Drops a packet that was taken. */
  dropTaken(packet: number, nowNs: number): void;
}

/** Converts ns into CoDel's u32 clock of 1.024 µs; wraps after 73 minutes, as the kernel's does. */
export function codelTime(ns: number): number {
  return Math.floor(ns / CLOCK_NS) >>> 0;
}

/** Converts a set-up value (ns), which tc sends in whole µs, into CoDel's unit. */
export function codelSetting(ns: number): number {
  return codelTime(Math.floor(ns / 1000) * 1000);
}

/**
 * One Newton step towards 65536 / sqrt(count), in the kernel's 64-bit arithmetic (codel_impl.h: codel_Newton_step).
 *
 * After a jump of `count` the intermediate value goes negative and wraps; the result is then as odd as the kernel's.
 * Only the bits that reach the result are computed, so doubles suffice.
 */
export function newtonStep(recInvSqrt: number, count: number): number {
  // u64 (3 << 32) - count * rec², of which bits 2 to 48 matter.
  const square = recInvSqrt * recInvSqrt;
  const low = (count & 0xffff) * square;
  const high = (((count >>> 16) * square) % TWO_POW_33) * 0x10000;
  let value = (3 * TWO_POW_32 - low - high) % TWO_POW_49;
  if (value < 0) value += TWO_POW_49;
  value = Math.floor(value / 4);
  // Times rec << 16, shifted right by 31 and then by 16: bits 31 to 46 of value * rec.
  const upper = Math.floor(value / TWO_POW_24);
  const lower = value - upper * TWO_POW_24;
  const product = ((upper * recInvSqrt) % 2 ** 23) * TWO_POW_24 + lower * recInvSqrt;
  return Math.floor(product / TWO_POW_31) & 0xffff;
}

/**
 * The CoDel law for a number of flows: when to drop or mark at dequeue, from the time that packets have waited.
 *
 * Source of the rules: include/net/codel_impl.h, 3.6 to 6.12. Clock values are u32 and compared modulo 2^32.
 */
export class CodelControl {
  readonly settings: CodelSettings;
  readonly count: Uint32Array;
  readonly lastCount: Uint32Array;
  readonly dropping: Uint8Array;
  readonly recInvSqrt: Uint16Array;
  readonly firstAboveTime: Uint32Array;
  readonly dropNext: Uint32Array;
  readonly delay: Uint32Array;
  maxPacketBytes = 0;
  ecnMarks = 0;
  ceMarks = 0;

  readonly #packets: PacketPool;
  readonly #queues: CodelQueues;

  constructor(settings: CodelSettings, flows: number, packets: PacketPool, queues: CodelQueues) {
    this.settings = settings;
    this.count = new Uint32Array(flows);
    this.lastCount = new Uint32Array(flows);
    this.dropping = new Uint8Array(flows);
    this.recInvSqrt = new Uint16Array(flows);
    this.firstAboveTime = new Uint32Array(flows);
    this.dropNext = new Uint32Array(flows);
    this.delay = new Uint32Array(flows);
    this.#packets = packets;
    this.#queues = queues;
  }

  /** Takes the next packet of `flow` that may go on, dropping and marking on the way. */
  dequeue(flow: number, nowNs: number): number {
    let packet = this.#queues.popFlow(flow);
    if (packet === NO_PACKET) {
      if (this.settings.forgetsWhenEmpty) this.firstAboveTime[flow] = 0;
      this.dropping[flow] = 0;
      return NO_PACKET;
    }
    const now = codelTime(nowNs);
    const above = this.#isAbove(flow, packet, now);
    if (this.dropping[flow] === 1) {
      if (above) packet = this.#continueDropping(flow, packet, now, nowNs);
      else this.dropping[flow] = 0;
    } else if (above) {
      packet = this.#startDropping(flow, packet, now, nowNs);
    }
    if (packet !== NO_PACKET && ((this.delay[flow]! - this.settings.ceThreshold) | 0) > 0) {
      if (markCongestion(this.#packets, packet)) this.ceMarks++;
    }
    return packet;
  }

  /**
   * Tells of the law. While the delay is above target each drop makes the next one come sooner, and nothing repeats: a number
   * that is not equal to itself says so.
   */
  visit(pass: RecurrencePass): void {
    pass.phase(CLOCK_NS);
    pass.plain(this.maxPacketBytes);
    this.ecnMarks = pass.counter(this.ecnMarks);
    this.ceMarks = pass.counter(this.ceMarks);
    for (let flow = 0; flow < this.count.length && !pass.done; flow++) {
      pass.plain(this.firstAboveTime[flow] === 0 && this.dropping[flow] === 0 ? 0 : Number.NaN);
      pass.plain(this.count[flow]!);
      pass.plain(this.lastCount[flow]!);
      pass.plain(this.recInvSqrt[flow]!);
      pass.plain(this.dropNext[flow]!);
      pass.plain(this.delay[flow]!);
    }
  }

  /** codel_should_drop: whether packets have waited longer than target for an interval. */
  #isAbove(flow: number, packet: number, now: number): boolean {
    if (packet === NO_PACKET) {
      this.firstAboveTime[flow] = 0;
      return false;
    }
    const { target, interval, standingBytes } = this.settings;
    const delay = (now - codelTime(this.#packets.stampNs[packet]!)) >>> 0;
    this.delay[flow] = delay;
    const sizeBytes = this.#packets.sizeBytes[packet]!;
    if (sizeBytes > this.maxPacketBytes) this.maxPacketBytes = sizeBytes;
    if (((delay - target) | 0) < 0 || this.#queues.backlogBytes <= (standingBytes ?? this.maxPacketBytes)) {
      this.firstAboveTime[flow] = 0;
      return false;
    }
    const firstAbove = this.firstAboveTime[flow]!;
    if (firstAbove === 0) {
      this.firstAboveTime[flow] = now + interval;
      return false;
    }
    return ((now - firstAbove) | 0) > 0;
  }

  #continueDropping(flow: number, first: number, now: number, nowNs: number): number {
    let packet = first;
    while (this.dropping[flow] === 1 && ((now - this.dropNext[flow]!) | 0) >= 0) {
      this.count[flow]!++;
      this.#step(flow);
      if (this.#mark(packet)) {
        this.#schedule(flow, this.dropNext[flow]!);
        break;
      }
      this.#queues.dropTaken(packet, nowNs);
      packet = this.#queues.popFlow(flow);
      if (this.#isAbove(flow, packet, now)) this.#schedule(flow, this.dropNext[flow]!);
      else this.dropping[flow] = 0;
    }
    return packet;
  }

  #startDropping(flow: number, first: number, now: number, nowNs: number): number {
    let packet = first;
    if (!this.#mark(packet)) {
      this.#queues.dropTaken(packet, nowNs);
      packet = this.#queues.popFlow(flow);
      // Only for its effect on the delay and on firstAboveTime.
      this.#isAbove(flow, packet, now);
    }
    this.dropping[flow] = 1;
    const delta = (this.count[flow]! - this.lastCount[flow]!) >>> 0;
    const sinceLast = now - this.dropNext[flow]!;
    if (delta > 1 && ((sinceLast - 16 * this.settings.interval) | 0) < 0) {
      this.count[flow] = delta;
      this.#step(flow);
    } else {
      this.count[flow] = 1;
      this.recInvSqrt[flow] = REC_INV_SQRT_ONE;
    }
    this.lastCount[flow] = this.count[flow]!;
    this.#schedule(flow, now);
    return packet;
  }

  #mark(packet: number): boolean {
    if (!this.settings.ecn || !markCongestion(this.#packets, packet)) return false;
    this.ecnMarks++;
    return true;
  }

  #step(flow: number): void {
    this.recInvSqrt[flow] = newtonStep(this.recInvSqrt[flow]!, this.count[flow]!);
  }

  /** The control law: the next drop comes interval / sqrt(count) after `from`. */
  #schedule(flow: number, from: number): void {
    this.dropNext[flow] = from + Math.floor((this.settings.interval * this.recInvSqrt[flow]!) / 0x10000);
  }
}
