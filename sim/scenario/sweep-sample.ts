import { randomStream } from '../engine/random.ts';
import type { Report } from './findings.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import { isMapping } from './value-checker.ts';

/** The key of `sweep:` that takes a sample of the grid in place of all of it. */
export const SAMPLE = 'sample';
/** Ways to draw a sample. */
export const SAMPLE_METHODS = ['random', 'latin-hypercube'] as const;
/** Points of a sample at most. */
const MOST_POINTS = 1_000_000;
const KEYS = ['points', 'method', 'seed'] as const;

/** How a sample of a grid is drawn. */
export interface SampleSpec {
  readonly points: number;
  /**
   * `random`: points of the grid, each at most once, all equally likely. `latin-hypercube`: the values of each variable
   * are cut into as many equal parts as there are points, and each part has one.
   */
  readonly method: (typeof SAMPLE_METHODS)[number];
  readonly seed: number;
}

/** An axis of a grid: the number of its values, and a name of its own for its random numbers. */
export interface SampledAxis {
  readonly length: number;
  readonly name: string;
}

/** Reads `sample:`, a number of points or a mapping; what is wrong goes to `report`. */
export function readSample(node: unknown, path: readonly string[], report: Report): SampleSpec | undefined {
  if (!isMapping(node)) return readSample({ points: node }, path, (message) => report(message, path));
  let isRight = true;
  const refuse: Report = (message, at, part) => {
    isRight = false;
    report(message, at, part);
  };
  for (const key of Object.keys(node)) {
    if (!(KEYS as readonly string[]).includes(key)) {
      refuse(messages.unknownKey(key, KEYS, nearestName(key, KEYS)), [...path, key], 'key');
    }
  }
  const { method = 'random' } = node;
  if (!(SAMPLE_METHODS as readonly unknown[]).includes(method)) {
    refuse(messages.notChoice(method, SAMPLE_METHODS, nearestName(String(method), SAMPLE_METHODS)), [
      ...path,
      'method',
    ]);
  }
  const points = wholeNumber(node.points, 1, MOST_POINTS, [...path, 'points'], refuse);
  const seed = wholeNumber(node.seed ?? 1, 0, Number.MAX_SAFE_INTEGER, [...path, 'seed'], refuse);
  return isRight ? { points, method: method as SampleSpec['method'], seed } : undefined;
}

function wholeNumber(value: unknown, least: number, most: number, path: readonly string[], refuse: Report): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= least && (number as number) <= most) {
    return number as number;
  }
  refuse(messages.notWholeNumberWithin(value, least, most), path);
  return least;
}

/**
 * Draws a sample: for each point the index of its value on each axis, point after point.
 *
 * The same specification and axes give the same sample; an axis has random numbers of its own, so that one more does
 * not move the others. A random sample must not be larger than the grid.
 */
export function drawSample({ points, method, seed }: SampleSpec, axes: readonly SampledAxis[]): Float64Array {
  const indexes = new Float64Array(points * axes.length);
  const streams = axes.map(({ name }) => randomStream(seed, `sweep/${name}`));
  if (method === 'random') {
    const drawn = new Set<string>();
    while (drawn.size < points) {
      const from = drawn.size * axes.length;
      for (const [axis, { length }] of axes.entries()) {
        indexes[from + axis] = Math.floor(streams[axis]!.uniform() * length);
      }
      drawn.add(indexes.subarray(from, from + axes.length).join());
    }
    return indexes;
  }
  for (const [axis, { length }] of axes.entries()) {
    const { uniform } = streams[axis]!;
    const parts = shuffled(points, uniform);
    for (const [point, part] of parts.entries()) {
      indexes[point * axes.length + axis] = Math.floor(((part + uniform()) / points) * length);
    }
  }
  return indexes;
}

/** The numbers below `count` in random order (Fisher and Yates). */
function shuffled(count: number, uniform: () => number): Float64Array {
  const numbers = Float64Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
  }
  return numbers;
}
