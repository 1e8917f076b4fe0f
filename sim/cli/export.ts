import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import type { DeviceChoice } from '../tc/device-names.ts';
import { exportTc } from '../tc/export.ts';
import { ExportFault } from '../tc/export-fault.ts';
import { type Command, usageFailure } from './command.ts';
import { writeText } from './files.ts';
import { checkFormat } from './import.ts';
import { refuseInput } from './input-files.ts';
import { assignments, readScenario } from './scenario-files.ts';
import { print, say } from './streams.ts';

/** `sim export`. */
export const exportScript: Command = {
  options: {
    dev: {
      kind: 'texts',
      help: 'Device: eth0 for the only or first one, a=eth0,b=eth1 by the device or hop in the scenario',
    },
    out: { kind: 'text', help: 'File for the script; default stdout', short: 'o' },
    set: { kind: 'texts', help: 'Value of a variable, name=value' },
  },
  async run(args) {
    checkFormat(args);
    const choice = deviceChoice(args.texts('dev'));
    const { path, loaded } = readScenario(args.text('file')!, { set: assignments('set', args.texts('set')) });
    const out = args.text('out');
    refuseInput('--out', out);
    const { script, left } = exported(path, () => exportTc(loaded.pointAt(0), loaded.document, choice));
    for (const part of left) say(`${path}: warning: not exported: ${part}`);
    if (out === undefined) print(script);
    else writeText('--out', out, script);
    if (left.length === 0) return EXIT.ok;
    say(
      `${path}: ${left.length === 1 ? '1 part is' : `${left.length} parts are`} missing: the script does not set up all of the scenario`,
    );
    return EXIT.invalid;
  },
};

/** Reads `--dev eth0`, `--dev a=eth0,b=eth1`, each as often as one likes. @throws Failure (usage) */
function deviceChoice(given: readonly string[]): DeviceChoice {
  const named: Record<string, string> = {};
  const firsts: string[] = [];
  for (const part of given.flatMap((text) => text.split(','))) {
    const at = part.lastIndexOf('=');
    if (at < 0) firsts.push(part);
    else named[part.slice(0, at)] = part.slice(at + 1);
  }
  if (firsts.length > 1) {
    throw usageFailure(
      `--dev: expected one device without a name but received ${firsts.join(', ')}`,
      'say which is which: --dev a=eth0,b=eth1',
    );
  }
  return firsts[0] === undefined ? { named } : { first: firsts[0], named };
}

/** Tells all that keeps the scenario from being exported but the last, with which the command ends. */
function exported<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    const exitCode = error.where === 'scenario' ? EXIT.invalid : EXIT.usage;
    const [last, ...others] = [...error.problems].reverse();
    for (const { text, hint } of others.reverse()) {
      say(`${path}: ${text}${hint === undefined ? '' : `\n  hint: ${hint}`}`);
    }
    throw new Failure(exitCode, `${path}: ${last!.text}`, last!.hint);
  }
}
