import { type Heredoc, type ShellFault, type ShellToken, tokenize, type WordPart } from './shell-words.ts';

/** A word as written, with its line. */
export interface RawWord {
  readonly line: number;
  readonly parts: readonly WordPart[];
}

/** A command with its words; `NAME=( … )` is an array among its assignments. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly line: number;
  readonly words: readonly RawWord[];
  readonly arrays: readonly { readonly name: string; readonly append: boolean; readonly words: readonly RawWord[] }[];
  /** Here-documents that it reads. */
  readonly inputs: readonly Heredoc[];
}

/** One command of a script, plain or compound. */
export type ShellNode =
  | SimpleCommand
  | { readonly kind: 'arithmetic'; readonly line: number; readonly text: string }
  | { readonly kind: 'group'; readonly line: number; readonly body: ShellList }
  | {
      readonly kind: 'if';
      readonly line: number;
      readonly clauses: readonly { readonly condition: ShellList; readonly body: ShellList }[];
      readonly otherwise: ShellList;
    }
  | {
      readonly kind: 'for';
      readonly line: number;
      readonly keyword: string;
      readonly name: string;
      /** Absent: the arguments. */
      readonly words: readonly RawWord[] | undefined;
      /** Of `for ((begin; condition; step))`. */
      readonly arithmetic: string | undefined;
      readonly body: ShellList;
    }
  | {
      readonly kind: 'while';
      readonly line: number;
      readonly keyword: string;
      readonly condition: ShellList;
      readonly body: ShellList;
    }
  | {
      readonly kind: 'case';
      readonly line: number;
      readonly word: RawWord;
      readonly clauses: readonly { readonly patterns: readonly RawWord[]; readonly body: ShellList }[];
    }
  | { readonly kind: 'function'; readonly line: number; readonly name: string; readonly body: ShellList };

/** Commands joined by pipes, and how they hang on what stands before them. */
export interface ShellPipeline {
  readonly joint: ';' | '&&' | '||';
  readonly isNegated: boolean;
  readonly commands: readonly ShellNode[];
}

/** Pipelines in the order of the script. */
export type ShellList = readonly ShellPipeline[];

/** Deepest nesting of loops, branches and groups that is followed. */
const DEEPEST = 50;
const CLOSERS = new Set(['fi', 'done', 'esac', '}', 'then', 'else', 'elif', 'do']);
/** Keywords that may begin nothing before a text is taken for one that is no script. */
const MOST_FAILURES = 200;
/** What must follow a keyword somewhere, or it is a plain word. */
const NEEDED = new Map([
  ['if', 'then'],
  ['while', 'do'],
  ['until', 'do'],
  ['case', 'esac'],
]);
const ASSIGNMENT_ALONE = /^([A-Za-z_]\w*)(\+?)=$/;
const FUNCTION_NAME = /^[A-Za-z_][\w.:-]*$/;

/** Parses a script; what is damaged is told and read as far as it goes. */
export function parseShell(text: string): { readonly list: ShellList; readonly faults: readonly ShellFault[] } {
  const { tokens, heredocs, faults } = tokenize(text);
  const parser = new Parser(tokens, heredocs, faults);
  return { list: parser.script(), faults };
}

/** Calls `visit` for each command in the list, those inside of compound ones and of function bodies included. */
export function walk(list: ShellList, visit: (node: ShellNode) => void): void {
  for (const { commands } of list) {
    for (const node of commands) {
      visit(node);
      for (const inner of partsOf(node)) walk(inner, visit);
    }
  }
}

function partsOf(node: ShellNode): readonly ShellList[] {
  switch (node.kind) {
    case 'simple':
    case 'arithmetic':
      return [];
    case 'if':
      return [...node.clauses.flatMap(({ condition, body }) => [condition, body]), node.otherwise];
    case 'case':
      return node.clauses.map(({ body }) => body);
    case 'while':
      return [node.condition, node.body];
    default:
      return [node.body];
  }
}

/** The text of a word that is written plainly, '' for any other. */
export function keyword(parts: readonly WordPart[]): string {
  const only = parts.length === 1 ? parts[0] : undefined;
  return only?.kind === 'text' && !only.quoted ? only.text : '';
}

class Parser {
  readonly #tokens: readonly ShellToken[];
  readonly #heredocs: readonly Heredoc[];
  readonly #faults: ShellFault[];
  /** Index of the last token that is that keyword: nothing that needs it can begin behind. */
  readonly #last = new Map<string, number>();
  /** Tokens that look like a keyword and begin nothing, as words of prose do. */
  readonly #plain = new Set<number>();
  #at = 0;
  #depth = 0;
  /** Keywords that began nothing after all: each cost a look at all that follows. */
  #failures = 0;

