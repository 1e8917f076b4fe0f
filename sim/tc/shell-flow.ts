import type { ShellCommand, SkippedPart } from './shell.ts';
import { runArithmetic } from './shell-assignments.ts';
import { ShellExpansion, type ShellWord } from './shell-expand.ts';
import { matchesPattern } from './shell-pattern.ts';
import { type Survey, surveyOf } from './shell-survey.ts';
import {
  keyword,
  type RawWord,
  type ShellList,
  type ShellNode,
  type ShellPipeline,
  type SimpleCommand,
  walk,
} from './shell-syntax.ts';
import type { Status } from './shell-tests.ts';
import type { WordPart } from './shell-words.ts';

/** How a list of commands ended. */
export type Flow = 'on' | 'break' | 'continue' | 'return' | 'exit';

/** How a list of commands ended, and what the last one said of its success. */
export interface Outcome {
  readonly flow: Flow;
  readonly status: Status;
}

/** What a script that can start and stop is called with to start. */
export const STARTS = [
  'start',
  'on',
  'up',
  'enable',
  'create',
  'add',
  'set',
  'apply',
  'begin',
  'init',
  'setup',
  'run',
  'limit',
  'shape',
  'restart',
  'reload',
];
/** Commands that a script may come to, so that every script ends. */
const MOST_COMMANDS = 40_000;
/** Turns of one loop. */
const MOST_TURNS = 2000;
/** Follows the lists, branches and loops of a script; what a plain command does is for others to say. */
export abstract class FlowReader {
  readonly expansion: ShellExpansion;
  readonly commands: ShellCommand[] = [];
  readonly skipped: SkippedPart[] = [];
  protected readonly functions = new Map<string, { line: number; body: ShellList; isCalled: boolean }>();
  readonly #told = new Set<string>();
  #count = 0;
  /** The variable that would have decided the last test. */
  protected decider: string | undefined;
  protected exit: { line: number; name: string } | undefined;

  constructor(given: Readonly<Record<string, string>>) {
    this.expansion = new ShellExpansion(given);
  }

  /** Surveys commands that are left out; the functions that they call count as called. */
  protected survey(list: ShellList): Survey {
    const bodyOf = (name: string): ShellList | undefined => {
      const called = this.functions.get(name);
      if (called !== undefined) called.isCalled = true;
      return called?.body;
    };
    return surveyOf(list, bodyOf, this.expansion.variables);
  }

