/** One piece of a shell word, before expansion. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | {
      readonly kind: 'parameter';
      readonly name: string;
      /** `:-`, `-`, `:=`, `=`, `:+`, `+`, `:?`, `?`; '' for the plain value; anything else is not interpreted. */
      readonly operator: string;
      readonly argument: readonly WordPart[];
      readonly quoted: boolean;
    }
  | { readonly kind: 'arithmetic'; readonly parts: readonly WordPart[]; readonly quoted: boolean }
  | { readonly kind: 'substitution'; readonly text: string; readonly quoted: boolean };

/** A token of a script: a word, an operator that separates commands, or the text between `((` and `))`. */
export type ShellToken =
  | { readonly kind: 'word'; readonly line: number; readonly parts: readonly WordPart[] }
  | { readonly kind: 'operator' | 'arithmetic'; readonly line: number; readonly text: string };

/** A here-document. */
export interface Heredoc {
  /** Number of tokens before its `<<`: which command reads it. */
  readonly owner: number;
  /** Line of its first line. */
  readonly line: number;
  readonly text: string;
  /** Whether variables are expanded in it. */
  readonly expand: boolean;
}

/** What {@link tokenize} finds. */
export interface ShellTokens {
  readonly tokens: ShellToken[];
  readonly heredocs: Heredoc[];
  readonly faults: ShellFault[];
}

/** A place where the script cannot be split into words. */
export interface ShellFault {
  readonly line: number;
  readonly expected: string;
}

/** Deepest nesting of quotes and expansions that is followed. */
const DEEPEST = 40;
const OPERATORS = ['&&', '||', ';;', ';', '|', '&', '(', ')', '\n'];

/**
 * Splits the text of a script into words and operators; nothing is expanded and nothing is executed.
 *
 * Understands quotes, `\` and line continuations, comments, redirections (dropped), here-documents, `$NAME`,
 * `${NAME…}`, `$((…))`, `$[…]`, `$(…)` and backquotes.
 */
export function tokenize(text: string): ShellTokens {
  return new Tokenizer(text.replaceAll('\r\n', '\n')).run();
}

/** The pieces of a text that is one word, blanks included, as the argument of `${NAME%…}` is. */
export function wordParts(text: string): WordPart[] {
  return new Tokenizer(text).word();
}

