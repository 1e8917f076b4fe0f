import type { PointResult, Result } from '../run/result.ts';

/** A figure that two results do not agree on; undefined where one of them lacks it. */
export interface Difference {
  /** Dotted path from the result, points by their variables. */
  readonly path: string;
  readonly left: Figure | undefined;
  readonly right: Figure | undefined;
  /** |right - left| relative to the larger of the two; Infinity where they cannot be compared. */
  readonly relative: number;
}

export type Figure = number | string | boolean | null;

/** What two results differ in. */
export interface Comparison {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** Kept out: what may differ between two runs of the same input, and what was put in rather than found out. */
const IGNORED = new Set(['run', 'scenario', 'references', 'about', 'format']);

/** Compares two results figure by figure; points are matched by their variables. */
export function compareResults(left: Result, right: Result): Comparison {
  const leftFigures = figuresOf(left);
  const rightFigures = figuresOf(right);
  const differences: Difference[] = [];
  const paths = new Set([...leftFigures.keys(), ...rightFigures.keys()]);
  for (const path of paths) {
    const [a, b] = [leftFigures.get(path), rightFigures.get(path)];
    if (a !== b) differences.push({ path, left: a, right: b, relative: relativeDifference(a, b) });
  }
  return { compared: paths.size, differences };
}

function relativeDifference(left: Figure | undefined, right: Figure | undefined): number {
  if (typeof left !== 'number' || typeof right !== 'number') return Number.POSITIVE_INFINITY;
  return Math.abs(right - left) / Math.max(Math.abs(left), Math.abs(right));
}

function figuresOf(result: Result): Map<string, Figure> {
  const figures = new Map<string, Figure>();
  for (const [key, value] of Object.entries(result)) {
    if (!IGNORED.has(key) && key !== 'points') collect(value, key, figures);
  }
  result.points.forEach((point, index) => {
    const { variables, ...rest } = point;
    collect(rest, pointName(variables, index, result.points), figures);
  });
  return figures;
}

function pointName(variables: PointResult['variables'], index: number, points: readonly PointResult[]): string {
  const text = Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  return points.length === 1 ? 'point' : `points[${text === '' ? index : text}]`;
}

function collect(value: unknown, path: string, figures: Map<string, Figure>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) collect(inner, `${path}.${key}`, figures);
  } else if (value !== undefined) {
    figures.set(path, value as Figure);
  }
}
