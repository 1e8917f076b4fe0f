import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { nearestName } from '../scenario/nearest.ts';

/** An option of a command. */
export interface CommandOption {
  /** `flag` takes no value, `text` one, `texts` may be given several times. */
  readonly kind: 'flag' | 'text' | 'texts';
  /** One line of help. */
  readonly help: string;
  /** One-letter form. */
  readonly short?: string;
}

/** A command, as its file exports it; `main.ts` names it and loads the file when it is called. */
export interface Command {
  readonly options: Readonly<Record<string, CommandOption>>;
  run(args: CommandArguments): Promise<ExitCode>;
}

/** Ends the program because the command line is wrong. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(EXIT.usage, message, hint);
}

/** On the command line, in place of an input file: standard input. */
export const STDIN = '-';

/** What was given on the command line, by the names of options and positionals. */
export class CommandArguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Whether a flag is set. */
  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The value of an option or positional. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    return value === undefined ? undefined : String(value);
  }

  /** The values of an option or positional that may be given several times. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
  }

  /** A whole number within bounds. @throws Failure (usage) */
  wholeNumber(name: string, least: number, most: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw usageFailure(
      `--${name}: expected a whole number from ${least} to ${most} but received ${JSON.stringify(text)}`,
    );
  }

  /** One of a few words. @throws Failure (usage) */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined || (choices as readonly string[]).includes(text)) return text as T | undefined;
    const nearest = nearestName(text, choices);
    throw usageFailure(
      `--${name}: expected ${choices.join(', ')} but received ${JSON.stringify(text)}`,
      nearest === undefined ? undefined : `did you mean ${nearest}?`,
    );
  }
}
