import { join } from 'node:path';
import { SUPPORTED_TCS, tcRelease } from '../../models/linux/kernels.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { figuresCsv } from '../output/figures-csv.ts';
import { mailGroups } from '../output/mail-groups.ts';
import { makeResult } from '../output/make-result.ts';
import { earlierFiles } from '../output/pcap-tracer.ts';
import { Progress } from '../output/progress.ts';
import { type PointReading, readPoint } from '../output/reading.ts';
import { summarize } from '../output/summary.ts';
import { tcShow } from '../output/tc-show.ts';
import type { PointResult, Result } from '../run/result.ts';
import { simulate } from '../run/simulate.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { visible } from '../scenario/visible-text.ts';
import { parseDuration } from '../units/duration.ts';
import { UnitError } from '../units/unit-error.ts';
import { type Command, type CommandArguments, usageFailure } from './command.ts';
import { outputName, writeText } from './files.ts';
import { refuseInput } from './input-files.ts';
import { catchInterrupt } from './interrupt.ts';
import { writeDrawings, writePage } from './page.ts';
import { hasShaper, lintPointer } from './pointers.ts';
import { runPoints } from './run-points.ts';
import { assignments, readScenarios, type ScenarioFile } from './scenario-files.ts';
import { print, say, show, stderrTerminal, stdoutTerminal } from './streams.ts';
import { detailOf, JOBS_OPTION, jobsOf } from './sweep-options.ts';
import { TraceFiles } from './trace-files.ts';
import { VERSION } from './version.ts';

/** Buckets of a series where the result is kept and nothing else is said. */
const DEFAULT_BUCKETS = 500;
/** A sweep of so many points at most keeps the steps of its transfers, so many of each. */
const SMALL_SWEEP_POINTS = 40;
const RECEIVED_STEPS = 200;

const FORMATS = ['summary', 'tc', 'mail', 'csv'] as const;

/** A scenario that was run. */
interface Outcome {
  readonly loaded: LoadedScenario;
  readonly result: Result;
  readonly readings: readonly PointReading[];
  readonly exitCode: ExitCode;
  /** Each point as tc shows it, where that is asked for. */
  readonly shown: readonly string[];
}

/** `sim run`. */
export const run: Command = {
  options: {
    set: { kind: 'texts', help: 'Value of a variable, name=value; a swept variable is then swept no more' },
    seed: { kind: 'text', help: 'Seed of all randomness, in place of the file’s' },
    duration: { kind: 'text', help: 'Simulated time, in place of the file’s' },
    format: {
      kind: 'text',
      help: 'What stdout shows: summary (default), tc (as tc -s -d shows), mail (transfers as curl’s list saw them) or csv',
    },
    'tc-version': {
      kind: 'text',
      help: 'Version of tc in whose words --format tc shows; default that of each hop',
    },
    all: { kind: 'flag', help: 'Show every flow and class in full, however many there are' },
    json: { kind: 'flag', help: 'Print one JSON document: the result; of several files, a list of their results' },
    out: { kind: 'text', help: 'Write each result to this folder, named after its scenario' },
    html: { kind: 'text', help: 'Write a page with charts to this file' },
    svg: { kind: 'text', help: 'Write each chart to this folder, as SVG' },
    trace: { kind: 'text', help: 'Write every packet event of a single run to this file (CSV)' },
    pcap: {
      kind: 'text',
      help: 'Write what departs in a single run to this file (pcap, headers only): at the last hop; earlier hops of a path go to files beside it, F-HOP',
    },
    'no-fast-forward': {
      kind: 'flag',
      help: 'Run every period of a state that repeats, instead of counting it; figures are the same',
    },
    detail: {
      kind: 'text',
      help: `Buckets of each series over time; default ${DEFAULT_BUCKETS} for single runs`,
    },
    jobs: JOBS_OPTION,
  },
  run: runFiles,
};

