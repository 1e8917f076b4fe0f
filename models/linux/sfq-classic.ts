import type { Surroundings } from '../model.ts';
import { ACCEPTED, CONGESTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { FlowQueues } from './flow-queues.ts';
import { BaseQdisc } from './qdisc-base.ts';
import { SfqDepths } from './sfq-depths.ts';
import { SfqHash } from './sfq-hash.ts';

const NONE = -1;
/** Flows, packets of a flow, and packets in all. */
const SLOTS = 128;
const BUCKETS = 1024;

/** What the sfq of 2.6 can be set to. */
export interface SfqClassicSettings {
  readonly limitPackets: number;
  readonly quantumBytes: number;
  readonly perturbNs: number;
  readonly handleMajor: number;
}

/**
 * Stochastic fairness queueing as in 2.6.24: sizes are fixed, a packet is charged after it has left, the flow whose
 * turn begins gets the quantum, and a new key leaves queued packets where they are. Source of the rules:
 * net/sched/sch_sfq.c, 2.6.24.
 */
export class SfqClassic extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: SfqClassicSettings;
  readonly #queues: FlowQueues;
  readonly #depths = new SfqDepths(SLOTS, SLOTS);
  readonly #hash: SfqHash;
  readonly #slotOf = new Int32Array(BUCKETS).fill(NONE);
  readonly #bucketOf = new Int32Array(SLOTS);
  readonly #nextSlot = new Int32Array(SLOTS);
  readonly #allot = new Int32Array(SLOTS);
  #tail = NONE;

  constructor(settings: SfqClassicSettings, surroundings: Surroundings) {
    super(surroundings, true);
    this.#settings = settings;
    this.#queues = new FlowQueues(SLOTS, surroundings.packets);
    const { handleMajor, perturbNs } = settings;
    this.#hash = new SfqHash(surroundings, BUCKETS, handleMajor, perturbNs, () => undefined);
  }

  enqueue(packet: number, nowNs: number): number {
    const bucket = this.#hash.bucketOf(packet);
    let slot = this.#slotOf[bucket]!;
    if (slot === NONE) {
      // There is always one: fewer packets than slots are held.
      slot = this.#depths.free();
      this.#slotOf[bucket] = slot;
      this.#bucketOf[slot] = bucket;
    }
    const sizeBytes = this.packets.sizeBytes[packet]!;
    const segments = this.packets.segments[packet]!;
    this.#queues.push(slot, packet);
    this.#depths.increase(slot);
    if (this.#depths.length(slot) === 1) this.#join(slot);
    this.lengthPackets++;
    this.backlogBytes += sizeBytes;
    if (this.lengthPackets < this.#settings.limitPackets - 1) {
      this.countSent(segments, sizeBytes);
      return ACCEPTED;
    }
    // Whoever it hits, the sender hears of congestion, and the parents do not count the packet.
    this.tellParent(0, this.#dropOne(nowNs) - sizeBytes);
    return CONGESTED;
  }

  #join(slot: number): void {
    if (this.#tail === NONE) {
      this.#nextSlot[slot] = slot;
      this.#allot[slot] = this.#settings.quantumBytes;
    } else {
      this.#nextSlot[slot] = this.#nextSlot[this.#tail]!;
      this.#nextSlot[this.#tail] = slot;
    }
    this.#tail = slot;
  }

  #dropOne(nowNs: number): number {
    const single = this.#depths.longest === 1;
    const slot = single ? this.#nextSlot[this.#tail]! : this.#depths.longestSlot();
    if (single) this.#leave(slot);
    const packet = this.#queues.pop(slot);
    const sizeBytes = this.packets.sizeBytes[packet]!;
    this.#depths.decrease(slot);
    this.release(packet);
    this.refuse(packet, nowNs);
    return sizeBytes;
  }

  /** Takes the slot whose turn it is out of the round; the next one's turn begins. */
  #leave(slot: number): void {
    this.#slotOf[this.#bucketOf[slot]!] = NONE;
    const next = this.#nextSlot[slot]!;
    if (next === slot) {
      this.#tail = NONE;
      return;
    }
    this.#nextSlot[this.#tail] = next;
    this.#allot[next]! += this.#settings.quantumBytes;
  }

  protected take(_nowNs: number): number {
    if (this.#tail === NONE) return NO_PACKET;
    const slot = this.#nextSlot[this.#tail]!;
    const packet = this.#queues.shift(slot);
    this.#depths.decrease(slot);
    this.release(packet);
    if (this.#depths.length(slot) === 0) {
      this.#leave(slot);
      return packet;
    }
    this.#allot[slot]! -= this.packets.sizeBytes[packet]!;
    if (this.#allot[slot]! <= 0) {
      this.#tail = slot;
      this.#allot[this.#nextSlot[slot]!]! += this.#settings.quantumBytes;
    }
    return packet;
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    return {
      limit: this.#settings.limitPackets,
      maxdepth: SLOTS,
      maxflows: SLOTS,
      divisor: BUCKETS,
      quantum: this.#settings.quantumBytes,
      curDepth: this.#depths.longest,
      probDrop: 0,
      probMark: 0,
      probMarkHead: 0,
      forcedDrop: 0,
      forcedMark: 0,
      forcedMarkHead: 0,
    };
  }
}
