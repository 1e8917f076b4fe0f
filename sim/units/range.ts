import { parseQuantity, type Quantity } from './quantity.ts';
import { UnitError } from './unit-error.ts';
import { type UnitFamily, writeExactly } from './unit-tables.ts';

/** The values of a sweep's variable, made when asked for: a range of a billion costs nothing. */
export interface ValueRange {
  readonly length: number;
  /** The value at `index`, as text that a scenario can hold. */
  at(index: number): string;
}

const RANGE = /^(.+?)\.\.(.+?)([/*])(.+)$/;
const EXPECTED = 'a,b,c or from..to/step or from..to*factor';

/**
 * Reads the values of a sweep's variable:
 *
 * - `a,b,c`: these, as written;
 * - `from..to/step`: in equal steps, `to` included if a step meets it (`100mbit..1gbit/10mbit`);
 * - `from..to*factor`: each `factor` times the one before, rounded to whole base units (`1mbit..1gbit*10`).
 *
 * Values of a range are written in the way of `from`, exactly: 100mbit, 110mbit, …, 1gbit.
 *
 * @throws UnitError
 */
export function parseRange(text: string): ValueRange {
  const match = RANGE.exec(text);
  if (match !== null) {
    const [, from = '', to = '', operator, by = ''] = match;
    return operator === '/' ? linearRange(text, from, to, by) : geometricRange(text, from, to, by);
  }
  if (text.includes('..')) {
    const example = text.replace(/\/$/, '');
    throw new UnitError(EXPECTED, JSON.stringify(text), `a range needs its step: ${example}/STEP`);
  }
  const values = text.split(',').map((value) => value.trim());
  if (values.includes('')) throw new UnitError(EXPECTED, JSON.stringify(text));
  return listRange(values);
}

/** The range that holds exactly these values. */
export function listRange(values: readonly string[]): ValueRange {
  return { length: values.length, at: (index) => values[index]! };
}

function linearRange(text: string, from: string, to: string, step: string): ValueRange {
  const ends = readEnds(text, from, to, step);
  const factor = ends.family === undefined ? 10 ** Math.max(decimals(from), decimals(to), decimals(step)) : 1;
  const first = Math.round(ends.first * factor);
  const stride = Math.round(ends.by * factor);
  const last = Math.round(ends.last * factor);
  if (stride <= 0) throw new UnitError('a step above 0', JSON.stringify(text));
  const { write } = ends;
  return {
    length: Math.floor((last - first) / stride) + 1,
    at: (index) => write((first + index * stride) / factor),
  };
}

function geometricRange(text: string, from: string, to: string, by: string): ValueRange {
  const factor = Number(by);
  if (!(factor > 1)) throw new UnitError('a factor above 1', JSON.stringify(text));
  const ends = readEnds(text, from, to, undefined);
  if (ends.first <= 0) throw new UnitError('a range that begins above 0', JSON.stringify(text));
  // A hair's breadth more, so that 1..1000*10 ends with 1000 although the logarithm falls short of 3.
  const length = Math.floor(Math.log(ends.last / ends.first) / Math.log(factor) + 1e-9) + 1;
  const { write } = ends;
  const round = ends.family === undefined ? (value: number) => Number(value.toPrecision(12)) : Math.round;
  return { length, at: (index) => write(round(ends.first * factor ** index)) };
}

interface Ends {
  readonly first: number;
  readonly last: number;
  readonly by: number;
  readonly family: UnitFamily | undefined;
  readonly write: (value: number) => string;
}

/** Reads the numbers of a range and sees that they are of one kind; 0 may stand without unit. */
function readEnds(text: string, from: string, to: string, step: string | undefined): Ends {
  const first = parseQuantity(from.trim());
  const last = parseQuantity(to.trim());
  const by: Quantity = step === undefined ? last : parseQuantity(step.trim());
  const named = [first, last, by].find((quantity) => quantity.family !== undefined);
  for (const [quantity, written] of [[first, from] as const, [last, to] as const, [by, step ?? to] as const]) {
    if (named === undefined || quantity.kind === named.kind || (quantity.kind === 'number' && quantity.value === 0)) {
      continue;
    }
    const hint = `${written.trim()} is not of the same kind as the others; give each its unit`;
    throw new UnitError('a range of one kind', JSON.stringify(text), hint);
  }
  if (last.value < first.value) throw new UnitError('a range that rises', JSON.stringify(text), 'swap its ends');
  const family = first.family ?? named?.family;
  return {
    first: first.value,
    last: last.value,
    by: by.value,
    family: family?.kind === 'probability' ? undefined : family,
    write: writerOf(family),
  };
}

function writerOf(family: UnitFamily | undefined): (value: number) => string {
  if (family === undefined) return String;
  if (family.kind === 'probability') return (value) => `${Number((value * 100).toPrecision(12))}%`;
  return (value) => writeExactly(value, family.units);
}

/** Digits after the point, with two more for percent, where the base unit is 1. */
function decimals(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
  const exponent = Number(/e([+-]?\d+)/i.exec(text)?.[1] ?? 0);
  return Math.max(0, fraction - exponent) + (text.includes('%') ? 2 : 0);
}
