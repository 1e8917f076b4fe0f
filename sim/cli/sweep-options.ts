import { availableParallelism } from 'node:os';
import type { Overrides } from '../scenario/overrides.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { SAMPLE_METHODS, type SampleSpec } from '../scenario/sweep-sample.ts';
import type { JournalMode } from '../sweep/journal.ts';
import { parseDuration } from '../units/duration.ts';
import { UnitError } from '../units/unit-error.ts';
import { type CommandArguments, type CommandOption, usageFailure } from './command.ts';
import { assignments } from './scenario-files.ts';

/** Threads at most. */
const MOST_JOBS = 1024;
const MOST_BUCKETS = 100_000;
/** Buckets of all flows and hops at most; each has about 200 bytes of a run. */
const MOST_SERIES_BUCKETS = 5_000_000;

/** The option -j of every command that runs points. */
export const JOBS_OPTION: CommandOption = {
  kind: 'text',
  help: 'Threads that run points; default: one for each processor',
  short: 'j',
};

/** How many threads are to run points. @throws Failure (usage) */
export function jobsOf(args: CommandArguments): number {
  return args.wholeNumber('jobs', 1, MOST_JOBS) ?? availableParallelism();
}

/**
 * Buckets of each series, as `--detail` says; undefined: it does not. Of all flows and hops of the points that are kept
 * together they fit into memory.
 *
 * @throws Failure (usage)
 */
export function detailOf(args: CommandArguments, { flows, hops }: Scenario, points: number): number | undefined {
  const buckets = args.wholeNumber('detail', 0, MOST_BUCKETS);
  const fitting = Math.floor(MOST_SERIES_BUCKETS / ((flows.length + hops.length) * points));
  if (buckets === undefined || buckets <= fitting) return buckets;
  const flowCount = `${flows.length} ${flows.length === 1 ? 'flow' : 'flows'}`;
  throw usageFailure(
    `--detail: expected at most ${fitting} buckets for ${flowCount}${points === 1 ? '' : ` at ${points} points`}, which fit into memory, but received ${buckets}`,
  );
}

/** A duration (ns), or undefined where the option is not given. @throws Failure (usage) */
export function durationOf(args: CommandArguments, option: string): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof UnitError) throw usageFailure(`--${option}: ${error.message}`, error.hint);
    throw error;
  }
}

/** What the command line says against the file. @throws Failure (usage) */
export function sweepOverrides(args: CommandArguments): Overrides {
  const seed = args.wholeNumber('seed', 0, Number.MAX_SAFE_INTEGER);
  const sample = sampleOf(args);
  const duration = durationOf(args, 'duration') === undefined ? undefined : args.text('duration');
  const set = assignments('set', args.texts('set'));
  const vary = assignments('vary', args.texts('vary'));
  const zip = assignments('zip', args.texts('zip'));
  refuseBoth({ set, vary, zip });
  return {
    set,
    vary,
    zip,
    ...(sample === undefined ? {} : { sample }),
    ...(seed === undefined ? {} : { seed }),
    ...(duration === undefined ? {} : { duration }),
  };
}

/** Refuses a variable that has its value, or values, from two options. @throws Failure (usage) */
function refuseBoth(options: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  const givenBy = new Map<string, string>();
  for (const [option, values] of Object.entries(options)) {
    for (const name of Object.keys(values)) {
      const other = givenBy.get(name);
      givenBy.set(name, option);
      if (other === undefined) continue;
      throw usageFailure(
        `--${other} ${name} and --${option} ${name} cannot both be given`,
        other === 'set' ? `--set gives ${name} one value, --${option} several` : undefined,
      );
    }
  }
}

/** Reads `--sample latin-hypercube:200`. */
function sampleOf(args: CommandArguments): SampleSpec | undefined {
  const text = args.text('sample');
  const seed = args.wholeNumber('sample-seed', 0, Number.MAX_SAFE_INTEGER);
  if (text === undefined) {
    if (seed !== undefined) throw usageFailure('--sample-seed needs --sample');
    return undefined;
  }
  const match = /^(?:([a-z-]+):)?(\d{1,7})$/.exec(text);
  const method = SAMPLE_METHODS.find((name) => name === (match?.[1] ?? 'random'));
  const points = Number(match?.[2]);
  if (method === undefined || !(points >= 1)) {
    throw usageFailure(
      `--sample: expected a number of points, or ${SAMPLE_METHODS.map((name) => `${name}:N`).join(' or ')}, but received ${JSON.stringify(text)}`,
    );
  }
  return { points, method, seed: seed ?? 1 };
}

/** What is to become of a journal that is there. @throws Failure (usage) */
export function journalModeOf(args: CommandArguments): JournalMode {
  const [resume, force] = [args.flag('resume'), args.flag('force')];
  if (resume && force) throw usageFailure('--resume and --force cannot both be given');
  const option = resume ? 'resume' : force ? 'force' : undefined;
  if (option !== undefined && args.text('out') === undefined) throw usageFailure(`--${option} needs --out DIR`);
  return option ?? 'new';
}