  constructor(tokens: readonly ShellToken[], heredocs: readonly Heredoc[], faults: ShellFault[]) {
    this.#tokens = tokens;
    this.#heredocs = heredocs;
    this.#faults = faults;
    for (const [i, token] of tokens.entries()) {
      const word = token.kind === 'word' ? keyword(token.parts) : '';
      if (/^(?:then|do|esac)$/.test(word)) this.#last.set(word, i);
    }
    this.#tellOfOpenCase();
  }

  /** Tells of the first `case WORD in PATTERN)` behind which nothing ends one: it is read as plain words. */
  #tellOfOpenCase(): void {
    const tokens = this.#tokens;
    for (let i = (this.#last.get('esac') ?? -1) + 1; i < tokens.length; i++) {
      const [before, token, word, between] = [tokens[i - 1], tokens[i]!, tokens[i + 1], tokens[i + 2]];
      if (token.kind !== 'word' || keyword(token.parts) !== 'case' || before?.kind === 'word') continue;
      if (word?.kind !== 'word' || between?.kind !== 'word' || keyword(between.parts) !== 'in') continue;
      this.#at = i + 3;
      this.#skipLineEnds();
      const hasPattern = this.#isOperator('(') || (this.#tokens[this.#at]?.kind === 'word' && this.#endsPattern());
      this.#at = 0;
      if (!hasPattern) continue;
      this.#faults.push({ line: token.line, expected: 'an "esac" that ends the "case"' });
      return;
    }
  }

