import { NO_PACKET, type PacketPool } from '../../models/packet.ts';
import type { TimerHandler, Timers } from '../engine/timers.ts';
import { RANK_DEVICE } from './ranks.ts';

/** What an opportunity carries: an IP packet of 1500 bytes and the 4 bytes that the recorder's tunnel puts before it. */
export const OPPORTUNITY_BYTES = 1504;
/** What a packet's size as tc counts it has more than that count: 14 bytes of Ethernet in place of 4. */
const UNCOUNTED_BYTES = 10;

/** The port behind such a link. */
export interface OpportunityOwner {
  /** The next packet of the qdisc, now departed, or NO_PACKET. */
  takeForOpportunity(nowNs: number): number;
  /** Takes a packet whose last byte has been carried. */
  leaveByOpportunity(packet: number, nowNs: number): void;
  /** An opportunity is over, of which so many bytes were used. */
  opportunityEnded(usedBytes: number, nowNs: number): void;
}

/**
 * A link that can send at recorded instants only, as mahimahi's `mm-link` replays them.
 *
 * Each instant carries up to {@link OPPORTUNITY_BYTES}: several small packets, or a part of a larger one that goes on
 * with the next instant. What is not used is lost. After the last instant the list begins again from there.
 */
export class OpportunityLink implements TimerHandler {
  readonly #opportunitiesNs: readonly number[];
  readonly #timers: Timers;
  readonly #packets: PacketPool;
  readonly #owner: OpportunityOwner;
  readonly #timer: number;
  #index = 0;
  /** Instant from which the present round counts. */
  #roundNs: number;
  /** The packet that is partly carried, and what is left of it. */
  #packet = NO_PACKET;
  #leftBytes = 0;

  constructor(opportunitiesNs: readonly number[], timers: Timers, packets: PacketPool, owner: OpportunityOwner) {
    this.#opportunitiesNs = opportunitiesNs;
    this.#timers = timers;
    this.#packets = packets;
    this.#owner = owner;
    this.#timer = timers.register(this, RANK_DEVICE);
    this.#roundNs = timers.nowNs;
    timers.arm(this.#timer, this.#dueNs());
  }

  onTimer(_timer: number, nowNs: number): void {
    this.#carry(nowNs);
    this.#index++;
    if (this.#index === this.#opportunitiesNs.length) {
      this.#index = 0;
      this.#roundNs = nowNs;
    }
    this.#timers.arm(this.#timer, this.#dueNs());
  }

  #dueNs(): number {
    return this.#roundNs + this.#opportunitiesNs[this.#index]!;
  }

  #carry(nowNs: number): void {
    let room = OPPORTUNITY_BYTES;
    while (room > 0) {
      if (this.#packet === NO_PACKET) {
        const packet = this.#owner.takeForOpportunity(nowNs);
        if (packet === NO_PACKET) break;
        this.#packet = packet;
        this.#leftBytes = countedBytes(this.#packets, packet);
      }
      const bytes = Math.min(room, this.#leftBytes);
      room -= bytes;
      this.#leftBytes -= bytes;
      if (this.#leftBytes === 0) {
        const packet = this.#packet;
        this.#packet = NO_PACKET;
        this.#owner.leaveByOpportunity(packet, nowNs);
      }
    }
    this.#owner.opportunityEnded(OPPORTUNITY_BYTES - room, nowNs);
  }
}

/** The rate that a list of opportunities offers on average, as bytes of {@link OPPORTUNITY_BYTES} (bit/s). */
export function meanBitsPerSecond(opportunitiesNs: readonly number[]): number {
  return (opportunitiesNs.length * OPPORTUNITY_BYTES * 8e9) / opportunitiesNs.at(-1)!;
}

function countedBytes(packets: PacketPool, packet: number): number {
  return Math.max(1, packets.sizeBytes[packet]! - UNCOUNTED_BYTES * packets.segments[packet]!);
}
