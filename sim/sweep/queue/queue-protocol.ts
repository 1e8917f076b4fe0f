import type { Redis } from 'ioredis';
import type { BatchResult } from '../run-tasks.ts';
import type { PointTask } from '../sweep-job.ts';

// What coordinator and workers agree on. Each version of the program has a queue of its own, so that no worker can take
// a point of another version; an announcement lets a worker say why it gets nothing.

/** A batch as it stands in the queue. */
export interface BatchMessage {
  readonly sweep: string;
  readonly tasks: readonly PointTask[];
}

/** What a worker answers. */
export type BatchAnswer = BatchResult;

/** A hash of the sweeps that are being coordinated: by name, their version and when they were last heard of. */
const ANNOUNCEMENTS = 'shaperlab:sweeps';
/** A sweep that was not heard of for so long is over (s). */
const FORGOTTEN_SECONDS = 60;
/** A job that nobody asks for any more goes away by itself (s). */
const JOB_KEPT_SECONDS = 7 * 24 * 3600;

/** The queue of a version. */
export function queueName(version: string): string {
  return `shaperlab-${version}`;
}

function jobKey(sweep: string): string {
  return `shaperlab:job:${sweep}`;
}

/** Makes a sweep known, with all that a worker needs for its points. To be called again and again. */
export async function announce(redis: Redis, sweep: string, version: string, jobText: string): Promise<void> {
  if ((await redis.expire(jobKey(sweep), JOB_KEPT_SECONDS)) === 0) {
    await redis.set(jobKey(sweep), jobText, 'EX', JOB_KEPT_SECONDS);
  }
  await redis.hset(ANNOUNCEMENTS, sweep, JSON.stringify({ version, seconds: await serverSeconds(redis) }));
}

/** Takes back {@link announce}. */
export async function withdraw(redis: Redis, sweep: string): Promise<void> {
  await redis.hdel(ANNOUNCEMENTS, sweep);
  await redis.del(jobKey(sweep));
}

/** The job of a sweep, as JSON. */
export async function fetchJob(redis: Redis, sweep: string): Promise<string | null> {
  return redis.get(jobKey(sweep));
}

/** Versions of the sweeps that are being coordinated. */
export async function announcedVersions(redis: Redis): Promise<Set<string>> {
  const now = await serverSeconds(redis);
  const announcements = Object.values(await redis.hgetall(ANNOUNCEMENTS)).map(
    (text) => JSON.parse(text) as { version: string; seconds: number },
  );
  return new Set(
    announcements.filter(({ seconds }) => now - seconds < FORGOTTEN_SECONDS).map(({ version }) => version),
  );
}

/** The clock of the server, the only one that all share. */
async function serverSeconds(redis: Redis): Promise<number> {
  return Number((await redis.time())[0]);
}
