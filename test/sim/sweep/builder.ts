import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as registry from '../../../models/registry.ts';
import type { LoadedScenario } from '../../../sim/scenario/load-scenario.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import type { Overrides } from '../../../sim/scenario/overrides.ts';
import { JOURNAL_FORMAT, type JournalHeader } from '../../../sim/sweep/journal-format.ts';
import { PointRunner } from '../../../sim/sweep/point-runner.ts';
import type { BatchRunner } from '../../../sim/sweep/run-tasks.ts';
import { hashOf, type SweepJob } from '../../../sim/sweep/sweep-job.ts';

/** A scenario whose only packet stream is held to a rate by token bucket; its rate is `${rate}`. */
const TEXT = `duration: 20ms
vars: { rate: 10mbit, size: 1000b }
hops:
  wan:
    shaper: htb
    kernel: "6.12"
    default: "1:10"
    classes:
      "1:10": { rate: "\${rate}", burst: 3000b }
    link: { rate: 1gbit }
flows:
  load: { source: cbr, rate: 20mbit, size: "\${size}", via: [wan] }
`;

/** The job of a small sweep. */
export function jobOf(vary: Readonly<Record<string, string>>, more: Partial<SweepJob> = {}): SweepJob {
  const overrides: Overrides = { vary };
  return {
    text: TEXT,
    file: 'small.yaml',
    overrides,
    files: {},
    captures: {},
    buckets: 0,
    receivedSteps: 0,
    fastForward: true,
    ...more,
  };
}

/** The scenario of a job. */
export function loadedOf({ text, file, overrides }: SweepJob): LoadedScenario {
  return loadScenario(text, file, { registry, overrides });
}

/** The journal's first line for a job. */
export function headerOf(job: SweepJob, more: Partial<JournalHeader> = {}): JournalHeader {
  const { first, document, pointCount, sweptNames } = loadedOf(job);
  return {
    format: JOURNAL_FORMAT,
    version: '1.2.3',
    job: hashOf(job, undefined),
    points: pointCount,
    refined: false,
    sweptNames,
    head: {
      title: first.title,
      about: first.about,
      scenario: { file: job.file, sha256: createHash('sha256').update(job.text).digest('hex'), document },
      seed: first.seed,
      references: [],
    },
    ...more,
  };
}

/** Runs points where it is called, without threads; stops when told. */
export class DirectRunner implements BatchRunner {
  readonly lanes: number;
  readonly parallel: number;
  /** Batches in the order in which they were asked for, by the indexes of their points. */
  readonly batches: number[][] = [];
  readonly #runner: PointRunner;
  #isStopped = false;

  constructor(job: SweepJob, lanes = 1) {
    this.#runner = new PointRunner(job);
    this.lanes = lanes;
    this.parallel = lanes;
  }

  async run(tasks: Parameters<BatchRunner['run']>[0]) {
    this.batches.push(tasks.map(({ index }) => index));
    const lines = this.#isStopped ? [] : tasks.map((task) => this.#runner.run(task));
    return { lines, tookMs: 10 };
  }

  stop(): void {
    this.#isStopped = true;
  }

  async close(): Promise<void> {}
}

/** Makes a folder, hands it out, and removes it. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-test-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
