import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { edgesTable } from '../output/edges.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { fixed } from '../output/figures.ts';
import { SweepProgressLine, timeText } from '../output/sweep-progress.ts';
import { styleOf } from '../output/terminal.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { Journal } from '../sweep/journal.ts';
import { JOURNAL_FORMAT, type JournalHeader } from '../sweep/journal-format.ts';
import { costOf, estimateCosts } from '../sweep/point-cost.ts';
import { PointPool } from '../sweep/point-pool.ts';
import { type Edge, MOST_ADDED_POINTS, Refinement } from '../sweep/refine.ts';
import { type RefineSpec, readRefineSpec } from '../sweep/refine-spec.ts';
import { type BatchRunner, runTasks } from '../sweep/run-tasks.ts';
import type { CostedTask } from '../sweep/schedule.ts';
import { isInShard, parseShard } from '../sweep/shard.ts';
import { hashOf, type SweepJob } from '../sweep/sweep-job.ts';
import { timeSample } from '../sweep/timed-sample.ts';
import { type Command, type CommandArguments, usageFailure } from './command.ts';
import { catchInterrupt } from './interrupt.ts';
import { shellWord } from './page.ts';
import { readScenario, type ScenarioFile } from './scenario-files.ts';
import { print, say, show, stderrTerminal, stdoutTerminal } from './streams.ts';
import { withSweepFaults } from './sweep-faults.ts';
import { finishSweep, refuseInputsIn } from './sweep-finish.ts';
import { jobOf } from './sweep-job-of.ts';
import { detailOf, durationOf, JOBS_OPTION, jobsOf, journalModeOf, sweepOverrides } from './sweep-options.ts';
import { VERSION } from './version.ts';
import { WORKER_FILE } from './worker-file.ts';

/** `sim sweep`. */
export const sweep: Command = {
  options: {
    vary: { kind: 'texts', help: 'Values of a variable: name=a,b,c or name=from..to/step or name=from..to*factor' },
    zip: { kind: 'texts', help: 'The same for variables that go in step, each with as many values' },
    sample: { kind: 'text', help: 'So many points in place of the whole grid: N, random:N or latin-hypercube:N' },
    'sample-seed': { kind: 'text', help: 'Seed of the sample; default 1' },
    set: { kind: 'texts', help: 'Value of a variable, name=value; a swept variable is then swept no more' },
    seed: { kind: 'text', help: 'Seed of all randomness in the simulations, in place of the file’s' },
    duration: { kind: 'text', help: 'Simulated time, in place of the file’s' },
    out: { kind: 'text', help: 'Folder for the journal and the results: JSON, JSON lines, CSV, Parquet' },
    resume: {
      kind: 'flag',
      help: 'Go on with the journal of --out: only what is missing is run, and what took too long where it may now take longer',
    },
    force: { kind: 'flag', help: 'Begin anew although --out has a journal' },
    jobs: JOBS_OPTION,
    shard: { kind: 'text', help: 'Run part i of n only, i/n with i from 1; sim merge joins the parts' },
    queue: { kind: 'text', help: 'Let the workers at this Redis run the points: redis://[user:password@]host[:port]' },
    'point-timeout': { kind: 'text', help: 'A point that takes longer has failed, such as 30s' },
    refine: { kind: 'text', help: 'Add points where a figure changes, down to a resolution: name/step, as rate/1kbit' },
    figure: { kind: 'text', help: 'The figure that --refine looks at, as expect: writes it' },
    change: { kind: 'text', help: 'Change of the figure that makes an edge; default 0.5%' },
    detail: { kind: 'text', help: 'Buckets of each series over time; default 0: no series' },
    'no-fast-forward': { kind: 'flag', help: 'Simulate repetitions one by one; the figures are the same' },
    'dry-run': { kind: 'flag', help: 'Say how many points there are and about how long they take' },
    json: { kind: 'flag', help: 'Print the result as one JSON document' },
  },
  run: (args) => withSweepFaults(() => runSweep(args)),
};

