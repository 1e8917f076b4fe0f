import { ArithmeticFault, evaluateArithmetic } from './arithmetic.ts';
import type { WordPart } from './shell-words.ts';

/** A word of a command after expansion. */
export interface ShellWord {
  readonly text: string;
  readonly line: number;
  /** Why (part of) the text is not known, e.g. `$1 is an argument of the script`. */
  readonly unknown?: string;
}

/** What a variable holds: text, or the reason why nobody knows without running the script. */
export type VariableValue = { readonly text: string } | { readonly unknown: string };

/** Longest text that an expansion may grow to. */
const LONGEST = 65536;
/** Substitutions whose outcome is known without running anything: they ask where tc is. */
const WHERE_IS_TC = /^\s*(?:which|command\s+-v|type\s+-[pP])\s+(?:\S*\/)?tc\s*$/;

/** Variables of a script as far as they are known from its text. */
export class ShellVariables {
  readonly #values = new Map<string, VariableValue>();
  /** Given from outside and not asked for yet; what is set anew before that stays here. */
  readonly #unread = new Set<string>();
  readonly #overwritten = new Set<string>();

  constructor(given: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(given)) {
      this.#values.set(name, { text });
      this.#unread.add(name);
    }
  }

  /** Variables given from outside whose value was never asked for, and whether the script sets them itself. */
  get unused(): { readonly name: string; readonly overwritten: boolean }[] {
    return [...this.#unread].map((name) => ({ name, overwritten: this.#overwritten.has(name) }));
  }

  get(name: string): VariableValue | undefined {
    if (!this.#overwritten.has(name)) this.#unread.delete(name);
    return this.#values.get(name);
  }

  set(name: string, value: VariableValue): void {
    if (this.#unread.has(name)) this.#overwritten.add(name);
    this.#values.set(name, value);
  }

  /** Expands the pieces of a word; unquoted expansions are split at blanks, so one word may become none or several. */
  expand(parts: readonly WordPart[], line: number): ShellWord[] {
    const words: { text: string; unknown?: string }[] = [];
    let open = false;
    const append = (text: string, unknown: string | undefined): void => {
      if (!open) {
        words.push({ text: '' });
        open = true;
      }
      const word = words[words.length - 1]!;
      if (word.text.length + text.length > LONGEST) word.unknown ??= 'it expands to more than 64 KiB';
      else word.text += text;
      if (unknown !== undefined) word.unknown ??= unknown;
    };
    for (const part of parts) {
      const piece = this.#value(part, line);
      const unknown = 'unknown' in piece ? piece.unknown : undefined;
      const text = 'text' in piece ? piece.text : '';
      if (part.kind === 'text' || part.quoted || unknown !== undefined) {
        append(text, unknown);
        continue;
      }
      const fields = text.split(/[ \t\n]+/);
      for (let i = 0; i < fields.length; i++) {
        if (i > 0) open = false;
        if (fields[i] !== '') append(fields[i]!, undefined);
        if (words.length > 4096) return [{ text: '', line, unknown: 'it expands to more than 4096 words' }];
      }
    }
    return words.map(({ text, unknown }) => (unknown === undefined ? { text, line } : { text, line, unknown }));
  }

  /** Expands the pieces to one text without splitting, as in an assignment. */
  expandToText(parts: readonly WordPart[], line: number): VariableValue {
    let text = '';
    for (const part of parts) {
      const piece = this.#value(part, line);
      if ('unknown' in piece) return piece;
      text += piece.text;
      if (text.length > LONGEST) return { unknown: 'it expands to more than 64 KiB' };
    }
    return { text };
  }

  #value(part: WordPart, line: number): VariableValue {
    switch (part.kind) {
      case 'text':
        return { text: part.text };
      case 'substitution':
        return WHERE_IS_TC.test(part.text)
          ? { text: 'tc' }
          : { unknown: `line ${line} takes it from the output of "${part.text.trim().slice(0, 60)}"` };
      case 'arithmetic':
        return this.#arithmetic(part.parts, line);
      case 'parameter':
        return this.#parameter(part.name, part.operator, part.argument, line);
    }
  }

  #arithmetic(parts: readonly WordPart[], line: number): VariableValue {
    const expression = this.expandToText(parts, line);
    if ('unknown' in expression) return expression;
    let reason: string | undefined;
    try {
      const text = evaluateArithmetic(expression.text, (name) => {
        const value = this.get(name);
        if (value === undefined || 'text' in value) return value?.text;
        reason = value.unknown;
        return undefined;
      });
      return { text };
    } catch (error) {
      if (!(error instanceof ArithmeticFault)) throw error;
      return { unknown: reason ?? `the arithmetic "${expression.text.trim().slice(0, 60)}": ${error.message}` };
    }
  }

  #parameter(name: string, operator: string, argument: readonly WordPart[], line: number): VariableValue {
    if (operator === 'other')
      return { unknown: `\${${name.slice(0, 40)}} is a kind of expansion that is not interpreted` };
    const value = this.get(name);
    if (value !== undefined && 'unknown' in value) return value;
    const missing = value === undefined || (operator.startsWith(':') && value.text === '');
    const sort = operator.replace(':', '');
    if (sort === '+') return missing ? { text: '' } : this.expandToText(argument, line);
    if (!missing) return value;
    if (sort === '-' || sort === '=') {
      const text = this.expandToText(argument, line);
      if (sort === '=') this.set(name, text);
      return text;
    }
    return { unknown: reasonOfMissing(name) };
  }
}

function reasonOfMissing(name: string): string {
  if (/^[\d@*#]/.test(name)) return `$${name} is an argument of the script`;
  if (/^[?$!-]$/.test(name)) return `$${name} is known only while the script runs`;
  return `${name} is set nowhere before`;
}
