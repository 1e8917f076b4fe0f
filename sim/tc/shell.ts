import { ShellVariables, type ShellWord, type VariableValue } from './shell-expand.ts';
import { type ShellToken, tokenize, type WordPart } from './shell-words.ts';

/** A simple command of a script, expanded, in the order in which the script runs. */
export interface ShellCommand {
  readonly line: number;
  readonly words: readonly ShellWord[];
  /** Text of here-documents that the command is given, with the line of their first line. */
  readonly input: readonly { readonly line: number; readonly text: string }[];
  /** Whether the command is fed by a pipe. */
  readonly piped: boolean;
}

/** A part of the script that is not interpreted. */
export interface SkippedPart {
  readonly line: number;
  readonly sort: 'loop' | 'function' | 'branch' | 'call' | 'test' | 'alternative' | 'after-exit' | 'program' | 'fault';
  /** `for`, `if`, the function's name; for a fault what was expected. */
  readonly name: string;
  /** Lines of the tc commands inside. */
  readonly tcLines: readonly number[];
}

/** What the text of a script says without being run. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  readonly skipped: readonly SkippedPart[];
  /** Variables given from outside that nothing uses. */
  readonly unused: ShellVariables['unused'];
}

const OPENERS: Readonly<Record<string, SkippedPart['sort']>> = {
  if: 'branch',
  case: 'branch',
  for: 'loop',
  while: 'loop',
  until: 'loop',
  select: 'loop',
};
const CLOSERS = new Set(['fi', 'esac', 'done']);
const CONTINUERS = new Set(['then', 'else', 'elif', 'do', '!', 'time']);
const DECLARERS = new Set(['export', 'local', 'declare', 'typeset', 'readonly']);
const TESTS = new Set(['[', '[[', 'test', 'grep', 'egrep', 'false']);
const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=/;

/**
 * Reads a script: plain assignments and straight commands. Loops, branches, functions and what depends on a test
 * are not interpreted but listed; variables that they set are unknown afterwards. Nothing is executed.
 */
export function readShell(text: string, variables: Readonly<Record<string, string>> = {}): ShellReading {
  const { tokens, faults } = tokenize(text);
  const reader = new ScriptReader(tokens, variables);
  const { commands, skipped, unused } = reader.run();
  const faultParts = faults.map(
    ({ line, expected }) => ({ line, sort: 'fault', name: expected, tcLines: [] }) as const,
  );
  return { commands, skipped: [...skipped, ...faultParts].sort((a, b) => a.line - b.line), unused };
}

interface Block {
  readonly kind: string;
  readonly line: number;
  /** Whether the commands inside are left out; false for plain groups. */
  readonly skips: boolean;
  readonly sort: SkippedPart['sort'];
  readonly name: string;
  readonly tcLines: number[];
  readonly assigned: Set<string>;
}

/** One command before expansion. */
interface RawCommand {
  readonly line: number;
  readonly words: { readonly line: number; readonly parts: readonly WordPart[] }[];
}

class ScriptReader {
  readonly #tokens: readonly ShellToken[];
  readonly #variables: ShellVariables;
  readonly #commands: { command: ShellCommand; input: { line: number; text: string }[] }[] = [];
  readonly #skipped: SkippedPart[] = [];
  readonly #blocks: Block[] = [];
  readonly #functions = new Map<string, Set<string>>();
  #pendingFunction: { name: string; line: number } | undefined;
  #exited: Block | undefined;
  #at = 0;

  constructor(tokens: readonly ShellToken[], variables: Readonly<Record<string, string>>) {
    this.#tokens = tokens;
    this.#variables = new ShellVariables(variables);
  }

