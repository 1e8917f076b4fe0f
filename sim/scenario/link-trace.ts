import * as messages from './messages.ts';
import type { Message } from './problem.ts';
import { INVALID, type ValueChecker } from './value-checker.ts';

/** Reads a file named in a scenario, relative to it. @throws Error that says why it cannot be read */
export type ReadText = (path: string) => string;

/** Reads the `trace:` of links; a file is read once, however many points name it. */
export class LinkTraces {
  readonly #readText: ReadText | undefined;
  readonly #files = new Map<string, readonly number[] | Message>();

  constructor(readText: ReadText | undefined) {
    this.#readText = readText;
  }

  /** Instants (ns) from a checked `trace:`, a list of them or the name of a file; problems go to `values`. */
  read(trace: unknown, values: ValueChecker): readonly number[] | typeof INVALID {
    if (typeof trace !== 'string') return this.#checkInstants(trace as readonly number[], values);
    let instants = this.#files.get(trace);
    if (instants === undefined) {
      instants = this.#readFile(trace);
      this.#files.set(trace, instants);
    }
    if (!('expected' in instants)) return instants;
    values.report(instants);
    return INVALID;
  }

  #checkInstants(instants: readonly number[], values: ValueChecker): readonly number[] | typeof INVALID {
    const wrong = instants.findIndex((instant, i) => i > 0 && instant < instants[i - 1]!);
    if (wrong > 0) {
      values.report(messages.traceNotRising(`${instants[wrong - 1]} ns`, `${instants[wrong]} ns`), [String(wrong)]);
      return INVALID;
    }
    if ((instants.at(-1) ?? 0) > 0) return instants;
    values.report(messages.traceWithoutTime());
    return INVALID;
  }

  /** mahimahi's format: a line for each packet that may leave, with the instant in whole ms, not falling. */
  #readFile(path: string): readonly number[] | Message {
    const text = readBeside(path, this.#readText);
    if (typeof text !== 'string') return text;
    const instants: number[] = [];
    for (const [i, line] of text.trimEnd().split('\n').entries()) {
      const ms = /^\s*\d+\s*$/.test(line) ? Number(line) : Number.NaN;
      if (!(ms * 1e6 >= (instants.at(-1) ?? 0))) return messages.notTrace(i + 1, line);
      instants.push(ms * 1e6);
    }
    return instants.at(-1)! > 0 ? instants : messages.traceWithoutTime();
  }
}

/** Reads a file beside the scenario, or says why it cannot be read. */
export function readBeside(path: string, readText: ReadText | undefined): string | Message {
  if (readText === undefined) return messages.unreadableFile(path, 'no files can be read here');
  try {
    return readText(path);
  } catch (error) {
    return messages.unreadableFile(path, error instanceof Error ? error.message : String(error));
  }
}
