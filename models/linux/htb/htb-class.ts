import type { Qdisc } from '../../model.ts';
import { type PacketPool, PacketQueue } from '../../packet.ts';
import type { RecurrencePass } from '../../recurrence.ts';
import { MINOR_MASK } from '../class-id.ts';
import type { KernelRules } from '../kernels.ts';
import type { PacketCost } from '../packet-cost.ts';
import { bucketCost, type ClassFigures } from './class-figures.ts';
import { RankSet } from './rank-set.ts';

/** Levels of an HTB: 0 for leaves, 7 for inner classes without parent (TC_HTB_MAXDEPTH). */
export const LEVELS = 8;
/** Priorities of leaves, 0 is served first (TC_HTB_NUMPRIO). */
export const PRIORITIES = 8;

/** Longest time that tokens are counted over, up or down (s): HTB's mbuffer. */
export const TOKEN_SPAN_SECONDS = 60;

/** Modes of a class, as the kernel numbers them: its ceil is used up, its rate is, neither is. */
export const CANT_SEND = 0;
export const MAY_BORROW = 1;
export const CAN_SEND = 2;

/**
 * A class: what it is set to, its tokens, its queue if it is a leaf, and its counters.
 *
 * Plain fields, for the hot path; each number starts as a number, so that the engine need not box it when it changes.
 */
export class HtbClass {
  readonly figures: ClassFigures;
  readonly quantumBytes: number = 0;
  readonly priority: number = 0;
  readonly limitPackets: number = 0;
  readonly bufferTicks: number = 0;
  readonly cbufferTicks: number = 0;
  readonly rateCost: PacketCost;
  readonly ceilCost: PacketCost;

  // Place in the tree, set once by {@link buildTree}.
  parent: HtbClass | undefined = undefined;
  /** 0 for a leaf. */
  level = 0;
  /** Rank among the parent's children, and among the classes of the level, by id. */
  feedRank = 0;
  rowRank = 0;
  /** Children of an inner class that may borrow from it, by priority. */
  feeds: readonly RankSet<HtbClass>[] = [];

  // Tokens, in ticks of the kernel's clock.
  tokens = 0;
  ctokens = 0;
  /** When the tokens were counted last. */
  checkpointTicks = 0;
  mode = CAN_SEND;
  /** Priorities for which there is something to send (a bit each). */
  active = 0;

  // Leaf.
  readonly queue: PacketQueue;
  nested: Qdisc | undefined = undefined;
  /** Length and bytes of the nested qdisc that are counted in the HTB's own. */
  nestedPackets = 0;
  nestedBytes = 0;
  /** Bytes that may still be sent in this turn, by the level served from (32 bits, as in the kernel). */
  readonly deficitsBytes = new Int32Array(LEVELS);

  // Counters.
  enqueuedPackets = 0;
  enqueuedBytes = 0;
  departedPackets = 0;
  departedBytes = 0;
  droppedPackets = 0;
  overlimits = 0;
  lended = 0;
  borrowed = 0;
  giants = 0;

  constructor(kernel: KernelRules, figures: ClassFigures, packets: PacketPool, nowTicks: number) {
    this.figures = figures;
    this.quantumBytes = figures.quantumBytes;
    this.priority = figures.priority;
    this.limitPackets = figures.limitPackets;
    this.bufferTicks = figures.rate.bufferTicks;
    this.cbufferTicks = figures.ceil.bufferTicks;
    this.rateCost = bucketCost(kernel, figures.rate, figures.kernelFraming);
    this.ceilCost =
      figures.ceil.bytesPerSecond === figures.rate.bytesPerSecond
        ? this.rateCost
        : bucketCost(kernel, figures.ceil, figures.kernelFraming);
    this.tokens = this.bufferTicks;
    this.ctokens = this.cbufferTicks;
    this.checkpointTicks = nowTicks;
    this.queue = new PacketQueue(packets);
  }

  /** The mode `elapsed` ticks after the checkpoint; with hysteresis a class keeps its mode until a bucket is empty (htb_class_mode). */
  modeAfter(elapsed: number, hysteresis: boolean): number {
    const held = hysteresis && this.mode !== CANT_SEND;
    if (this.ctokens + elapsed < (held ? -this.cbufferTicks : 0)) return CANT_SEND;
    return this.tokens + elapsed >= (held && this.mode === CAN_SEND ? -this.bufferTicks : 0) ? CAN_SEND : MAY_BORROW;
  }

  /** When the class changes next (ticks), seen `elapsed` ticks after the checkpoint, at `nowTicks`; never while it may send. */
  changeTicks(elapsed: number, nowTicks: number): number {
    const due = nowTicks - ((this.mode === CANT_SEND ? this.ctokens : this.tokens) + elapsed);
    return due === nowTicks ? nowTicks + 1 : due;
  }

  /** Moves the class to `mode`, another than it is in. */
  enter(mode: number): void {
    this.mode = mode;
    if (mode === CANT_SEND) this.overlimits++;
  }

  /** Tokens and ctokens after a packet that is paid from both (htb_accnt_tokens, htb_accnt_ctokens). */
  payOwn(elapsed: number, sizeBytes: number, least: number): void {
    const cost = this.rateCost;
    this.tokens = Math.max(Math.min(this.tokens + elapsed, this.bufferTicks) - cost.ticks(sizeBytes), least);
    if (cost.isGiant(sizeBytes)) this.giants++;
    this.payCeil(elapsed, sizeBytes, least);
  }

