import type { ParameterType } from '../../models/model.ts';
import type { Message } from './problem.ts';
import type { FigureKind } from './result-shape.ts';

/** Every text that a scenario file can draw from this part of the program; those about units stand with the units. */

const MAXIMUM_LISTED = 12;

/** What a value of a simple type looks like. */
export const TYPE_WORDS: Readonly<Record<Extract<ParameterType, string>, string>> = {
  rate: 'a rate such as 100mbit',
  size: 'a size such as 1500b or 64kb',
  duration: 'a duration such as 10ms',
  probability: 'a probability such as 0.1% or 0.001',
  'curl-limit': 'a limit in bytes a second as curl reads it, such as 2000000 or 500k',
  queue: 'a queue limit such as 1000p, 64kb or 40ms',
  'class-id': 'a class id such as "1:10"',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'text',
};

/** What a value for a figure of a result looks like. */
export const FIGURE_WORDS: Readonly<Record<FigureKind, string>> = {
  rate: 'a rate (100mbit, or a bare number in bit/s)',
  size: 'a size (64kb, or a bare number in bytes)',
  duration: 'a duration (10ms, or a bare number in seconds)',
  percent: 'a percentage (2%, or a bare number)',
  number: 'a bare number',
  text: 'a word',
  boolean: 'true or false',
  any: 'a value',
};

