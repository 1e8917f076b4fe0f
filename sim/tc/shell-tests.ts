import type { ShellWord } from './shell-expand.ts';
import { matchesPattern } from './shell-pattern.ts';

/** Whether a test holds; undefined: nobody knows without running the script. */
export type Truth = boolean | undefined;

/** What a command says of its success; `assumed`: it is no test and taken to succeed. */
export type Status = Truth | 'assumed';

/** A test that compares something unknown with a plain word, as `[ "$1" = start ]` does. */
export interface UnknownComparison {
  readonly variable: string;
  readonly word: string;
}

/** Outcome of a test and, where it is not known, what would decide it. */
export interface TestOutcome {
  readonly truth: Truth;
  /** The first variable that is not known, where the outcome is not. */
  readonly variable?: string;
  readonly comparison?: UnknownComparison;
}

const NUMERIC: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
};

/** Evaluates the words between `[` and `]`, `[[` and `]]`, or behind `test`. */
export function evaluateTest(words: readonly ShellWord[], isDouble: boolean): TestOutcome {
  return new TestReader(words, isDouble).run();
}

class TestReader {
  readonly #words: readonly ShellWord[];
  readonly #isDouble: boolean;
  #comparison: UnknownComparison | undefined;
  #at = 0;

  constructor(words: readonly ShellWord[], isDouble: boolean) {
    this.#words = words;
    this.#isDouble = isDouble;
  }

  run(): TestOutcome {
    const truth = this.#words.length === 0 ? false : this.#any(0);
    const variable = this.#words.find((word) => word.variable !== undefined)?.variable;
    const decided = this.#at < this.#words.length ? undefined : truth;
    const outcome = decided !== undefined || variable === undefined ? { truth: decided } : { truth: decided, variable };
    return this.#comparison === undefined || this.#words.length > 3
      ? outcome
      : { ...outcome, comparison: this.#comparison };
  }

  #peek(ahead = 0): string | undefined {
    return this.#words[this.#at + ahead]?.text;
  }

  #any(depth: number): Truth {
    let truth = this.#all(depth);
    for (let word = this.#peek(); word === '-o' || word === '||'; word = this.#peek()) {
      this.#at++;
      const right = this.#all(depth);
      truth = truth === true || right === true ? true : truth === undefined || right === undefined ? undefined : false;
    }
    return truth;
  }

  #all(depth: number): Truth {
    let truth = this.#one(depth);
    for (let word = this.#peek(); word === '-a' || word === '&&'; word = this.#peek()) {
      this.#at++;
      const right = this.#one(depth);
      truth =
        truth === false || right === false ? false : truth === undefined || right === undefined ? undefined : true;
    }
    return truth;
  }

  #one(depth: number): Truth {
    const left = this.#words[this.#at];
    if (left === undefined || depth > 30) return undefined;
    const binary = this.#binary(left, this.#peek(1), this.#words[this.#at + 2]);
    if (binary !== 'none') {
      this.#at += 3;
      return binary;
    }
    this.#at++;
    if (left.text === '!' && left.unknown === undefined) {
      const truth = this.#one(depth + 1);
      return truth === undefined ? undefined : !truth;
    }
    if (left.text === '(' && left.unknown === undefined) {
      const truth = this.#any(depth + 1);
      if (this.#peek() === ')') this.#at++;
      return truth;
    }
    if (/^-[a-zA-Z]$/.test(left.text) && this.#at < this.#words.length) {
      const operand = this.#words[this.#at++]!;
      if (left.text !== '-z' && left.text !== '-n') return undefined;
      if (operand.text !== '') return left.text === '-n';
      return operand.unknown === undefined ? left.text === '-z' : undefined;
    }
    return left.unknown === undefined ? left.text !== '' : undefined;
  }

  #binary(left: ShellWord, operator: string | undefined, right: ShellWord | undefined): Truth | 'none' {
    if (operator === undefined || right === undefined) return 'none';
    const isNumeric = Object.hasOwn(NUMERIC, operator);
    if (!isNumeric && !['=', '==', '!=', '=~', '<', '>', '-ot', '-nt', '-ef'].includes(operator)) return 'none';
    if (left.unknown !== undefined || right.unknown !== undefined) {
      if ((operator === '=' || operator === '==') && left.variable !== undefined && right.unknown === undefined)
        this.#comparison = { variable: left.variable, word: right.text };
      return undefined;
    }
    if (isNumeric) {
      const [a, b] = [left.text, right.text].map((text) => (/^\s*[-+]?\d+\s*$/.test(text) ? Number(text) : Number.NaN));
      return Number.isNaN(a! + b!) ? undefined : NUMERIC[operator]!(a!, b!);
    }
    const isEqual = (): boolean => (this.#isDouble ? matchesPattern(left.text, right.text) : left.text === right.text);
    if (operator === '=' || operator === '==') return isEqual();
    if (operator === '!=') return !isEqual();
    return operator === '<' ? left.text < right.text : operator === '>' ? left.text > right.text : undefined;
  }
}
