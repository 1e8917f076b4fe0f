import type { PointTask } from './sweep-job.ts';

/** A batch takes about so long (ms): short enough to end soon, long enough to be worth a message. */
const BATCH_MS = 250;
/** Points of a batch at most. */
const LARGEST_BATCH = 256;

/** A point that waits, and its estimated cost. */
export interface CostedTask extends PointTask {
  readonly cost: number;
}

/** Hands out points in batches, the large ones first and alone, the small ones together. */
export class Schedule {
  readonly #tasks: readonly CostedTask[];
  #next = 0;
  #costLeft: number;
  #costDone = 0;
  #msDone = 0;

  constructor(tasks: readonly CostedTask[]) {
    this.#tasks = [...tasks].sort((a, b) => b.cost - a.cost || a.index - b.index);
    this.#costLeft = tasks.reduce((sum, { cost }) => sum + cost, 0);
  }

  /** Share of the whole cost that is done, 0 to 1. */
  get doneShare(): number {
    const all = this.#costLeft + this.#costDone;
    return all === 0 ? 1 : this.#costDone / all;
  }

  /**
   * The next batch; empty when all is handed out.
   *
   * @param parallel how many batches run at a time: towards the end each gets its share
   */
  next(parallel: number): readonly CostedTask[] {
    const costPerMs = this.#msDone === 0 ? 0 : this.#costDone / this.#msDone;
    const budget = Math.min(costPerMs * BATCH_MS, this.#costLeft / (4 * parallel));
    const from = this.#next;
    let cost = 0;
    while (this.#next < this.#tasks.length && this.#next - from < LARGEST_BATCH) {
      cost += this.#tasks[this.#next]!.cost;
      if (this.#next > from && cost > budget) break;
      this.#next++;
    }
    return this.#tasks.slice(from, this.#next);
  }

  /** Tells that some points took so long (ms on one lane). */
  finished(tasks: readonly CostedTask[], tookMs: number): void {
    const cost = tasks.reduce((sum, task) => sum + task.cost, 0);
    this.#costDone += cost;
    this.#costLeft -= cost;
    this.#msDone += tookMs;
  }
}
