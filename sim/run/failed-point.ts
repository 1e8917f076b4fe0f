import type { PointResult } from './result.ts';

/** The result of a point that could not be run, or not to its end: no figures but the cause. */
export function failedPoint(variables: PointResult['variables'], cause: string): PointResult {
  return {
    variables,
    durationSeconds: 0,
    warmupSeconds: 0,
    events: 0,
    flows: {},
    hops: {},
    expectations: [],
    failed: cause,
  };
}
