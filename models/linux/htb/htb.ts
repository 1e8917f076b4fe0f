import {
  ACCEPTED,
  DROPPED,
  type Qdisc,
  type QdiscBuilder,
  type QdiscReport,
  type Surroundings,
  type Values,
} from '../../model.ts';
import { NO_PACKET, type PacketPool, PacketQueue } from '../../packet.ts';
import { type RecurrencePass, visitPart } from '../../recurrence.ts';
import { handleOf, MINOR_MASK } from '../class-id.ts';
import type { KernelRules } from '../kernels.ts';
import { buildChild } from '../qdisc-base.ts';
import { classFigures, DEFAULT_QUEUE_PACKETS, type HtbValues, htbRules, htbValues } from './class-figures.ts';
import { buildTree, type HtbClass, type HtbTree, LEVELS } from './htb-class.ts';
import { LoneLeaf } from './lone-leaf.ts';
import { HtbProbe } from './probe.ts';
import { lowestBit } from './rank-set.ts';
import { DIRECT_NAME, reportHtb } from './report.ts';
import { HtbScheduler } from './scheduler.ts';

/** Counters of the qdisc itself. */
export interface HtbCounters {
  sentPackets: number;
  sentBytes: number;
  droppedPackets: number;
  idleDequeues: number;
  directEnqueued: number;
  directDropped: number;
  directDepartedPackets: number;
  directDepartedBytes: number;
}

const COUNTERS: readonly (keyof HtbCounters)[] = [
  'sentPackets',
  'sentBytes',
  'droppedPackets',
  'idleDequeues',
  'directEnqueued',
  'directDropped',
  'directDepartedPackets',
  'directDepartedBytes',
];

/**
 * Hierarchical Token Bucket, as the kernel's own code computes it in each of its generations.
 *
 * A leaf sends while its own tokens last, and then borrows from the nearest ancestor that has some; tokens are time.
 * Packets that name no leaf, where there is no default class, go through a direct queue, first and unshaped.
 * From net/sched/sch_htb.c, 2.6.22 to 6.18.
 */
export class Htb implements Qdisc {
  lengthPackets = 0;
  backlogBytes = 0;
  readonly canBypass = false;
  parent: Qdisc | undefined = undefined;
  readonly probe: HtbProbe;

  readonly #surroundings: Surroundings;
  readonly #packets: PacketPool;
  readonly #kernel: KernelRules;
  readonly #tree: HtbTree;
  readonly #scheduler: HtbScheduler;
  /** In place of the scheduler, where the tree is one leaf. */
  readonly #lone: LoneLeaf | undefined;
  readonly #watchdog: number;
  /** What the watchdog was set to last. */
  #armedTicks = -1;

  readonly #handle: number;
  /** Leaf of packets that name none; undefined: the direct queue. */
  readonly #defaultLeaf: HtbClass | undefined;
  #lastPriority = -1;
  #lastLeaf: HtbClass | undefined;

