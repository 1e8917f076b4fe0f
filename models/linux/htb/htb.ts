import {
  ACCEPTED,
  type ClassReport,
  DROPPED,
  type Qdisc,
  type QdiscBuilder,
  type QdiscReport,
  type Surroundings,
} from '../../model.ts';
import { NO_PACKET, PacketQueue } from '../../packet.ts';
import { handleOf, MINOR_MASK } from '../class-id.ts';
import type { KernelRules } from '../kernels.ts';
import { classFigures, type HtbValues, htbRules } from './class-figures.ts';
import { lowestBit, type RankSet } from './rank-set.ts';
import { HtbTree, LEVELS, PRIORITIES } from './tree.ts';
import { WaitQueue } from './wait-queue.ts';

/** Modes of a class, as the kernel numbers them. */
export const CANT_SEND = 0;
export const MAY_BORROW = 1;
export const CAN_SEND = 2;

const MODE_NAMES = ['cant-send', 'may-borrow', 'can-send'] as const;

/** Longest time that tokens are counted over, up or down (s): HTB's mbuffer. */
const TOKEN_SPAN_SECONDS = 60;
/** How far ahead a dequeue looks for the next event (s), and a level without waiting classes is looked at again (s). */
const LOOK_AHEAD_SECONDS = 5;
const IDLE_LEVEL_SECONDS = 1;

/** Where a packet goes that no leaf takes. */
const DIRECT = -1;

/** All that changes in a class, for reports and inspection; tokens and instants in ticks of the kernel's clock. */
export interface HtbClassState {
  readonly tokens: number;
  readonly ctokens: number;
  readonly checkpointTicks: number;
  readonly mode: number;
  readonly level: number;
  readonly deficitsBytes: readonly number[];
}

/**
 * Hierarchical Token Bucket, as the kernel's own code computes it in each of its generations.
 *
 * A leaf sends while its own tokens last, and then borrows from the nearest ancestor that has some; tokens are time.
 * Classes that may send wait in rows (at their own rate, by level) and feeds (on loan, by parent), by priority, and take
 * turns in the order of their ids by deficit round robin. From net/sched/sch_htb.c, 2.6.22 to 6.18.
 */
export class Htb implements Qdisc {
  lengthPackets = 0;
  backlogBytes = 0;
  readonly canBypass = false;
  parent?: Qdisc | undefined;

  readonly #surroundings: Surroundings;
  readonly #kernel: KernelRules;
  readonly #tree: HtbTree;
  readonly #watchdog: number;
  readonly #tickNs: number;
  readonly #tokenSpan: number;
  readonly #hysteresis: boolean;

  readonly #handle: number;
  readonly #defaultLeaf: number;
  #lastPriority = -1;
  #lastLeaf = DIRECT;

  // Classes, by index.
  readonly #tokens: Float64Array;
  readonly #ctokens: Float64Array;
  readonly #checkpoint: Float64Array;
  readonly #mode: Int32Array;
  readonly #active: Int32Array;
  readonly #deficits: Int32Array;
  readonly #queues: readonly PacketQueue[];
  readonly #nested: readonly (Qdisc | undefined)[];
  readonly #nestedIndexes = new Map<Qdisc, number>();
  /** Length and bytes of a nested qdisc that are counted in this one's. */
  readonly #knownPackets: Int32Array;
  readonly #knownBytes: Float64Array;

  // Levels.
  readonly #rowMask = new Int32Array(LEVELS);
  readonly #nearEvent = new Float64Array(LEVELS);
  readonly #waiting: readonly WaitQueue[];

  // Scratch of one dequeue.
  #now = 0;
  #delay = 0;
  readonly #stack: RankSet[] = [];

  readonly #direct: PacketQueue;
  readonly #directLimit: number;
  #peeked = NO_PACKET;

