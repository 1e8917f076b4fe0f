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

/** Compares results figure by figure: the first with the first, points matched by their variables; series are left out. */
export function compareResults(left: readonly Result[], right: readonly Result[]): Comparison {
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
  const relative = Math.abs(right - left) / Math.max(Math.abs(left), Math.abs(right));
  return Number.isFinite(relative) ? relative : Number.POSITIVE_INFINITY;
}

/** Figures by path; what was put in, and what may differ between two runs of the same input, is left out. */
function figuresOf(results: readonly Result[]): Map<string, Figure> {
  const figures = new Map<string, Figure>();
  results.forEach(({ points }, resultIndex) => {
    const result = results.length === 1 ? '' : `results[${resultIndex}].`;
    points.forEach(({ variables, ...rest }, index) => {
      collect(rest, `${result}${pointName(variables, index, points)}`, figures);
    });
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
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'series') collect(inner, `${path}.${key}`, figures);
    }
  } else if (value !== undefined) {
    figures.set(path, value as Figure);
  }
}