async function runFiles(args: CommandArguments): Promise<ExitCode> {
  const format = args.choice('format', FORMATS) ?? 'summary';
  const json = args.flag('json');
  if (json && args.text('format') !== undefined) throw usageFailure('--json and --format cannot both be given');
  checkTcVersion(args.text('tc-version'), format);
  const { files, exitCode } = readScenarios(args.texts('files'), overridesOf(args));
  if (exitCode !== EXIT.ok) return exitCode;
  const single = ['trace', 'pcap'].find((name) => args.text(name) !== undefined);
  const pointCount = files.reduce((sum, { loaded }) => sum + loaded.pointCount, 0);
  if (single !== undefined && pointCount !== 1) {
    const names = files[0]!.loaded.sweptNames.map((name) => `--set ${name}=…`).join(' ');
    throw usageFailure(
      `--${single} takes a single run but there are ${pointCount} points`,
      files.length === 1 ? `choose one of them: ${names}` : 'give one file',
    );
  }
  refuseInputs(args, files);

  const signal = catchInterrupt();
  const outcomes: Outcome[] = [];
  for (const file of files) {
    if (signal.aborted) break;
    const outcome = await runFile(file, args, signal);
    outcomes.push(outcome);
    keep(outcome, outcomes, args.text('out'));
    if (format === 'tc' && hasShaper(file.loaded)) show(outcome.shown.join('\n'));
    else if (format === 'tc') say(`sim: ${file.path}: no hop has a shaper, so tc would show nothing of it`);
    if (json || format !== 'summary') continue;
    if (outcomes.length > 1) print('\n');
    show(summarize(outcome.result, outcome.readings, stdoutTerminal(), args.flag('all')));
  }
  const results = outcomes.map(({ result }) => result);
  const page = args.text('html');
  const folder = args.text('svg');
  if (page !== undefined || folder !== undefined) {
    const drawn = args.text('detail') === undefined ? await withSeries(outcomes) : results;
    if (page !== undefined) await writePage(page, drawn);
    if (folder !== undefined) await writeDrawings(folder, drawn);
  }
  if (json) print(`${JSON.stringify(files.length === 1 ? results[0] : results)}\n`);
  else if (format === 'csv') print(figuresCsv(results));
  else if (format === 'mail') showMail(mailGroups(results));
  for (const { path, loaded } of files) {
    const pointer = lintPointer(path, loaded, args.texts('set'));
    if (pointer !== undefined) say(pointer);
  }
  return signal.aborted ? EXIT.interrupted : gravest(outcomes);
}

/** Refuses to write over what was read. @throws Failure (usage) */
function refuseInputs(args: CommandArguments, files: readonly ScenarioFile[]): void {
  for (const option of ['html', 'trace', 'pcap']) refuseInput(`--${option}`, args.text(option));
  const pcap = args.text('pcap');
  const out = args.text('out');
  const names = resultNames(files.map(({ path }) => path));
  if (out !== undefined) for (const name of names) refuseInput('--out', join(out, name));
  for (const { loaded } of files) {
    if (pcap !== undefined)
      for (const earlier of earlierFiles(pcap, loaded.first).values()) refuseInput('--pcap', earlier);
  }
}

/** A version of tc that is not modelled, or that nothing is shown of, is a wrong command line. */
function checkTcVersion(version: string | undefined, format: string): void {
  if (version === undefined) return;
  if (format !== 'tc') throw usageFailure('--tc-version says how --format tc shows, which is not given');
  if (tcRelease(version) === undefined) {
    throw usageFailure(
      `--tc-version: expected an iproute2 version but received ${JSON.stringify(version)}`,
      `modelled are ${SUPPORTED_TCS}`,
    );
  }
}

function showMail(text: string): void {
  if (text === '') say('sim: no flow is a transfer with an end (source curl, or bulk with bytes), which mail is about');
  show(text);
}

function overridesOf(args: CommandArguments) {
  const seed = args.wholeNumber('seed', 0, Number.MAX_SAFE_INTEGER);
  const duration = args.text('duration');
  if (duration !== undefined) {
    try {
      parseDuration(duration);
    } catch (error) {
      if (error instanceof UnitError) throw usageFailure(`--duration: ${error.message}`, error.hint);
      throw error;
    }
  }
  return {
    set: assignments('set', args.texts('set')),
    ...(seed === undefined ? {} : { seed }),
    ...(duration === undefined ? {} : { duration }),
  };
}