  // Counters.
  readonly #sentPackets: Float64Array;
  readonly #sentBytes: Float64Array;
  readonly #dropped: Float64Array;
  readonly #overlimits: Float64Array;
  readonly #lends: Float64Array;
  readonly #borrows: Float64Array;
  readonly #giants: Float64Array;
  #qdiscPackets = 0;
  #qdiscBytes = 0;
  #qdiscDropped = 0;
  #qdiscOverlimits = 0;
  #directEnqueued = 0;
  #directPackets = 0;
  #directBytes = 0;
  #directDropped = 0;

  constructor(values: HtbValues, surroundings: Surroundings, build: QdiscBuilder) {
    const { kernel } = htbRules(values);
    const figures = Object.keys(values.classes).map((name) => classFigures(values, name));
    const tree = new HtbTree(kernel, figures);
    const count = tree.figures.length;
    this.#surroundings = surroundings;
    this.#kernel = kernel;
    this.#tree = tree;
    this.#watchdog = surroundings.newWatchdog();
    this.#tickNs = kernel.tickNs;
    this.#tokenSpan = TOKEN_SPAN_SECONDS * kernel.ticksPerSecond;
    this.#hysteresis = values.hysteresis ?? kernel.hysteresis;

    this.#handle = handleOf(figures[0]?.id ?? 0);
    this.#defaultLeaf = this.#leafOf(this.#handle + ((values.default ?? 0) & MINOR_MASK), DIRECT);

    this.#tokens = tree.bufferTicks.slice();
    this.#ctokens = tree.cbufferTicks.slice();
    this.#checkpoint = new Float64Array(count).fill(this.#ticks(surroundings.startNs));
    this.#mode = new Int32Array(count).fill(CAN_SEND);
    this.#active = new Int32Array(count);
    this.#deficits = new Int32Array(count * LEVELS);
    this.#queues = tree.figures.map(() => new PacketQueue(surroundings.packets));
    this.#nested = tree.figures.map((figure, index) => {
      if (figure.qdisc === undefined || tree.level[index] !== 0) return undefined;
      const child = build(figure.qdisc, surroundings);
      child.parent = this;
      this.#nestedIndexes.set(child, index);
      return child;
    });
    this.#knownPackets = new Int32Array(count);
    this.#knownBytes = new Float64Array(count);
    this.#waiting = tree.levelSizes.map((size) => new WaitQueue(size, count));
    this.#direct = new PacketQueue(surroundings.packets);
    this.#directLimit = Math.max(kernel.leastDirectPackets, values.directQlen ?? values.txQueueLen);

    this.#sentPackets = new Float64Array(count);
    this.#sentBytes = new Float64Array(count);
    this.#dropped = new Float64Array(count);
    this.#overlimits = new Float64Array(count);
    this.#lends = new Float64Array(count);
    this.#borrows = new Float64Array(count);
    this.#giants = new Float64Array(count);
  }

  enqueue(packet: number, nowNs: number): number {
    const packets = this.#surroundings.packets;
    const priority = packets.priority[packet]!;
    if (priority !== this.#lastPriority) {
      this.#lastPriority = priority;
      this.#lastLeaf = priority === this.#handle ? DIRECT : this.#leafOf(priority, this.#defaultLeaf);
    }
    const leaf = this.#lastLeaf;
    const sizeBytes = packets.sizeBytes[packet]!;
    if (leaf === DIRECT) {
      if (this.#direct.lengthPackets >= this.#directLimit) {
        this.#directDropped++;
        this.#qdiscDropped++;
        this.#surroundings.drop(packet, nowNs);
        return DROPPED;
      }
      this.#directEnqueued++;
      this.#direct.push(packet);
      this.lengthPackets++;
      this.backlogBytes += sizeBytes;
      return ACCEPTED;
    }
    const segments = packets.segments[packet]!;
    const nested = this.#nested[leaf];
    if (nested !== undefined) {
      const result = nested.enqueue(packet, nowNs);
      this.#recount(leaf, nested);
      if (result !== ACCEPTED) {
        this.#dropped[leaf]!++;
        this.#qdiscDropped++;
        return result;
      }
    } else {
      const queue = this.#queues[leaf]!;
      if (queue.lengthPackets >= this.#tree.figures[leaf]!.limitPackets) {
        this.#dropped[leaf]!++;
        this.#qdiscDropped++;
        this.#surroundings.drop(packet, nowNs);
        return DROPPED;
      }
      queue.push(packet);
      this.lengthPackets++;
      this.backlogBytes += sizeBytes;
    }
    if (this.#kernel.leafSentAt === 'enqueue') {
      this.#sentPackets[leaf]! += segments;
      this.#sentBytes[leaf]! += sizeBytes;
    }
    if (this.#active[leaf] === 0) {
      this.#active[leaf] = 1 << this.#tree.priority[leaf]!;
      this.#link(leaf);
    }
    return ACCEPTED;
  }

  dequeue(nowNs: number): number {
    if (this.#peeked !== NO_PACKET) {
      const parked = this.#peeked;
      this.#peeked = NO_PACKET;
      this.lengthPackets--;
      this.backlogBytes -= this.#surroundings.packets.sizeBytes[parked]!;
      return parked;
    }
    if (this.#direct.head !== NO_PACKET) {
      const packet = this.#direct.shift();
      const sizeBytes = this.#surroundings.packets.sizeBytes[packet]!;
      this.lengthPackets--;
      this.backlogBytes -= sizeBytes;
      this.#directPackets += this.#surroundings.packets.segments[packet]!;
      this.#directBytes += sizeBytes;
      return this.#count(packet);
    }
    if (this.lengthPackets === 0) return NO_PACKET;
    const now = this.#ticks(nowNs);
    this.#now = now;
    let next = now + LOOK_AHEAD_SECONDS * this.#kernel.ticksPerSecond;
    for (let level = 0; level < LEVELS; level++) {
      let event = this.#nearEvent[level]!;
      if (now >= event) {
        event = this.#handleEvents(level);
        this.#nearEvent[level] = event;
      }
      if (event < next) next = event;
      let mask = this.#rowMask[level]!;
      while (mask !== 0) {
        const priority = lowestBit(mask);
        mask &= mask - 1;
        const packet = this.#serve(priority, level, nowNs);
        if (packet !== NO_PACKET) return this.#count(packet);
      }
    }
    if (this.#kernel.overlimits === 'idle-dequeue') this.#qdiscOverlimits++;
    this.#surroundings.wakeAt(this.#watchdog, next * this.#tickNs);
    return NO_PACKET;
  }

  peek(nowNs: number): number {
    if (this.#peeked === NO_PACKET) {
      const packet = this.dequeue(nowNs);
      if (packet === NO_PACKET) return NO_PACKET;
      this.#peeked = packet;
      this.lengthPackets++;
      this.backlogBytes += this.#surroundings.packets.sizeBytes[packet]!;
    }
    return this.#peeked;
  }

  onDescendantDrop(packets: number, bytes: number, child: Qdisc): void {
    const leaf = this.#nestedIndexes.get(child);
    if (leaf !== undefined) {
      this.#recount(leaf, child);
      if (child.lengthPackets === 0 && this.#active[leaf] !== 0) this.#deactivate(leaf);
    }
    this.#qdiscDropped += packets;
    this.parent?.onDescendantDrop?.(packets, bytes, this);
  }

  /** Takes what a nested qdisc holds now into this one's length: it may have dropped on its own. */
  #recount(leaf: number, nested: Qdisc): void {
    const packets = nested.lengthPackets;
    const bytes = nested.backlogBytes;
    this.lengthPackets += packets - this.#knownPackets[leaf]!;
    this.backlogBytes += bytes - this.#knownBytes[leaf]!;
    this.#knownPackets[leaf] = packets;
    this.#knownBytes[leaf] = bytes;
  }

  #ticks(timeNs: number): number {
    return Math.floor(timeNs / this.#tickNs);
  }

  /** The leaf that an id names, or `otherwise`. */
  #leafOf(id: number, otherwise: number): number {
    const index = this.#tree.indexById.get(id);
    return index !== undefined && this.#tree.level[index] === 0 ? index : otherwise;
  }

  /** Counts a packet that leaves. */
  #count(packet: number): number {
    const packets = this.#surroundings.packets;
    this.#qdiscPackets += packets.segments[packet]!;
    this.#qdiscBytes += packets.sizeBytes[packet]!;
    return packet;
  }

  /** Wakes the classes of a level whose wait is over; the instant of its next event (htb_do_events). */
  #handleEvents(level: number): number {
    const now = this.#now;
    const waiting = this.#waiting[level]!;
    const { ticksPerSecond, eventsPerDequeue } = this.#kernel;
    for (let handled = 0; handled < eventsPerDequeue; handled++) {
      if (waiting.count === 0) return now + IDLE_LEVEL_SECONDS * ticksPerSecond;
      const index = waiting.first();
      const key = waiting.keyOf(index);
      if (key > now) return key;
      waiting.remove(index);
      this.#changeMode(index, Math.min(now - this.#checkpoint[index]!, this.#tokenSpan));
      if (this.#mode[index] !== CAN_SEND) this.#wait(index);
    }
    return now + Math.floor(ticksPerSecond / 10);
  }

  /** Lets a class wait for the delay that its mode gave (htb_add_to_wait_tree). */
  #wait(index: number): void {
    const now = this.#now;
    const due = now + this.#delay;
    const key = due === now ? now + 1 : due;
    const level = this.#tree.level[index]!;
    if (key < this.#nearEvent[level]!) this.#nearEvent[level] = key;
    this.#waiting[level]!.add(index, key);
  }

  /** The mode of a class `elapsed` ticks after its checkpoint; sets the delay until the next (htb_class_mode). */
  #modeAfter(index: number, elapsed: number): number {
    const old = this.#mode[index]!;
    const least = this.#hysteresis && old !== CANT_SEND ? -this.#tree.cbufferTicks[index]! : 0;
    const ctokens = this.#ctokens[index]! + elapsed;
    if (ctokens < least) {
      this.#delay = -ctokens;
      return CANT_SEND;
    }
    const enough = this.#hysteresis && old === CAN_SEND ? -this.#tree.bufferTicks[index]! : 0;
    const tokens = this.#tokens[index]! + elapsed;
    if (tokens >= enough) return CAN_SEND;
    this.#delay = -tokens;
    return MAY_BORROW;
  }

  /** Moves a class to its mode `elapsed` ticks after its checkpoint (htb_change_class_mode). */
  #changeMode(index: number, elapsed: number): void {
    const old = this.#mode[index]!;
    const mode = this.#modeAfter(index, elapsed);
    if (mode === old) return;
    if (mode === CANT_SEND) {
      if (this.#kernel.classOverlimits) this.#overlimits[index]!++;
      if (this.#kernel.overlimits === 'cant-send') this.#qdiscOverlimits++;
    }
    if (this.#active[index] === 0) {
      this.#mode[index] = mode;
      return;
    }
    if (old !== CANT_SEND) this.#unlink(index);
    this.#mode[index] = mode;
    if (mode !== CANT_SEND) this.#link(index);
  }

  /** Puts an active class where it can be served from (htb_activate_prios). */
  #link(start: number): void {
    const { parent, feeds, rows, feedRank, rowRank, level } = this.#tree;
    let index = start;
    let mask = this.#active[index]!;
    while (mask !== 0 && this.#mode[index] === MAY_BORROW && parent[index]! >= 0) {
      const above = parent[index]!;
      for (let left = mask; left !== 0; left &= left - 1) {
        const priority = lowestBit(left);
        const feed = feeds[above * PRIORITIES + priority]!;
        if (feed.count !== 0) mask &= ~(1 << priority);
        feed.add(feedRank[index]!);
      }
      this.#active[above]! |= mask;
      index = above;
    }
    if (mask === 0 || this.#mode[index] !== CAN_SEND) return;
    const ownLevel = level[index]!;
    this.#rowMask[ownLevel]! |= mask;
    for (let left = mask; left !== 0; left &= left - 1) {
      rows[ownLevel * PRIORITIES + lowestBit(left)]!.add(rowRank[index]!);
    }
  }

  /** Takes an active class out of where it is served from (htb_deactivate_prios). */
  #unlink(start: number): void {
    const { parent, feeds, rows, feedRank, rowRank, level } = this.#tree;
    let index = start;
    let mask = this.#active[index]!;
    while (mask !== 0 && this.#mode[index] === MAY_BORROW && parent[index]! >= 0) {
      const above = parent[index]!;
      const rank = feedRank[index]!;
      let emptied = 0;
      for (let left = mask; left !== 0; left &= left - 1) {
        const priority = lowestBit(left);
        const feed = feeds[above * PRIORITIES + priority]!;
        if (feed.pointer === rank) {
          feed.resume = rank;
          feed.pointer = -1;
        }
        feed.remove(rank);
        if (feed.count === 0) emptied |= 1 << priority;
      }
      mask = emptied;
      this.#active[above]! &= ~mask;
      index = above;
    }
    if (mask === 0 || this.#mode[index] !== CAN_SEND) return;
    const ownLevel = level[index]!;
    const rank = rowRank[index]!;
    for (let left = mask; left !== 0; left &= left - 1) {
      const priority = lowestBit(left);
      const row = rows[ownLevel * PRIORITIES + priority]!;
      if (row.pointer === rank) row.advance();
      row.remove(rank);
      if (row.count === 0) this.#rowMask[ownLevel]! &= ~(1 << priority);
    }
  }

  /** Ends the activity of a leaf without packets (htb_deactivate). */
  #deactivate(leaf: number): void {
    this.#unlink(leaf);
    this.#active[leaf] = 0;
  }

  /** The leaf whose turn it is below a row that is not empty (htb_lookup_leaf). */
  #lookup(priority: number, level: number): number {
    const stack = this.#stack;
    let depth = 0;
    let set = this.#tree.rows[level * PRIORITIES + priority]!;
    stack[0] = set;
    for (;;) {
      if (set.pointer < 0 && set.resume >= 0) set.pointer = set.next(set.resume);
      set.resume = -1;
      if (set.pointer < 0) {
        // Past the end: the next walk starts at the smallest id, and the level above goes on to its next class.
        set.pointer = set.next(0);
        if (depth > 0) {
          set = stack[--depth]!;
          set.advance();
        }
        continue;
      }
      const index = set.classes[set.pointer]!;
      if (this.#tree.level[index] === 0) return index;
      set = this.#tree.feeds[index * PRIORITIES + priority]!;
      stack[++depth] = set;
    }
  }

  /** The set that chose a leaf served from `level`. */
  #turnOf(leaf: number, priority: number, level: number): RankSet {
    return level === 0
      ? this.#tree.rows[priority]!
      : this.#tree.feeds[this.#tree.parent[leaf]! * PRIORITIES + priority]!;
  }

  /** Takes a packet from the leaf whose turn it is, and charges it (htb_dequeue_tree). */
  #serve(priority: number, level: number, nowNs: number): number {
    let leaf = this.#lookup(priority, level);
    let first = leaf;
    let packet = NO_PACKET;
    for (;;) {
      const nested = this.#nested[leaf];
      if (nested === undefined) {
        packet = this.#queues[leaf]!.shift();
        break;
      }
      if (nested.lengthPackets > 0) {
        packet = nested.dequeue(nowNs);
        if (packet !== NO_PACKET) {
          // The packet itself leaves this qdisc's length below, with those of the built-in queues.
          this.#knownPackets[leaf]!--;
          this.#knownBytes[leaf]! -= this.#surroundings.packets.sizeBytes[packet]!;
        }
        this.#recount(leaf, nested);
        if (packet !== NO_PACKET) break;
      }
      // A qdisc that holds packets and gives none (a shaper below a shaper) loses its turn; an empty one its activity.
      const passed = leaf;
      const emptied = nested.lengthPackets === 0;
      if (!emptied) this.#turnOf(leaf, priority, level).advance();
      else if (this.#active[leaf] !== 0) this.#deactivate(leaf);
      if ((this.#rowMask[level]! & (1 << priority)) === 0) return NO_PACKET;
      leaf = this.#lookup(priority, level);
      if (!emptied && leaf === first) return NO_PACKET;
      if (emptied && passed === first) first = leaf;
    }
    const sizeBytes = this.#surroundings.packets.sizeBytes[packet]!;
    this.lengthPackets--;
    this.backlogBytes -= sizeBytes;
    const deficit = leaf * LEVELS + level;
    this.#deficits[deficit]! -= sizeBytes;
    if (this.#deficits[deficit]! < 0) {
      this.#deficits[deficit]! += this.#tree.quantumBytes[leaf]!;
      this.#turnOf(leaf, priority, level).advance();
    }
    if (this.#leafPackets(leaf) === 0 && this.#active[leaf] !== 0) this.#deactivate(leaf);
    this.#charge(leaf, level, sizeBytes, this.#surroundings.packets.segments[packet]!);
    return packet;
  }

  /** Charges a packet to a leaf and all above it (htb_charge_class). */
  #charge(leaf: number, level: number, sizeBytes: number, segments: number): void {
    const tree = this.#tree;
    const now = this.#now;
    const span = this.#tokenSpan;
    const least = 1 - span;
    const countsLeaf = this.#kernel.leafSentAt === 'dequeue';
    for (let index = leaf; index >= 0; index = tree.parent[index]!) {
      const ownLevel = tree.level[index]!;
      const elapsed = Math.min(now - this.#checkpoint[index]!, span);
      if (ownLevel >= level) {
        if (ownLevel === level) this.#lends[index]!++;
        const cost = tree.rateCost[index]!;
        const tokens = Math.min(this.#tokens[index]! + elapsed, tree.bufferTicks[index]!) - cost.ticks(sizeBytes);
        this.#tokens[index] = tokens < least ? least : tokens;
        if (cost.isGiant(sizeBytes)) this.#giants[index]!++;
      } else {
        this.#borrows[index]!++;
        this.#tokens[index]! += elapsed;
      }
      const cost = tree.ceilCost[index]!;
      const ctokens = Math.min(this.#ctokens[index]! + elapsed, tree.cbufferTicks[index]!) - cost.ticks(sizeBytes);
      this.#ctokens[index] = ctokens < least ? least : ctokens;
      if (cost.isGiant(sizeBytes)) this.#giants[index]!++;
      this.#checkpoint[index] = now;

      const old = this.#mode[index]!;
      this.#changeMode(index, 0);
      const mode = this.#mode[index]!;
      if (mode !== old) {
        if (old !== CAN_SEND) this.#waiting[ownLevel]!.remove(index);
        if (mode !== CAN_SEND) this.#wait(index);
      }
      if (countsLeaf || ownLevel !== 0) {
        this.#sentPackets[index]! += segments;
        this.#sentBytes[index]! += sizeBytes;
      }
    }
  }

  /** Number of classes; indexes follow their ids. */
  get classCount(): number {
    return this.#tree.figures.length;
  }

  /** Index of the class written `name`, or -1. */
  classIndex(name: string): number {
    return this.#tree.figures.findIndex((figure) => figure.name === name);
  }

  /** Tokens of a class at `nowNs` (s), refilled since it was last charged. */
  tokensSeconds(index: number, nowNs: number): number {
    return this.#refilledSeconds(index, nowNs, this.#tokens[index]!, this.#tree.bufferTicks[index]!);
  }

  /** Tokens of a class's ceil at `nowNs` (s), refilled since it was last charged. */
  ctokensSeconds(index: number, nowNs: number): number {
    return this.#refilledSeconds(index, nowNs, this.#ctokens[index]!, this.#tree.cbufferTicks[index]!);
  }

  /** {@link CANT_SEND}, {@link MAY_BORROW} or {@link CAN_SEND}. */
  classMode(index: number): number {
    return this.#mode[index]!;
  }

  /** Packets that wait in a leaf; 0 for inner classes. */
  classBacklogPackets(index: number): number {
    return this.#leafPackets(index);
  }

  /** Bytes that wait in a leaf; 0 for inner classes. */
  classBacklogBytes(index: number): number {
    return this.#nested[index]?.backlogBytes ?? this.#queues[index]!.backlogBytes;
  }

  /** What changes in a class. */
  classState(index: number): HtbClassState {
    return {
      tokens: this.#tokens[index]!,
      ctokens: this.#ctokens[index]!,
      checkpointTicks: this.#checkpoint[index]!,
      mode: this.#mode[index]!,
      level: this.#tree.level[index]!,
      deficitsBytes: [...this.#deficits.subarray(index * LEVELS, (index + 1) * LEVELS)],
    };
  }

  #refilledSeconds(index: number, nowNs: number, tokens: number, bufferTicks: number): number {
    const elapsed = this.#ticks(nowNs) - this.#checkpoint[index]!;
    return (Math.min(tokens + elapsed, bufferTicks) * this.#tickNs) / 1e9;
  }

  #leafPackets(index: number): number {
    return this.#nested[index]?.lengthPackets ?? this.#queues[index]!.lengthPackets;
  }

  report(nowNs: number): QdiscReport {
    const classes: Record<string, ClassReport> = {};
    const children: Record<string, QdiscReport> = {};
    for (const [index, figure] of this.#tree.figures.entries()) {
      const parent = this.#tree.parent[index]!;
      classes[figure.name] = {
        ...(parent < 0 ? {} : { parent: this.#tree.figures[parent]!.name }),
        level: this.#tree.level[index]!,
        mode: MODE_NAMES[this.#mode[index] as 0 | 1 | 2],
        counters: {
          sentPackets: this.#sentPackets[index]!,
          sentBytes: this.#sentBytes[index]!,
          droppedPackets: this.#dropped[index]!,
          backlogPackets: this.#leafPackets(index),
          backlogBytes: this.classBacklogBytes(index),
          overlimits: this.#overlimits[index]!,
          lended: this.#lends[index]!,
          borrowed: this.#borrows[index]!,
          giants: this.#giants[index]!,
          tokens: this.#tokens[index]!,
          ctokens: this.#ctokens[index]!,
          tokensShown: this.#shown(this.#tokens[index]!),
          ctokensShown: this.#shown(this.#ctokens[index]!),
        },
      };
      const nested = this.#nested[index];
      if (nested !== undefined) children[figure.name] = nested.report(nowNs);
    }
    if (this.#directEnqueued + this.#directDropped > 0) {
      classes.direct = {
        counters: {
          sentPackets: this.#directPackets,
          sentBytes: this.#directBytes,
          droppedPackets: this.#directDropped,
          backlogPackets: this.#direct.lengthPackets,
          backlogBytes: this.#direct.backlogBytes,
        },
      };
    }
    return {
      counters: {
        sentPackets: this.#qdiscPackets,
        sentBytes: this.#qdiscBytes,
        droppedPackets: this.#qdiscDropped,
        overlimits: this.#qdiscOverlimits,
        requeues: 0,
        backlogPackets: this.lengthPackets,
        backlogBytes: this.backlogBytes,
        directPackets: this.#directEnqueued,
      },
      classes,
      children,
    };
  }

  /** Tokens as tc shows them: in ticks of the netlink interface, within 32 bits. */
  #shown(tokens: number): number {
    const shown = Math.floor((tokens * this.#tickNs) / this.#kernel.netlinkTickNs);
    return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, shown));
  }
}
