import { hintForNumber, splitNumber } from './number-text.ts';
import { UnitError } from './unit-error.ts';
import {
  DURATION_FAMILIES,
  OTHER_FAMILIES,
  type QuantityKind,
  RATE_FAMILIES,
  SIZE_FAMILIES,
  type UnitFamily,
} from './unit-tables.ts';

/** A number with whatever unit it was written in. */
export interface Quantity {
  readonly kind: QuantityKind;
  /** In bit/s, bytes, ns, 0 to 1, packets, or as it stands. */
  readonly value: number;
  /** The way of writing, to write others alike; absent for a bare number. */
  readonly family?: UnitFamily;
}

interface KnownUnit {
  readonly scale: number;
  readonly family: UnitFamily;
}

// Where families share a suffix, the first one listed has it: `m` is 1024² bytes and `kbit` a rate, as mostly meant.
const UNITS: ReadonlyMap<string, KnownUnit> = (() => {
  const units = new Map<string, KnownUnit>();
  for (const family of [...RATE_FAMILIES, ...SIZE_FAMILIES, ...DURATION_FAMILIES, ...OTHER_FAMILIES]) {
    for (const [suffix, scale] of family.units) {
      // The first unit of a family is shared by its like (bit, b); only what tells families apart decides.
      const known = suffix === 'B' ? suffix : suffix.toLowerCase();
      if (!units.has(known)) units.set(known, { scale, family });
    }
  }
  return units;
})();

/**
 * Reads a number with any unit, where the context does not say which kind it must be: in `expect:` lines, in ranges,
 * in reference data. `m` is taken as 1024² bytes; minutes are `min`.
 *
 * @throws UnitError
 */
export function parseQuantity(text: string): Quantity {
  const number = splitNumber(text);
  if (number?.suffix === '') return { kind: 'number', value: number.value };
  const unit = number && (UNITS.get(number.suffix) ?? UNITS.get(number.suffix.toLowerCase()));
  if (unit === undefined || number === undefined) {
    throw new UnitError(
      'a number with a unit such as 100mbit, 64kb or 10ms',
      JSON.stringify(text),
      hintForNumber(text),
    );
  }
  return { kind: unit.family.kind, value: number.value * unit.scale, family: unit.family };
}

/**
 * Reads a number with any unit in the units of a result: rates in bit/s, sizes in bytes, durations in seconds,
 * percentages as shares.
 *
 * @throws UnitError
 */
export function parseFigure(text: string): number {
  const { kind, value } = parseQuantity(text);
  return kind === 'duration' ? value / 1e9 : value;
}
