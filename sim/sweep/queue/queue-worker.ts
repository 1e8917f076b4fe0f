import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { digestBeside, pathBeside } from '../named-files.ts';
import { PointPool } from '../point-pool.ts';
import { FileFault, SweepFault } from '../sweep-fault.ts';
import type { SweepJob } from '../sweep-job.ts';
import { announcedVersions, type BatchAnswer, type BatchMessage, fetchJob, queueName } from './queue-protocol.ts';
import { connect, loadQueuePackages } from './redis-client.ts';
import { parseRedisUrl } from './redis-url.ts';

/** A worker that is not heard of for so long is lost, and its batch goes to another (ms). */
const LOST_MS = 10_000;
/** How often lost workers are looked for (ms). */
const LOOK_MS = 3000;
/** A batch that loses its worker so often is given up: it is what ends the workers. */
const MOST_LOSSES = 3;
/** How often a worker looks which versions the sweeps at the queue have (ms). */
const VERSION_MS = 2000;
/** Sweeps whose threads are kept. */
const KEPT_POOLS = 3;

/** What a worker is made with. */
export interface QueueWorkerOptions {
  /** Threads. */
  readonly workers: number;
  readonly workerFile: URL;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * Runs batches of a queue until `signal` says so; those that run are then finished.
 *
 * @throws SweepFault (trouble) where the server cannot be used, or the sweeps at it are of another version, or this
 * machine cannot run them
 */
export async function runQueueWorker(url: string, options: QueueWorkerOptions): Promise<void> {
  const { signal, version, say } = options;
  const address = parseRedisUrl(url);
  const packages = await loadQueuePackages();
  const redis = await connect(packages, address, say);
  const pools = new SweepPools(redis, options);
  let worker: Worker<BatchMessage, BatchAnswer> | undefined;
  try {
    await checkVersions(redis, version);
    worker = new packages.bullmq.Worker<BatchMessage, BatchAnswer>(queueName(version), ({ data }) => pools.run(data), {
      connection: redis,
      concurrency: options.workers,
      lockDuration: LOST_MS,
      stalledInterval: LOOK_MS,
      maxStalledCount: MOST_LOSSES,
    });
    // The connection itself tells when it is lost; a batch that was given to another meanwhile is no loss.
    worker.on('error', () => {});
    say(`version ${version} at ${address.shown}, ${options.workers} at a time; Ctrl-C ends`);
    const ended = AbortSignal.any([signal, pools.broken.signal]);
    while (!ended.aborted) {
      await sleep(VERSION_MS, undefined, { signal: ended }).catch(() => {});
      if (redis.status === 'ready' && !ended.aborted) await checkVersions(redis, version);
    }
    if (pools.broken.signal.aborted) throw pools.broken.signal.reason;
  } finally {
    if (redis.status === 'ready') await worker?.close();
    await pools.close();
    redis.disconnect();
  }
}

async function checkVersions(redis: Redis, version: string): Promise<void> {
  const versions = await announcedVersions(redis);
  if (versions.size === 0 || versions.has(version)) return;
  throw new SweepFault(
    'trouble',
    `the sweep at this queue is of version ${[...versions].join(', ')} but this worker of ${version}`,
    'install the same version for coordinator and workers',
  );
}

/** The threads of the sweeps that batches came of lately. */
class SweepPools {
  /** Aborted where this machine cannot run a sweep that others may be able to: its batches are better left to them. */
  readonly broken = new AbortController();
  readonly #redis: Redis;
  readonly #options: QueueWorkerOptions;
  /** The one that was used last stands last. */
  readonly #pools = new Map<string, Promise<PointPool>>();
  readonly #running = new Map<string, number>();

  constructor(redis: Redis, options: QueueWorkerOptions) {
    this.#redis = redis;
    this.#options = options;
  }

  async run({ sweep, tasks }: BatchMessage): Promise<BatchAnswer> {
    this.#running.set(sweep, (this.#running.get(sweep) ?? 0) + 1);
    try {
      const pool = await this.#poolOf(sweep);
      return await pool.run(tasks);
    } finally {
      this.#running.set(sweep, this.#running.get(sweep)! - 1);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#pools.values()].map(async (pool) => (await pool).close()));
  }

  #poolOf(sweep: string): Promise<PointPool> {
    const pool = this.#pools.get(sweep) ?? this.#start(sweep);
    this.#pools.delete(sweep);
    this.#pools.set(sweep, pool);
    const idle = [...this.#pools.keys()].find((name) => this.#running.get(name) === 0);
    if (this.#pools.size > KEPT_POOLS && idle !== undefined) {
      const old = this.#pools.get(idle)!;
      this.#pools.delete(idle);
      this.#running.delete(idle);
      void old.then((unused) => unused.close());
    }
    // What cannot be started is tried anew with the next batch.
    pool.catch(() => this.#pools.delete(sweep));
    return pool;
  }

  async #start(sweep: string): Promise<PointPool> {
    const text = await fetchJob(this.#redis, sweep);
    if (text === null) throw new Error('the sweep is over');
    try {
      return await this.#startThreads(JSON.parse(text) as SweepJob);
    } catch (error) {
      const reason = error instanceof FileFault ? (error.cause as Error) : (error as Error);
      this.broken.abort(new SweepFault('trouble', `this machine cannot run the sweep: ${reason.message}`));
      throw error;
    }
  }

  #startThreads(job: SweepJob): Promise<PointPool> {
    for (const [name, digest] of Object.entries(job.captures)) {
      if (digestBeside(job.file, name) === digest) continue;
      throw new Error(`${pathBeside(job.file, name)} is another file here than where the sweep was begun`);
    }
    const { workers, workerFile } = this.#options;
    return PointPool.start(job, { workers, workerFile });
  }
}
