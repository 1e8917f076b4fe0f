import { UnitError } from './unit-error.ts';

const LIMIT = /^(\d+)(?:\.(\d+))?([bkmgtp]?)$/i;
const EXPONENTS = 'bkmgtp';

/**
 * Reads a limit as `curl --limit-rate` does: a whole number of bytes a second, or with one letter b, k, m, g, t, p for
 * powers of 1024, any case. A fraction needs a letter other than b, and is cut off after multiplying
 * (src/tool_getparam.c: GetSizeParameter, curl 8.19; before, curl knew neither fractions nor t and p).
 *
 * @returns bytes a second
 * @throws UnitError
 */
export function parseCurlLimit(text: string): number {
  const expected = 'a limit in bytes a second as curl reads it, such as 2000000 or 500k';
  const match = LIMIT.exec(text);
  if (match === null) throw new UnitError(expected, JSON.stringify(text), hint(text));
  const [, whole = '', fraction, letter = ''] = match;
  if (fraction !== undefined && (letter === '' || /b/i.test(letter))) {
    throw new UnitError(expected, JSON.stringify(text), 'curl takes a fraction only with k, m, g, t or p');
  }
  const factor = 1024 ** EXPONENTS.indexOf(letter === '' ? 'b' : letter.toLowerCase());
  const bytes = Number(whole) * factor + (fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * factor));
  if (bytes > Number.MAX_SAFE_INTEGER) throw new UnitError('a limit below 8p', JSON.stringify(text));
  return bytes;
}

function hint(text: string): string | undefined {
  const rate = /^(\d+)(k|m|g)(bit|bps)$/i.exec(text);
  if (rate !== null) {
    const bits = Number(rate[1]) * 1000 ** (1 + 'kmg'.indexOf(rate[2]!.toLowerCase()));
    const bytes = rate[3]!.toLowerCase() === 'bit' ? bits / 8 : bits;
    return `curl's limit counts bytes and knows no bit units; ${text} is ${bytes}`;
  }
  if (/^\d+(\.\d+)?[kmgtp]i?b$/i.test(text)) return `curl knows one-letter units only: ${text.replace(/i?b$/i, '')}`;
  return undefined;
}
