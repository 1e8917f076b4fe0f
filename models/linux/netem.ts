import type { NestedModel, Qdisc, QdiscBuilder, QdiscReport, Surroundings, Values } from '../model.ts';
import { ACCEPTED } from '../model.ts';
import { MARK_COPY, MARK_DAMAGED, NO_PACKET, PacketQueue } from '../packet.ts';
import { type DistributionName, distributionTable, TABLE_SCALE } from './netem-distributions.ts';
import {
  GilbertElliottLoss,
  type GilbertElliottSettings,
  type LossModel,
  RandomLoss,
  StateLoss,
  type StateLossSettings,
} from './netem-loss.ts';
import { CorrelatedRandom, scaledByRandom } from './netem-random.ts';
import { BaseQdisc, buildChild, markCongestion } from './qdisc-base.ts';
import { TimeHeap } from './time-heap.ts';

const SECOND_NS = 1e9;
/** The class that holds the child, as in tc. */
const CHILD_CLASS = '1:1';

/** A chance, and how much of it comes from the draw before; both in units of 2^-32. */
export interface Chance {
  readonly probability: number;
  readonly correlation: number;
}

/** Slots: packets leave together, so many at most, and then none for a while. */
export interface SlotSettings {
  /** From one slot to the next, evenly between the two; or of a distribution. */
  readonly minDelayNs: number;
  readonly maxDelayNs: number;
  readonly distribution?: DistributionName;
  readonly delayNs: number;
  readonly jitterNs: number;
  /** Infinity: no limit. */
  readonly packets: number;
  readonly bytes: number;
}

/** What netem is set to. */
export interface NetemSettings {
  readonly limitPackets: number;
  readonly delayNs: number;
  readonly jitterNs: number;
  readonly delayCorrelation: number;
  /** Absent: even. */
  readonly distribution?: DistributionName;
  readonly loss: Chance;
  readonly stateLoss?: StateLossSettings;
  readonly gilbertElliott?: GilbertElliottSettings;
  readonly marksLosses: boolean;
  readonly duplicate: Chance;
  readonly corrupt: Chance;
  readonly reorder: Chance;
  /** Every so many-th packet may be sent at once; 0: none. */
  readonly gap: number;
  /** 0: none. */
  readonly rateBytesPerSecond: number;
  readonly packetOverheadBytes: number;
  /** 0: no cells. */
  readonly cellBytes: number;
  readonly cellOverheadBytes: number;
  readonly slot?: SlotSettings;
  readonly child?: NestedModel;
}

/**
 * netem: holds packets for a delay, loses, doubles, damages and reorders some, sends at a rate or in slots. Source of
 * the rules: net/sched/sch_netem.c, 6.18, with delays in ns. Jitter reorders packets unless there is a rate.
 */