  readonly #direct: PacketQueue;
  readonly #directLimit: number;
  #peeked = NO_PACKET;
  /** The packet of the turn that was taken last. */
  #taken = NO_PACKET;
  readonly #counters: HtbCounters = {
    sentPackets: 0,
    sentBytes: 0,
    droppedPackets: 0,
    idleDequeues: 0,
    directEnqueued: 0,
    directDropped: 0,
    directDepartedPackets: 0,
    directDepartedBytes: 0,
  };

  constructor(values: Values, surroundings: Surroundings, build: QdiscBuilder) {
    const htb: HtbValues = htbValues(values);
    const { kernel } = htbRules(htb);
    const figures = Object.keys(htb.classes).map((name) => classFigures(htb, name));
    this.#surroundings = surroundings;
    this.#packets = surroundings.packets;
    this.#kernel = kernel;
    this.#watchdog = surroundings.newWatchdog();
    this.#tree = buildTree(kernel, figures, surroundings.packets, Math.floor(surroundings.startNs / kernel.tickNs));
    const hysteresis = htb.hysteresis ?? kernel.hysteresis;
    const exactTimers = surroundings.exactTimers === true;
    this.#scheduler = new HtbScheduler(kernel, this.#tree, hysteresis, !exactTimers);
    const [first, second] = this.#tree.classes;
    const isLone = first !== undefined && second === undefined && first.figures.qdisc === undefined && exactTimers;
    this.#lone = isLone ? new LoneLeaf(kernel, first, hysteresis) : undefined;
    this.#handle = handleOf(figures[0]?.id ?? 0);
    this.#defaultLeaf = this.#leafOf(this.#handle + ((htb.default ?? 0) & MINOR_MASK));
    this.#direct = new PacketQueue(surroundings.packets);
    this.#directLimit = Math.max(kernel.leastDirectPackets, htb.directQlen ?? htb.txQueueLen ?? DEFAULT_QUEUE_PACKETS);
    this.probe = new HtbProbe(this.#tree.classes, kernel.tickNs, this.#direct, this.#counters);
    for (const entry of this.#tree.classes) {
      const { qdisc } = entry.figures;
      if (qdisc !== undefined && entry.level === 0) entry.nested = buildChild(this, values, qdisc, surroundings, build);
    }
  }

  enqueue(packet: number, nowNs: number): number {
    const leaf = this.#classify(packet);
    if (leaf === undefined) return this.#enqueueDirect(packet, nowNs);
    const sizeBytes = this.#packets.sizeBytes[packet]!;
    const segments = this.#packets.segments[packet]!;
    const nested = leaf.nested;
    if (nested !== undefined) {
      const result = nested.enqueue(packet, nowNs);
      this.#recount(leaf, nested);
      if (result !== ACCEPTED) {
        leaf.droppedPackets++;
        this.#counters.droppedPackets++;
        return result;
      }
    } else {
      if (leaf.queue.lengthPackets >= leaf.limitPackets) {
        leaf.droppedPackets++;
        return this.#refuse(packet, nowNs);
      }
      leaf.queue.push(packet);
      this.lengthPackets++;
      this.backlogBytes += sizeBytes;
    }
    leaf.enqueuedPackets += segments;
    leaf.enqueuedBytes += sizeBytes;
    if (leaf.active === 0 && this.#lone === undefined) this.#scheduler.activate(leaf);
    return ACCEPTED;
  }

  dequeue(nowNs: number): number {
    if (this.#peeked !== NO_PACKET) {
      const packet = this.#peeked;
      this.#peeked = NO_PACKET;
      this.#release(packet);
      return packet;
    }
    if (this.#direct.head !== NO_PACKET) return this.#dequeueDirect();
    if (this.lengthPackets === 0) return NO_PACKET;
    const tickNs = this.#kernel.tickNs;
    const nowTicks = tickNs === 1 ? nowNs : Math.floor(nowNs / tickNs);
    const lone = this.#lone;
    if (lone !== undefined) {
      if (lone.maySend(nowTicks)) return this.#serveLone(lone, nowTicks);
      return this.#sleepUntil(lone.nextTicks);
    }
    const scheduler = this.#scheduler;
    if (scheduler.begin(nowTicks)) {
      for (let level = 0; level < LEVELS; level++) {
        scheduler.handleDue(level);
        for (let mask = scheduler.rowMask[level]!; mask !== 0; mask &= mask - 1) {
          const packet = this.#serve(lowestBit(mask), level, nowNs);
          if (packet !== NO_PACKET) return packet;
        }
      }
    }
    return this.#sleepUntil(scheduler.nextTicks);
  }

  peek(nowNs: number): number {
    if (this.#peeked === NO_PACKET) {
      const packet = this.dequeue(nowNs);
      if (packet === NO_PACKET) return NO_PACKET;
      this.#peeked = packet;
      this.lengthPackets++;
      this.backlogBytes += this.#packets.sizeBytes[packet]!;
    }
    return this.#peeked;
  }

  onDescendantDrop(packets: number, bytes: number, child: Qdisc): void {
    for (const leaf of this.#tree.classes) {
      if (leaf.nested !== child) continue;
      this.#recount(leaf, child);
      if (child.lengthPackets === 0 && leaf.active !== 0) this.#scheduler.deactivate(leaf);
    }
    this.#counters.droppedPackets += Math.max(0, packets);
    this.parent?.onDescendantDrop?.(packets, bytes, this);
  }

  visit(pass: RecurrencePass): void {
    const { tickNs } = this.#kernel;
    for (const entry of this.#tree.classes) {
      entry.visit(pass, tickNs, this.#tree.contested);
      if (pass.done) return;
    }
    if (this.#lone === undefined) this.#scheduler.visit(pass);
    else this.#lone.visit(pass, tickNs);
    pass.plain(this.#peeked);
    this.#armedTicks = pass.due(this.#armedTicks, tickNs);
    for (const name of COUNTERS) this.#counters[name] = pass.counter(this.#counters[name]);
    this.#direct.visit(pass);
    for (const entry of this.#tree.classes) {
      entry.queue.visit(pass);
      if (entry.nested === undefined) continue;
      pass.plain(entry.nestedPackets);
      pass.plain(entry.nestedBytes);
      visitPart(entry.nested, pass);
    }
  }

  classOf(packet: number): string {
    return this.#classify(packet)?.figures.name ?? DIRECT_NAME;
  }

  report(nowNs: number): QdiscReport {
    const held = { packets: this.lengthPackets, bytes: this.backlogBytes, direct: this.#direct };
    return reportHtb(
      this.#kernel,
      this.#tree.classes,
      (this.#lone ?? this.#scheduler).limitReached,
      this.#counters,
      held,
      nowNs,
    );
  }

  /** The leaf that a packet goes to; undefined: the direct queue (htb_classify, without filters). */
  #classify(packet: number): HtbClass | undefined {
    const priority = this.#packets.priority[packet]!;
    if (priority !== this.#lastPriority) {
      this.#lastPriority = priority;
      this.#lastLeaf = priority === this.#handle ? undefined : (this.#leafOf(priority) ?? this.#defaultLeaf);
    }
    return this.#lastLeaf;
  }

  #leafOf(id: number): HtbClass | undefined {
    return handleOf(id) === this.#handle ? this.#tree.leaves[id & MINOR_MASK] : undefined;
  }

  #enqueueDirect(packet: number, nowNs: number): number {
    if (this.#direct.lengthPackets >= this.#directLimit) {
      this.#counters.directDropped++;
      return this.#refuse(packet, nowNs);
    }
    this.#counters.directEnqueued++;
    this.#direct.push(packet);
    this.lengthPackets++;
    this.backlogBytes += this.#packets.sizeBytes[packet]!;
    return ACCEPTED;
  }

  #dequeueDirect(): number {
    const packet = this.#direct.shift();
    this.#counters.directDepartedPackets += this.#packets.segments[packet]!;
    this.#counters.directDepartedBytes += this.#packets.sizeBytes[packet]!;
    this.#release(packet);
    this.#countSent(packet);
    return packet;
  }

  #refuse(packet: number, nowNs: number): number {
    this.#counters.droppedPackets++;
    this.#surroundings.drop(packet, nowNs);
    return DROPPED;
  }

  /** Takes a packet off the lengths. */
  #release(packet: number): void {
    this.lengthPackets--;
    this.backlogBytes -= this.#packets.sizeBytes[packet]!;
  }

  #countSent(packet: number): void {
    this.#counters.sentPackets += this.#packets.segments[packet]!;
    this.#counters.sentBytes += this.#packets.sizeBytes[packet]!;
  }

  /** Takes what a nested qdisc holds now into this one's length: it may have dropped, or split, on its own. */
  #recount(leaf: HtbClass, nested: Qdisc): void {
    this.lengthPackets += nested.lengthPackets - leaf.nestedPackets;
    this.backlogBytes += nested.backlogBytes - leaf.nestedBytes;
    leaf.nestedPackets = nested.lengthPackets;
    leaf.nestedBytes = nested.backlogBytes;
  }

  /** Ends a dequeue that has found nothing. */
  #sleepUntil(nextTicks: number): number {
    this.#counters.idleDequeues++;
    // A watchdog that is set to this instant already has not expired yet; without a class that waits, none is needed.
    if (nextTicks !== this.#armedTicks && nextTicks !== Number.POSITIVE_INFINITY) {
      this.#armedTicks = nextTicks;
      this.#surroundings.wakeAt(this.#watchdog, nextTicks * this.#kernel.tickNs);
    }
    return NO_PACKET;
  }

  /** Takes the next packet of a leaf that is alone, and charges it. */
  #serveLone(lone: LoneLeaf, nowTicks: number): number {
    const { leaf } = lone;
    const packet = leaf.queue.shift();
    const sizeBytes = this.#packets.sizeBytes[packet]!;
    this.#release(packet);
    leaf.deficitsBytes[0]! -= sizeBytes;
    if (leaf.deficitsBytes[0]! < 0) leaf.deficitsBytes[0]! += leaf.quantumBytes;
    lone.charge(nowTicks, sizeBytes, this.#packets.segments[packet]!);
    this.#countSent(packet);
    return packet;
  }

  /** Takes a packet from the leaf whose turn it is, and charges it (htb_dequeue_tree). */
  #serve(priority: number, level: number, nowNs: number): number {
    const leaf = this.#takeTurn(priority, level, nowNs);
    if (leaf === undefined) return NO_PACKET;
    const packet = this.#taken;
    const sizeBytes = this.#packets.sizeBytes[packet]!;
    leaf.deficitsBytes[level]! -= sizeBytes;
    if (leaf.deficitsBytes[level]! < 0) {
      leaf.deficitsBytes[level]! += leaf.quantumBytes;
      this.#scheduler.passTurn(leaf, level);
    }
    if (leaf.active !== 0 && leaf.backlogPackets === 0) this.#scheduler.deactivate(leaf);
    this.#scheduler.charge(leaf, level, sizeBytes, this.#packets.segments[packet]!);
    this.#countSent(packet);
    return packet;
  }

  /**
   * Takes a packet from the first leaf in turn that gives one, and says which; undefined: none does.
   *
   * Only a nested qdisc can fail to give: one that holds packets back (a shaper below a shaper) loses its turn, one that
   * has dropped its last packets ends its turns.
   */
  #takeTurn(priority: number, level: number, nowNs: number): HtbClass | undefined {
    const scheduler = this.#scheduler;
    let leaf = scheduler.lookup(priority, level);
    let first = leaf;
    for (;;) {
      const nested = leaf.nested;
      if (nested === undefined) {
        this.#taken = leaf.queue.shift();
        this.#release(this.#taken);
        return leaf;
      }
      this.#taken = nested.dequeue(nowNs);
      this.#recount(leaf, nested);
      if (this.#taken !== NO_PACKET) return leaf;
      const passed = leaf;
      const emptied = nested.lengthPackets === 0;
      if (!emptied) scheduler.passTurn(leaf, level);
      else if (leaf.active !== 0) scheduler.deactivate(leaf);
      if ((scheduler.rowMask[level]! & (1 << priority)) === 0) return undefined;
      leaf = scheduler.lookup(priority, level);
      if (emptied && passed === first) first = leaf;
      else if (leaf === first) return undefined;
    }
  }
}