class Tokenizer {
  readonly #text: string;
  readonly #tokens: ShellToken[] = [];
  readonly #faults: ShellFault[] = [];
  #at = 0;
  #line = 1;
  readonly #heredocs: Heredoc[] = [];
  #announced: { owner: number; delimiter: string; expand: boolean; stripTabs: boolean; line: number }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): ShellTokens {
    const text = this.#text;
    while (this.#at < text.length) {
      const character = text[this.#at]!;
      if (character === ' ' || character === '\t' || character === '\r') this.#at++;
      else if (character === '\\' && text[this.#at + 1] === '\n') this.#skip(2);
      else if (character === '#') this.#toLineEnd();
      else if (this.#redirection() || this.#arithmeticCommand()) continue;
      else if (!this.#operator()) this.#word();
    }
    return { tokens: this.#tokens, heredocs: this.#heredocs, faults: this.#faults };
  }

  word(): WordPart[] {
    return this.#inner(0);
  }

  /** Moves on by `count` characters and keeps the line number. */
  #skip(count: number): void {
    for (let i = 0; i < count; i++) if (this.#text[this.#at++] === '\n') this.#line++;
  }

  #toLineEnd(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #operator(): boolean {
    const text = OPERATORS.find((operator) => this.#text.startsWith(operator, this.#at));
    if (text === undefined) return false;
    this.#tokens.push({ kind: 'operator', line: this.#line, text });
    this.#skip(text.length);
    if (text === '\n') this.#readHeredocs();
    return true;
  }

  /** `((i++))`, also behind `for`. */
  #arithmeticCommand(): boolean {
    if (!this.#text.startsWith('((', this.#at)) return false;
    const end = this.#text.indexOf('))', this.#at);
    const lineEnd = this.#text.indexOf('\n', this.#at);
    if (end < 0 || (lineEnd >= 0 && end > lineEnd)) return false;
    const line = this.#line;
    this.#skip(1);
    const text = this.#balanced('(', ')', 0) ?? '';
    if (this.#text[this.#at] === ')') this.#skip(1);
    this.#tokens.push({ kind: 'arithmetic', line, text });
    return true;
  }

  /** Drops `2>&1`, `> file`, `&> file`, `< file`; remembers `<< WORD`. */
  #redirection(): boolean {
    const match = /^(?:\d*|&)(>>|>\||>&|<<<|<<-?|<&|<>|>|<)/.exec(this.#text.slice(this.#at, this.#at + 12));
    if (match === null) return false;
    const line = this.#line;
    this.#at += match[0].length;
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
    const stop = this.#text[this.#at];
    if (stop === undefined || stop === '\n' || stop === ';') {
      this.#faults.push({ line, expected: `a file name after ${match[1]}` });
      return true;
    }
    if (stop === '(' || stop === ')' || stop === '|') {
      if (stop === '(') this.#balanced('(', ')', 0);
      return true;
    }
    if (stop === '&') this.#at++;
    const parts = this.#parts('', 0);
    if (match[1] === '<<' || match[1] === '<<-') {
      const delimiter = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      this.#announced.push({
        owner: this.#tokens.length,
        delimiter,
        expand: parts.every((part) => part.kind === 'text' && !part.quoted),
        stripTabs: match[1] === '<<-',
        line,
      });
    }
    return true;
  }

  #readHeredocs(): void {
    for (const { owner, delimiter, expand, stripTabs, line } of this.#announced) {
      const start = this.#line;
      const lines: string[] = [];
      let closed = false;
      while (this.#at < this.#text.length && !closed) {
        const end = this.#text.indexOf('\n', this.#at);
        const stop = end < 0 ? this.#text.length : end;
        const raw = this.#text.slice(this.#at, stop);
        this.#at = Math.min(stop + 1, this.#text.length);
        if (end >= 0) this.#line++;
        closed = (stripTabs ? raw.replace(/^\t+/, '') : raw) === delimiter;
        if (!closed) lines.push(stripTabs ? raw.replace(/^\t+/, '') : raw);
      }
      if (!closed) this.#faults.push({ line, expected: `a line "${delimiter}" that ends the here-document` });
      this.#heredocs.push({ owner, line: start, text: lines.join('\n'), expand });
    }
    this.#announced = [];
  }

  #word(): void {
    const line = this.#line;
    const start = this.#at;
    const parts = this.#parts('', 0);
    if (this.#at === start) this.#skip(1);
    this.#tokens.push({ kind: 'word', line, parts });
  }

  /** Reads pieces up to a blank or an operator, or up to `closer` when one is given. */
  #parts(closer: string, depth: number): WordPart[] {
    const parts: WordPart[] = [];
    let plain = '';
    const flush = (quoted: boolean): void => {
      if (plain !== '' || quoted) parts.push({ kind: 'text', text: plain, quoted });
      plain = '';
    };
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!;
      if (closer !== '' ? character === closer : /[\s;&|()<>]/.test(character)) break;
      if (character === '\\') {
        const next = this.#text[this.#at + 1];
        this.#skip(Math.min(2, this.#text.length - this.#at));
        if (next !== '\n' && next !== undefined) {
          flush(false);
          plain = next;
          flush(true);
        }
      } else if (character === "'") {
        flush(false);
        plain = this.#singleQuoted();
        flush(true);
      } else if (character === '"') {
        flush(false);
        parts.push(...this.#doubleQuoted(depth));
      } else if (character === '$' || character === '`') {
        const part = this.#expansion(false, depth);
        if (typeof part === 'string') plain += part;
        else {
          flush(false);
          parts.push(part);
        }
      } else {
        plain += character;
        this.#skip(1);
      }
    }
    flush(false);
    return parts;
  }

  #singleQuoted(): string {
    const line = this.#line;
    const end = this.#text.indexOf("'", this.#at + 1);
    if (this.#isApostrophe(end)) {
      this.#skip(1);
      return "'";
    }
    if (end < 0) {
      this.#faults.push({ line, expected: "a closing '" });
      const rest = this.#text.slice(this.#at + 1);
      this.#toLineEnd();
      return rest.split('\n')[0]!;
    }
    const text = this.#text.slice(this.#at + 1, end);
    this.#skip(end + 1 - this.#at);
    return text;
  }

  /** Whether the quote stands inside of a word, as in "don't", and nothing on its line closes it. */
  #isApostrophe(end: number): boolean {
    const lineEnd = this.#text.indexOf('\n', this.#at);
    const isOpen = end < 0 || (lineEnd >= 0 && end > lineEnd);
    return isOpen && /[a-z]/i.test(this.#text[this.#at - 1] ?? '') && /[a-z]/i.test(this.#text[this.#at + 1] ?? '');
  }

  #doubleQuoted(depth: number): WordPart[] {
    const line = this.#line;
    const start = this.#at;
    const parts: WordPart[] = [];
    let plain = '';
    this.#skip(1);
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const character = this.#text[this.#at]!;
      if (character === '\\') {
        const next = this.#text[this.#at + 1] ?? '';
        plain += '$`"\\'.includes(next) ? next : next === '\n' ? '' : character + next;
        this.#skip(Math.min(2, this.#text.length - this.#at));
      } else if (character === '$' || character === '`') {
        const part = this.#expansion(true, depth + 1);
        if (typeof part === 'string') plain += part;
        else {
          parts.push({ kind: 'text', text: plain, quoted: true }, part);
          plain = '';
        }
      } else {
        plain += character;
        this.#skip(1);
      }
    }
    parts.push({ kind: 'text', text: plain, quoted: true });
    if (this.#at < this.#text.length) {
      this.#skip(1);
      return parts;
    }
    // One forgotten quote must not swallow the rest of the script: read the line alone.
    this.#faults.push({ line, expected: 'a closing "' });
    this.#at = start;
    this.#line = line;
    this.#toLineEnd();
    return [{ kind: 'text', text: this.#text.slice(start + 1, this.#at), quoted: true }];
  }

  /** Reads what a `$` or a backquote begins; a string: it begins nothing and is text. */
  #expansion(quoted: boolean, depth: number): WordPart | string {
    const text = this.#text;
    if (text[this.#at] === '`') {
      const end = text.indexOf('`', this.#at + 1);
      if (end < 0) {
        this.#faults.push({ line: this.#line, expected: 'a closing backquote' });
        this.#skip(1);
        return '`';
      }
      const inner = text.slice(this.#at + 1, end);
      this.#skip(end + 1 - this.#at);
      return { kind: 'substitution', text: inner, quoted };
    }
    if (text.startsWith('$((', this.#at) || text.startsWith('$[', this.#at)) {
      const square = text[this.#at + 1] === '[';
      const line = this.#line;
      this.#skip(square ? 1 : 2);
      const inner = this.#balanced(square ? '[' : '(', square ? ']' : ')', depth);
      if (inner !== undefined && (square || text[this.#at] === ')')) {
        if (!square) this.#skip(1);
        return { kind: 'arithmetic', parts: new Tokenizer(inner).#inner(depth + 1), quoted };
      }
      this.#faults.push({ line, expected: square ? 'a closing ]' : 'a closing ))' });
      return '';
    }
    if (text.startsWith('$(', this.#at)) {
      const line = this.#line;
      this.#skip(1);
      const inner = this.#balanced('(', ')', depth);
      if (inner !== undefined) return { kind: 'substitution', text: inner, quoted };
      this.#faults.push({ line, expected: 'a closing ) of the command substitution' });
      return '';
    }
    if (text.startsWith('${', this.#at)) {
      const line = this.#line;
      this.#skip(1);
      const inner = this.#balanced('{', '}', depth);
      if (inner === undefined) {
        this.#faults.push({ line, expected: 'a closing } of the variable' });
        return '';
      }
      const match = /^([A-Za-z_]\w*|\d+|[@*#?$!-])((?::?[-=+?])?)([\s\S]*)$/.exec(inner);
      if (match === null || (match[2] === '' && match[3] !== '')) {
        return { kind: 'parameter', name: inner, operator: 'other', argument: [], quoted };
      }
      return {
        kind: 'parameter',
        name: match[1]!,
        operator: match[2]!,
        argument: new Tokenizer(match[3]!).#inner(depth + 1),
        quoted,
      };
    }
    const match = /^\$([A-Za-z_]\w*|\d|[@*#?$!-])/.exec(text.slice(this.#at, this.#at + 200));
    if (match === null) {
      this.#skip(1);
      return '$';
    }
    this.#skip(match[0].length);
    return { kind: 'parameter', name: match[1]!, operator: '', argument: [], quoted };
  }

  /** Reads the whole text as pieces of one word, blanks included. */
  #inner(depth: number): WordPart[] {
    if (depth > DEEPEST) return [{ kind: 'parameter', name: '…', operator: 'other', argument: [], quoted: true }];
    return this.#parts('\0', depth);
  }

  /** Reads from an opening to its closing bracket, quotes respected; undefined (and a line further) if there is none. */
  #balanced(open: string, close: string, depth: number): string | undefined {
    const text = this.#text;
    const start = this.#at;
    let level = 0;
    for (let i = start; i < text.length; i++) {
      const character = text[i]!;
      if (character === '\\') i++;
      else if (character === "'" || (character === '"' && depth <= DEEPEST)) {
        const end = text.indexOf(character, i + 1);
        if (end >= 0 && open !== '[') i = end;
      } else if (character === open) level++;
      else if (character === close && --level === 0) {
        this.#skip(i + 1 - start);
        return text.slice(start + 1, i);
      }
    }
    this.#toLineEnd();
    return undefined;
  }
}
