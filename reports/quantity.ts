const RATE = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?(bit|bps)?\s*$/i;
const SIZE = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmg])(i?)b?|b|bytes?)?\s*$/i;
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

/** Orders texts as people do: by the first number with its prefix where both begin with one, else by parts. */
export function compareTexts(a: string, b: string): number {
  const rates = [rateOfText(a), rateOfText(b)];
  if (rates[0] !== undefined && rates[1] !== undefined) return rates[0] - rates[1];
  const sizes = [sizeOfText(a), sizeOfText(b)];
  if (sizes[0] !== undefined && sizes[1] !== undefined) return sizes[0] - sizes[1];
  const partsA = a.split(/(\d+)/);
  const partsB = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(partsA.length, partsB.length); i++) {
    const [x, y] = [partsA[i] as string, partsB[i] as string];
    if (x === y) continue;
    const difference = i % 2 === 1 ? Number(x) - Number(y) : 0;
    return difference !== 0 ? difference : x < y ? -1 : 1;
  }
  return partsA.length - partsB.length;
}
