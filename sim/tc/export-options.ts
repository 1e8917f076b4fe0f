import type { Parameter, Parameters, Values } from '../../models/model.ts';
import { writeClassId } from '../units/class-id.ts';
import { writeDuration } from '../units/duration.ts';
import { writeRate } from '../units/rate.ts';
import type { OptionRule, OptionType } from './option-tables.ts';

/** Words of a tc command for checked values, and the parameters that tc has no words for. */
export interface WrittenOptions {
  readonly words: readonly string[];
  /** Names of parameters that were not written although they differ from their default. */
  readonly left: readonly string[];
}

/** Parameters that tc takes behind the first value of an option, in this order. */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  delay: ['jitter', 'delayCorrelation'],
  loss: ['lossCorrelation'],
  duplicate: ['duplicateCorrelation'],
  corrupt: ['corruptCorrelation'],
  reorder: ['reorderCorrelation'],
  rate: ['packetOverhead', 'cellSize', 'cellOverhead'],
};
/** Types of options that are followed by such values. */
const LISTS = new Set<OptionType>(['time-list', 'chance-list', 'loss-list', 'rate-list']);

/**
 * Writes the values of a model as options of tc, those left out that have their default.
 *
 * @param handled parameters that the caller writes itself
 */
export function writeOptions(
  values: Values,
  parameters: Parameters,
  rules: readonly OptionRule[],
  handled: readonly string[],
): WrittenOptions {
  const words: string[] = [];
  const written = new Set(handled);
  for (const [names, type] of rules) {
    const [first] = names;
    const name = type === 'flag-off' ? names[1]! : camelCase(first!);
    const parameter = parameters[name];
    if (parameter === undefined || handled.includes(name)) continue;
    written.add(name);
    const following = LISTS.has(type) ? (FOLLOWING[name] ?? []) : [];
    for (const one of following) written.add(one);
    const value = values[name];
    const last = following.findLastIndex(
      (one) => values[one] !== undefined && values[one] !== parameters[one]?.default,
    );
    if (last >= 0 && value !== undefined) {
      // What is left out before the last one is nothing: 0.
      const all = [name, ...following.slice(0, last + 1)];
      words.push(first!, ...all.map((one) => writeNext((values[one] as number | undefined) ?? 0, parameters[one]!)));
      continue;
    }
    if (value === undefined || (type !== 'flag-off' && isDefault(value, parameter, type))) continue;
    if (type === 'flag') {
      if (value === true) words.push(first!);
    } else if (type === 'flag-off') {
      if (value === false && parameter.default === true) words.push(first!);
    } else words.push(first!, ...writeValue(value, type, parameter));
  }
  const left = Object.keys(values).filter(
    (name) => !written.has(name) && !isDefault(values[name], parameters[name], 'word'),
  );
  return { words, left };
}

/** A value among those of one option. */
function writeNext(value: number, { type }: Parameter): string {
  if (type === 'duration') return writeDuration(value);
  if (type === 'rate') return writeRate(value);
  return type === 'probability' ? writePercent(value) : String(value);
}

/** 0.07 as 7%, without an exponent, which tc and the import do not read. */
export function writePercent(probability: number): string {
  const percent = Number((probability * 100).toPrecision(15));
  const text = String(percent);
  return `${text.includes('e') ? percent.toFixed(20).replace(/0+$/, '') : text}%`;
}

function writeValue(value: unknown, type: OptionType, parameter: Parameter): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'number') return [String(value)];
  if (LISTS.has(type)) return [writeNext(value, parameter)];
  if (type === 'rate') return [writeRate(value)];
  if (type === 'time') return [writeDuration(value)];
  // The period of sfq is a duration in a scenario and whole seconds for tc.
  if (parameter.type === 'duration') return [String(value / 1e9)];
  return [type === 'hexadecimal' ? value.toString(16) : String(value)];
}

/** Whether a checked value is what the parameter has when it is left out. */
function isDefault(value: unknown, parameter: Parameter | undefined, type: OptionType): boolean {
  const fallback = parameter?.default;
  if (fallback === undefined) return false;
  if (typeof fallback === 'string' && typeof value === 'number') {
    if (parameter?.type === 'rate') return writeRate(value) === fallback;
    if (parameter?.type === 'duration') return writeDuration(value) === fallback;
    const text = /^(\d+)b?$/.exec(fallback)?.[1];
    return text !== undefined && Number(text) === value;
  }
  return fallback === value && type !== 'flag-off';
}

/** The name of a scenario's parameter for an option of tc: `memory_limit` is memoryLimit. */
export function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A handle for a command: `1:`. */
export function writeHandle(major: number): string {
  return writeClassId(major * 0x10000);
}
