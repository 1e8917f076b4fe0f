import type { ReadBytes } from '../../models/model.ts';
import * as registry from '../../models/registry.ts';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { type LoadedScenario, loadScenario } from '../scenario/load-scenario.ts';
import type { Overrides } from '../scenario/overrides.ts';
import { ScenarioError } from '../scenario/problem.ts';
import { bytesBeside, pathBeside } from '../sweep/named-files.ts';
import { FileFault } from '../sweep/sweep-fault.ts';
import { usageFailure } from './command.ts';
import { fileFailure, inputName, readText } from './files.ts';
import { noteInput } from './input-files.ts';
import { say } from './streams.ts';

/** A scenario longer than this is not read whole; the loader refuses it (bytes). */
const LONGEST_SCENARIO_BYTES = 32 * 1024 * 1024;

/** A checked scenario and its text. */
export interface ScenarioFile {
  readonly path: string;
  readonly text: string;
  readonly loaded: LoadedScenario;
  readonly overrides: Overrides;
  /** The files that it names, by name; a point that is made may add to them. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of those that are not read whole; a point that is made may add to them. */
  readonly captures: ReadonlySet<string>;
}

/** What became of reading several files: those that are right, and the gravest exit code of the others. */
export interface ReadScenarios {
  readonly files: readonly ScenarioFile[];
  readonly exitCode: typeof EXIT.ok | typeof EXIT.usage | typeof EXIT.invalid | typeof EXIT.trouble;
}

/** Reads one scenario, `-` from standard input. @throws Failure (trouble, usage), ScenarioError */
export function readScenario(given: string, overrides: Overrides = {}): ScenarioFile {
  const text = readText(given, LONGEST_SCENARIO_BYTES);
  // Without a folder in it, so that files beside standard input are those of the working directory.
  const path = inputName(given);
  const files: Record<string, string> = {};
  const readNamed = (name: string): string => {
    files[name] = readText(pathBeside(path, name));
    return files[name];
  };
  const captures = new Set<string>();
  const readAny = bytesBeside(path);
  const readBytes: ReadBytes = (name, offset, into) => {
    if (!captures.has(name)) noteInput(pathBeside(path, name));
    captures.add(name);
    try {
      return readAny(name, offset, into);
    } catch (error) {
      throw error instanceof FileFault ? fileFailure(error.cause, error.doing, error.path) : error;
    }
  };
  const loaded = loadScenario(text, path, { registry, overrides, readText: readNamed, readBytes });
  return { path, text, loaded, overrides, files, captures };
}

/** Reads several scenarios and tells on stderr what is wrong with any of them. */
export function readScenarios(paths: readonly string[], overrides: Overrides = {}): ReadScenarios {
  const files: ScenarioFile[] = [];
  let exitCode: ReadScenarios['exitCode'] = EXIT.ok;
  for (const path of paths) {
    try {
      files.push(readScenario(path, overrides));
    } catch (error) {
      if (error instanceof ScenarioError) {
        say(error.message);
        if (exitCode !== EXIT.trouble && exitCode !== EXIT.invalid) {
          exitCode = error.isOfCommandLine ? EXIT.usage : EXIT.invalid;
        }
      } else if (error instanceof Failure) {
        say(`sim: ${error.message}`);
        exitCode = EXIT.trouble;
      } else throw error;
    }
  }
  return { files, exitCode };
}

/** Reads `--set name=value` options. @throws Failure (usage) */
export function assignments(option: string, texts: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of texts) {
    const end = text.indexOf('=');
    if (end <= 0) throw usageFailure(`--${option}: expected name=value but received ${JSON.stringify(text)}`);
    const name = text.slice(0, end);
    if (values.has(name)) {
      throw usageFailure(
        `--${option}: ${name} can be given only once`,
        option === 'set' ? undefined : `list all of its values: --${option} ${name}=${values.get(name)},…`,
      );
    }
    values.set(name, text.slice(end + 1));
  }
  return Object.fromEntries(values);
}