export class Netem extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: NetemSettings;
  /** Packets that are due no sooner than the one before, and those that are. */
  readonly #line: PacketQueue;
  readonly #tree = new TimeHeap();
  /** Packets that were put in front of all others. */
  readonly #front: PacketQueue;
  readonly #child: Qdisc | undefined;
  readonly #watchdog: number;
  readonly #delayRandom: CorrelatedRandom;
  readonly #duplicateRandom: CorrelatedRandom;
  readonly #reorderRandom: CorrelatedRandom;
  readonly #corruptRandom: CorrelatedRandom;
  readonly #loss: LossModel | undefined;
  readonly #table: Int16Array | undefined;
  readonly #slotTable: Int16Array | undefined;
  /** Latest time to send among the packets of the line and the tree. */
  #latestNs = 0;
  #sinceReordered = 0;
  /** Begin of the next slot; before all where there are none. */
  #slotNs = Number.NEGATIVE_INFINITY;
  #slotPackets = 0;
  #slotBytes = 0;
  #lost = 0;
  #marked = 0;
  #duplicated = 0;
  #corrupted = 0;
  #reordered = 0;

  constructor(settings: NetemSettings, values: Values, surroundings: Surroundings, build: QdiscBuilder) {
    super(surroundings);
    this.#settings = settings;
    this.#line = new PacketQueue(surroundings.packets);
    this.#front = new PacketQueue(surroundings.packets);
    this.#watchdog = surroundings.newWatchdog();
    const { loss, duplicate, reorder, corrupt, slot } = settings;
    const random = (): number => surroundings.randomUint32();
    const sequence = (correlation: number, seeded: boolean): CorrelatedRandom =>
      new CorrelatedRandom(correlation, seeded, random);
    // tc sends these two correlations together, and the kernel then draws a first number for both.
    const together = settings.delayCorrelation > 0 || loss.correlation > 0;
    this.#delayRandom = sequence(settings.delayCorrelation, together);
    const lossRandom = sequence(loss.correlation, together);
    this.#duplicateRandom = sequence(duplicate.correlation, duplicate.correlation > 0);
    this.#reorderRandom = sequence(reorder.correlation, reorder.correlation > 0);
    this.#corruptRandom = sequence(corrupt.correlation, corrupt.correlation > 0);
    this.#loss = lossModel(settings, lossRandom, random);
    this.#table = settings.distribution === undefined ? undefined : distributionTable(settings.distribution);
    this.#slotTable = slot?.distribution === undefined ? undefined : distributionTable(slot.distribution);
    if (slot !== undefined) {
      this.#slotNs = surroundings.startNs;
      this.#slotPackets = slot.packets;
      this.#slotBytes = slot.bytes;
    }
    if (settings.child !== undefined) this.#child = buildChild(this, values, settings.child, surroundings, build);
  }

  enqueue(packet: number, nowNs: number): number {
    const { duplicate, corrupt, limitPackets, marksLosses } = this.#settings;
    const packets = this.packets;
    let doubled =
      duplicate.probability > 0 &&
      !packets.hasMark(packet, MARK_COPY) &&
      duplicate.probability >= this.#duplicateRandom.next();
    if (this.#loss?.isLost() === true) {
      if (marksLosses && markCongestion(packets, packet)) this.#marked++;
      else {
        this.#lost++;
        if (!doubled) return this.refuse(packet, nowNs);
        // Of the two one is lost.
        doubled = false;
      }
    }
    const copy = doubled ? packets.copyOf(packet) : NO_PACKET;
    if (corrupt.probability > 0 && corrupt.probability >= this.#corruptRandom.next()) {
      this.#corrupted++;
      packets.setMark(packet, MARK_DAMAGED);
    }
    if (this.lengthPackets >= limitPackets) {
      if (copy !== NO_PACKET) packets.free(copy);
      return this.refuse(packet, nowNs);
    }
    if (copy !== NO_PACKET) {
      this.#duplicated++;
      packets.setMark(copy, MARK_COPY);
      this.#root().enqueue(copy, nowNs);
    }
    if (this.#comesLast()) {
      this.#hold(packet, this.#dueNs(packet, nowNs));
      this.#sinceReordered++;
    } else {
      this.#sinceReordered = 0;
      this.#reordered++;
      this.#front.unshift(packet);
    }
    return this.accept(packet);
  }

  /** The qdisc at the top of the tree, where a copy comes in. */
  #root(): Qdisc {
    let root: Qdisc = this;
    while (root.parent !== undefined) root = root.parent;
    return root;
  }

  /** Whether the packet waits for its time, as all do that are not put in front. */
  #comesLast(): boolean {
    const { gap, reorder } = this.#settings;
    return gap === 0 || this.#sinceReordered < gap - 1 || reorder.probability < this.#reorderRandom.next();
  }

  #hold(packet: number, dueNs: number): void {
    if (this.#timedPackets === 0 || dueNs > this.#latestNs) this.#latestNs = dueNs;
    const { tail } = this.#line;
    if (tail !== NO_PACKET && dueNs < this.packets.stampNs[tail]!) {
      this.#tree.push(packet, dueNs);
      return;
    }
    this.packets.stampNs[packet] = dueNs;
    this.#line.push(packet);
  }

  get #timedPackets(): number {
    return this.#line.lengthPackets + this.#tree.length;
  }

  #dueNs(packet: number, nowNs: number): number {
    const { delayNs, jitterNs, rateBytesPerSecond } = this.#settings;
    const ownDelayNs = spread(delayNs, jitterNs, this.#delayRandom, this.#table);
    if (rateBytesPerSecond === 0) return nowNs + ownDelayNs;
    const sendingNs = this.#sendingNs(this.packets.sizeBytes[packet]!);
    if (this.#timedPackets === 0) return nowNs + ownDelayNs + sendingNs;
    // Behind others a packet has waited part of its delay already.
    const waitedNs = this.#latestNs - nowNs;
    return this.#latestNs + Math.max(0, ownDelayNs - waitedNs) + sendingNs;
  }

  #sendingNs(sizeBytes: number): number {
    const { rateBytesPerSecond, packetOverheadBytes, cellBytes, cellOverheadBytes } = this.#settings;
    let bytes = sizeBytes + packetOverheadBytes;
    if (cellBytes > 0) bytes = Math.ceil(bytes / cellBytes) * (cellBytes + cellOverheadBytes);
    return Math.floor((bytes * SECOND_NS) / rateBytesPerSecond);
  }

  protected take(nowNs: number): number {
    const { slot } = this.#settings;
    for (;;) {
      const reordered = this.#front.shift();
      if (reordered !== NO_PACKET) return this.#deliver(reordered);
      const dueNs = this.#earliestNs();
      if (dueNs === Number.POSITIVE_INFINITY) return this.#fromChild(nowNs);
      if (slot !== undefined && this.#slotNs < dueNs) this.#nextSlot(slot, nowNs);
      if (dueNs > nowNs || this.#slotNs > nowNs) {
        const packet = this.#fromChild(nowNs);
        if (packet === NO_PACKET) this.surroundings.wakeAt(this.#watchdog, Math.max(dueNs, this.#slotNs));
        return packet;
      }
      const packet = this.#takeEarliest();
      if (slot !== undefined) this.#countForSlot(slot, packet, nowNs);
      if (this.#child === undefined) return this.#deliver(packet);
      this.#passOn(this.#child, packet, nowNs);
    }
  }

  /** When the first of the packets that wait is due; Infinity: none waits. */
  #earliestNs(): number {
    const { head } = this.#line;
    const lineNs = head === NO_PACKET ? Number.POSITIVE_INFINITY : this.packets.stampNs[head]!;
    return Math.min(this.#tree.earliestNs, lineNs);
  }

  #takeEarliest(): number {
    const { head } = this.#line;
    const isInLine = head !== NO_PACKET && this.packets.stampNs[head]! <= this.#tree.earliestNs;
    return isInLine ? this.#line.shift() : this.#tree.shift();
  }

  #deliver(packet: number): number {
    this.release(packet);
    this.departed(packet);
    return packet;
  }

  #fromChild(nowNs: number): number {
    const packet = this.#child?.dequeue(nowNs) ?? NO_PACKET;
    return packet === NO_PACKET ? NO_PACKET : this.#deliver(packet);
  }

  /** Hands a packet whose time has come to the child, which may not take it. */
  #passOn(child: Qdisc, packet: number, nowNs: number): void {
    const sizeBytes = this.packets.sizeBytes[packet]!;
    if (child.enqueue(packet, nowNs) === ACCEPTED) return;
    this.droppedPackets++;
    this.lengthPackets--;
    this.backlogBytes -= sizeBytes;
    this.tellParent(1, sizeBytes);
  }

  #countForSlot(slot: SlotSettings, packet: number, nowNs: number): void {
    this.#slotPackets--;
    this.#slotBytes -= this.packets.sizeBytes[packet]!;
    if (this.#slotPackets <= 0 || this.#slotBytes <= 0) this.#nextSlot(slot, nowNs);
  }

  #nextSlot(slot: SlotSettings, nowNs: number): void {
    const random = this.surroundings;
    const delayNs =
      this.#slotTable === undefined
        ? slot.minDelayNs + scaledByRandom(slot.maxDelayNs - slot.minDelayNs, random.randomUint32())
        : fromTable(slot.delayNs, slot.jitterNs, random.randomUint32(), this.#slotTable);
    this.#slotNs = nowNs + delayNs;
    this.#slotPackets = slot.packets;
    this.#slotBytes = slot.bytes;
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    return {
      lost: this.#lost,
      ecnMark: this.#marked,
      duplicated: this.#duplicated,
      corrupted: this.#corrupted,
      requeues: this.#reordered,
    };
  }

  protected override reportChildren(nowNs: number): Readonly<Record<string, QdiscReport>> {
    return this.#child === undefined ? {} : { [CHILD_CLASS]: this.#child.report(nowNs) };
  }
}

