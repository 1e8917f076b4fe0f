import { ArithmeticFault, evaluateArithmetic } from './arithmetic.ts';
import { replaceMatch, withoutMatch } from './shell-pattern.ts';
import { outputOf } from './shell-substitution.ts';
import { ShellVariables } from './shell-variables.ts';
import { type WordPart, wordParts } from './shell-words.ts';

/** A word of a command after expansion. */
export interface ShellWord {
  readonly text: string;
  readonly line: number;
  /** Why (part of) the text is not known, e.g. `$1 is an argument of the script`. */
  readonly unknown?: string;
  /** The variable that is not known. */
  readonly variable?: string;
}

/** Longest text that an expansion may grow to. */
const LONGEST = 65536;
/** Most words that one word may become. */
const MOST_WORDS = 4096;
const TOO_LONG = 'it expands to more than 64 KiB';

/** Expands the pieces of words with the variables of a script. */
export class ShellExpansion {
  readonly variables: ShellVariables;

  constructor(given: Readonly<Record<string, string>>) {
    this.variables = new ShellVariables(given);
  }

  /** Expands the pieces of a word; unquoted expansions are split at blanks, so one word may become none or several. */
  expand(parts: readonly WordPart[], line: number): ShellWord[] {
    const words: string[] = [];
    let isOpen = false;
    let isTooLong = false;
    const append = (text: string): void => {
      if (!isOpen) words.push('');
      isOpen = true;
      const word = words[words.length - 1]!;
      if (word.length + text.length > LONGEST) isTooLong = true;
      else words[words.length - 1] = word + text;
    };
    for (const part of braces(parts)) {
      if (part === 'next') {
        isOpen = false;
        continue;
      }
      const keepsEmpty = part.kind === 'text' || part.quoted;
      for (const [i, field] of this.#fields(part, line).entries()) {
        if (i > 0) isOpen = false;
        if (field !== '' || keepsEmpty) append(field);
      }
      if (words.length > MOST_WORDS)
        return [this.#word(this.variables.mark('it expands to more than 4096 words'), line)];
    }
    if (isTooLong) return [this.#word(this.variables.mark(TOO_LONG), line)];
    return words.map((text) => this.#word(text, line));
  }

  /** Expands the pieces to one text without splitting, as in an assignment; what is not known is marked in it. */
  expandToText(parts: readonly WordPart[], line: number): string {
    let text = '';
    for (const part of parts) {
      text += this.#value(part, line);
      if (text.length > LONGEST) return this.variables.mark(TOO_LONG);
    }
    return text;
  }

  /** Computes an arithmetic expression; marked where it has no value. */
  arithmetic(expression: string): string {
    if (this.variables.isUnknown(expression)) return this.variables.firstMark(expression);
    let unknown: string | undefined;
    try {
      return evaluateArithmetic(expression, (name) => {
        const value = this.variables.get(name);
        if (value !== undefined && this.variables.isUnknown(value)) unknown ??= this.variables.firstMark(value);
        return unknown === undefined ? value : undefined;
      });
    } catch (error) {
      if (!(error instanceof ArithmeticFault)) throw error;
      const reason = `the arithmetic "${expression.trim().slice(0, 60)}": ${error.message}`;
      return unknown ?? this.variables.mark(reason, /^(\w+) has no value/.exec(error.message)?.[1]);
    }
  }

  #word(text: string, line: number): ShellWord {
    const reason = this.variables.reasonIn(text);
    if (reason === undefined) return { text, line };
    const known = { text: this.variables.withoutMarks(text), line, unknown: reason.text };
    return reason.variable === undefined ? known : { ...known, variable: reason.variable };
  }

  /** The fields that one piece becomes. */
  #fields(part: WordPart, line: number): string[] {
    const list = part.kind === 'parameter' ? this.#list(part) : undefined;
    if (list !== undefined) {
      const joined = part.kind === 'parameter' && part.quoted && /\*\]?$/.test(part.name);
      if (joined) return [list.join(' ')];
      return part.kind === 'parameter' && part.quoted ? list : list.flatMap((item) => split(item));
    }
    const text = this.#value(part, line);
    return part.kind === 'text' || part.quoted ? [text] : split(text);
  }

