import type { ShellWord } from './shell-expand.ts';
import { ScriptReader } from './shell-reader.ts';
import { parseShell } from './shell-syntax.ts';
import { withoutMarkCharacters } from './shell-variables.ts';

/** A simple command of a script, expanded, in the order in which the script runs. */
export interface ShellCommand {
  readonly line: number;
  readonly words: readonly ShellWord[];
  /** Text that the command is given as its input, with the lines where it stands in the script. */
  readonly input: readonly { readonly line: number; readonly lastLine: number; readonly text: string }[];
  /** Whether the command is fed by a pipe whose text is not known. */
  readonly piped: boolean;
}

/** A part of the script that is not interpreted. */
export interface SkippedPart {
  readonly line: number;
  readonly sort:
    | 'loop'
    | 'once'
    | 'endless'
    | 'branch'
    | 'way'
    | 'call'
    | 'test'
    | 'alternative'
    | 'after-exit'
    | 'program'
    | 'fault'
    | 'choice'
    | 'uncalled';
  /** `for`, `if`, the function's name; for a fault what was expected; for a choice the variable and its value. */
  readonly name: string;
  /** Lines of the tc commands inside. */
  readonly tcLines: readonly number[];
  /** Whether those only delete and show. */
  readonly onlyDeletes: boolean;
  /** The variable that decides, where one does. */
  readonly variable?: string;
}

/** What the text of a script says without being run. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  readonly skipped: readonly SkippedPart[];
  /** Variables given from outside that nothing uses. */
  readonly unused: readonly string[];
}

/**
 * Reads a script as a shell would run it, as far as its text alone says what it does: assignments, loops over known
 * words, branches on known values, functions. What depends on anything else is listed, and variables that it sets are
 * unknown afterwards. Nothing is executed.
 */
export function readShell(text: string, variables: Readonly<Record<string, string>> = {}): ShellReading {
  const { list, faults } = parseShell(withoutMarkCharacters(text));
  const reader = new ScriptReader(variables);
  reader.script(list);
  const faultParts = faults.map(({ line, expected }) => skippedPart(line, 'fault', expected));
  return {
    commands: reader.commands,
    skipped: [...reader.skipped, ...faultParts].sort((a, b) => a.line - b.line),
    unused: reader.expansion.variables.unused,
  };
}

function skippedPart(line: number, sort: SkippedPart['sort'], name: string): SkippedPart {
  return { line, sort, name, tcLines: [], onlyDeletes: false };
}
