import type { ExpectationSpec } from '../scenario/scenario.ts';
import type { ExpectationResult, PointResult } from './result.ts';

type Figure = number | string | boolean | null;

/** Judges the lines of `expect:` against a point's figures; a path that leads nowhere fails. */
export function judge(
  expectations: readonly ExpectationSpec[],
  point: Omit<PointResult, 'expectations'>,
): ExpectationResult[] {
  return expectations.map((expectation) => {
    const actual = figureAt(point, expectation.path);
    const { expected: wanted } = expectation;
    const expected = typeof wanted === 'object' ? figureAt(point, wanted.path) : wanted;
    return { text: expectation.text, passed: holds(expectation, actual, expected), actual, expected };
  });
}

/** The figure at a path of the result, or null where there is none. */
export function figureAt(result: object, path: readonly string[]): Figure {
  let value: unknown = result;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

function holds(expectation: ExpectationSpec, actual: Figure, expected: Figure): boolean {
  if (actual === null || expected === null) return false;
  if (expectation.relation === 'equals') return actual === expected || String(actual) === String(expected);
  if (typeof actual !== 'number' || typeof expected !== 'number') return false;
  if (expectation.relation === 'below') return actual < expected;
  if (expectation.relation === 'above') return actual > expected;
  const { tolerance } = expectation;
  if (tolerance === undefined) return false;
  const bound = 'relative' in tolerance ? Math.abs(expected) * tolerance.relative : tolerance.absolute;
  return Math.abs(actual - expected) <= bound;
}
