import { hintForNumber, splitNumber } from './number-text.ts';
import { UnitError } from './unit-error.ts';
import { RATE_FAMILIES, scalesOf, writeExactly } from './unit-tables.ts';

const SCALES = scalesOf(RATE_FAMILIES);
const EXPECTED = 'a rate such as 100mbit';

/**
 * Reads a rate as tc does: SI prefixes (`kbit` = 1000 bit/s) and IEC prefixes (`Kibit` = 1024), `bps` = bytes a second,
 * any case, fractions, a bare number in bit/s (lib/utils.c: get_rate64, iproute2 6.1). Unlike tc it knows no share of
 * a device's speed.
 *
 * @returns bit/s, a fraction of a bit cut off (tc goes on to cut to whole bytes)
 * @throws UnitError
 */
export function parseRate(text: string): number {
  const number = splitNumber(text);
  const scale = number === undefined ? undefined : number.suffix === '' ? 1 : SCALES.get(number.suffix.toLowerCase());
  if (number === undefined || scale === undefined) throw new UnitError(EXPECTED, JSON.stringify(text), hint(text));
  if (number.value < 0) throw new UnitError('a rate of 0 or more', JSON.stringify(text));
  const bitsPerSecond = Math.floor(number.value * scale);
  // Cut to 0 it would mean the opposite where that is none at all.
  if (bitsPerSecond === 0 && number.value > 0)
    throw new UnitError('a rate of at least 1bit, or 0', JSON.stringify(text));
  if (bitsPerSecond > Number.MAX_SAFE_INTEGER) throw new UnitError('a rate below 9007tbit', JSON.stringify(text));
  return bitsPerSecond;
}

/** Writes a rate so that {@link parseRate} and tc read exactly the same number: `555mbit`, `656250kbit`. */
export function writeRate(bitsPerSecond: number): string {
  return writeExactly(bitsPerSecond, RATE_FAMILIES[0]!.units);
}

/**
 * Prints a rate as tc shows it: `555Mbit`, `656250Kbit`; what is longer than six digits is cut to the next prefix
 * (lib/utils_math.c: tc_print_rate, 64-bit rates, iproute2 6.1).
 */
export function printRateAsTc(bitsPerSecond: number): string {
  const prefixes = ['', 'K', 'M', 'G', 'T'];
  let value = Math.floor(bitsPerSecond / 8) * 8;
  let prefix = 0;
  while (prefix < prefixes.length - 1 && value >= 1000 && (value % 1000 === 0 || value >= 1e6)) {
    value = Math.floor(value / 1000);
    prefix++;
  }
  return `${value}${prefixes[prefix]}bit`;
}

/** Formats a rate as engineers read it, to at most three decimals: `656.25 Mbit/s`. */
export function formatRate(bitsPerSecond: number): string {
  const prefixes = ['', 'k', 'M', 'G', 'T'];
  let value = bitsPerSecond;
  let prefix = 0;
  // Compared as shown, so that 999.9996 kbit/s becomes 1 Mbit/s and not 1000 kbit/s.
  while (prefix < prefixes.length - 1 && Math.abs(Math.round(value * 1000)) >= 1e6) {
    value /= 1000;
    prefix++;
  }
  return `${Math.round(value * 1000) / 1000} ${prefixes[prefix]}bit/s`;
}

function hint(text: string): string {
  const number = splitNumber(text);
  if (number === undefined) return 'rates are written as in tc: 500kbit, 100mbit, 1gbit';
  const suffix = number.suffix.trim().toLowerCase();
  if (suffix.startsWith('%'))
    return 'there is no device whose speed a percentage could refer to; write the rate itself';
  const asNumber = hintForNumber(text);
  if (asNumber !== undefined) return asNumber;
  const prefix = /^[kmgt]i?/.exec(suffix)?.[0] ?? '';
  const { digits } = number;
  return prefix === '' || prefix === 'ti'
    ? 'the units are bit, kbit, mbit, gbit (bits a second) and bps, kbps, mbps (bytes a second)'
    : `did you mean ${digits}${prefix}bit (bits a second) or ${digits}${prefix}bps (bytes a second)?`;
}