/** Describes what stands in a document, short enough for a message. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}

/** Lists words for a message: `a, b or c`; a long list is cut. */
export function listWords(words: Iterable<string>): string {
  const all = [...words];
  if (all.length === 0) return 'none';
  if (all.length > MAXIMUM_LISTED) return `${all.slice(0, MAXIMUM_LISTED).join(', ')}, …`;
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

function didYouMean(nearest: string | undefined, otherwise: string | undefined): string | undefined {
  return nearest === undefined ? otherwise : `did you mean ${nearest}?`;
}

// The text of the file ------------------------------------------------------------------------------------------

export function notText(encoding: string | undefined): Message {
  return { expected: 'a scenario in YAML (UTF-8 text)', received: encoding ?? 'binary data' };
}

export function notUtf8(): Message {
  return {
    expected: 'a scenario in UTF-8',
    received: 'a letter in another encoding, such as Latin-1',
    hint: 'iconv -f latin1 -t utf-8 IN > OUT',
  };
}

export function tooLarge(maximum: number): Message {
  return { expected: `a scenario of at most ${maximum} characters`, received: 'a longer one' };
}

export function emptyDocument(received: string): Message {
  return {
    expected: 'a mapping with duration, hops and flows',
    received,
    hint: '`sim init` writes a scenario to begin with',
  };
}

export function notYaml(reason: string, sourceLine: string): Message {
  const holdsReference = /[{[,:]\s*\$\{/.test(sourceLine);
  const hint = holdsReference ? `put a variable in quotes: "$\{name}"` : undefined;
  return { expected: 'valid YAML', received: reason, hint };
}

export function severalDocuments(): Message {
  return { expected: 'one YAML document', received: 'several', hint: 'write each scenario to a file of its own' };
}

export function tooDeep(maximum: number): Message {
  return { expected: `at most ${maximum} levels of nesting`, received: 'more' };
}

export function tooManyNodes(maximum: number): Message {
  return { expected: `at most ${maximum} values`, received: 'more' };
}

export function tooManyAliased(maximum: number): Message {
  return {
    expected: `aliases that stand for at most ${maximum} values`,
    received: 'more',
    hint: 'an alias (*name) stands for all that its anchor (&name) holds',
  };
}

export function unknownAlias(name: string): Message {
  return { expected: `an anchor &${name} further up`, received: 'none' };
}

export function circularAlias(name: string): Message {
  return { expected: 'an alias to something complete', received: `*${name} inside of &${name}` };
}

export function keyNotText(): Message {
  return {
    expected: 'a word as key',
    received: 'a mapping or list',
    hint: 'put text that begins with ${ or [ in quotes',
  };
}

export function mergeKey(): Message {
  return {
    expected: 'a key of its own',
    received: 'the merge key <<',
    hint: 'merge keys are not supported; an alias (*name) can stand for a whole mapping, whose keys cannot be added to',
  };
}

export function duplicateKey(key: string, line: number): Message {
  return { expected: 'each key once', received: `${key} again`, hint: `it stands already in line ${line}` };
}

// Keys and values -----------------------------------------------------------------------------------------------

export function unknownKey(key: string, known: Iterable<string>, nearest: string | undefined, hint?: string): Message {
  const words = [...known];
  return {
    expected: words.length > 0 ? 'a known key' : 'no key here',
    received: key,
    hint: didYouMean(nearest, hint ?? `known here: ${listWords(words)}`),
  };
}

export function keyOfShaperMissing(key: string, nearest: string | undefined): Message {
  const hint = 'only a hop with `shaper:` has such keys; without one, a hop is its `link:`';
  return { expected: 'shaper or link', received: key, hint: didYouMean(nearest, hint) };
}

/** A key of `device:` at a hop of another kind than `kind`; undefined: than a plain link. */
export function deviceKeyOfAnother(key: string, kind: string | undefined): Message {
  const owner = kind === undefined ? 'a hop without a shaper' : `shaper: ${kind}`;
  return { expected: `no ${key}, which only ${owner} has`, received: key };
}

export function policerIsNoDevice(): Message {
  const hint = 'give them to the hop of the device that the packets are redirected to';
  return { expected: 'no redirects, as a policer is a filter', received: 'redirects', hint };
}

export function missingKey(key: string, help: string): Message {
  return { expected: `the key ${key}`, received: 'nothing', hint: help };
}

export function wrongShape(expected: string, value: unknown): Message {
  return { expected, received: describe(value) };
}

/** As {@link wrongShape}, of what need not be there. */
export function wrongOptional(expected: string, value: unknown): Message {
  const hint = value === null ? 'leave the key out to have the default' : undefined;
  return { expected, received: describe(value), hint };
}

export function notBoolean(value: unknown): Message {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  const meant = /^(yes|on|1)$/.test(word) ? 'true' : /^(no|off|0)$/.test(word) ? 'false' : undefined;
  return { expected: 'true or false', received: describe(value), hint: didYouMean(meant, undefined) };
}

export function notInteger(value: unknown): Message {
  return { expected: 'a whole number', received: describe(value) };
}

export function notNumber(value: unknown): Message {
  return { expected: 'a number', received: describe(value) };
}

export function notChoice(value: unknown, choices: readonly string[], nearest: string | undefined): Message {
  return { expected: listWords(choices), received: describe(value), hint: didYouMean(nearest, undefined) };
}

export function unknownKind(role: string, value: unknown, kinds: readonly string[], nearest?: string): Message {
  const hint = didYouMean(nearest, `known: ${listWords(kinds)}`);
  return { expected: `the kind of a ${role}`, received: describe(value), hint };
}

export function outOfBounds(
  bounds: { readonly minimum: string | undefined; readonly maximum: string | undefined },
  value: unknown,
  hint?: string,
): Message {
  const { minimum, maximum } = bounds;
  const both = minimum !== undefined && maximum !== undefined;
  const expected = both
    ? `${minimum} to ${maximum}`
    : minimum !== undefined
      ? `at least ${minimum}`
      : `at most ${maximum}`;
  return { expected, received: describe(value), ...(hint === undefined ? {} : { hint }) };
}

export function notName(value: string): Message {
  if (value === '__proto__') {
    const hint = 'results are data for scripts, and in JavaScript this name means something else';
    return { expected: 'another name, as this one is reserved', received: describe(value), hint };
  }
  return {
    expected: 'a name of letters, digits and . _ : + -',
    received: describe(value),
    hint: 'names appear in paths and on command lines',
  };
}

export function classTwice(key: string, other: string): Message {
  return { expected: 'each class once', received: `${key}, which is ${other} again` };
}

export function emptyMapping(what: string): Message {
  return { expected: `at least one ${what}`, received: 'none' };
}

// Scenario ------------------------------------------------------------------------------------------------------

export function warmupTooLong(warmup: string, duration: string): Message {
  return {
    expected: `less than the duration (${duration})`,
    received: warmup,
    hint: 'rates are measured after the warm-up',
  };
}

export function stopBeforeStart(stop: string, start: string): Message {
  return { expected: `an instant after start (${start})`, received: stop };
}

export function unknownHop(name: string, hops: readonly string[], nearest: string | undefined): Message {
  const hint = didYouMean(nearest, `hops: ${listWords(hops)}`);
  return { expected: 'the name of a hop', received: describe(name), hint };
}

export function hopTwice(name: string): Message {
  return { expected: 'each hop once on the path', received: `${name} again` };
}

export function unknownClass(name: string, classes: readonly string[], nearest: string | undefined): Message {
  return {
    expected: 'a leaf class of a hop on the path, or direct',
    received: describe(name),
    hint: didYouMean(nearest, `leaf classes: ${listWords(classes)}`),
  };
}

export function innerClass(name: string, leaves: readonly string[]): Message {
  return {
    expected: 'a leaf class, as only leaves have queues',
    received: `${name}, which has children`,
    hint: `leaf classes below it: ${listWords(leaves)}`,
  };
}

export function noClasses(name: string): Message {
  return { expected: 'no class, as no hop on the path has classes', received: describe(name) };
}

export function traceNotRising(previous: string, value: string): Message {
  return { expected: `an instant not before the one above (${previous})`, received: value };
}

export function rateAndTrace(): Message {
  return { expected: 'either rate or trace', received: 'both', hint: 'a trace says when the link can send' };
}

export function traceWithoutTime(): Message {
  return { expected: 'a trace that lasts longer than 0 ns', received: 'one that ends at 0 ns' };
}

// Variables and sweeps ------------------------------------------------------------------------------------------

export function unknownVariable(name: string, known: readonly string[], nearest: string | undefined): Message {
  const hint = known.length === 0 ? 'declare it: `vars: { name: value }`' : `variables: ${listWords(known)}`;
  return { expected: 'a variable', received: `\${${name}}`, hint: didYouMean(nearest && `\${${nearest}}`, hint) };
}

export function circularVariable(cycle: readonly string[]): Message {
  return {
    expected: 'a variable that does not refer to itself',
    received: cycle.map((name) => `$\{${name}}`).join(' → '),
  };
}

export function malformedReference(text: string): Message {
  return { expected: `a variable as in $\{name}`, received: describe(text), hint: 'write $${ for a plain ${' };
}

export function longText(most: number): Message {
  return { expected: `at most ${most} characters in place of variables`, received: 'more' };
}

export function notVariableName(name: string): Message {
  if (name === '__proto__') return notName(name);
  return { expected: 'a name of letters, digits, - and _', received: describe(name) };
}

export function notVariableValue(value: unknown): Message {
  return { expected: 'one value (text, number, true or false)', received: describe(value) };
}

export function unusedVariable(name: string, used: readonly string[], nearest: string | undefined): Message {
  const hint = used.length === 0 ? `write \${${name}} where its value belongs` : `variables: ${listWords(used)}`;
  return { expected: 'a variable that the scenario has', received: name, hint: didYouMean(nearest, hint) };
}

export function sweptReference(name: string): Message {
  return { expected: 'values that do not change within the sweep', received: `\${${name}}` };
}

export function notSweepValues(value: unknown): Message {
  return { expected: 'a list of values, a,b,c or from..to/step', received: describe(value) };
}

export function zipLengths(lengths: readonly string[]): Message {
  return { expected: 'as many values for each name of zip', received: lengths.join(', ') };
}

export function sweptTwice(name: string): Message {
  return { expected: 'each variable once', received: `${name} in sweep and in zip` };
}

export function notWholeNumberWithin(value: unknown, least: number, most: number): Message {
  return { expected: `a whole number from ${least} to ${most}`, received: describe(value) };
}

export function sampleTooLarge(points: number, gridPoints: number): Message {
  return {
    expected: `at most ${gridPoints} points, all that the grid has`,
    received: String(points),
    hint: 'a latin-hypercube sample may have any number',
  };
}

export function tooManyPoints(points: number, maximum: number): Message {
  return {
    expected: `at most ${maximum} points`,
    received: String(points),
    hint: 'take larger steps, or fewer variables at a time',
  };
}

// Expectations and reference data -------------------------------------------------------------------------------

export function notExpectation(text: string, word: string | undefined, nearest: string | undefined): Message {
  return {
    expected: 'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
    received: word === undefined ? describe(text) : `the word ${describe(word)}`,
    hint: didYouMean(nearest, 'for example: flows.a.bitsPerSecond.frame within 0.5% of 656.25mbit'),
  };
}

export function unknownFigure(path: string, word: string, known: readonly string[], nearest?: string): Message {
  return {
    expected: path === '' ? 'the path of a figure' : `a figure below ${path}`,
    received: describe(word),
    hint: didYouMean(nearest, `known there: ${listWords(known)}`),
  };
}

export function incompletePath(path: string, known: readonly string[]): Message {
  return { expected: `a single figure`, received: path, hint: `go on with ${listWords(known)}` };
}

export function wrongKindOfFigure(path: string, kind: string, value: string): Message {
  return { expected: `${kind} for ${path}`, received: describe(value) };
}

export function onlyEquals(path: string, relation: string): Message {
  return { expected: `equals, as ${path} is no number`, received: relation };
}

export function unreadableFile(path: string, reason: string): Message {
  return { expected: 'a readable file beside the scenario', received: path, hint: reason };
}

export function noSuchColumn(column: string, columns: readonly string[], nearest: string | undefined): Message {
  return {
    expected: 'a column of the file',
    received: describe(column),
    hint: didYouMean(nearest, `columns: ${listWords(columns)}`),
  };
}

export function notTableNumber(cell: string, line: number): Message {
  return { expected: `a number in line ${line} of the file`, received: describe(cell) };
}

export function emptyTable(): Message {
  return { expected: 'rows that match', received: 'none' };
}

export function notTrace(line: number, text: string): Message {
  return { expected: `whole milliseconds in line ${line} of the file, not falling`, received: describe(text) };
}