function lossModel(
  settings: NetemSettings,
  random: CorrelatedRandom,
  randomUint32: () => number,
): LossModel | undefined {
  const { loss, stateLoss, gilbertElliott } = settings;
  if (stateLoss !== undefined) return new StateLoss(stateLoss, randomUint32);
  if (gilbertElliott !== undefined) return new GilbertElliottLoss(gilbertElliott, randomUint32);
  return loss.probability > 0 ? new RandomLoss(loss.probability, random) : undefined;
}

/** A delay and its jitter, even or of a table (net/sched/sch_netem.c: tabledist). */
function spread(meanNs: number, jitterNs: number, random: CorrelatedRandom, table: Int16Array | undefined): number {
  if (jitterNs === 0) return meanNs;
  const drawn = random.next();
  if (table === undefined) return meanNs + (drawn % (2 * jitterNs)) - jitterNs;
  return fromTable(meanNs, jitterNs, drawn, table);
}

function fromTable(meanNs: number, jitterNs: number, drawn: number, table: Int16Array): number {
  const deviation = table[drawn % table.length]!;
  const part = (jitterNs % TABLE_SCALE) * deviation;
  const rounded = Math.trunc((part + (part >= 0 ? TABLE_SCALE / 2 : -TABLE_SCALE / 2)) / TABLE_SCALE);
  return rounded + Math.floor(jitterNs / TABLE_SCALE) * deviation + meanNs;
}
