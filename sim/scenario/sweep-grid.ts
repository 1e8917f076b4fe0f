import { listRange, parseRange, type ValueRange } from '../units/range.ts';
import { UnitError } from '../units/unit-error.ts';
import type { Report } from './findings.ts';
import * as messages from './messages.ts';
import { drawSample, readSample, SAMPLE, type SampleSpec } from './sweep-sample.ts';
import { compileTemplate, type Environment, instantiate, isVariableName } from './template.ts';
import { isMapping } from './value-checker.ts';
import { scalarText } from './variables.ts';

/** The key of `sweep:` under which variables go in step. */
export const ZIP = 'zip';

/** One dimension of a grid: a variable, or several that go in step. */
interface Axis {
  readonly length: number;
  readonly variables: readonly (readonly [name: string, values: ValueRange])[];
}

/** The points of a sweep, made one at a time: a grid of a billion points costs nothing until it is walked. */
export class SweepGrid {
  readonly #axes: readonly Axis[];
  /** Of a sample, the indexes on the axes, point after point. */
  readonly #sample: Float64Array | undefined;
  /** Names in the order of the file. */
  readonly names: readonly string[];
  /** The product of the axes, 1 without any; or the points of the sample. */
  readonly pointCount: number;

  constructor(axes: readonly Axis[], sample?: SampleSpec) {
    this.#axes = axes;
    this.names = axes.flatMap((axis) => axis.variables.map(([name]) => name));
    this.pointCount = sample?.points ?? sizeOf(axes);
    if (sample !== undefined) {
      this.#sample = drawSample(
        sample,
        axes.map(({ length, variables }) => ({ length, name: variables.map(([name]) => name).join() })),
      );
    }
  }

  /** The variables of a point; the last axis changes from point to point, the first the slowest. */
  at(index: number): Map<string, string> {
    const indexes = this.#indexesAt(index);
    const variables = new Map<string, string>();
    for (let i = 0; i < this.#axes.length; i++) {
      for (const [name, values] of this.#axes[i]!.variables) variables.set(name, values.at(indexes[i]!));
    }
    return variables;
  }

  /**
   * Points that show what is wrong with a sweep: one axis after the other takes its values, at most `limit` of them
   * spread evenly up to the last, while the others keep their first. Of a sample, at most `limit` points.
   */
  *probes(limit: number): Generator<number> {
    if (this.#sample !== undefined) {
      const count = Math.min(limit, this.pointCount - 1);
      for (let i = 1; i <= count; i++) yield Math.round((i * (this.pointCount - 1)) / count);
      return;
    }
    let stride = this.pointCount;
    for (const { length } of this.#axes) {
      stride /= length;
      const count = Math.min(limit, length - 1);
      for (let i = 1; i <= count; i++) yield Math.round((i * (length - 1)) / count) * stride;
    }
  }

  /** The index of a point's value on each axis. */
  #indexesAt(index: number): ArrayLike<number> {
    const count = this.#axes.length;
    if (this.#sample !== undefined) return this.#sample.subarray(index * count, (index + 1) * count);
    const indexes = new Array<number>(count);
    let rest = index;
    for (let i = count - 1; i >= 0; i--) {
      const { length } = this.#axes[i]!;
      indexes[i] = rest % length;
      rest = Math.floor(rest / length);
    }
    return indexes;
  }
}

function sizeOf(axes: readonly Axis[]): number {
  return axes.reduce((product, axis) => product * axis.length, 1);
}

/** Names that `sweep:` sets, whether or not their values are right. */
export function sweptNames(node: unknown): Set<string> {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(isMapping(node) ? node : {})) {
    if (name === SAMPLE) continue;
    if (name !== ZIP) names.add(name);
    else for (const zipped of Object.keys(isMapping(value) ? value : {})) names.add(zipped);
  }
  return names;
}

/**
 * Reads `sweep:`. Values may hold variables that do not change within the sweep, which `environment` has.
 *
 * What is wrong goes to `report`; the grid is then one of what is right.
 */
export function readSweep(node: unknown, environment: Environment, report: Report): SweepGrid {
  const axes: Axis[] = [];
  const seen = new Set<string>();
  if (node !== undefined && !isMapping(node)) {
    report(messages.wrongOptional('a mapping of variables to their values', node), ['sweep']);
  }
  const read = (name: string, value: unknown, path: readonly string[]): ValueRange | undefined => {
    if (!isVariableName(name)) report(messages.notVariableName(name), path, 'key');
    if (seen.has(name)) report(messages.sweptTwice(name), path, 'key');
    seen.add(name);
    return readValues(value, path, environment, report);
  };
  let sample: SampleSpec | undefined;
  for (const [key, value] of Object.entries(isMapping(node) ? node : {})) {
    if (key === SAMPLE) {
      sample = readSample(value, ['sweep', SAMPLE], report);
    } else if (key !== ZIP) {
      const values = read(key, value, ['sweep', key]);
      if (values !== undefined) axes.push({ length: values.length, variables: [[key, values]] });
    } else if (!isMapping(value) || Object.keys(value).length === 0) {
      report(messages.wrongOptional('a mapping of variables to their values', value), ['sweep', ZIP]);
    } else {
      const variables = Object.entries(value).flatMap(([name, zipped]): [string, ValueRange][] => {
        const values = read(name, zipped, ['sweep', ZIP, name]);
        return values === undefined ? [] : [[name, values]];
      });
      const lengths = new Set(variables.map(([, values]) => values.length));
      if (lengths.size > 1) {
        const counts = variables.map(([name, values]) => `${values.length} for ${name}`);
        report(messages.zipLengths(counts), ['sweep', ZIP]);
      } else if (variables.length > 0) {
        axes.push({ length: variables[0]![1].length, variables });
      }
    }
  }
  if (sample?.method === 'random' && sample.points > sizeOf(axes)) {
    report(messages.sampleTooLarge(sample.points, sizeOf(axes)), ['sweep', SAMPLE]);
    sample = undefined;
  }
  return new SweepGrid(axes, sample);
}

function readValues(
  value: unknown,
  path: readonly string[],
  environment: Environment,
  report: Report,
): ValueRange | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = items.map(scalarText);
  const isList = Array.isArray(value);
  if (texts.length === 0) report(messages.notSweepValues(value), path);
  for (const [i, text] of texts.entries()) {
    if (text === undefined) report(messages.notSweepValues(items[i]), isList ? [...path, String(i)] : path);
  }
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  let isKnown = true;
  const replaced = texts.map((text, i) => {
    const at = isList ? [...path, String(i)] : path;
    const template = compileTemplate(text, at, {
      onReference(name) {
        if (environment.has(name)) return;
        isKnown = false;
        report(messages.sweptReference(name), at);
      },
      onProblem(message) {
        isKnown = false;
        report(message, at);
      },
    });
    return instantiate(template, environment);
  });
  if (!isKnown) return undefined;
  if (isList) return listRange(replaced as string[]);
  try {
    return parseRange(replaced[0] as string);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    report({ expected: error.expected, received: error.received, hint: error.hint }, path);
    return undefined;
  }
}
