import type { Surroundings } from '../model.ts';
import { ACCEPTED, CONGESTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { FlowQueues } from './flow-queues.ts';
import { BaseQdisc, markCongestion } from './qdisc-base.ts';
import { RED_CERTAINLY, RED_PASS, RED_PROBABLY, RedControl } from './red-control.ts';
import { SfqDepths } from './sfq-depths.ts';
import { SfqHash } from './sfq-hash.ts';
import type { SfqSettings } from './sfq-settings.ts';

const NONE = -1;
/**
 * Stochastic fairness queueing: deficit round robin among slots, into which flows are hashed (see {@link SfqHash}).
 * Source of the rules: net/sched/sch_sfq.c, 3.6 to 6.12.
 */
export class Sfq extends BaseQdisc {
  readonly canBypass: boolean;
  readonly #settings: SfqSettings;
  readonly #queues: FlowQueues;
  readonly #depths: SfqDepths;
  readonly #hash: SfqHash;
  readonly #red: RedControl | undefined;
  /** Slot of each bucket, or NONE. */
  readonly #slotOf: Int32Array;
  readonly #bucketOf: Int32Array;
  /** Circle of the slots that have packets: `#tail` had the last turn, the one after it is next. */
  readonly #nextSlot: Int32Array;
  readonly #allot: Int32Array | Int16Array;
  #tail = NONE;
  #probDrop = 0;
  #probMark = 0;
  #probMarkHead = 0;
  #forcedDrop = 0;
  #forcedMark = 0;
  #forcedMarkHead = 0;

  constructor(settings: SfqSettings, surroundings: Surroundings) {
    super(surroundings);
    const { slots, divisor } = settings;
    this.#settings = settings;
    this.canBypass = settings.limitPackets >= 1;
    this.#queues = new FlowQueues(slots, surroundings.packets);
    this.#depths = new SfqDepths(slots, settings.depthPackets);
    this.#slotOf = new Int32Array(divisor).fill(NONE);
    this.#bucketOf = new Int32Array(slots);
    this.#nextSlot = new Int32Array(slots);
    this.#allot = settings.allotUnitBytes === 1 ? new Int32Array(slots) : new Int16Array(slots);
    const random = (): number => surroundings.randomUint32();
    this.#red = settings.red === undefined ? undefined : new RedControl(settings.red.parameters, slots, random);
    const { handleMajor, perturbNs } = settings;
    this.#hash = new SfqHash(surroundings, divisor, handleMajor, perturbNs, (nowNs) => this.#rehash(nowNs));
  }

  enqueue(packet: number, nowNs: number): number {
    const bucket = this.#hash.bucketOf(packet);
    let slot = this.#slotOf[bucket]!;
    if (slot === NONE) {
      slot = this.#depths.free();
      if (slot === NONE) return this.refuse(packet, nowNs);
      this.#slotOf[bucket] = slot;
      this.#bucketOf[slot] = bucket;
      this.#red?.reset(slot);
    } else {
      const fits = this.#red === undefined || this.#redLets(this.#red, slot, packet);
      if (!fits || this.#depths.length(slot) >= this.#settings.depthPackets)
        return this.#congested(slot, packet, nowNs);
    }
    const sizeBytes = this.packets.sizeBytes[packet]!;
    this.#append(slot, packet);
    this.accept(packet);
    if (this.lengthPackets <= this.#settings.limitPackets) return ACCEPTED;
    const before = this.#depths.length(slot);
    const droppedBytes = this.#dropOne(nowNs);
    if (this.#depths.length(slot) !== before) {
      // The parents do not count the new packet, so the dropped one stays in their account for it.
      this.tellParent(0, droppedBytes - sizeBytes);
      return CONGESTED;
    }
    this.tellParent(1, droppedBytes);
    return ACCEPTED;
  }

  /** Puts a packet into a slot, which joins the round if it was empty. */
  #append(slot: number, packet: number): void {
    this.#queues.push(slot, packet);
    this.#depths.increase(slot);
    if (this.#depths.length(slot) > 1) return;
    if (this.#tail === NONE) {
      this.#nextSlot[slot] = slot;
    } else {
      this.#nextSlot[slot] = this.#nextSlot[this.#tail]!;
      this.#nextSlot[this.#tail] = slot;
    }
    this.#tail = slot;
    this.#allot[slot] = this.#settings.quantumUnits;
  }

  /** A slot that takes no more: the new packet is dropped, or makes room for itself at the head. */
  #congested(slot: number, packet: number, nowNs: number): number {
    if (!this.#settings.headdrop) return this.refuse(packet, nowNs);
    const oldest = this.#queues.shift(slot);
    const grownBytes = this.packets.sizeBytes[packet]! - this.packets.sizeBytes[oldest]!;
    this.refuse(oldest, nowNs);
    this.#queues.push(slot, packet);
    this.backlogBytes += grownBytes;
    this.tellParent(0, -grownBytes);
    return CONGESTED;
  }

  /** Drops one packet of a longest slot; of the slot whose turn is next where all have one. Returns its bytes. */
  #dropOne(nowNs: number): number {
    const depths = this.#depths;
    const single = depths.longest === 1;
    const slot = single ? this.#nextSlot[this.#tail]! : depths.longestSlot();
    const packet = this.#settings.headdrop ? this.#queues.shift(slot) : this.#queues.pop(slot);
    const sizeBytes = this.packets.sizeBytes[packet]!;
    if (single) {
      this.#nextSlot[this.#tail] = this.#nextSlot[slot]!;
      this.#slotOf[this.#bucketOf[slot]!] = NONE;
    }
    depths.decrease(slot);
    this.release(packet);
    this.refuse(packet, nowNs);
    return sizeBytes;
  }

  protected take(_nowNs: number): number {
    if (this.#tail === NONE) return NO_PACKET;
    const allot = this.#allot;
    let slot = this.#nextSlot[this.#tail]!;
    while (allot[slot]! <= 0) {
      this.#tail = slot;
      allot[slot]! += this.#settings.quantumUnits;
      slot = this.#nextSlot[slot]!;
    }
    const packet = this.#queues.shift(slot);
    this.#depths.decrease(slot);
    this.release(packet);
    this.departed(packet);
    if (this.#depths.length(slot) === 0) {
      this.#slotOf[this.#bucketOf[slot]!] = NONE;
      const next = this.#nextSlot[slot]!;
      if (next === slot) this.#tail = NONE;
      else this.#nextSlot[this.#tail] = next;
    } else {
      allot[slot]! -= Math.ceil(this.packets.sizeBytes[packet]! / this.#settings.allotUnitBytes);
    }
    return packet;
  }

  /** RED on one slot; marks what it may. Returns whether the packet may join. */
  #redLets(red: RedControl, slot: number, packet: number): boolean {
    red.add(slot, this.#queues.backlogBytes[slot]!);
    const decision = red.decide(slot);
    if (decision === RED_PASS) return true;
    this.overlimits++;
    const { ecn, harddrop } = this.#settings.red!;
    const early = decision === RED_PROBABLY;
    if (ecn && !(decision === RED_CERTAINLY && harddrop)) {
      if (this.#settings.headdrop && markCongestion(this.packets, this.#queues.head(slot))) {
        if (early) this.#probMarkHead++;
        else this.#forcedMarkHead++;
        return true;
      }
      if (markCongestion(this.packets, packet)) {
        if (early) this.#probMark++;
        else this.#forcedMark++;
        return true;
      }
    }
    if (early) this.#probDrop++;
    else this.#forcedDrop++;
    return false;
  }

  /** Takes all packets, slot by slot, and puts them in again under the new key (sfq_rehash). */
  #rehash(nowNs: number): void {
    if (this.#tail === NONE) return;
    const packets: number[] = [];
    for (let slot = 0; slot < this.#settings.slots; slot++) {
      if (this.#depths.length(slot) === 0) continue;
      while (this.#depths.length(slot) > 0) {
        packets.push(this.#queues.shift(slot));
        this.#depths.decrease(slot);
      }
      this.#red?.reset(slot);
      this.#slotOf[this.#bucketOf[slot]!] = NONE;
    }
    this.#tail = NONE;
    let dropped = 0;
    let droppedBytes = 0;
    for (const packet of packets) {
      if (this.#putBack(packet)) continue;
      dropped++;
      droppedBytes += this.packets.sizeBytes[packet]!;
      this.release(packet);
      // The kernel does not count these among its drops.
      this.surroundings.drop(packet, nowNs);
    }
    this.tellParent(dropped, droppedBytes);
  }

  #putBack(packet: number): boolean {
    const bucket = this.#hash.bucketOf(packet);
    let slot = this.#slotOf[bucket]!;
    if (slot === NONE) {
      slot = this.#depths.free();
      if (slot === NONE) return false;
      this.#slotOf[bucket] = slot;
      this.#bucketOf[slot] = bucket;
    }
    if (this.#depths.length(slot) >= this.#settings.depthPackets) return false;
    this.#red?.add(slot, this.#queues.backlogBytes[slot]!);
    this.#append(slot, packet);
    return true;
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const settings = this.#settings;
    return {
      limit: settings.limitPackets,
      maxdepth: settings.depthPackets,
      maxflows: settings.slots,
      divisor: settings.divisor,
      quantum: settings.quantumBytes,
      curDepth: this.#depths.longest,
      probDrop: this.#probDrop,
      probMark: this.#probMark,
      probMarkHead: this.#probMarkHead,
      forcedDrop: this.#forcedDrop,
      forcedMark: this.#forcedMark,
      forcedMarkHead: this.#forcedMarkHead,
    };
  }
}
