import { TcFault, type TcOption } from './model.ts';
import { readCellRate, readChance, readDelay, readDistribution, readLoss, readSlot } from './netem-options.ts';
import type { OptionRule, OptionType } from './option-tables.ts';
import { readInteger, readPercent, readRate, readSize, readTime, type Words } from './words.ts';

/** What was read of the options of a qdisc, class or policer. */
export interface OptionReading {
  readonly options: Record<string, TcOption>;
  /** Parts that are not known, as written. */
  readonly unknown: string[];
}

/** Beginnings of option names that tc takes for the whole. */
const ABBREVIATED = /^(?:quan|quantu?|pri|over|overh|overhea|lat|late|laten|latenc|link|linkl|linklay|cbur|bur)$/;
const LINK_LAYERS = new Set(['ethernet', 'atm', 'adsl']);

/**
 * Reads options up to the end of the command or the first word that is none.
 *
 * @param stopAtUnknown leaves an unknown word to the caller; otherwise it and what belongs to it are collected
 * @throws TcFault for a value that tc would refuse
 */
export function readOptions(words: Words, rules: readonly OptionRule[], stopAtUnknown = false): OptionReading {
  const options: Record<string, TcOption> = {};
  const unknown: string[] = [];
  const known = (word: string): OptionRule | undefined =>
    rules.find(([names]) => names.includes(word)) ??
    (ABBREVIATED.test(word) ? rules.find(([names]) => names[0]!.startsWith(word)) : undefined);
  while (!words.done) {
    const rule = known(words.peek());
    if (rule !== undefined) {
      const name = words.take();
      const [names, type] = rule;
      if (type === 'flag-off') options[names[1]!] = 0;
      else if (names.length === 1 || type !== 'flag') {
        const value = readValue(words, name, type, options, unknown);
        if (value !== undefined) options[names[0]!] = value;
      }
      continue;
    }
    if (stopAtUnknown) break;
    const parts = [words.take()];
    while (!words.done && known(words.peek()) === undefined) parts.push(words.take());
    unknown.push(parts.join(' '));
  }
  return { options, unknown };
}

function readValue(
  words: Words,
  name: string,
  type: OptionType,
  options: Record<string, TcOption>,
  unknown: string[],
): TcOption | undefined {
  switch (type) {
    case 'flag':
    case 'flag-off':
      return true;
    case 'rate':
      return readRate(words.value(name, 'a rate'));
    case 'size':
      return readSize(words.value(name, 'a size'));
    case 'size-per-cell': {
      const [size, cell] = words.value(name, 'a size').split('/');
      if (cell !== undefined && cell !== '1') unknown.push(`${name} cell size ${cell}`);
      return readSize(size!);
    }
    case 'packets': {
      const text = words.value(name, 'a number of packets');
      const digits = /^(\d+)p?$/.exec(text)?.[1];
      // tc reads the limit of a packet queue as a size, so that 1k are 1024 packets.
      return digits !== undefined ? readInteger(digits) : sizeAsNumber(readSize(text));
    }
    case 'time':
      return readTime(words.value(name, 'a time'));
    case 'percent':
      return readPercent(words.value(name, 'a percentage'));
    case 'fraction':
      return readFraction(words.value(name, 'a probability'));
    case 'integer': {
      const text = words.value(name, 'a whole number');
      return readInteger(text.replace(/sec$/, ''));
    }
    case 'signed': {
      const text = words.value(name, 'a whole number');
      return text.startsWith('-') ? -readInteger(text.slice(1)) : readInteger(text);
    }
    case 'hexadecimal':
      return readInteger(words.value(name, 'a hexadecimal number'), 16);
    case 'word': {
      const text = words.value(name, 'a link layer');
      if (!LINK_LAYERS.has(text)) throw new TcFault(`"${text}" is no link layer`, 'tc knows ethernet, atm and adsl');
      return text;
    }
    case 'priomap': {
      const bands: number[] = [];
      while (bands.length < 16 && /^\d+$/.test(words.peek())) bands.push(readInteger(words.take()));
      if (bands.length === 0) throw new TcFault('"priomap" wants up to 16 band numbers behind it');
      return bands;
    }
    case 'time-list':
      return readDelay(words, name, options);
    case 'distribution':
      return readDistribution(words, name, unknown);
    case 'chance-list':
      return readChance(words, name, name, options);
    case 'loss-list':
      return readLoss(words, name, options);
    case 'rate-list':
      return readCellRate(words, name, options);
    case 'slot-list':
      return readSlot(words, name, unknown);
  }
}

function sizeAsNumber(text: string): number {
  const match = /^([\d.]+)\s*([kmg]?)/i.exec(text);
  const scale = { k: 1024, m: 1048576, g: 1073741824 }[match?.[2]?.toLowerCase() ?? ''] ?? 1;
  return Math.floor(Number(match?.[1] ?? 0) * scale);
}

function readFraction(text: string): string {
  const value = Number(text);
  if (!(value >= 0 && value <= 1) || text.trim() === '') {
    throw new TcFault(`"${text}" is no probability`, 'tc reads it as a number from 0 to 1, for example 0.02');
  }
  return text;
}