  #endsPattern(): boolean {
    return this.#isOperator(')', 1) || this.#isOperator('|', 1);
  }

  script(): ShellList {
    const list: ShellPipeline[] = [];
    while (this.#at < this.#tokens.length) {
      list.push(...this.#list(new Set()));
      // A closing keyword that nothing opened.
      this.#at++;
    }
    return list;
  }

  /** Reads up to one of the keywords, a closing parenthesis (for `)`) or `;;`, which are left. */
  #list(until: ReadonlySet<string>): ShellPipeline[] {
    const list: ShellPipeline[] = [];
    let joint: ShellPipeline['joint'] = ';';
    while (this.#at < this.#tokens.length) {
      const token = this.#tokens[this.#at]!;
      if (token.kind === 'operator' && token.text !== '(') {
        if ((token.text === ')' || token.text === ';;') && this.#isWanted(token.text)) return list;
        this.#at++;
        if (token.text === '&&' || token.text === '||') joint = token.text;
        else if (token.text !== '\n') joint = ';';
        continue;
      }
      const word = this.#keywordHere();
      if (until.has(word)) return list;
      if (CLOSERS.has(word)) {
        // Belongs to a block further out, or to none.
        if (this.#isWanted(word)) return list;
        this.#at++;
        continue;
      }
      const before = this.#at;
      list.push(this.#pipeline(joint));
      if (this.#at === before) this.#at++;
      joint = ';';
    }
    return list;
  }

  readonly #wanted: ReadonlySet<string>[] = [];

  #isWanted(word: string): boolean {
    return this.#wanted.some((set) => set.has(word));
  }

  #inside(until: readonly string[]): ShellPipeline[] {
    const set = new Set(until);
    this.#wanted.push(set);
    this.#depth++;
    const list = this.#list(set);
    this.#depth--;
    this.#wanted.pop();
    return list;
  }

  #keywordHere(): string {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' && !this.#plain.has(this.#at) ? keyword(token.parts) : '';
  }

  #isOperator(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === 'operator' && token.text === text;
  }

  #skipLineEnds(): void {
    while (this.#isOperator('\n') || this.#isOperator(';')) this.#at++;
  }

  #pipeline(joint: ShellPipeline['joint']): ShellPipeline {
    let isNegated = false;
    for (let word = this.#keywordHere(); word === '!' || word === 'time'; word = this.#keywordHere()) {
      if (word === '!') isNegated = !isNegated;
      this.#at++;
    }
    const commands = [this.#command()];
    while (this.#isOperator('|')) {
      this.#at++;
      this.#skipLineEnds();
      commands.push(this.#command());
    }
    return { joint, isNegated, commands };
  }

  #command(): ShellNode {
    const token = this.#tokens[this.#at];
    const line = token?.line ?? 1;
    if (token?.kind === 'arithmetic') {
      this.#at++;
      return { kind: 'arithmetic', line, text: token.text };
    }
    const [start, faults] = [this.#at, this.#faults.length];
    const compound = this.#depth < DEEPEST ? this.#compound(line) : undefined;
    if (compound !== undefined) {
      this.#dropWordsBehind();
      return compound;
    }
    this.#at = start;
    this.#faults.length = faults;
    if (this.#isOperator('(')) {
      this.#at++;
      return simple(line, []);
    }
    return this.#simple(line);
  }

  /** Redirections are gone; what is left behind a compound command is damage. */
  #dropWordsBehind(): void {
    while (this.#tokens[this.#at]?.kind === 'word' && !CLOSERS.has(this.#keywordHere())) this.#at++;
  }

  /** A compound command; undefined where the keyword turns out to be a plain word. */
  #compound(line: number): ShellNode | undefined {
    if (this.#isOperator('(')) {
      this.#at++;
      const body = this.#inside([')']);
      if (this.#isOperator(')')) this.#at++;
      return { kind: 'group', line, body };
    }
    const word = this.#keywordHere();
    const at = this.#at;
    if (this.#failures > MOST_FAILURES && NEEDED.has(word)) return undefined;
    const node = this.#byKeyword(word, line);
    if (node === undefined && word !== '') this.#plain.add(at);
    if (node === undefined && NEEDED.has(word)) this.#failures++;
    return node;
  }

  #byKeyword(word: string, line: number): ShellNode | undefined {
    const needed = NEEDED.get(word);
    if (needed !== undefined && (this.#last.get(needed) ?? -1) < this.#at) return undefined;
    if (word === '{') {
      this.#at++;
      const body = this.#inside(['}']);
      this.#close('}', '{', line);
      return { kind: 'group', line, body };
    }
    if (word === 'if') return this.#if(line);
    if (word === 'for' || word === 'select') return this.#for(word, line);
    if (word === 'while' || word === 'until') return this.#while(word, line);
    if (word === 'case') return this.#case(line);
    return this.#function(word, line);
  }

  #close(closer: string, opener: string, line: number): void {
    if (this.#keywordHere() === closer) this.#at++;
    else
      this.#faults.push({ line, expected: `${closer === 'esac' ? 'an' : 'a'} "${closer}" that ends the "${opener}"` });
  }

  #if(line: number): ShellNode | undefined {
    const clauses: { condition: ShellList; body: ShellList }[] = [];
    let otherwise: ShellList = [];
    for (let more = true; more; ) {
      this.#at++;
      const condition = this.#inside(['then']);
      if (this.#keywordHere() !== 'then') {
        if (clauses.length === 0) return undefined;
        break;
      }
      this.#at++;
      clauses.push({ condition, body: this.#inside(['elif', 'else', 'fi']) });
      more = this.#keywordHere() === 'elif';
    }
    if (this.#keywordHere() === 'else') {
      this.#at++;
      otherwise = this.#inside(['fi']);
    }
    this.#close('fi', 'if', line);
    return { kind: 'if', line, clauses, otherwise };
  }

  #for(word: string, line: number): ShellNode | undefined {
    this.#at++;
    const token = this.#tokens[this.#at];
    let name = '';
    let words: RawWord[] | undefined;
    let arithmetic: string | undefined;
    if (token?.kind === 'arithmetic') {
      arithmetic = token.text;
      this.#at++;
    } else {
      name = this.#keywordHere();
      if (!/^[A-Za-z_]\w*$/.test(name)) return undefined;
      this.#at++;
      this.#skipLineEnds();
      if (this.#keywordHere() === 'in') {
        this.#at++;
        words = [];
        for (let next = this.#tokens[this.#at]; next?.kind === 'word'; next = this.#tokens[++this.#at])
          words.push(next);
      }
    }
    this.#skipLineEnds();
    const body = this.#loopBody(word, line);
    return body === undefined ? undefined : { kind: 'for', line, keyword: word, name, words, arithmetic, body };
  }

  #loopBody(word: string, line: number): ShellList | undefined {
    if (this.#keywordHere() === '{') {
      this.#at++;
      const body = this.#inside(['}']);
      this.#close('}', word, line);
      return body;
    }
    if (this.#keywordHere() !== 'do') return undefined;
    this.#at++;
    const body = this.#inside(['done']);
    this.#close('done', word, line);
    return body;
  }

  #while(word: string, line: number): ShellNode | undefined {
    this.#at++;
    const condition = this.#inside(['do']);
    if (this.#keywordHere() !== 'do') return undefined;
    const body = this.#loopBody(word, line);
    return body === undefined ? undefined : { kind: 'while', line, keyword: word, condition, body };
  }

  #case(line: number): ShellNode | undefined {
    const word = this.#tokens[this.#at + 1];
    if (word?.kind !== 'word') return undefined;
    this.#at += 2;
    this.#skipLineEnds();
    if (this.#keywordHere() !== 'in') return undefined;
    this.#at++;
    const clauses: { patterns: RawWord[]; body: ShellList }[] = [];
    for (;;) {
      this.#skipLineEnds();
      while (this.#isOperator(';;')) this.#at++;
      this.#skipLineEnds();
      if (this.#at >= this.#tokens.length || this.#keywordHere() === 'esac') break;
      const before = this.#at;
      const patterns = this.#patterns();
      const body = this.#inside([';;', 'esac']);
      clauses.push({ patterns, body });
      if (this.#at === before) this.#at++;
    }
    this.#close('esac', 'case', line);
    return { kind: 'case', line, word, clauses };
  }

  /** `a | b )`. */
  #patterns(): RawWord[] {
    const patterns: RawWord[] = [];
    if (this.#isOperator('(')) this.#at++;
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[++this.#at]) {
      if (token.kind === 'word') patterns.push(token);
      else if (token.kind !== 'operator' || token.text !== '|') break;
    }
    if (this.#isOperator(')')) this.#at++;
    return patterns;
  }

  #function(word: string, line: number): ShellNode | undefined {
    let name = word;
    if (word === 'function') {
      this.#at++;
      name = this.#keywordHere();
    }
    const hasParentheses = this.#isOperator('(', 1) && this.#isOperator(')', 2);
    if (!FUNCTION_NAME.test(name) || (word !== 'function' && !hasParentheses)) return undefined;
    this.#at += hasParentheses ? 3 : 1;
    this.#skipLineEnds();
    const isBody = this.#keywordHere() === '{' || this.#isOperator('(');
    if (word === 'function' && !hasParentheses && !isBody) return undefined;
    if (!isBody) return { kind: 'function', line, name, body: [this.#pipeline(';')] };
    const body = this.#compound(line);
    return body === undefined ? undefined : { kind: 'function', line, name, body: [bare(body)] };
  }

  #simple(line: number): SimpleCommand {
    const start = this.#at;
    const words: RawWord[] = [];
    const arrays: { name: string; append: boolean; words: RawWord[] }[] = [];
    const first = this.#tokens[this.#at];
    if (first?.kind === 'word' && keyword(first.parts) === '[[') this.#doubleBracket(words);
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'word') break;
      this.#at++;
      const assignment = ASSIGNMENT_ALONE.exec(keyword(token.parts));
      if (assignment === null || !this.#isOperator('(')) {
        words.push(token);
        continue;
      }
      this.#at++;
      const elements: RawWord[] = [];
      for (let next = this.#tokens[this.#at]; next !== undefined; next = this.#tokens[++this.#at]) {
        if (next.kind === 'word') elements.push(next);
        else if (next.kind !== 'operator' || next.text !== '\n') break;
      }
      if (this.#isOperator(')')) this.#at++;
      arrays.push({ name: assignment[1]!, append: assignment[2] === '+', words: elements });
    }
    const inputs = this.#heredocs.filter(({ owner }) => owner >= start && owner <= this.#at);
    return { kind: 'simple', line, words, arrays, inputs };
  }

  /** In `[[ … ]]`, && and || are words of the test. */
  #doubleBracket(words: RawWord[]): void {
    let end = this.#at;
    for (let token = this.#tokens[end]; token !== undefined; token = this.#tokens[++end]) {
      if (token.kind === 'operator' && /^(?:\n|;|;;)$/.test(token.text)) return;
      if (token.kind === 'word' && keyword(token.parts) === ']]') break;
    }
    if (end >= this.#tokens.length) return;
    for (; this.#at <= end; this.#at++) {
      const token = this.#tokens[this.#at]!;
      if (token.kind === 'word') words.push(token);
      else words.push({ line: token.line, parts: [{ kind: 'text', text: token.text, quoted: false }] });
    }
  }
}

function simple(line: number, words: readonly RawWord[]): SimpleCommand {
  return { kind: 'simple', line, words, arrays: [], inputs: [] };
}

function bare(node: ShellNode): ShellPipeline {
  return { joint: ';', isNegated: false, commands: [node] };
}
