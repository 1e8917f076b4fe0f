import yargs, { type Argv } from 'yargs';
import { CaptureError } from '../../models/captures/capture-error.ts';
import { EXIT, EXIT_CODES_HELP, type ExitCode } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { styleOf } from '../output/terminal.ts';
import { nearestName } from '../scenario/nearest.ts';
import { ScenarioError } from '../scenario/problem.ts';
import { type Command, CommandArguments, type CommandOption, STDIN, usageFailure } from './command.ts';
import { say, stderrTerminal, stdoutTerminal, watchStreams } from './streams.ts';
import { VERSION } from './version.ts';

/** Help is not wider than this, however wide the terminal is. */
const WIDEST_HELP = 110;
const STDIN_HELP =
  'A lone - in place of an input file is standard input. Options that write a file take its name, never -.';
/** The one command that the parser carries out itself. */
const COMPLETION = 'completion';
/** Shells that it knows. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];
/** With it, the script asks for the words that may come next. */
const ASKS_FOR_COMPLETIONS = '--get-yargs-completions';

type CommandEntry = readonly [usage: string, summary: string, load: () => Promise<Command>];

/** Every command: how it is called, what it does, and its file, which is loaded when it is called. */
const COMMANDS: readonly CommandEntry[] = [
  ['run <files..>', 'Simulate scenarios and show the rates', async () => (await import('./run.ts')).run],
  [
    'sweep <file>',
    'Run a grid of points, on all processors or machines',
    async () => (await import('./sweep.ts')).sweep,
  ],
  ['worker', 'Run points for sweeps at a queue', async () => (await import('./worker.ts')).worker],
  ['merge <folders..>', 'Join the parts of a sweep', async () => (await import('./merge.ts')).merge],
  [
    'validate <files..>',
    'Check scenarios; every problem at once',
    async () => (await import('./validate.ts')).validate,
  ],
  [
    'explain <file>',
    'Show the arithmetic from the configured to the effective rate',
    async () => (await import('./explain.ts')).explain,
  ],
  [
    'import <format> [file]',
    'Make a scenario of a tc script, or of what tc shows',
    async () => (await import('./import.ts')).importScript,
  ],
  [
    'export <format> <file>',
    'Write the tc commands of a scenario',
    async () => (await import('./export.ts')).exportScript,
  ],
  [
    'advise <file>',
    'Propose better values, simulated before and after',
    async () => (await import('./advise.ts')).advise,
  ],
  [
    'models [kind]',
    'List the models and the parts of a scenario, or all keys of one',
    async () => (await import('./models.ts')).models,
  ],
  ['schema', 'Print the JSON Schema of scenarios, for editors', async () => (await import('./schema.ts')).schema],
  ['init [template]', 'Write a scenario to begin with', async () => (await import('./init.ts')).init],
  ['report <results..>', 'Make a page of results', async () => (await import('./report.ts')).report],
  ['diff <left> <right>', 'Compare two results figure by figure', async () => (await import('./diff.ts')).diff],
];

function nameOf(usage: string): string {
  return usage.split(' ')[0]!;
}

/** Names of positionals that a usage such as `run <files..>` mentions. */
function positionalsOf(usage: string): readonly string[] {
  return [...usage.matchAll(/[<[](\w+)(?:\.\.)?[>\]]/g)].map((match) => match[1]!);
}

function yargsOption({ kind, help, short }: CommandOption) {
  const alias = short === undefined ? {} : { alias: short };
  if (kind === 'flag') return { describe: help, type: 'boolean', ...alias } as const;
  return { describe: help, type: 'string', requiresArg: true, array: kind === 'texts', ...alias } as const;
}

type Options = ReadonlyMap<string, CommandOption>;

/** Stands before words that the parser would take for something else; no word of a command line can hold it. */
const MASK = '\u0000';

/** A value of the parser with every word as it was written. */
function unmasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmasked);
  return typeof value === 'string' && value.startsWith(MASK) ? value.slice(MASK.length) : value;
}

/** Words as the parser is to take them: a lone `-`, and all behind `--`, are no options, `true` is no flag's value. */
function masked(words: readonly string[]): string[] {
  // A line that is to be completed may end in `--`.
  if (words[0] === ASKS_FOR_COMPLETIONS) return [...words];
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  const mask = (word: string): string => MASK + word;
  const plain = before.map((word) => (/^(?:-|true|false)$/.test(word) ? mask(word) : word));
  return end === -1 ? plain : [...plain, ...words.slice(end + 1).map(mask)];
}