  /** Ctokens after a packet. */
  payCeil(elapsed: number, sizeBytes: number, least: number): void {
    const cost = this.ceilCost;
    this.ctokens = Math.max(Math.min(this.ctokens + elapsed, this.cbufferTicks) - cost.ticks(sizeBytes), least);
    if (cost.isGiant(sizeBytes)) this.giants++;
  }

  /** Tells of all that changes in the class, its queue aside; `contested`: priorities of several leaves (a bit each). */
  visit(pass: RecurrencePass, tickNs: number, contested: number): void {
    pass.plain(this.tokens);
    pass.plain(this.ctokens);
    // Nobody looks at the tokens of a class without packets that may send and is not charged.
    const isIdle = this.active === 0 && this.mode === CAN_SEND && this.backlogPackets === 0;
    this.checkpointTicks = pass.since(this.checkpointTicks, tickNs, isIdle ? 0 : Number.POSITIVE_INFINITY);
    pass.plain(this.mode);
    pass.plain(this.active);
    // A leaf that is alone with its priority has the turn whatever its deficit.
    if ((contested & (1 << this.priority)) !== 0) for (const deficit of this.deficitsBytes) pass.plain(deficit);
    for (let priority = 0; priority < this.feeds.length; priority++) {
      this.feeds[priority]!.visit(pass, (contested & (1 << priority)) !== 0);
    }
    this.enqueuedPackets = pass.counter(this.enqueuedPackets);
    this.enqueuedBytes = pass.counter(this.enqueuedBytes);
    this.departedPackets = pass.counter(this.departedPackets);
    this.departedBytes = pass.counter(this.departedBytes);
    this.droppedPackets = pass.counter(this.droppedPackets);
    this.overlimits = pass.counter(this.overlimits);
    this.lended = pass.counter(this.lended);
    this.borrowed = pass.counter(this.borrowed);
    this.giants = pass.counter(this.giants);
  }

  /** Packets that wait in a leaf; 0 for an inner class. */
  get backlogPackets(): number {
    return this.nested === undefined ? this.queue.lengthPackets : this.nested.lengthPackets;
  }

  /** Bytes that wait in a leaf; 0 for an inner class. */
  get backlogBytes(): number {
    return this.nested === undefined ? this.queue.backlogBytes : this.nested.backlogBytes;
  }
}

/** The classes of an HTB and the rows of each level. */
export interface HtbTree {
  /** In the order of their ids. */
  readonly classes: readonly HtbClass[];
  /** Leaves by their minor number. */
  readonly leaves: readonly (HtbClass | undefined)[];
  /** Classes of a level that may send at their own rate, by `level * 8 + priority`. */
  readonly rows: readonly RankSet<HtbClass>[];
  /** The classes of each level, in the order of their ids. */
  readonly levels: readonly (readonly HtbClass[])[];
  /** Priorities that more than one leaf has (a bit each). */
  readonly contested: number;
}

/** Makes the tree: a class with children is on level 7 if it has no parent, else one below its parent's. */
export function buildTree(
  kernel: KernelRules,
  figures: readonly ClassFigures[],
  packets: PacketPool,
  nowTicks: number,
): HtbTree {
  const classes = [...figures]
    .sort((one, other) => one.id - other.id)
    .map((figure) => new HtbClass(kernel, figure, packets, nowTicks));
  const byId = new Map(classes.map((entry) => [entry.figures.id, entry]));
  const children = new Map<HtbClass, HtbClass[]>();
  for (const entry of classes) {
    const parent = byId.get(entry.figures.parentId);
    if (parent === undefined) continue;
    entry.parent = parent;
    const siblings = children.get(parent) ?? [];
    children.set(parent, siblings);
    entry.feedRank = siblings.push(entry) - 1;
  }
  const ofLevel = Array.from({ length: LEVELS }, (): HtbClass[] => []);
  for (const entry of classes) {
    if (children.has(entry)) {
      entry.level = LEVELS - 1;
      for (let above = entry.parent; above !== undefined; above = above.parent) entry.level--;
    }
    entry.rowRank = ofLevel[entry.level]!.push(entry) - 1;
  }
  let used = 0;
  let contested = 0;
  for (const { priority } of ofLevel[0]!) {
    contested |= used & (1 << priority);
    used |= 1 << priority;
  }
  // Priorities without a leaf share a set that stays empty.
  const none = new RankSet<HtbClass>([]);
  const sets = (members: readonly HtbClass[]): RankSet<HtbClass>[] =>
    Array.from({ length: PRIORITIES }, (_, priority) => ((used & (1 << priority)) !== 0 ? new RankSet(members) : none));
  for (const [parent, members] of children) parent.feeds = sets(members);
  const lastMinor = (classes.at(-1)?.figures.id ?? 0) & MINOR_MASK;
  const leaves = new Array<HtbClass | undefined>(lastMinor + 1).fill(undefined);
  for (const leaf of ofLevel[0]!) leaves[leaf.figures.id & MINOR_MASK] = leaf;
  return { classes, leaves, rows: ofLevel.flatMap(sets), levels: ofLevel, contested };
}
