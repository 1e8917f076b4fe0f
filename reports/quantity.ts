const RATE = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?(bit|bps)?\s*$/i;
const SIZE = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmg])(i?)b?|b|bytes?)?\s*$/i;
const TIME = /^\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|min|s)\s*$/i;
const PER_SECOND: Readonly<Record<string, number>> = { ns: 1e9, us: 1e6, µs: 1e6, ms: 1e3, s: 1, min: 1 / 60 };
const PERCENT = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/;
const POWER: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 };

/** Reads a rate as tc writes it (bit/s), for axes and order; undefined where the text is none. */
export function rateOfText(text: string): number | undefined {
  const match = RATE.exec(text);
  if (match === null) return undefined;
  const [, number, prefix, binary, unit] = match;
  const base = binary === 'i' ? 1024 : 1000;
  const factor = prefix === undefined ? 1 : base ** (POWER[prefix.toLowerCase()] as number);
  return Number(number) * factor * (unit?.toLowerCase() === 'bps' ? 8 : 1);
}

/** Reads a size as tc writes it (bytes; `k` is 1024); undefined where the text is none. */
export function sizeOfText(text: string): number | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  const prefix = match[2];
  return Number(match[1]) * (prefix === undefined ? 1 : 1024 ** (POWER[prefix.toLowerCase()] as number));
}

/** Reads a time (s); undefined where the text is none or has no unit. */
export function timeOfText(text: string): number | undefined {
  const match = TIME.exec(text);
  return match === null ? undefined : Number(match[1]) / (PER_SECOND[(match[2] as string).toLowerCase()] as number);
}

function percentOfText(text: string): number | undefined {
  const match = PERCENT.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** What all values of a variable measure, and how one is read. */
export interface QuantityKind {
  readonly measure: 'rate' | 'bytes' | 'time' | 'percent' | 'count';
  readonly read: (text: string) => number | undefined;
}

const SIZE_NAME = /burst|size|bytes|buf|mtu|packet/i;
const RATE_NAME = /rate|ceil|bandwidth/i;

/** What the values of a variable measure: sizes, rates, times or plain numbers; undefined where one of them is none. */
export function quantityOf(name: string, texts: readonly string[]): QuantityKind | undefined {
  const every = (read: QuantityKind['read']): boolean => texts.every((text) => read(text) !== undefined);
  const kinds: QuantityKind[] = [
    { measure: 'bytes', read: sizeOfText },
    { measure: 'rate', read: rateOfText },
    { measure: 'time', read: timeOfText },
    { measure: 'percent', read: percentOfText },
  ];
  if (RATE_NAME.test(name)) kinds.unshift(kinds[1] as QuantityKind);
  const isPlain = texts.every((text) => /^\d+(?:\.\d+)?$/.test(text));
  if (isPlain && !SIZE_NAME.test(name) && !RATE_NAME.test(name)) return { measure: 'count', read: Number };
  return kinds.find(({ read }) => every(read));
}