/**
 * Refuses what the parser would let pass or name otherwise: options that there are none of, flags with a value, options
 * without one, each in the words of the user.
 */
function checkWords(words: readonly string[], options: Options): void {
  const flag: CommandOption = { kind: 'flag', help: '' };
  const known = new Map<string, CommandOption>([
    ...options,
    ['help', flag],
    ['version', flag],
    ['h', flag],
    ['V', flag],
  ]);
  for (const option of options.values()) if (option.short !== undefined) known.set(option.short, option);
  for (let i = 0; i < words.length && words[i] !== '--'; i++) {
    const match = /^(--?)([^=]*)(=.*)?$/s.exec(words[i]!);
    if (match === null || words[i] === STDIN) continue;
    const [, dashes = '', name = '', value] = match;
    // Of one-letter options in one word, the first that takes a value takes the rest of it.
    const letters = [...name];
    const takes = letters.findIndex((letter) => known.has(letter) && known.get(letter)!.kind !== 'flag');
    const given = dashes === '--' || name === '' ? [name] : takes === -1 ? letters : letters.slice(0, takes + 1);
    for (const each of given) if (!known.has(each)) throw unknownOption(`${dashes}${each}`, options);
    const last = `${dashes}${given.at(-1)!}`;
    if (known.get(given.at(-1)!)!.kind === 'flag') {
      if (value !== undefined)
        throw usageFailure(`${last}: expected no value but received ${JSON.stringify(value.slice(1))}`);
      continue;
    }
    if (value !== undefined || (dashes === '-' && given.length < letters.length)) continue;
    const next = words[++i];
    if (next === undefined || next === '--') throw usageFailure(`${last}: expected a value`);
  }
}

function unknownOption(option: string, options: Options): Failure {
  const nearest = nearestName(option.replace(/^-+/, ''), [...options.keys(), 'help', 'version']);
  const all = [...options.keys(), 'help'].map((name) => `--${name}`).join(' ');
  return usageFailure(
    `unknown option ${option}`,
    nearest === undefined ? `the options are ${all}` : `did you mean --${nearest}?`,
  );
}

/** Refuses options given twice that cannot be, or without a value that means something. */
function checkOptions(
  options: Options,
  positionals: readonly string[],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value) && options.has(name) && options.get(name)!.kind !== 'texts') {
      throw usageFailure(`--${name} can be given only once`);
    }
    if (options.has(name) && [value].flat().includes(''))
      throw usageFailure(`--${name}: expected a value but received ""`);
    if (options.has(name) && [value].flat().includes(STDIN)) {
      throw usageFailure(
        `--${name}: expected a value but received -`,
        'a lone - is standard input, where an input file is expected; an option that writes a file takes its name',
      );
    }
  }
  const files = positionals.flatMap((name) => [values[name]].flat());
  if (files.filter((file) => file === STDIN).length > 1) {
    throw usageFailure('- can be given only once', 'standard input can be read only once');
  }
}

/** Words what the parser itself complains of. */
function parserFailure(message: string, usage: string | undefined): Failure {
  const option = /^Not enough arguments following: (\S+)/.exec(message)?.[1];
  if (option !== undefined) return usageFailure(`${option.length === 1 ? '-' : '--'}${option}: expected a value`);
  const tooFew = message.startsWith('Not enough non-option arguments');
  return usageFailure(
    tooFew ? 'expected more arguments' : message,
    usage === undefined ? 'sim --help lists the commands' : `usage: sim ${usage}`,
  );
}

function unknownCommand(name: string | undefined): Failure {
  if (name === undefined) return usageFailure('expected a command', 'sim --help lists them');
  const nearest = nearestName(name, [...COMMANDS.map(([usage]) => nameOf(usage)), COMPLETION]);
  return usageFailure(
    `unknown command ${JSON.stringify(name)}`,
    nearest === undefined ? 'sim --help lists them' : `did you mean ${nearest}?`,
  );
}

/** What every parser of this program has in common. */
function parserOf(words: readonly string[], scriptName: string, usage?: string): Argv {
  return yargs(masked(words))
    .scriptName(scriptName)
    .locale('en')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .exitProcess(false)
    .version(VERSION)
    .help()
    .alias({ h: 'help', V: 'version' })
    .wrap(Math.min(WIDEST_HELP, stdoutTerminal().columns))
    .showHelpOnFail(false)
    .fail((message, error) => {
      throw error ?? parserFailure(message, usage);
    });
}