  run(): ShellReading {
    let before = '\n';
    let conditional: { sort: SkippedPart['sort']; name: string } | undefined;
    while (this.#at < this.#tokens.length) {
      const token = this.#tokens[this.#at]!;
      if (token.kind === 'heredoc') {
        this.#attachInput(token);
        this.#at++;
        continue;
      }
      if (token.kind === 'operator') {
        this.#at++;
        if (token.text === '(') this.#openGroup('(', token.line);
        else if (token.text === ')') this.#close('(');
        if (token.text !== '\n' || !/^(?:&&|\|\||\|)$/.test(before)) before = token.text;
        if (/^[;\n&]/.test(before) && before !== '&&') conditional = undefined;
        continue;
      }
      const raw = this.#rawCommand();
      conditional = this.#take(raw, before, conditional);
      before = '';
    }
    for (const block of this.#blocks.splice(0)) if (block.skips) this.#report(block);
    if (this.#exited !== undefined && this.#exited.tcLines.length > 0) this.#report(this.#exited);
    return {
      commands: this.#commands.map(({ command, input }) => ({ ...command, input })),
      skipped: this.#skipped,
      unused: this.#variables.unused,
    };
  }

  #rawCommand(): RawCommand {
    const line = this.#tokens[this.#at]!.line;
    const words: { line: number; parts: readonly WordPart[] }[] = [];
    for (let token = this.#tokens[this.#at]; token?.kind === 'word'; token = this.#tokens[++this.#at])
      words.push(token);
    return { line, words };
  }

  /** Takes a command; returns the test, if it is one, on which what follows after && or || depends. */
  #take(
    raw: RawCommand,
    before: string,
    conditional: { sort: SkippedPart['sort']; name: string } | undefined,
  ): { sort: SkippedPart['sort']; name: string } | undefined {
    const words = this.#openBlocks(raw);
    if (words.length === 0) return undefined;
    const assignments = this.#leadingAssignments(words);
    const skipping = this.#blocks.find((block) => block.skips) ?? this.#exited;
    if (skipping !== undefined) {
      for (const [name] of assignments) skipping.assigned.add(name);
      const rest = words.slice(assignments.length);
      for (const name of this.#declared(rest)) skipping.assigned.add(name);
      if (rest.some((word) => namesTc(plainText(word.parts), this.#variables))) skipping.tcLines.push(raw.line);
      return undefined;
    }
    const rest = words.slice(assignments.length);
    if (rest.length === 0) {
      for (const [name, value, append] of assignments) this.#assign(name, value, append, raw.line, conditional);
      return conditional;
    }
    const expanded = rest.flatMap((word) => this.#variables.expand(word.parts, word.line));
    const first = expanded[0]?.text ?? '';
    if (conditional !== undefined || before === '||') {
      const reason = conditional ?? { sort: 'alternative' as const, name: '||' };
      for (const name of this.#declared(rest)) this.#variables.set(name, { unknown: unknownBecause(reason, raw.line) });
      if (expanded.some((word) => namesTc(word.text, this.#variables))) {
        this.#skipped.push({ line: raw.line, ...reason, tcLines: [raw.line] });
      }
      return reason;
    }
    if (TESTS.has(first)) return { sort: 'test', name: first };
    if (this.#functions.has(first)) {
      for (const name of this.#functions.get(first)!) {
        this.#variables.set(name, { unknown: `the function ${first} sets it, and functions are not interpreted` });
      }
      this.#skipped.push({ line: raw.line, sort: 'call', name: first, tcLines: [raw.line] });
      return undefined;
    }
    if (first === 'exit' || first === 'return' || first === 'exec') {
      if (first !== 'exec' || !expanded.some((word) => namesTc(word.text, this.#variables))) {
        if (first !== 'exec') this.#exited = newBlock('exit', raw.line, true, 'after-exit', first);
        return undefined;
      }
    }
    if (DECLARERS.has(first)) this.#declare(rest.slice(1), raw.line);
    else if (first === 'read')
      for (const word of expanded.slice(1)) this.#unknown(word.text, 'it is read while the script runs');
    else if (first === 'unset') for (const word of expanded.slice(1)) this.#unknown(word.text, 'the script unsets it');
    else if (/^(?:eval|source|\.)$/.test(first)) {
      this.#skipped.push({ line: raw.line, sort: 'program', name: first, tcLines: [raw.line] });
    }
    const input: { line: number; text: string }[] = [];
    this.#commands.push({ command: { line: raw.line, words: expanded, input, piped: before === '|' }, input });
    return undefined;
  }

  /** Follows the keywords at the head of a command; returns the words that are left as a command. */
  #openBlocks(raw: RawCommand): RawCommand['words'] {
    let words = raw.words;
    for (;;) {
      const head = words[0] === undefined ? '' : keyword(words[0].parts);
      if (this.#pendingFunction !== undefined && head !== '{') {
        this.#pendingFunction = undefined;
        continue;
      }
      if (head === '{') this.#openGroup('{', raw.line);
      else if (head === '}') this.#close('{');
      else if (CLOSERS.has(head)) this.#close(head);
      else if (head === 'function' && words[1] !== undefined) {
        this.#pendingFunction = { name: keyword(words[1].parts), line: raw.line };
        this.#skipParentheses();
        return this.#bodyAfterName(words.slice(2), raw.line);
      } else if (words.length === 1 && this.#isFunctionHead(head)) {
        this.#pendingFunction = { name: head, line: raw.line };
        this.#skipParentheses();
        return [];
      } else if (Object.hasOwn(OPENERS, head)) {
        this.#blocks.push(newBlock(head, raw.line, true, OPENERS[head]!, head));
        if (head === 'case') {
          this.#skipCasePattern();
          return [];
        }
        if (head === 'for' || head === 'select') {
          if (words[1] !== undefined) this.#blocks.at(-1)!.assigned.add(keyword(words[1].parts));
          return [];
        }
      } else if (!CONTINUERS.has(head)) return words;
      words = words.slice(1);
      if (words.length === 0) return words;
    }
  }

  #bodyAfterName(words: RawCommand['words'], line: number): RawCommand['words'] {
    if (words[0] === undefined || keyword(words[0].parts) !== '{') return [];
    this.#openGroup('{', line);
    return words.slice(1);
  }

  #isFunctionHead(head: string): boolean {
    if (!/^[A-Za-z_][\w.-]*$/.test(head)) return false;
    const [open, close] = [this.#tokens[this.#at], this.#tokens[this.#at + 1]];
    return open?.kind === 'operator' && open.text === '(' && close?.kind === 'operator' && close.text === ')';
  }

  #skipParentheses(): void {
    if (this.#isFunctionHead('f')) this.#at += 2;
    for (let token = this.#tokens[this.#at]; token?.kind === 'operator' && token.text === '\n'; ) {
      token = this.#tokens[++this.#at];
    }
  }

  /** Moves behind the `)` of a pattern of `case`. */
  #skipCasePattern(): void {
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at]!;
      if (token.kind === 'operator' && token.text === ')') {
        this.#at++;
        return;
      }
      if (token.kind === 'word' && keyword(token.parts) === 'esac') return;
    }
  }

  #openGroup(kind: string, line: number): void {
    const body = this.#pendingFunction;
    this.#pendingFunction = undefined;
    this.#blocks.push(
      body === undefined
        ? newBlock(kind, line, false, 'branch', kind)
        : newBlock(kind, body.line, true, 'function', body.name),
    );
  }

  #close(closer: string): void {
    const kinds =
      closer === 'done' ? ['for', 'while', 'until', 'select'] : [{ fi: 'if', esac: 'case' }[closer] ?? closer];
    const inCase = this.#blocks.at(-1)?.kind === 'case';
    if (closer === '(' && inCase) return;
    const at = this.#blocks.findLastIndex((block) => kinds.includes(block.kind));
    if (at < 0) return;
    for (const block of this.#blocks.splice(at)) {
      const outer = this.#blocks.find((candidate) => candidate.skips);
      if (!block.skips) continue;
      if (outer === undefined) this.#report(block);
      else {
        outer.tcLines.push(...block.tcLines);
        for (const name of block.assigned) outer.assigned.add(name);
      }
    }
  }

  #report(block: Block): void {
    if (block.sort === 'function') this.#functions.set(block.name, block.assigned);
    else if (block.sort !== 'after-exit') {
      const unknown = unknownBecause(block, block.line);
      for (const name of block.assigned) this.#variables.set(name, { unknown });
    }
    const { line, sort, name, tcLines } = block;
    if (tcLines.length > 0) this.#skipped.push({ line, sort, name, tcLines });
  }

  #leadingAssignments(words: RawCommand['words']): [string, readonly WordPart[], boolean][] {
    const assignments: [string, readonly WordPart[], boolean][] = [];
    for (const word of words) {
      const assignment = splitAssignment(word.parts);
      if (assignment === undefined) break;
      assignments.push(assignment);
    }
    return assignments;
  }

  #declared(words: RawCommand['words']): string[] {
    const names = words.map((word) => splitAssignment(word.parts)?.[0]).filter((name) => name !== undefined);
    const head = words[0] === undefined ? '' : keyword(words[0].parts);
    return DECLARERS.has(head) ? names : head === 'read' ? words.slice(1).map((word) => keyword(word.parts)) : [];
  }

