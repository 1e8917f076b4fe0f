import { NO_PACKET, type PacketPool } from '../../models/packet.ts';
import type { TimerHandler, Timers } from '../engine/timers.ts';
import { RANK_ARRIVAL } from './ranks.ts';

/** Where packets on a way back arrive. */
export interface ReturnEnd {
  /** Takes a packet that came back, and frees it. */
  returned(packet: number, nowNs: number): void;
}

/**
 * The way back of all connections with the same delay: what is sent first arrives first, so that one timer serves any
 * number of connections. Packets that arrive at one instant come in the order in which they were sent.
 */
export class ReturnPath implements TimerHandler {
  readonly delayNs: number;
  readonly #timers: Timers;
  readonly #packets: PacketPool;
  readonly #timer: number;
  /** By `packets.flow`. */
  readonly #ends: (ReturnEnd | undefined)[] = [];
  /** Packets on their way, first in first out: chained in the pool. */
  #head = NO_PACKET;
  #tail = NO_PACKET;

  constructor(timers: Timers, packets: PacketPool, delayNs: number) {
    this.delayNs = delayNs;
    this.#timers = timers;
    this.#packets = packets;
    this.#timer = timers.register(this, RANK_ARRIVAL);
  }

  /** Says who takes the packets of `flow`. */
  lead(flow: number, end: ReturnEnd): void {
    this.#ends[flow] = end;
  }

  /** Takes a packet, which arrives a delay later. */
  send(packet: number, nowNs: number): void {
    const packets = this.#packets;
    const dueNs = nowNs + this.delayNs;
    packets.stampNs[packet] = dueNs;
    packets.next[packet] = NO_PACKET;
    if (this.#tail === NO_PACKET) {
      this.#head = packet;
      this.#timers.arm(this.#timer, dueNs);
    } else {
      packets.next[this.#tail] = packet;
    }
    this.#tail = packet;
  }

  /** The packet at the head has arrived. */
  onTimer(_timer: number, nowNs: number): void {
    const packets = this.#packets;
    const packet = this.#head;
    this.#head = packets.next[packet]!;
    if (this.#head === NO_PACKET) this.#tail = NO_PACKET;
    else this.#timers.arm(this.#timer, packets.stampNs[this.#head]!);
    this.#ends[packets.flow[packet]!]!.returned(packet, nowNs);
  }
}

const pathsByClock = new WeakMap<Timers, Map<number, ReturnPath>>();

/** The way back that takes `delayNs`, one for all connections on a clock. */
export function returnPathOf(timers: Timers, packets: PacketPool, delayNs: number): ReturnPath {
  let paths = pathsByClock.get(timers);
  if (paths === undefined) {
    paths = new Map();
    pathsByClock.set(timers, paths);
  }
  let path = paths.get(delayNs);
  if (path === undefined) {
    path = new ReturnPath(timers, packets, delayNs);
    paths.set(delayNs, path);
  }
  return path;
}
