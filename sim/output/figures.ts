/** What a figure of the result measures. */
export type Measure = 'rate' | 'time' | 'bytes' | 'count' | 'countRate' | 'percent' | 'share' | 'plain';

/** A unit: the value shown is value / scale. */
export interface FigureUnit {
  readonly name: string;
  readonly scale: number;
}

const RATE_UNITS: readonly FigureUnit[] = [
  { name: 'Gbit/s', scale: 1e9 },
  { name: 'Mbit/s', scale: 1e6 },
  { name: 'kbit/s', scale: 1e3 },
  { name: 'bit/s', scale: 1 },
];
const TIME_UNITS: readonly FigureUnit[] = [
  { name: 's', scale: 1 },
  { name: 'ms', scale: 1e-3 },
  { name: 'µs', scale: 1e-6 },
  { name: 'ns', scale: 1e-9 },
];
const BYTE_UNITS: readonly FigureUnit[] = [
  { name: 'GB', scale: 1e9 },
  { name: 'MB', scale: 1e6 },
  { name: 'kB', scale: 1e3 },
  { name: 'B', scale: 1 },
];
const PLAIN_UNITS: Readonly<Record<'count' | 'countRate' | 'percent' | 'share' | 'plain', FigureUnit>> = {
  count: { name: '', scale: 1 },
  countRate: { name: '/s', scale: 1 },
  percent: { name: '%', scale: 1 },
  share: { name: '%', scale: 0.01 },
  plain: { name: '', scale: 1 },
};

/** Rates up to here stay in Mbit/s, as limits are written (bit/s). */
const LEAST_GIGABITS = 1e10;

/** Finds out what a figure measures from its path in the result: `flows.generator.bitsPerSecond.frame` is a rate. */
export function measureOf(path: readonly string[]): Measure {
  for (const name of path.toReversed()) {
    if (/bitsPerSecond$/i.test(name)) return 'rate';
    if (/PerSecond$/.test(name)) return 'countRate';
    if (/seconds$/i.test(name)) return 'time';
    if (/percent$/i.test(name)) return 'percent';
    if (/fraction$/i.test(name)) return 'share';
    if (/packets$/i.test(name)) return 'count';
    if (/bytes$/i.test(name)) return 'bytes';
  }
  return 'plain';
}

/** The unit in which figures up to `largest` read best. */
export function unitFor(measure: Measure, largest: number): FigureUnit {
  const size = Math.abs(largest);
  if (measure === 'rate') {
    const fits = (unit: FigureUnit) => size >= (unit.scale === 1e9 ? LEAST_GIGABITS : unit.scale);
    return RATE_UNITS.find(fits) ?? RATE_UNITS.at(-1)!;
  }
  if (measure === 'time') {
    if (size === 0) return TIME_UNITS[0]!;
    return TIME_UNITS.find((unit) => size >= unit.scale * 0.9999995) ?? TIME_UNITS.at(-1)!;
  }
  if (measure === 'bytes') return BYTE_UNITS.find((unit) => size >= unit.scale * 10) ?? BYTE_UNITS.at(-1)!;
  return PLAIN_UNITS[measure];
}

/** Writes a number with thousands grouped and exactly so many decimals: 97656.25 → `97,656.3`. */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '-';
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split('.') as [string, string | undefined];
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Writes a number to about five significant digits, without trailing zeros. */
export function concise(value: number): string {
  const text = fixed(value, decimalsFor(value));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Writes a figure with its unit: `656.25 Mbit/s`, `8.192 ms`, `97,656 /s`. */
export function figure(value: number, measure: Measure): string {
  const unit = unitFor(measure, value);
  const scaled = value / unit.scale;
  const text = measure === 'count' ? fixed(value, Number.isInteger(value) ? 0 : 1) : concise(scaled);
  return unit.name === '' ? text : `${text} ${unit.name}`;
}

/** Writes a deviation: `+18.2 %`, `-0.04 %`, `0.00 %`. */
export function deviation(percent: number): string {
  const text = fixed(percent, Math.abs(percent) < 9.995 ? 2 : 1);
  return `${percent > 0 && /[1-9]/.test(text) ? '+' : ''}${text} %`;
}

/** Share of a flow's packets that were dropped: `31.0 %`. */
export function droppedShare(flow: { readonly sentPackets: number; readonly droppedPackets: number }): string {
  return `${fixed(flow.sentPackets === 0 ? 0 : (100 * flow.droppedPackets) / flow.sentPackets, 1)} %`;
}

/** Figures of one column: one unit, and so many decimals that the largest has about five significant digits, the smallest three. */
export function figureColumn(
  values: readonly (number | undefined)[],
  measure: Measure,
): { readonly unit: string; readonly cells: readonly string[] } {
  const largest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const unit = unitFor(measure, largest);
  const scaled = values.map((value) => (value === undefined ? undefined : value / unit.scale));
  const decimals = measure === 'count' || measure === 'countRate' ? 0 : decimalsNeeded(scaled, largest / unit.scale);
  return { unit: unit.name, cells: scaled.map((value) => (value === undefined ? '' : fixed(value, decimals))) };
}

function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size)) return 0;
  return Math.min(6, Math.max(0, 4 - Math.floor(Math.log10(size))));
}

/** Digits that count which the smallest figure of a column keeps beside the largest. */
const LEAST_DIGITS = 3;

/** No more decimals than the largest figure allows or the smallest asks for, and no more than any figure has. */
function decimalsNeeded(values: readonly (number | undefined)[], largest: number): number {
  const sizes = values.map((value) => Math.abs(value ?? 0)).filter((size) => size > 0 && Number.isFinite(size));
  const smallest = Math.min(largest, ...sizes);
  const asked = smallest > 0 ? LEAST_DIGITS - 1 - Math.floor(Math.log10(smallest)) : 0;
  const most = Math.min(6, Math.max(asked, Math.min(3, decimalsFor(largest))));
  return values.reduce<number>((needed, value) => {
    const fraction = value === undefined ? undefined : String(Number(value.toFixed(most))).split('.')[1];
    return Math.max(needed, fraction?.length ?? 0);
  }, 0);
}