async function runFile(file: ScenarioFile, args: CommandArguments, signal: AbortSignal): Promise<Outcome> {
  const { loaded } = file;
  const kept = ['json', 'out', 'html', 'svg'].some((name) => args.flag(name) || args.text(name) !== undefined);
  const buckets =
    detailOf(args, loaded.first, loaded.pointCount) ?? (loaded.pointCount === 1 && kept ? DEFAULT_BUCKETS : 0);
  const tracer = TraceFiles.open(args.text('trace'), args.text('pcap'), loaded.first);
  const shown: string[] = [];
  const points: PointResult[] = [];
  const readings: PointReading[] = [];
  let exitCode: ExitCode = EXIT.ok;
  const startMs = performance.now();
  const progress = new Progress(process.stderr, stderrTerminal(), startMs);
  const what = loaded.pointCount === 1 ? visible(loaded.first.title) : `${loaded.pointCount} points of ${file.path}`;
  const warnings = new Set<string>();
  const add = (point: PointResult, scenario: Scenario): void => {
    points.push(point);
    for (const { warning } of Object.values(point.flows)) if (warning !== undefined) warnings.add(warning);
    readings.push(readPoint(scenario, point, loaded.references));
  };
  try {
    await runPoints(file, {
      buckets,
      receivedSteps: kept && loaded.pointCount <= SMALL_SWEEP_POINTS ? RECEIVED_STEPS : 0,
      fastForward: !args.flag('no-fast-forward'),
      ...(tracer === undefined ? {} : { tracer }),
      signal,
      jobs: jobsOf(args),
      onProgress: (done) => progress.show(done, loaded.pointCount, what, performance.now()),
      onDone: (point, scenario) => {
        add(point, scenario);
        if (args.text('format') === 'tc') shown.push(pointAsTc(scenario, point, args.text('tc-version')));
        if (exitCode === EXIT.ok && point.expectations.some(({ passed }) => !passed)) exitCode = EXIT.failed;
      },
      onFailed: (point, cause) => {
        add(point, loaded.first);
        exitCode = cause === 'invalid' && exitCode !== EXIT.internal ? EXIT.invalid : EXIT.internal;
      },
    });
    tracer?.close();
    for (const path of tracer?.besides ?? []) say(`sim: ${path} written`);
  } finally {
    progress.clear();
  }
  for (const warning of warnings) say(`sim: warning: ${warning}`);
  const wallSeconds = (performance.now() - startMs) / 1000;
  const result = makeResult(loaded, file.text, points, { wallSeconds, version: VERSION });
  return { loaded, result, readings, exitCode, shown };
}

/** The results to draw: the point of a sweep that charts over time look at is run once more, with series. */
async function withSeries(outcomes: readonly Outcome[]): Promise<Result[]> {
  const { chartSource } = await import('../../reports/reading.ts');
  const results = outcomes.map(({ result }) => result);
  const { look } = chartSource(results);
  const outcome = look === undefined ? undefined : outcomes[look.resultIndex];
  if (look === undefined || outcome === undefined || outcome.loaded.pointCount === 1) return results;
  const { loaded } = outcome;
  const detailed = simulate(loaded.pointOf(look.point.variables), {
    buckets: DEFAULT_BUCKETS,
    readBytes: loaded.readBytes,
  });
  const points = look.result.points.with(look.pointIndex, detailed);
  return results.with(look.resultIndex, { ...look.result, points });
}

/** A point as `tc -s -d` shows it, headed by its variables. */
function pointAsTc(scenario: Scenario, point: PointResult, version: string | undefined): string {
  const values = Object.entries(point.variables).map(([name, value]) => `${name}=${value}`);
  return `${values.length === 0 ? '' : `# ${values.join(' ')}\n`}${tcShow(scenario, point, version)}`;
}

/** The names of the results of some scenarios in the folder `--out`; scenarios of one name are numbered. */
function resultNames(paths: readonly string[]): readonly string[] {
  const names = paths.map(outputName);
  return names.map((name, index) => {
    const alike = names.slice(0, index + 1).filter((other) => other === name).length;
    return `${name}${alike > 1 ? `-${alike}` : ''}.json`;
  });
}

/** Writes the last result to the folder `out`. */
function keep({ result }: Outcome, outcomes: readonly Outcome[], out: string | undefined): void {
  if (out === undefined) return;
  const path = join(out, resultNames(outcomes.map((outcome) => outcome.result.scenario.file)).at(-1)!);
  writeText('--out', path, `${JSON.stringify(result)}\n`);
  say(`sim: ${path} written`);
}

/** The exit code of several runs: a fault before an invalid point before a failed expectation. */
function gravest(outcomes: readonly Outcome[]): ExitCode {
  const codes = outcomes.map(({ exitCode }) => exitCode);
  return [EXIT.internal, EXIT.invalid, EXIT.failed].find((code) => codes.includes(code)) ?? EXIT.ok;
}
