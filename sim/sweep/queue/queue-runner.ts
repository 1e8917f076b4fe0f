import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Journal } from '../journal.ts';
import { PointRunner } from '../point-runner.ts';
import type { BatchResult, BatchRunner } from '../run-tasks.ts';
import type { PointTask, SweepJob } from '../sweep-job.ts';
import { announce, type BatchAnswer, type BatchMessage, queueName, withdraw } from './queue-protocol.ts';
import { connect, loadQueuePackages } from './redis-client.ts';
import { parseRedisUrl } from './redis-url.ts';

/** Batches that wait or run at a time: enough for many workers, few enough for the server's memory. */
const LANES = 128;
/** How often answers are collected (ms). */
const COLLECT_MS = 100;
/** How often the sweep is announced and the queue compared with what should be in it (ms). */
const CHECK_MS = 3000;
/** A batch whose worker reports a failure is tried so often. */
const ATTEMPTS = 5;
const RETRY_MS = 1000;
/** Without a worker for so long, the user is told (ms). */
const LONELY_MS = 5000;

/** What a queue's coordinator is made with. */
export interface QueueRunnerOptions {
  readonly journal: Journal;
  readonly version: string;
  readonly say: (text: string) => void;
}

interface Outstanding {
  readonly tasks: readonly PointTask[];
  readonly settle: (result: BatchResult | Error) => void;
  /** How many checks in a row did not find it in the queue. */
  missed: number;
}

type BatchJob = Job<BatchMessage, BatchAnswer>;