  /** The items of `$@`, `$*`, `${NAME[@]}`, and the keys `${!NAME[@]}`; undefined for any other. */
  #list(part: Extract<WordPart, { kind: 'parameter' }>): string[] | undefined {
    if ((part.name === '@' || part.name === '*') && part.operator === '') return this.variables.arguments();
    const match = /^(!?)([A-Za-z_]\w*)\[[@*]\]$/.exec(part.name);
    if (match === null || part.operator !== 'other') return undefined;
    return match[1] === '!' ? this.variables.keys(match[2]!) : this.variables.items(match[2]!);
  }

  #value(part: WordPart, line: number): string {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'substitution':
        return outputOf(part.text, line, this);
      case 'arithmetic':
        return this.arithmetic(this.expandToText(part.parts, line));
      case 'parameter':
        return this.#list(part)?.join(' ') ?? this.#parameter(part.name, part.operator, part.argument, line);
    }
  }

  #parameter(name: string, operator: string, argument: readonly WordPart[], line: number): string {
    if (operator === 'other') return this.#otherForm(name, line);
    const value = this.variables.get(name);
    if (value !== undefined && this.variables.isUnknown(value) && operator !== '') {
      // Unset or empty cannot be told from a value that is not known.
      return this.variables.firstMark(value);
    }
    const isMissing = value === undefined || (operator.startsWith(':') && value === '');
    const sort = operator.replace(':', '');
    if (sort === '+') return isMissing ? '' : this.expandToText(argument, line);
    if (!isMissing) return value;
    if (sort === '-' || sort === '=') {
      const text = this.expandToText(argument, line);
      if (sort === '=') this.variables.set(name, text);
      return text;
    }
    return value ?? this.variables.missing(name);
  }

  /** `${#NAME}`, `${NAME[1]}`, `${NAME%pattern}`, `${NAME/a/b}`, `${NAME:1:2}`, `${NAME^^}`. */
  #otherForm(inner: string, line: number): string {
    const length = /^#([A-Za-z_]\w*)(\[[@*]\])?$/.exec(inner);
    if (length !== null) {
      if (length[2] !== undefined) return String(this.variables.items(length[1]!).length);
      const value = this.variables.get(length[1]!) ?? '';
      return this.variables.isUnknown(value) ? value : String(value.length);
    }
    const match = /^([A-Za-z_]\w*|\d+)(?:\[([^\]]*)\])?(%%|%|##|#|\/\/|\/|:|\^\^|,,|$)([\s\S]*)$/.exec(inner);
    if (match === null)
      return this.variables.mark(`\${${inner.slice(0, 40)}} is a kind of expansion that is not interpreted`);
    const [, name, index, operator, rest] = match as unknown as [string, string, string | undefined, string, string];
    const value =
      index === undefined ? this.variables.get(name) : this.variables.item(name, this.arithmeticIndex(index, line));
    if (value === undefined) return this.variables.missing(name);
    if (operator === '' || this.variables.isUnknown(value)) return value;
    const argument = this.expandToText(wordParts(rest), line);
    if (this.variables.isUnknown(argument)) return this.variables.firstMark(argument);
    if (operator === '^^') return value.toUpperCase();
    if (operator === ',,') return value.toLowerCase();
    if (operator === ':') return this.#slice(value, argument);
    if (operator.startsWith('/')) {
      const [pattern, replacement = ''] = argument.split('/') as [string, string?];
      return replaceMatch(value, pattern, replacement, operator === '//');
    }
    return withoutMatch(value, operator, argument);
  }

  #slice(value: string, argument: string): string {
    const [start, length] = argument.split(':').map((text) => this.arithmetic(text));
    const bounds = [start, length].find((bound) => bound !== undefined && this.variables.isUnknown(bound));
    if (bounds !== undefined) return bounds;
    const rest = value.slice(Number(start));
    return length === undefined ? rest : rest.slice(0, Number(length));
  }

  /** The key of an array: a number, or the word itself. */
  arithmeticIndex(text: string, line: number): string {
    const expanded = this.expandToText(wordParts(text), line);
    return /^[A-Za-z_]/.test(expanded) && this.variables.get(expanded) === undefined
      ? expanded
      : this.arithmetic(expanded);
  }
}

function split(text: string): string[] {
  // Blanks at the ends leave empty fields there, which separate this piece from its neighbours.
  return text.split(/[ \t\n]+/);
}

/** `{1..5}` and `{a,b}` of unquoted text, as pieces with `next` between the words that they become. */
function braces(parts: readonly WordPart[]): (WordPart | 'next')[] {
  const only = parts.length === 1 ? parts[0] : undefined;
  const text = only?.kind === 'text' && !only.quoted ? only.text : '';
  const match = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(text);
  const items = match === null ? undefined : braceItems(match[2]!);
  if (match === null || items === undefined) return [...parts];
  return items.flatMap((item, i): (WordPart | 'next')[] => {
    const words = braces([{ kind: 'text', text: `${match[1]}${item}${match[3]}`, quoted: false }]);
    return i === 0 ? words : ['next', ...words];
  });
}

function braceItems(inner: string): string[] | undefined {
  const range = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(inner);
  if (range === null) return inner.includes(',') ? inner.split(',') : undefined;
  const [from, to, step] = [Number(range[1]), Number(range[2]), Math.max(1, Number(range[3] ?? 1))];
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MOST_WORDS) return undefined;
  const width = /^-?0\d/.test(range[1]!) ? range[1]!.length : 0;
  return Array.from({ length: count }, (_, i) => String(from + Math.sign(to - from) * i * step).padStart(width, '0'));
}