  #declare(words: RawCommand['words'], line: number): void {
    for (const word of words) {
      const assignment = splitAssignment(word.parts);
      if (assignment !== undefined) this.#assign(assignment[0], assignment[1], assignment[2], line, undefined);
    }
  }

  #assign(
    name: string,
    parts: readonly WordPart[],
    append: boolean,
    line: number,
    conditional: { sort: SkippedPart['sort']; name: string } | undefined,
  ): void {
    let value: VariableValue = this.#variables.expandToText(parts, line);
    const old = append ? this.#variables.get(name) : undefined;
    if (old !== undefined) {
      if ('unknown' in old) value = old;
      else if ('text' in value) value = { text: (old.text + value.text).slice(0, 65536) };
    }
    if (conditional !== undefined) value = { unknown: unknownBecause(conditional, line) };
    this.#variables.set(name, value);
  }

  #unknown(name: string, unknown: string): void {
    this.#variables.set(name, { unknown });
  }

  #attachInput(token: Extract<ShellToken, { kind: 'heredoc' }>): void {
    const last = this.#commands.at(-1);
    if (last === undefined || this.#blocks.some((block) => block.skips)) return;
    if (!token.expand) {
      last.input.push({ line: token.line, text: token.text });
      return;
    }
    const { tokens } = tokenize(`"${token.text.replaceAll('"', '\\"')}"`);
    const word = tokens[0];
    const value = word?.kind === 'word' ? this.#variables.expandToText(word.parts, token.line) : { text: token.text };
    last.input.push({ line: token.line, text: 'text' in value ? value.text : token.text });
  }
}