  protected skip(line: number, sort: SkippedPart['sort'], name: string, survey: Survey = NOTHING): void {
    const key = `${line} ${sort} ${name}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const decider =
      (sort === 'branch' || sort === 'test') && this.decider !== undefined ? { variable: this.decider } : {};
    this.skipped.push({ line, sort, name, tcLines: survey.tcLines, onlyDeletes: survey.onlyDeletes, ...decider });
  }

  /** Leaves commands out: lists those of tc, and forgets the variables that they set. */
  protected leaveOut(list: ShellList, line: number, sort: SkippedPart['sort'], name: string): void {
    const survey = this.survey(list);
    for (const variable of survey.assigned)
      this.expansion.variables.setUnknown(variable, unknownBecause(sort, name, line));
    if (survey.tcLines.length > 0) this.skip(line, sort, name, survey);
  }

  protected list(list: ShellList): Outcome {
    let flow: Flow = 'on';
    let status: Status = true;
    for (const pipeline of list) {
      ({ flow, status } = this.step(pipeline, status));
      if (flow !== 'on') break;
    }
    return { flow, status };
  }

  /** Runs a pipeline where what stands before it lets it run. */
  protected step(pipeline: ShellPipeline, before: Status): Outcome {
    const { joint, commands } = pipeline;
    if (joint === '&&' && before === false) return { flow: 'on', status: before };
    if (joint === '||' && before === 'assumed' && this.#isChangeOrAdd(pipeline)) {
      // `tc … change … || tc … add …` adds where nothing is there to change.
      this.commands.pop();
    } else if (joint === '||' && (before === true || before === 'assumed')) {
      if (before === 'assumed') this.leaveOut([pipeline], lineOf(commands), 'alternative', '||');
      return { flow: 'on', status: before };
    }
    if (joint !== ';' && before === undefined) {
      const survey = this.#peek([pipeline]);
      if (!survey.setsUpRoot) {
        this.leaveOut([pipeline], lineOf(commands), 'test', joint);
        return { flow: 'on', status: undefined };
      }
      this.skip(lineOf(commands), 'way', joint, survey);
    }
    const { flow, status } = this.#pipeline(commands);
    return { flow, status: pipeline.isNegated ? negated(status) : status };
  }

  #isChangeOrAdd({ commands }: ShellPipeline): boolean {
    const [next] = commands;
    const added = next?.kind === 'simple' ? next.words.map((word) => keyword(word.parts)) : [];
    const last = this.commands.at(-1)?.words.map(({ text }) => text) ?? [];
    return last.includes('qdisc') && last.includes('change') && added.includes('qdisc') && added.includes('add');
  }

  #pipeline(commands: readonly ShellNode[]): Outcome {
    const [first, second] = commands;
    if (second === undefined)
      return first === undefined ? { flow: 'on', status: true } : this.#command(first, undefined);
    let fed: readonly Input[] | 'unknown' = 'unknown';
    let status: Status = 'assumed';
    for (const [i, node] of commands.entries()) {
      const last = i === commands.length - 1;
      if (i > 0 && node.kind !== 'simple') {
        // A loop that reads what a command prints.
        this.leaveOut(
          [{ joint: ';', isNegated: false, commands: [node] }],
          node.line,
          node.kind === 'while' ? 'loop' : 'branch',
          nameOf(node),
        );
        continue;
      }
      const printedText: readonly Input[] | undefined = last ? undefined : this.printed(node);
      const outcome = this.#command(node, i === 0 ? undefined : fed);
      if (outcome.flow === 'exit') return outcome;
      status = outcome.status;
      fed = printedText ?? 'unknown';
    }
    return { flow: 'on', status };
  }

  #command(node: ShellNode, fed: readonly Input[] | 'unknown' | undefined): Outcome {
    if (++this.#count > MOST_COMMANDS) {
      if (this.#count === MOST_COMMANDS + 1) this.skip(node.line, 'endless', 'script');
      return { flow: 'exit', status: undefined };
    }
    switch (node.kind) {
      case 'simple':
        return this.simple(node, fed);
      case 'arithmetic':
        return { flow: 'on', status: runArithmetic(this.expansion, node.text) };
      case 'group':
        return this.list(node.body);
      case 'function':
        this.functions.set(node.name, { line: node.line, body: node.body, isCalled: false });
        return { flow: 'on', status: true };
      case 'if':
        return this.#if(node);
      case 'case':
        return this.#case(node);
      case 'for':
        return this.#for(node);
      case 'while':
        return this.#while(node);
    }
  }

  #if(node: Extract<ShellNode, { kind: 'if' }>): Outcome {
    for (const [i, { condition, body }] of node.clauses.entries()) {
      this.decider = undefined;
      const { flow, status } = this.list(condition);
      if (flow === 'exit') return { flow, status };
      if (status === true) return this.list(body);
      if (status !== false) {
        const rest = [...node.clauses.slice(i).map((clause) => clause.body), node.otherwise];
        return this.#undecided(rest, node.line, 'if');
      }
    }
    return this.list(node.otherwise);
  }

  #case(node: Extract<ShellNode, { kind: 'case' }>): Outcome {
    const [word] = this.expansion.expand(
      [{ kind: 'text', text: '', quoted: true }, ...quoted(node.word.parts)],
      node.line,
    );
    const clauses = node.clauses.map(({ patterns, body }) => ({
      patterns: patterns.map((pattern) => this.#pattern(pattern)),
      body,
    }));
    let text = word?.unknown === undefined ? (word?.text ?? '') : undefined;
    if (text === undefined && word?.variable !== undefined) {
      text = STARTS.find((start) => clauses.some(({ patterns }) => patterns.includes(start)));
      if (text !== undefined) this.choose(node.line, word.variable, text);
    }
    if (text === undefined) this.decider = word?.variable;
    if (text === undefined)
      return this.#undecided(
        clauses.map(({ body }) => body),
        node.line,
        'case',
      );
    const chosen = clauses.find(({ patterns }) => patterns.some((pattern) => matchesPattern(text, pattern)));
    return chosen === undefined ? { flow: 'on', status: true } : this.list(chosen.body);
  }

  /**
   * Goes one of several ways of which only a run knows which: the one that sets up a root qdisc, where only one does, as
   * nothing has a place without it; otherwise none.
   */
  #undecided(ways: readonly ShellList[], line: number, name: string): Outcome {
    const chosen = ways.filter((way) => this.#peek(way).setsUpRoot);
    const [way] = chosen;
    if (way === undefined || chosen.length > 1) {
      this.leaveOut(ways.flat(), line, 'branch', name);
      return { flow: 'on', status: undefined };
    }
    this.skip(line, 'way', name, this.#peek(way));
    return this.list(way);
  }

  #peek(list: ShellList): Survey {
    return surveyOf(list, (name) => this.functions.get(name)?.body, this.expansion.variables);
  }

  #pattern(word: RawWord): string {
    return this.expansion.expandToText(word.parts, word.line);
  }

  /** Reads on as if a variable had that value, and says so. */
  protected choose(line: number, variable: string, text: string): void {
    this.expansion.variables.choose(variable, text);
    this.skip(line, 'choice', `${variable}=${text}`);
  }

  #for(node: Extract<ShellNode, { kind: 'for' }>): Outcome {
    if (node.arithmetic !== undefined) return this.#countingLoop(node, node.arithmetic);
    const { variables } = this.expansion;
    const items =
      node.words === undefined
        ? variables.arguments().map((text) => ({ text, unknown: variables.reasonIn(text)?.text }))
        : this.#loopWords(node.words);
    if (node.keyword === 'select' || items.some((item) => item.unknown !== undefined)) {
      variables.setUnknown(node.name, unknownBecause('loop', 'for', node.line));
      if (node.keyword === 'for' && isOverDevices(node.body, node.name)) {
        this.skip(node.line, 'once', node.name);
        const { flow, status } = this.list(node.body);
        return { flow: flow === 'exit' || flow === 'return' ? flow : 'on', status };
      }
      this.leaveOut(node.body, node.line, 'loop', node.keyword);
      return { flow: 'on', status: undefined };
    }
    for (const { text } of items) {
      variables.set(node.name, text);
      const { flow, status } = this.list(node.body);
      if (flow === 'break') break;
      if (flow === 'exit' || flow === 'return') return { flow, status };
    }
    return { flow: 'on', status: true };
  }

  /** The words of a loop; a variable that nobody sets gives none, as in a shell. */
  #loopWords(words: readonly RawWord[]): readonly ShellWord[] {
    const expanded = words.flatMap((word) => this.expansion.expand(word.parts, word.line));
    return expanded.filter((word) => word.text !== '' || !/is set nowhere before$/.test(word.unknown ?? ''));
  }

  #countingLoop(node: Extract<ShellNode, { kind: 'for' }>, text: string): Outcome {
    const [begin = '', condition = '', step = ''] = text.split(';');
    runArithmetic(this.expansion, begin);
    const turn = (): Status => runArithmetic(this.expansion, condition);
    return this.#turns(node, 'for', turn, () => runArithmetic(this.expansion, step));
  }

  #while(node: Extract<ShellNode, { kind: 'while' }>): Outcome {
    const isUntil = node.keyword === 'until';
    const plain =
      node.condition.length === 1 && node.condition[0]!.commands.length === 1
        ? node.condition[0]!.commands[0]
        : undefined;
    const first = plain?.kind === 'simple' ? plain.words.map((word) => keyword(word.parts)).join(' ') : '';
    const turn = (): Status => {
      const { status } = this.list(node.condition);
      return isUntil ? negated(status) : status;
    };
    if (/^(?:true|:|\[ (?:1|true) \])$/.test(first) && !isUntil) {
      this.leaveOut(node.body, node.line, 'loop', node.keyword);
      return { flow: 'on', status: undefined };
    }
    return this.#turns(node, node.keyword, turn, () => true);
  }

  /** Runs a loop as long as its condition is known to hold; one that does not end is left out as a whole. */
  #turns(
    node: Extract<ShellNode, { kind: 'for' | 'while' }>,
    name: string,
    condition: () => Status,
    step: () => Status,
  ): Outcome {
    const before = this.commands.length;
    for (let turns = 0; ; turns++) {
      const truth = condition();
      if (truth === false) return { flow: 'on', status: true };
      const isEndless = turns >= MOST_TURNS || this.#count > MOST_COMMANDS;
      if (truth !== true || isEndless) {
        if (isEndless) this.commands.length = before;
        this.leaveOut(node.body, node.line, isEndless ? 'endless' : 'loop', name);
        return { flow: 'on', status: undefined };
      }
      const { flow, status } = this.list(node.body);
      if (flow === 'break') return { flow: 'on', status: true };
      if (flow === 'exit' || flow === 'return') return { flow, status };
      step();
    }
  }

  /** Runs a plain command, which is given what the pipe before it brings. */
  protected abstract simple(node: SimpleCommand, fed: readonly Input[] | 'unknown' | undefined): Outcome;

  /** What a command prints into a pipe, where that is plain to see. */
  protected abstract printed(node: ShellNode): readonly Input[] | undefined;
}

/** Text that a command reads, with its first and last line in the script. */
export interface Input {
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

const NOTHING: Survey = { tcLines: [], onlyDeletes: false, setsUpRoot: false, assigned: new Set() };

function unknownBecause(sort: SkippedPart['sort'], name: string, line: number): string {
  if (sort === 'loop' || sort === 'endless') return `the loop at line ${line} sets it`;
  if (sort === 'branch') return `the "${name}" at line ${line} sets it`;
  if (sort === 'call') return `the function ${name} sets it`;
  return `whether line ${line} sets it depends on a test`;
}

function negated(status: Status): Status {
  return status === 'assumed' || status === undefined ? undefined : !status;
}

function lineOf(commands: readonly ShellNode[]): number {
  return commands[0]?.line ?? 1;
}

function nameOf(node: ShellNode): string {
  return node.kind === 'for' || node.kind === 'while' ? node.keyword : node.kind;
}

/** Whether a loop goes over devices: one device stands for all of them. */
function isOverDevices(body: ShellList, name: string): boolean {
  let found = false;
  walk(body, (node) => {
    if (node.kind !== 'simple') return;
    const at = node.words.findIndex((word) => keyword(word.parts) === 'dev');
    const [part] =
      node.words[at + 1]?.parts.filter((candidate) => candidate.kind !== 'text' || candidate.text !== '') ?? [];
    if (at >= 0 && part?.kind === 'parameter' && part.name === name) found = true;
  });
  return found;
}

/** The pieces of a word as if it stood in quotes. */
function quoted(parts: readonly WordPart[]): WordPart[] {
  return parts.map((part) => ({ ...part, quoted: true }));
}
