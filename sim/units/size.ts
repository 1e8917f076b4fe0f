import { hintForNumber, splitNumber } from './number-text.ts';
import { UnitError } from './unit-error.ts';
import { SIZE_FAMILIES, SIZES_IN_BITS, scalesOf, writeExactly } from './unit-tables.ts';

const SCALES = scalesOf(SIZE_FAMILIES, SIZES_IN_BITS);
const EXPECTED = 'a size such as 1500b or 64kb';

/**
 * Reads a size as tc does: `b`, `k` and `kb` = 1024, `m` and `mb` = 1024², `g` and `gb` = 1024³, any case, so that
 * `6MB` is 6291456 bytes; `kbit` = 128 bytes, `mbit`, `gbit`; fractions; a bare number in bytes
 * (lib/utils.c: get_size64, iproute2 6.1). Beside them `KiB`, `MiB`, `GiB`, which tc does not know.
 *
 * @returns bytes, a fraction cut off
 * @throws UnitError
 */
export function parseSize(text: string): number {
  const number = splitNumber(text);
  const scale = number === undefined ? undefined : number.suffix === '' ? 1 : SCALES.get(number.suffix.toLowerCase());
  if (number === undefined || scale === undefined) throw new UnitError(EXPECTED, JSON.stringify(text), hint(text));
  if (number.value < 0) throw new UnitError('a size of 0 or more', JSON.stringify(text));
  const bytes = Math.floor(number.value * scale);
  if (bytes > Number.MAX_SAFE_INTEGER) throw new UnitError('a size below 8 million GiB', JSON.stringify(text));
  return bytes;
}

/** Writes a size so that {@link parseSize} and tc read exactly the same number: `1600b`, `64kb`. */
export function writeSize(bytes: number): string {
  return writeExactly(bytes, SIZE_FAMILIES[0]!.units);
}

/**
 * Prints a size as tc shows it: `1600b`, `20Kb`, `2Mb`. A size within 16 bytes of a whole number of Kb, or within
 * 1 Kb of a whole number of Mb, is shown rounded (lib/utils_math.c: sprint_size, iproute2 6.1).
 */
export function printSizeAsTc(bytes: number): string {
  const kilobytes = Math.round(bytes / 1024);
  const megabytes = Math.round(bytes / 1048576);
  if (bytes >= 1048576 && Math.abs(1048576 * megabytes - bytes) < 1024) return `${megabytes}Mb`;
  if (bytes >= 1024 && Math.abs(1024 * kilobytes - bytes) < 16) return `${kilobytes}Kb`;
  return `${bytes}b`;
}

/** Formats a size as engineers read it, to at most two decimals: `1514 B`, `62.5 KiB`. */
export function formatSize(bytes: number): string {
  const prefixes = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  let value = bytes;
  let prefix = 0;
  // Up to 10 KiB packets and bursts are known by their bytes: 1514 B says more than 1.48 KiB.
  while (prefix < prefixes.length - 1 && Math.abs(value) >= (prefix === 0 ? 10240 : 1024)) {
    value /= 1024;
    prefix++;
  }
  return `${Math.round(value * 100) / 100} ${prefixes[prefix]}B`;
}

function hint(text: string): string {
  const asNumber = hintForNumber(text);
  if (asNumber !== undefined) return asNumber;
  if (/p$/i.test(text)) return 'a number of packets does not fit here';
  return 'the units are b, k or kb (1024 bytes), m or mb, g or gb, and KiB, MiB, GiB';
}
