/** A number and what follows it, as written. */
export interface NumberText {
  readonly value: number;
  /** The digits as written, e.g. `1.5`. */
  readonly digits: string;
  /** Whatever follows the digits, as written; empty for a bare number. */
  readonly suffix: string;
}

const NUMBER = /^([+-]?(?:0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))(.*)$/i;
const HEXADECIMAL = /^([+-]?)(0x[0-9a-f]+)$/i;

/**
 * Splits a text into its leading number and the rest, as C's strtod would: decimal with fraction and exponent, or
 * hexadecimal integer (`0x10`); but `inf`, `nan` and leading blanks are not taken.
 *
 * @returns undefined where the text does not begin with a number
 */
export function splitNumber(text: string): NumberText | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const digits = match[1]!;
  const hexadecimal = HEXADECIMAL.exec(digits);
  const value = hexadecimal === null ? Number(digits) : Number(hexadecimal[2]) * (hexadecimal[1] === '-' ? -1 : 1);
  return { value, digits, suffix: match[2]! };
}

/** Hints at what is usually wrong with the way a number is written; undefined where nothing of that kind is seen. */
export function hintForNumber(text: string): string | undefined {
  if (/^[+-]?[\d.]+\s+[a-z%]/i.test(text)) return `write it without a space: ${text.replaceAll(/\s+/g, '')}`;
  if (/^[+-]?\d+,\d/.test(text)) return `write a fraction with a point: ${text.replace(',', '.')}`;
  if (/^[+-]?\d+_\d/.test(text)) return `write the digits without a separator: ${text.replaceAll('_', '')}`;
  return undefined;
}
