import { parseDuration, writeDuration } from '../units/duration.ts';
import { parseRate } from '../units/rate.ts';
import { parseSize } from '../units/size.ts';
import { UnitError } from '../units/unit-error.ts';
import { TcFault } from './model.ts';

/** Walks over the words of one tc command. */
export class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get done(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The next word, without taking it; '' at the end. */
  peek(ahead = 0): string {
    return this.#words[this.#at + ahead] ?? '';
  }

  /** Takes the next word. */
  take(): string {
    return this.#words[this.#at++] ?? '';
  }

  /** Takes the value of the option `name`. @throws TcFault at the end of the command */
  value(name: string, expected: string): string {
    if (this.done) throw new TcFault(`"${name}" wants ${expected} behind it, but the command ends there`);
    return this.take();
  }

  /** The rest of the command, without taking it. */
  ahead(): readonly string[] {
    return this.#words.slice(this.#at);
  }

  /** Takes the rest of the command. */
  rest(): string[] {
    const rest = this.#words.slice(this.#at);
    this.#at = this.#words.length;
    return rest;
  }
}

/** Whether `word` is `name` or a beginning of it, as tc accepts most of its words. */
export function abbreviates(word: string, name: string): boolean {
  return word.length > 0 && name.startsWith(word);
}

/** Checks a rate and gives it as written. @throws TcFault */
export function readRate(text: string): string {
  return checked(text, parseRate, 'a rate such as 10mbit');
}

/** Checks a size and gives it as written, a bare number with its unit. @throws TcFault */
export function readSize(text: string): string {
  const size = checked(text, parseSize, 'a size such as 15k');
  return /^\d+$/.test(size) ? `${size}b` : size;
}

/** Reads a time, where a bare number means microseconds, and gives it with a unit. @throws TcFault */
export function readTime(text: string): string {
  const bare = /^[\d.]+$/.test(text);
  return checked(bare ? `${text}us` : text, (time) => writeDuration(parseDuration(time)), 'a time such as 50ms');
}

/** Reads a percentage, with or without the sign, and gives it with one. @throws TcFault */
export function readPercent(text: string): string {
  const match = /^(\d+(?:\.\d*)?|\.\d+)%?$/.exec(text);
  if (match === null || Number(match[1]) > 100) {
    throw new TcFault(`"${text}" is no percentage`, 'percentages go from 0 to 100, for example 0.5%');
  }
  return `${match[1]}%`;
}

/** Reads a whole number, decimal or 0x… (or, for `base` 16, always hexadecimal). @throws TcFault */
export function readInteger(text: string, base: 10 | 16 = 10): number {
  const hexadecimal = /^0[xX][\da-fA-F]+$/.test(text) || (base === 16 && /^[\da-fA-F]+$/.test(text));
  const decimal = /^\d+$/.test(text);
  const value = hexadecimal ? Number.parseInt(text, 16) : decimal ? Number.parseInt(text, 10) : Number.NaN;
  if (!(value <= 0xffffffff)) throw new TcFault(`"${text}" is no whole number${base === 16 ? ' in hexadecimal' : ''}`);
  return value;
}

function checked(text: string, parse: (text: string) => string | number, expected: string): string {
  try {
    const value = parse(text);
    return typeof value === 'string' ? value : text;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    throw new TcFault(`"${text}" is not ${expected}`, error.hint);
  }
}
