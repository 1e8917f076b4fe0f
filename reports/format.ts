const NO_BREAK_SPACE = '\u00a0';

/** What a number measures; decides its units. */
export type Measure = 'rate' | 'time' | 'bytes' | 'packets' | 'count' | 'percent' | 'share';

/** A unit: shown value = value / factor. */
export interface Unit {
  readonly factor: number;
  readonly name: string;
}

const UNITS: Readonly<Record<Measure, readonly Unit[]>> = {
  rate: [
    { factor: 1e9, name: 'Gbit/s' },
    { factor: 1e6, name: 'Mbit/s' },
    { factor: 1e3, name: 'kbit/s' },
    { factor: 1, name: 'bit/s' },
  ],
  time: [
    { factor: 1, name: 's' },
    { factor: 1e-3, name: 'ms' },
    { factor: 1e-6, name: 'µs' },
    { factor: 1e-9, name: 'ns' },
  ],
  bytes: [
    { factor: 1e9, name: 'GB' },
    { factor: 1e6, name: 'MB' },
    { factor: 1e3, name: 'kB' },
    { factor: 1, name: 'B' },
  ],
  packets: [{ factor: 1, name: 'packets' }],
  count: [{ factor: 1, name: '' }],
  percent: [{ factor: 1, name: '%' }],
  share: [{ factor: 0.01, name: '%' }],
};

/** The largest unit in which `largest` is at least 1 (for rates up to 10 Gbit/s: Mbit/s, as the limits are written). */
export function unitFor(measure: Measure, largest: number): Unit {
  const units = UNITS[measure];
  const size = Math.abs(largest);
  for (const unit of units) {
    const least = measure === 'rate' && unit.factor === 1e9 ? 1e10 : unit.factor;
    if (size >= least * (1 - 1e-9)) return unit;
  }
  return units.at(-1) as Unit;
}

/** Writes a number with at most `digits` significant digits (whole digits are never cut), thousands grouped, a true minus sign. */
export function formatNumber(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : value < 0 ? '−∞' : '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15))
    return value.toExponential(Math.max(0, digits - 1)).replace('-', '−');
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  const leadingZeros = size === 0 || size >= 1 ? 0 : Math.max(0, Math.ceil(-Math.log10(size)) - 1);
  const decimals = Math.max(0, Math.min(8, digits - whole + leadingZeros));
  const fixed = size.toFixed(decimals);
  const [integer, fraction] = fixed.split('.') as [string, string | undefined];
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = (fraction ?? '').replace(/0+$/, '');
  const text = rest === '' ? grouped : `${grouped}.${rest}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** Writes a value with its unit: `656.25 Mbit/s`, `8.2 ms`, `1,024 packets`. */
export function formatQuantity(value: number, measure: Measure, digits = 5): string {
  const unit = unitFor(measure, value);
  const text = formatNumber(value / unit.factor, digits);
  return unit.name === '' ? text : `${text}${NO_BREAK_SPACE}${unit.name}`;
}

/** Writes a byte count as people name sizes: `5 MiB` where that is exact, else `5.24 MB`, `836 bytes`. */
export function formatBytes(bytes: number): string {
  for (const [factor, name] of [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ] as const) {
    if (bytes >= factor && bytes % (factor / 4) === 0) return `${formatNumber(bytes / factor)}${NO_BREAK_SPACE}${name}`;
  }
  if (bytes < 1e4) return `${formatNumber(bytes)}${NO_BREAK_SPACE}${bytes === 1 ? 'byte' : 'bytes'}`;
  return formatQuantity(bytes, 'bytes', 4);
}

/** Writes a difference in percent in words: `18 % more`, `0.4 % less`, `the same`. */
export function formatDifference(percent: number): string {
  const size = Math.abs(percent);
  if (size < 0.005) return 'the same';
  const text = `${formatNumber(size, size < 10 ? 2 : 3)}${NO_BREAK_SPACE}%`;
  return percent > 0 ? `${text} more` : `${text} less`;
}

/** Writes a percentage with its sign: `+18.2 %`. */
export function formatSigned(percent: number): string {
  const text = formatNumber(percent, Math.abs(percent) < 10 ? 3 : 4);
  return `${percent > 0 && /[1-9]/.test(text) ? '+' : ''}${text}${NO_BREAK_SPACE}%`;
}

/** Joins words as a sentence does: `a, b and c`. */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A noun with its number: `1 point`, `14 points`. */
export function counted(count: number, noun: string): string {
  return `${formatNumber(count)}${NO_BREAK_SPACE}${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}
