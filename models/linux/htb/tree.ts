import type { KernelRules } from '../kernels.ts';
import type { PacketCost } from '../packet-cost.ts';
import { bucketCost, type ClassFigures } from './class-figures.ts';
import { RankSet } from './rank-set.ts';

/** Levels of an HTB: 0 for leaves, 7 for inner classes without parent (TC_HTB_MAXDEPTH). */
export const LEVELS = 8;
/** Priorities of leaves, 0 is served first (TC_HTB_NUMPRIO). */
export const PRIORITIES = 8;

/**
 * The classes of an HTB as columns, in the order of their ids: what does not change while packets flow, and the sets of
 * classes that take turns.
 */
export class HtbTree {
  readonly figures: readonly ClassFigures[];
  readonly indexById = new Map<number, number>();
  /** Index of the parent, or -1. */
  readonly parent: Int32Array;
  readonly level: Int32Array;
  readonly priority: Int32Array;
  readonly quantumBytes: Int32Array;
  readonly bufferTicks: Float64Array;
  readonly cbufferTicks: Float64Array;
  readonly rateCost: readonly PacketCost[];
  readonly ceilCost: readonly PacketCost[];
  /** Rank of a class among its parent's children, and among the classes of its level. */
  readonly feedRank: Int32Array;
  readonly rowRank: Int32Array;
  /** Children of an inner class that can send, by `index * 8 + priority`. */
  readonly feeds: readonly RankSet[];
  /** Classes of a level that may send at their own rate, by `level * 8 + priority`. */
  readonly rows: readonly RankSet[];
  /** Number of classes of each level. */
  readonly levelSizes: readonly number[];

  constructor(kernel: KernelRules, figures: readonly ClassFigures[]) {
    const sorted = [...figures].sort((one, other) => one.id - other.id);
    const count = sorted.length;
    this.figures = sorted;
    for (const [index, figure] of sorted.entries()) this.indexById.set(figure.id, index);
    this.parent = Int32Array.from(sorted, (figure) => this.indexById.get(figure.parentId) ?? -1);
    this.level = levels(this.parent);
    this.priority = Int32Array.from(sorted, (figure) => figure.priority);
    this.quantumBytes = Int32Array.from(sorted, (figure) => figure.quantumBytes);
    this.bufferTicks = Float64Array.from(sorted, (figure) => figure.rate.bufferTicks);
    this.cbufferTicks = Float64Array.from(sorted, (figure) => figure.ceil.bufferTicks);
    this.rateCost = sorted.map((figure) => bucketCost(kernel, figure.rate, figure.kernelFraming));
    this.ceilCost = sorted.map((figure, index) =>
      figure.ceil.bytesPerSecond === figure.rate.bytesPerSecond
        ? this.rateCost[index]!
        : bucketCost(kernel, figure.ceil, figure.kernelFraming),
    );

    this.feedRank = new Int32Array(count);
    this.rowRank = new Int32Array(count);
    const children = sorted.map((): number[] => []);
    const ofLevel = Array.from({ length: LEVELS }, (): number[] => []);
    for (let index = 0; index < count; index++) {
      const parent = this.parent[index]!;
      if (parent >= 0) this.feedRank[index] = children[parent]!.push(index) - 1;
      this.rowRank[index] = ofLevel[this.level[index]!]!.push(index) - 1;
    }
    this.levelSizes = ofLevel.map((members) => members.length);
    this.feeds = this.#sets(children);
    this.rows = this.#sets(ofLevel);
  }

  /** One set for each holder and priority; priorities without a leaf share one that stays empty. */
  #sets(members: readonly (readonly number[])[]): RankSet[] {
    const used = new Set<number>();
    for (const [index, level] of this.level.entries()) if (level === 0) used.add(this.priority[index]!);
    const none = new RankSet(new Int32Array(0));
    return members.flatMap((list) => {
      const classes = Int32Array.from(list);
      return Array.from({ length: PRIORITIES }, (_, priority) =>
        used.has(priority) && list.length > 0 ? new RankSet(classes) : none,
      );
    });
  }
}

/** Level of each class: 0 without children, else 7 at the root and one less with each generation. */
function levels(parent: Int32Array): Int32Array {
  const inner = new Uint8Array(parent.length);
  for (const index of parent) if (index >= 0) inner[index] = 1;
  const level = new Int32Array(parent.length);
  for (let index = 0; index < parent.length; index++) {
    if (inner[index] === 0) continue;
    let depth = 0;
    for (let above = parent[index]!; above >= 0; above = parent[above]!) depth++;
    level[index] = LEVELS - 1 - depth;
  }
  return level;
}