/** Lets workers at a queue run the batches: feeds no more than they need, collects, and sees that nothing is lost. */
export class QueueRunner implements BatchRunner {
  readonly lanes = LANES;
  readonly #redis: Redis;
  readonly #queue: Queue<BatchMessage, BatchAnswer>;
  readonly #sweep: string;
  readonly #job: SweepJob;
  readonly #jobText: string;
  readonly #options: QueueRunnerOptions;
  readonly #outstanding = new Map<string, Outstanding>();
  readonly #startMs = performance.now();
  #parallel = 1;
  #isStopped = false;
  #isClosed = false;
  #isLonely = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(
    redis: Redis,
    queue: Queue<BatchMessage, BatchAnswer>,
    job: SweepJob,
    options: QueueRunnerOptions,
  ) {
    this.#redis = redis;
    this.#queue = queue;
    this.#job = job;
    this.#jobText = JSON.stringify(job);
    this.#options = options;
    const name = JSON.stringify([this.#jobText, hostname(), resolve(options.journal.path)]);
    this.#sweep = createHash('sha256').update(name).digest('hex').slice(0, 16);
  }

  /** Connects, and takes over what an earlier coordinator of this sweep has left. @throws SweepFault */
  static async start(url: string, job: SweepJob, options: QueueRunnerOptions): Promise<QueueRunner> {
    const address = parseRedisUrl(url);
    const packages = await loadQueuePackages();
    const redis = await connect(packages, address, options.say);
    const queue = new packages.bullmq.Queue<BatchMessage, BatchAnswer>(queueName(options.version), {
      connection: redis,
      defaultJobOptions: { attempts: ATTEMPTS, backoff: { type: 'fixed', delay: RETRY_MS } },
    });
    // The connection itself tells when it is lost.
    queue.on('error', () => {});
    const runner = new QueueRunner(redis, queue as Queue<BatchMessage, BatchAnswer>, job, options);
    await runner.#announce();
    await runner.#takeOver();
    runner.#loop = runner.#watch();
    return runner;
  }

  get parallel(): number {
    return this.#parallel;
  }

  async run(tasks: readonly PointTask[]): Promise<BatchResult> {
    if (this.#isStopped) return { lines: [], tookMs: 0 };
    const result = await this.#submit(tasks);
    if (!(result instanceof Error)) return result;
    if (tasks.length === 1) {
      const line = new PointRunner(this.#job).failedLine(tasks[0]!, `its worker ended: ${result.message}`, 'fault');
      return { lines: [line], tookMs: 0 };
    }
    const parts = await Promise.all(tasks.map((task) => this.run([task])));
    return {
      lines: parts.flatMap(({ lines }) => lines),
      tookMs: parts.reduce((sum, { tookMs }) => sum + tookMs, 0),
    };
  }

  /** Takes back what no worker has begun; without the server there is nothing to wait for. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#redis.status === 'ready') void this.#removeWaiting();
    else this.#abandon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loop;
    if (this.#redis.status === 'ready') {
      await withdraw(this.#redis, this.#sweep);
      await this.#queue.close();
    }
    this.#redis.disconnect();
  }

  /** Puts a batch into the queue and waits for its answer, or for the reason why there is none. */
  #submit(tasks: readonly PointTask[]): Promise<BatchResult | Error> {
    return new Promise((settle) => this.#add({ tasks, settle, missed: 0 }));
  }

  #add(batch: Outstanding): void {
    const id = `${this.#sweep}-${randomUUID()}`;
    this.#outstanding.set(id, batch);
    // A batch that does not get there is missed by the check, and added again.
    this.#queue.add('points', { sweep: this.#sweep, tasks: batch.tasks }, { jobId: id }).catch(() => {});
  }

  /** Collects and checks until the end; while the server is away it waits. */
  async #watch(): Promise<void> {
    let checkedMs = performance.now();
    while (!this.#isClosed) {
      await sleep(COLLECT_MS);
      if (this.#redis.status !== 'ready') {
        if (this.#isStopped) this.#abandon();
        continue;
      }
      try {
        await this.#collect();
        if (performance.now() - checkedMs < CHECK_MS) continue;
        checkedMs = performance.now();
        await this.#announce();
        await this.#addMissing();
        await this.#lookForWorkers();
      } catch {
        // The connection was lost meanwhile, which it tells itself; all is looked at again afterwards.
      }
    }
  }

  async #collect(): Promise<void> {
    for (const job of await this.#jobs(['completed', 'failed'])) {
      const batch = this.#outstanding.get(job.id!);
      // Of an earlier coordinator: its worker has finished only now.
      if (batch === undefined && job.returnvalue) await this.#options.journal.append(job.returnvalue.lines);
      await job.remove();
      this.#outstanding.delete(job.id!);
      batch?.settle(job.returnvalue ?? new Error(job.failedReason));
    }
  }

  /** Adds what should be in the queue and is not: the server has forgotten it. */
  async #addMissing(): Promise<void> {
    const before = [...this.#outstanding];
    const jobs = await this.#jobs(['waiting', 'active', 'delayed', 'prioritized', 'completed', 'failed']);
    const present = new Set(jobs.map(({ id }) => id));
    this.#parallel = Math.max(1, await this.#queue.getActiveCount());
    for (const [id, batch] of before) {
      batch.missed = present.has(id) ? 0 : batch.missed + 1;
      // On its way from one state to the next it may be overlooked once.
      if (batch.missed < 2 || !this.#outstanding.delete(id)) continue;
      this.#add({ ...batch, missed: 0 });
    }
  }

  /** Keeps what was finished for an earlier coordinator of this sweep, and removes what nobody has begun. */
  async #takeOver(): Promise<void> {
    await this.#collect();
    await this.#removeWaiting();
  }

  async #removeWaiting(): Promise<void> {
    for (const job of await this.#jobs(['waiting', 'delayed', 'prioritized'])) {
      try {
        await job.remove();
      } catch {
        // A worker has just taken it, and will finish it.
        continue;
      }
      const batch = this.#outstanding.get(job.id!);
      this.#outstanding.delete(job.id!);
      batch?.settle({ lines: [], tookMs: 0 });
    }
  }

  #abandon(): void {
    for (const { settle } of this.#outstanding.values()) settle({ lines: [], tookMs: 0 });
    this.#outstanding.clear();
  }

  async #lookForWorkers(): Promise<void> {
    const workers = await this.#queue.getWorkersCount();
    if (workers > 0) this.#isLonely = false;
    else if (!this.#isLonely && performance.now() - this.#startMs > LONELY_MS) {
      this.#isLonely = true;
      this.#options.say(`no worker of version ${this.#options.version} is at the queue yet: sim worker --queue URL`);
    }
  }

  async #announce(): Promise<void> {
    await announce(this.#redis, this.#sweep, this.#options.version, this.#jobText);
  }

  /** The jobs of this sweep in some states. */
  async #jobs(states: Parameters<Queue['getJobs']>[0]): Promise<BatchJob[]> {
    const jobs: (BatchJob | undefined)[] = await this.#queue.getJobs(states);
    return jobs.filter((job): job is BatchJob => job?.id?.startsWith(`${this.#sweep}-`) === true);
  }
}
