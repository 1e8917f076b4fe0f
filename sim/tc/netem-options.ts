import type { Values } from '../../models/model.ts';
import { writeDuration } from '../units/duration.ts';
import { TcFault, type TcOption } from './model.ts';
import { readInteger, readPercent, readRate, readSize, readTime, type Words } from './words.ts';

/** Options by key, to which those read are added. */
type Options = Record<string, TcOption>;

const DISTRIBUTIONS = new Set(['normal', 'pareto', 'paretonormal']);
/** Probabilities of the chains, in tc's order: its own name where it shows them, and the key of a scenario. */
const STATE_PARTS = ['p13', 'p31', 'p32', 'p23', 'p14'].map((name) => [name, name] as const);
const CHAIN_PARTS = [
  ['p', 'p'],
  ['r', 'r'],
  ['1-h', 'lossInBad'],
  ['1-k', 'lossInGood'],
] as const;
/** What tc takes for a probability that is left out at the end. */
const DEFAULT_SHARES: Readonly<Record<string, number>> = { p32: 0, p23: 1, p14: 0, lossInBad: 1, lossInGood: 0 };
const CELL_PARTS = [
  ['packetoverhead', 'packetOverhead'],
  ['cellsize', 'cellSize'],
  ['celloverhead', 'cellOverhead'],
] as const;

const startsNumber = (word: string): boolean => /^[\d.]/.test(word);
const isPercent = (word: string): boolean => /^(?:\d+(?:\.\d*)?|\.\d+)%?$/.test(word);

/** Reads `delay TIME [JITTER [CORRELATION]]`. @throws TcFault */
export function readDelay(words: Words, name: string, options: Options): TcOption {
  const delay = readTime(words.value(name, 'a time'));
  if (startsNumber(words.peek())) options.jitter = readTime(words.take());
  if (options.jitter !== undefined && startsNumber(words.peek())) options.delayCorrelation = readPercent(words.take());
  return delay;
}

/** Reads `distribution NAME`; a table that only its owner has is not known. */
export function readDistribution(words: Words, name: string, unknown: string[]): TcOption | undefined {
  const given = words.value(name, 'the name of a distribution');
  if (DISTRIBUTIONS.has(given)) return given;
  unknown.push(`distribution ${given}`);
  return undefined;
}

/** Reads `duplicate PERCENT [CORRELATION]` and its like. @throws TcFault */
export function readChance(words: Words, name: string, key: string, options: Options): TcOption {
  const chance = readPercent(words.value(name, 'a percentage'));
  if (isPercent(words.peek())) options[`${key}Correlation`] = readPercent(words.take());
  return chance;
}

/** Reads `loss [random] PERCENT …`, `loss state P13 …` or `loss gemodel P …`. @throws TcFault */
export function readLoss(words: Words, name: string, options: Options): TcOption | undefined {
  const model = words.peek();
  if (model === 'state' || model === 'gemodel') {
    words.take();
    const parts = model === 'state' ? STATE_PARTS : CHAIN_PARTS;
    const chain: Record<string, string> = {};
    for (const [label, key] of parts) {
      if (words.peek() === label) words.take();
      if (!isPercent(words.peek())) break;
      chain[key] = readPercent(words.take());
    }
    if (chain[parts[0]![1]] === undefined) throw new TcFault(`"${name} ${model}" wants a percentage behind it`);
    options[model === 'state' ? 'lossState' : 'lossGemodel'] = chain;
    return undefined;
  }
  if (model === 'random') words.take();
  return readChance(words, name, 'loss', options);
}

/** Reads `rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]]`. @throws TcFault */
export function readCellRate(words: Words, name: string, options: Options): TcOption {
  const rate = readRate(words.value(name, 'a rate'));
  for (const [label, key] of CELL_PARTS) {
    const isLabelled = words.peek() === label;
    if (isLabelled) words.take();
    const next = words.peek();
    if (!/^-?\d+$/.test(next)) {
      if (isLabelled) throw new TcFault(`"${label}" wants a whole number behind it`);
      continue;
    }
    words.take();
    options[key] = next.startsWith('-') ? -readInteger(next.slice(1)) : readInteger(next);
  }
  return rate;
}

/** Reads `slot MIN [MAX] …` or `slot distribution NAME DELAY JITTER …`, with `packets` and `bytes`. @throws TcFault */
export function readSlot(words: Words, name: string, unknown: string[]): TcOption | undefined {
  const slot: Record<string, string | number> = {};
  let isKnown = true;
  if (words.peek() === 'distribution') {
    words.take();
    // What is shown does not say which table it is.
    const table = startsNumber(words.peek()) ? '' : words.value(name, 'the name of a distribution');
    isKnown = DISTRIBUTIONS.has(table);
    slot.distribution = table;
    slot.delay = readTime(words.value(name, 'a time'));
    slot.jitter = readTime(words.value(name, 'a time'));
  } else {
    slot.minDelay = readTime(words.value(name, 'a time'));
    if (startsNumber(words.peek())) slot.maxDelay = readTime(words.take());
  }
  if (words.peek() === 'packets') {
    words.take();
    slot.packets = readInteger(words.value('packets', 'a whole number'));
  }
  if (words.peek() === 'bytes') {
    words.take();
    slot.bytes = readSize(words.value('bytes', 'a size'));
  }
  if (isKnown) return slot;
  unknown.push(`slot distribution ${slot.distribution}`.trim());
  return undefined;
}

/** Options of netem whose words are not one value each, as tc takes them; probabilities in the words of `percent`. */
export function writeNetemWords(values: Values, percent: (probability: number) => string): string[] {
  const { lossState, lossGemodel, slot } = values as Readonly<
    Record<string, Readonly<Record<string, number | string | undefined>> | undefined>
  >;
  const words: string[] = [];
  const shares = (parts: readonly (readonly [string, string])[], chain: Values): string[] => {
    const given = parts.map(([, key]) => chain[key] as number | undefined);
    const last = given.findLastIndex(
      (share, index) => share !== undefined && share !== DEFAULT_SHARES[parts[index]![1]],
    );
    return given.slice(0, last + 1).map((share) => percent(share ?? 0));
  };
  if (lossState !== undefined) words.push('loss', 'state', ...shares(STATE_PARTS, lossState));
  if (lossGemodel !== undefined) words.push('loss', 'gemodel', ...shares(CHAIN_PARTS, lossGemodel));
  if (slot !== undefined) {
    const { minDelay = 0, maxDelay, distribution, delay = 0, jitter = 0, packets, bytes } = slot;
    const time = (ns: number | string): string => writeDuration(Number(ns));
    words.push('slot');
    if (distribution !== undefined) words.push('distribution', String(distribution), time(delay), time(jitter));
    else words.push(time(minDelay), ...(maxDelay === undefined ? [] : [time(maxDelay)]));
    if (packets !== undefined) words.push('packets', String(packets));
    if (bytes !== undefined) words.push('bytes', String(bytes));
  }
  return words;
}
