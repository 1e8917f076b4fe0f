import { basename } from 'node:path';
import * as registry from '../../models/registry.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { ScenarioError } from '../scenario/problem.ts';
import { importTc, type TcImport } from '../tc/import.ts';
import { lint } from '../tc/lint/lint.ts';
import { recorderScript } from '../tc/recorder.ts';
import { formatLintFinding, formatTcMessage } from '../tc/report.ts';
import { type Command, type CommandArguments, STDIN, usageFailure } from './command.ts';
import { readText, writeText } from './files.ts';
import { refuseInput } from './input-files.ts';
import { assignments } from './scenario-files.ts';
import { print, say } from './streams.ts';

const LARGEST_SCRIPT_BYTES = 16 * 1024 * 1024;

/** `sim import`. */
export const importScript: Command = {
  options: {
    out: { kind: 'text', help: 'File for the scenario; default stdout', short: 'o' },
    set: {
      kind: 'texts',
      help: 'Value of a shell variable, name=value, whatever the script sets; 1=value for its first argument',
    },
    recorder: { kind: 'flag', help: 'Print a stand-in for tc that records what a script calls' },
    quiet: { kind: 'flag', help: 'Tell only what was not understood', short: 'q' },
  },
  async run(args) {
    checkFormat(args);
    if (args.flag('recorder')) {
      print(recorderScript());
      return EXIT.ok;
    }
    const file = args.text('file');
    if (file === undefined) throw usageFailure('expected a script, or - for stdin', 'sim import tc my-shaper.sh');
    const name = file === STDIN ? 'stdin' : file;
    const text = readText(file, LARGEST_SCRIPT_BYTES);
    const out = args.text('out');
    refuseInput('--out', out);
    const result = importTc(text, basename(name), { variables: assignments('set', args.texts('set')) });
    for (const message of result.messages) {
      if (message.severity !== 'info' || !args.flag('quiet')) say(formatTcMessage(name, message));
    }
    if (result.yaml === undefined) return EXIT.invalid;
    const exitCode = check(result, result.yaml, name);
    if (out === undefined) print(result.yaml);
    else writeText('--out', out, result.yaml);
    const errors = result.messages.filter(({ severity }) => severity === 'error').length;
    if (errors === 0) return exitCode;
    say(`${name}: ${errors === 1 ? '1 error' : `${errors} errors`}: the scenario is not all that the script sets up`);
    return EXIT.invalid;
  },
};

/** Refuses what is no format that scripts come in or go out in. @throws Failure (usage) */
export function checkFormat(args: CommandArguments): void {
  const format = args.text('format');
  if (format !== 'tc') throw usageFailure(`expected the format tc but received ${JSON.stringify(format)}`);
}

/** Validates the scenario that was made; problems and findings are told with the line of the script. */
function check(result: TcImport, yaml: string, name: string): ExitCode {
  const where = (path: readonly string[]): string => {
    const line = result.lineOf(path);
    return line === undefined ? name : `${name}:${line}`;
  };
  try {
    const loaded = loadScenario(yaml, name, { registry });
    for (const finding of lint(loaded.first, loaded.document, { imported: true })) {
      say(formatLintFinding(where(finding.path), finding));
    }
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    for (const { path, expected, received, hint } of error.problems) {
      say(
        `${where(path)}: error: expected ${expected} but received ${received}${hint === undefined ? '' : `\n  hint: ${hint}`}`,
      );
    }
    return EXIT.invalid;
  }
}
