import { hintForNumber, splitNumber } from './number-text.ts';
import { UnitError } from './unit-error.ts';
import { DURATION_FAMILIES, scalesOf, writeExactly } from './unit-tables.ts';

const SCALES = scalesOf(DURATION_FAMILIES, [['m', 60e9]]);
const EXPECTED = 'a duration such as 10ms';

/**
 * Reads a duration: `s`, `ms`, `us`, `ns` with tc's longer spellings (`sec`, `msecs`, …), `m` or `min`, `h`; any case,
 * fractions. A bare number is refused but for 0, as programs disagree what it would mean (tc: microseconds).
 *
 * @returns ns, rounded to the nearest
 * @throws UnitError
 */
export function parseDuration(text: string): number {
  const number = splitNumber(text);
  const scale = number === undefined ? undefined : SCALES.get(number.suffix.toLowerCase());
  if (number?.suffix === '' && number.value === 0) return 0;
  if (number === undefined || scale === undefined) throw new UnitError(EXPECTED, JSON.stringify(text), hint(text));
  if (number.value < 0) throw new UnitError('a duration of 0 or more', JSON.stringify(text));
  const ns = Math.round(number.value * scale);
  if (ns > Number.MAX_SAFE_INTEGER) throw new UnitError('a duration of at most 104 days', JSON.stringify(text));
  return ns;
}

/** Writes a duration so that {@link parseDuration} reads exactly the same number: `1500us`, `2s`. */
export function writeDuration(ns: number): string {
  return ns === 0 ? '0s' : writeExactly(ns, DURATION_FAMILIES[0]!.units.slice(0, 4));
}

/**
 * Prints a duration as tc shows it: `316ms`, `1.5s`, `15us`; three significant digits
 * (lib/utils_math.c: sprint_time, iproute2 6.1).
 */
export function printDurationAsTc(ns: number): string {
  const us = Math.floor(ns / 1000);
  if (us >= 1e6) return `${threeDigits(us / 1e6)}s`;
  if (us >= 1e3) return `${threeDigits(us / 1e3)}ms`;
  return `${us}us`;
}

/** C's %.3g for values from 1 on. */
function threeDigits(value: number): string {
  const [mantissa = '', exponent] = value.toPrecision(3).split('e+');
  return exponent === undefined ? `${Number(mantissa)}` : `${Number(mantissa)}e+${exponent.padStart(2, '0')}`;
}

/** Formats a duration as engineers read it, to at most three decimals: `12.288 us`, `1.5 s`. */
export function formatDuration(ns: number): string {
  const units = ['ns', 'us', 'ms', 's'];
  let value = ns;
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(Math.round(value * 1000)) >= 1e6) {
    value /= 1000;
    unit++;
  }
  return `${Math.round(value * 1000) / 1000} ${units[unit]}`;
}

function hint(text: string): string {
  const number = splitNumber(text);
  if (number?.suffix === '') return `a bare number has no unit; did you mean ${text}s or ${text}ms?`;
  return hintForNumber(text) ?? 'the units are ns, us, ms, s, m (minutes) and h';
}