function addOptions(parser: Argv, usage: string, command: Command): Argv {
  for (const [name, option] of Object.entries(command.options)) parser.option(name, yargsOption(option));
  for (const name of positionalsOf(usage)) parser.positional(name, { type: 'string' });
  return parser;
}

/** Runs a command whose words (behind its name) are known to be its own. */
async function runCommand([usage, summary, load]: CommandEntry, words: readonly string[]): Promise<ExitCode> {
  const command = await load();
  const name = nameOf(usage);
  checkWords(words, new Map(Object.entries(command.options)));
  let exitCode: ExitCode = EXIT.ok;
  await parserOf(words, `sim ${name}`, usage)
    .command(
      usage.replace(name, '$0'),
      summary,
      (parser) => addOptions(parser, usage, command),
      async (parsed) => {
        const values = Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, unmasked(value)]));
        checkOptions(new Map(Object.entries(command.options)), positionalsOf(usage), values);
        const [extra] = values._ as readonly unknown[];
        if (extra !== undefined) {
          throw usageFailure(`unexpected argument ${JSON.stringify(extra)}`, `usage: sim ${usage}`);
        }
        exitCode = await command.run(new CommandArguments(values));
      },
    )
    .parseAsync();
  return exitCode;
}

/** Has the parser print the script of a shell, which it otherwise tells by the environment. @throws Failure (usage) */
function chooseShell(shell: string): void {
  if (!SHELLS.includes(shell)) {
    throw usageFailure(`${COMPLETION}: expected ${SHELLS.join(', ')} but received ${JSON.stringify(shell)}`);
  }
  process.env.SHELL = shell;
}

/** Handles what comes without a command of the list: help, version, completion, and what is wrong. */
async function runWithoutCommand(words: readonly string[]): Promise<ExitCode> {
  if (words[0] !== ASKS_FOR_COMPLETIONS) checkWords(words, new Map());
  const [command, shell] = words.filter((word) => word !== '--');
  if (command === COMPLETION && shell !== undefined && !shell.startsWith('-')) chooseShell(shell);
  const parser = parserOf(words, 'sim')
    .usage('$0 <command>\n\nWhat rate will I really get? Simulates rate limiters as they are, to the packet.')
    .epilogue(`${STDIN_HELP}\n${EXIT_CODES_HELP}`)
    .completion(COMPLETION, 'Print a completion script for bash, zsh or fish')
    .command(
      '$0',
      false,
      () => {},
      (values) => {
        checkOptions(new Map(), [], values);
        const name = unmasked(values._[0]);
        // The parser has printed the script already.
        if (name !== COMPLETION) throw unknownCommand(name === undefined ? undefined : String(name));
      },
    );
  for (const [usage, summary, load] of COMMANDS) {
    parser.command(usage, summary, async (builder) => addOptions(builder, usage, await load()));
  }
  await parser.parseAsync();
  return EXIT.ok;
}

/** Runs a command line; every failure ends in a message and an exit code. */
async function main(words: readonly string[]): Promise<ExitCode> {
  const [first, ...rest] = words;
  const entry = COMMANDS.find(([usage]) => nameOf(usage) === first);
  try {
    return await (entry === undefined ? runWithoutCommand(words) : runCommand(entry, rest));
  } catch (error) {
    const ofParser = error instanceof Error && error.name === 'YError';
    return failed(ofParser ? parserFailure(error.message, entry?.[0]) : error);
  }
}

function failed(error: unknown): ExitCode {
  const style = styleOf(stderrTerminal());
  if (error instanceof Failure) {
    say(`${style.bad('sim:')} ${error.message}`);
    if (error.hint !== undefined) say(`  hint: ${error.hint}`);
    return error.exitCode;
  }
  if (error instanceof CaptureError) {
    say(`${style.bad('sim:')} ${error.message}`);
    if (error.hint !== undefined) say(`  hint: ${error.hint}`);
    return EXIT.invalid;
  }
  if (error instanceof ScenarioError) {
    say(error.message);
    return error.isOfCommandLine ? EXIT.usage : EXIT.invalid;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  say(`${style.bad('sim:')} internal fault: ${message.split('\n')[0]}`);
  if (process.env.SIM_DEBUG !== undefined && error instanceof Error) say(error.stack ?? message);
  else say('  hint: this is a fault of the program; SIM_DEBUG=1 shows where it happened');
  return EXIT.internal;
}

watchStreams();
process.on('uncaughtException', (error) => process.exit(failed(error)));
process.exitCode = await main(process.argv.slice(2));