function newBlock(kind: string, line: number, skips: boolean, sort: SkippedPart['sort'], name: string): Block {
  return { kind, line, skips, sort, name, tcLines: [], assigned: new Set() };
}

function unknownBecause(reason: { sort: SkippedPart['sort']; name: string }, line: number): string {
  if (reason.sort === 'loop') return `the loop at line ${line} sets it`;
  if (reason.sort === 'branch') return `the "${reason.name}" at line ${line} sets it`;
  return `whether line ${line} sets it depends on a test`;
}

/** The text of a word that is written plainly, '' for any other. */
function keyword(parts: readonly WordPart[]): string {
  const only = parts.length === 1 ? parts[0] : undefined;
  return only?.kind === 'text' && !only.quoted ? only.text : '';
}

function plainText(parts: readonly WordPart[]): string {
  return parts
    .map((part) => (part.kind === 'text' ? part.text : part.kind === 'parameter' ? `$${part.name}` : ''))
    .join('');
}

/** Whether a word runs tc: `tc`, `/sbin/tc`, or a variable that holds it. */
function namesTc(text: string, variables: ShellVariables): boolean {
  if (/^(?:\S*\/)?tc$/.test(text)) return true;
  if (!text.startsWith('$')) return false;
  const value = variables.get(text.slice(1));
  return text === '$TC' || (value !== undefined && 'text' in value && /(?:^|[\s/])tc(?:\s|$)/.test(value.text));
}

function splitAssignment(parts: readonly WordPart[]): [string, readonly WordPart[], boolean] | undefined {
  const first = parts[0];
  if (first?.kind !== 'text' || first.quoted) return undefined;
  const match = ASSIGNMENT.exec(first.text);
  if (match === null || match[2] !== undefined) return undefined;
  const rest: WordPart = { kind: 'text', text: first.text.slice(match[0].length), quoted: false };
  return [match[1]!, [rest, ...parts.slice(1)], match[3] === '+'];
}
