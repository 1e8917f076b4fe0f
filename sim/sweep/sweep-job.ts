import { createHash } from 'node:crypto';
import type { Overrides } from '../scenario/overrides.ts';

/** All that a worker needs to run any point of a sweep, on this machine or another: plain data. */
export interface SweepJob {
  /** The scenario as it was read. */
  readonly text: string;
  /** Its name, for messages. */
  readonly file: string;
  readonly overrides: Overrides;
  /** The files that it names, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of captures, by name: each machine reads its own copy, beside the scenario. */
  readonly captures: Readonly<Record<string, string>>;
  /** Buckets of each series; 0: no series. */
  readonly buckets: number;
  /** Steps of each transfer's staircase that are kept where there are no series; 0: none. */
  readonly receivedSteps: number;
  readonly fastForward: boolean;
  /** A point that takes longer has failed; absent: it may take as long as it likes. */
  readonly pointTimeoutMs?: number;
}

/** A point to run: one of the grid, or, with variables, one that a refinement adds. */
export interface PointTask {
  readonly index: number;
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Names what decides a sweep's figures: two sweeps of the same hash have the same points and the same results.
 *
 * @param more what else decides which points there are, such as a refinement
 */
export function hashOf(job: SweepJob, more: unknown): string {
  const { text, overrides, files, captures, buckets, receivedSteps } = job;
  const decisive = JSON.stringify([
    text,
    overrides,
    sorted(files),
    sorted(captures),
    buckets,
    receivedSteps,
    more ?? null,
  ]);
  return createHash('sha256').update(decisive).digest('hex');
}

function sorted(texts: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));
}
