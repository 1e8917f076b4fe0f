import { Tinypool } from 'tinypool';
import { PointRunner } from './point-runner.ts';
import type { BatchResult, BatchRunner } from './run-tasks.ts';
import type { PointTask, SweepJob } from './sweep-job.ts';
import type { SharedData } from './worker-thread.ts';

/** How much longer than its time a point may take before its thread is ended (ms). */
const GRACE_MS = 3000;

/** What a pool is made with. */
export interface PoolOptions {
  readonly workers: number;
  /** The built file of `worker-thread.ts`. */
  readonly workerFile: URL;
}

/** Threads that run the points of one sweep. */
export class PointPool implements BatchRunner {
  readonly #job: SweepJob;
  readonly #options: PoolOptions;
  readonly #pool: Tinypool;
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));

  private constructor(job: SweepJob, options: PoolOptions) {
    this.#job = job;
    this.#options = options;
    const bytes = Buffer.from(JSON.stringify(job));
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const workerData: SharedData = { job: shared, stop: this.#stop.buffer as SharedArrayBuffer };
    this.#pool = new Tinypool({
      filename: options.workerFile,
      name: 'runBatch',
      minThreads: options.workers,
      maxThreads: options.workers,
      workerData,
    });
    // A thread that ends between two batches is replaced; one that ends within a batch is told of by the batch.
    this.#pool.on('error', () => {});
  }

  /** Starts the threads, each with the scenario read. @throws ScenarioError, and what keeps a thread from starting */
  static async start(job: SweepJob, options: PoolOptions): Promise<PointPool> {
    const pool = new PointPool(job, options);
    try {
      await Promise.all(Array.from({ length: options.workers }, () => pool.#pool.run([])));
      return pool;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  get lanes(): number {
    return this.#options.workers;
  }

  get parallel(): number {
    return this.#options.workers;
  }

  /**
   * Runs some points in a thread. A batch that takes its thread with it (out of memory, stuck within one instant) is
   * run again point by point, and the one that does it again has failed.
   */
  async run(tasks: readonly PointTask[]): Promise<BatchResult> {
    const startMs = performance.now();
    const lines = await this.#runOrDivide(tasks);
    return { lines, tookMs: performance.now() - startMs };
  }

  async #runOrDivide(tasks: readonly PointTask[]): Promise<string[]> {
    try {
      return await this.#runOnce(tasks);
    } catch (error) {
      if (tasks.length === 1) return [this.#lostLine(tasks[0]!, error)];
      const lines: string[] = [];
      for (const task of tasks) lines.push(...(await this.#runOrDivide([task])));
      return lines;
    }
  }

  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Ends the threads, also those that fail while they start. */
  async close(): Promise<void> {
    // The pool waits for their exit with node's `once`, which takes its listeners back by a method that they do not
    // have, should one fail meanwhile.
    for (const thread of this.#pool.threads) Object.assign(thread, { removeListener: () => thread });
    await this.#pool.destroy().catch(() => {});
  }

  async #runOnce(tasks: readonly PointTask[]): Promise<string[]> {
    const { pointTimeoutMs } = this.#job;
    if (pointTimeoutMs === undefined) return this.#pool.run(tasks);
    const stuck = new AbortController();
    const timer = setTimeout(() => stuck.abort(), pointTimeoutMs * tasks.length + GRACE_MS);
    try {
      return await this.#pool.run(tasks, { signal: stuck.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The line of a point that took its thread with it. */
  #lostLine(task: PointTask, error: unknown): string {
    // The scenario is read here only now: almost no sweep needs it.
    const runner = new PointRunner(this.#job);
    if (error instanceof Error && error.name === 'AbortError') return runner.timeoutLine(task);
    return runner.failedLine(task, `its thread ended: ${error instanceof Error ? error.message : error}`, 'fault');
  }
}
