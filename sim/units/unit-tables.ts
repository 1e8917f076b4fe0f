/** What a unit measures. */
export type QuantityKind = 'rate' | 'size' | 'duration' | 'probability' | 'packets' | 'number';

/** A unit: how it is written, and how many of the base unit it is. */
export type Unit = readonly [suffix: string, scale: number];

/** Units of one way of writing, ascending; the base units are bit/s, bytes, ns, 1 and packets. */
export interface UnitFamily {
  readonly kind: QuantityKind;
  readonly units: readonly Unit[];
}

const K = 1024;

/** Rates as tc reads them (lib/utils.c: get_rate64, iproute2 6.1): SI and IEC prefixes, bits and bytes a second. */
export const RATE_FAMILIES: readonly UnitFamily[] = [
  {
    kind: 'rate',
    units: [
      ['bit', 1],
      ['kbit', 1e3],
      ['mbit', 1e6],
      ['gbit', 1e9],
      ['tbit', 1e12],
    ],
  },
  {
    kind: 'rate',
    units: [
      ['bit', 1],
      ['Kibit', K],
      ['Mibit', K ** 2],
      ['Gibit', K ** 3],
      ['Tibit', K ** 4],
    ],
  },
  {
    kind: 'rate',
    units: [
      ['bps', 8],
      ['kbps', 8e3],
      ['mbps', 8e6],
      ['gbps', 8e9],
      ['tbps', 8e12],
    ],
  },
  {
    kind: 'rate',
    units: [
      ['bps', 8],
      ['Kibps', 8 * K],
      ['Mibps', 8 * K ** 2],
      ['Gibps', 8 * K ** 3],
      ['Tibps', 8 * K ** 4],
    ],
  },
];

/**
 * Sizes as tc reads them (lib/utils.c: get_size64, iproute2 6.1), where k, m and g are powers of 1024 however they are
 * written, and beside them KiB, MiB and GiB.
 */
export const SIZE_FAMILIES: readonly UnitFamily[] = [
  {
    kind: 'size',
    units: [
      ['b', 1],
      ['kb', K],
      ['mb', K ** 2],
      ['gb', K ** 3],
    ],
  },
  {
    kind: 'size',
    units: [
      ['b', 1],
      ['k', K],
      ['m', K ** 2],
      ['g', K ** 3],
    ],
  },
  {
    kind: 'size',
    units: [
      ['B', 1],
      ['KiB', K],
      ['MiB', K ** 2],
      ['GiB', K ** 3],
    ],
  },
];

/** Sizes written in bits, as tc takes them: an eighth of a byte, with prefixes of 1024. */
export const SIZES_IN_BITS: readonly Unit[] = [
  ['kbit', K / 8],
  ['mbit', K ** 2 / 8],
  ['gbit', K ** 3 / 8],
];

/** Durations: tc's s, ms, us, ns and their longer spellings, beside minutes and hours, which tc does not know. */
export const DURATION_FAMILIES: readonly UnitFamily[] = [
  {
    kind: 'duration',
    units: [
      ['ns', 1],
      ['us', 1e3],
      ['ms', 1e6],
      ['s', 1e9],
      ['min', 60e9],
      ['h', 3600e9],
    ],
  },
  {
    kind: 'duration',
    units: [
      ['nsec', 1],
      ['usec', 1e3],
      ['msec', 1e6],
      ['sec', 1e9],
    ],
  },
  {
    kind: 'duration',
    units: [
      ['nsecs', 1],
      ['usecs', 1e3],
      ['msecs', 1e6],
      ['secs', 1e9],
    ],
  },
];

/** Shares in percent and counts of packets. */
export const OTHER_FAMILIES: readonly UnitFamily[] = [
  { kind: 'probability', units: [['%', 0.01]] },
  { kind: 'packets', units: [['p', 1]] },
];

/** Scale by suffix in lower case, the first family that has a suffix deciding. */
export function scalesOf(families: readonly UnitFamily[], more: readonly Unit[] = []): ReadonlyMap<string, number> {
  const scales = new Map<string, number>();
  for (const [suffix, scale] of [...families.flatMap((family) => family.units), ...more]) {
    scales.set(suffix.toLowerCase(), scale);
  }
  return scales;
}

/**
 * Writes a whole number of base units with the largest unit of the family that divides it: 110000000 → `110mbit`.
 * A number that no unit divides, as 9 bit/s in bytes a second, is written with the fraction of the smallest.
 */
export function writeExactly(value: number, units: readonly Unit[]): string {
  let [suffix, scale] = units[0]!;
  if (value !== 0) {
    for (const [candidate, candidateScale] of units) {
      if (value % candidateScale === 0) [suffix, scale] = [candidate, candidateScale];
    }
  }
  return `${value / scale}${suffix}`;
}