async function runSweep(args: CommandArguments): Promise<ExitCode> {
  const out = args.text('out');
  const mode = journalModeOf(args);
  const shard = args.text('shard') === undefined ? undefined : parseShard(args.text('shard')!);
  const jobs = jobsOf(args);
  const pointTimeoutNs = durationOf(args, 'point-timeout');
  const file = readScenario(args.text('file')!, sweepOverrides(args));
  const { loaded } = file;
  const buckets = detailOf(args, loaded.first, 1) ?? 0;
  const refine = refineOf(args, loaded);
  if (shard !== undefined && refine !== undefined) {
    throw usageFailure('--refine needs all points, so it cannot be given with --shard');
  }

  const signal = catchInterrupt();
  const progress = new SweepProgressLine(process.stderr, stderrTerminal(), performance.now());
  const costs = await estimateCosts(
    loaded,
    (done) => progress.look(done, loaded.pointCount, performance.now()),
    signal,
  );
  progress.clear();
  if (signal.aborted) return EXIT.interrupted;
  refuseInputsIn(out);
  const job: SweepJob = {
    ...jobOf(file, { buckets, receivedSteps: 0, fastForward: !args.flag('no-fast-forward') }),
    ...(pointTimeoutNs === undefined ? {} : { pointTimeoutMs: pointTimeoutNs / 1e6 }),
  };
  const header = headerOf(file, job, refine);
  const indexes = Array.from(costs.keys()).filter((index) => shard === undefined || isInShard(index, shard));
  if (args.flag('dry-run')) {
    print(dryRun(loaded, indexes, costs, job.fastForward, jobs));
    return EXIT.ok;
  }

  const startMs = performance.now();
  const folder = out ?? mkdtempSync(join(tmpdir(), 'shaperlab-'));
  try {
    const journal = await Journal.open(folder, header, mode, job.pointTimeoutMs ?? Number.POSITIVE_INFINITY);
    try {
      tellOfJournal(journal, mode);
      const tasks = indexes.filter((index) => !journal.has(index)).map((index) => ({ index, cost: costs[index]! }));
      const edges = await runPoints(args, { job, loaded, journal, tasks, refine, jobs, signal, progress });
      const run = { wallSeconds: (performance.now() - startMs) / 1000, version: VERSION, node: process.version };
      const exitCode = await finishSweep({ out, journal, loaded, edges, run, json: args.flag('json') });
      if (edges !== undefined && !args.flag('json')) {
        show(`${['', ...edgesTable(edges, styleOf(stdoutTerminal()))].join('\n')}\n`);
      }
      if (!signal.aborted) return exitCode;
      tellHowToResume(out, journal);
      return EXIT.interrupted;
    } finally {
      await journal.close();
    }
  } finally {
    if (out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

interface Running {
  readonly job: SweepJob;
  readonly loaded: LoadedScenario;
  readonly journal: Journal;
  readonly tasks: readonly CostedTask[];
  readonly refine: RefineSpec | undefined;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly progress: SweepProgressLine;
}

/** Runs what is missing; returns the edges of a refinement that came to its end. */
async function runPoints(args: CommandArguments, running: Running): Promise<readonly Edge[] | undefined> {
  const { loaded, journal, tasks, refine, signal, progress } = running;
  if (tasks.length === 0 && refine === undefined) return undefined;
  const runner = await startRunner(args, running);
  try {
    const onProgress = (state: Parameters<SweepProgressLine['show']>[0]) => progress.show(state, performance.now());
    // A queue may have had some of them still.
    const missing = tasks.filter(({ index }) => !journal.has(index));
    await runTasks(missing, runner, journal, { signal, onProgress });
    if (refine === undefined) return undefined;
    const refinement = new Refinement(loaded, refine);
    for (;;) {
      const round = refinement.nextRound(journal);
      if (round.length === 0 || signal.aborted) break;
      const unknown = round.filter(({ index }) => !journal.has(index));
      const costed = unknown.map((task) => ({ ...task, cost: costOf(loaded.pointOf(task.variables!).scenario) }));
      await runTasks(costed, runner, journal, { signal, onProgress });
    }
    if (refinement.isExhausted) {
      say(`sim: ${fixed(MOST_ADDED_POINTS, 0)} points were added and not all edges found; raise --change or the step`);
    }
    return signal.aborted ? undefined : refinement.edges();
  } finally {
    progress.clear();
    await runner.close();
  }
}

async function startRunner(
  args: CommandArguments,
  { job, journal, tasks, refine, jobs }: Running,
): Promise<BatchRunner> {
  const url = args.text('queue');
  if (url === undefined) {
    const workers = refine === undefined ? Math.min(jobs, tasks.length) : jobs;
    return PointPool.start(job, { workers, workerFile: WORKER_FILE });
  }
  const { QueueRunner } = await import('../sweep/queue/queue-runner.ts');
  return QueueRunner.start(url, job, { journal, version: VERSION, say: (text) => say(`sim: ${text}`) });
}

function refineOf(args: CommandArguments, loaded: LoadedScenario): RefineSpec | undefined {
  const [refine, figure, change] = ['refine', 'figure', 'change'].map((name) => args.text(name));
  if (refine !== undefined) return readRefineSpec({ refine, figure, change }, loaded);
  if (figure !== undefined || change !== undefined) {
    throw usageFailure(`--${figure === undefined ? 'change' : 'figure'} needs --refine`);
  }
  return undefined;
}

function headerOf({ path, text, loaded }: ScenarioFile, job: SweepJob, refine: RefineSpec | undefined): JournalHeader {
  const { first, document, references, pointCount, sweptNames } = loaded;
  return {
    format: JOURNAL_FORMAT,
    version: VERSION,
    job: hashOf(job, refine),
    points: pointCount,
    refined: refine !== undefined,
    sweptNames,
    head: {
      title: first.title,
      about: first.about,
      scenario: { file: path, sha256: createHash('sha256').update(text).digest('hex'), document },
      seed: first.seed,
      references,
    },
  };
}

function dryRun(
  loaded: LoadedScenario,
  indexes: readonly number[],
  costs: Float64Array,
  fastForward: boolean,
  jobs: number,
): string {
  const { timed, shortestMs, longestMs, totalMs } = timeSample(loaded, indexes, costs, fastForward);
  const all = indexes.length === loaded.pointCount ? '' : ` of ${fixed(loaded.pointCount, 0)}`;
  const threads = `${fixed(jobs, 0)} ${jobs === 1 ? 'thread' : 'threads'}`;
  const seconds = Math.max(totalMs / jobs, longestMs) / 1000;
  return (
    `${fixed(indexes.length, 0)} ${indexes.length === 1 ? 'point' : 'points'}${all}, about ${timeText(seconds)} on ${threads}\n` +
    `${fixed(timed, 0)} of them timed: ${timeText(shortestMs / 1000)} to ${timeText(longestMs / 1000)} each\n`
  );
}

function tellOfJournal(journal: Journal, mode: string): void {
  if (journal.wasTorn) say(`sim: ${journal.path}: the last line was torn off and is dropped`);
  if (mode === 'resume') {
    say(`sim: ${fixed(journal.size, 0)} of ${fixed(journal.header.points, 0)} points are finished already`);
    if (journal.retried > 0) say(`sim: ${fixed(journal.retried, 0)} that took too long are run again`);
  }
}

function tellHowToResume(out: string | undefined, journal: Journal): void {
  if (out === undefined) {
    say('sim: interrupted; with --out DIR, --resume would go on from here');
    return;
  }
  const words = process.argv.slice(2).filter((word) => word !== '--resume' && word !== '--force');
  const command = ['sim', ...words, '--resume'].map(shellWord).join(' ');
  say(`sim: interrupted with ${fixed(journal.size, 0)} points in ${out}; go on with: ${command}`);
}
