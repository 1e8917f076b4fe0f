import * as registry from '../../models/registry.ts';
import { checkDocument } from '../scenario/load-scenario.ts';
import type { Overrides } from '../scenario/overrides.ts';
import type { PointResult } from './result.ts';
import { simulate } from './simulate.ts';

/** Buckets of each series. */
const BUCKETS = 500;

/**
 * Runs the first point of a scenario that is plain data: the engine of a page that is opened without a server.
 *
 * @throws ScenarioError with every problem found
 */
export function runPoint(document: unknown, overrides: Overrides = {}): PointResult {
  return simulate(checkDocument(document, { registry, overrides }).pointAt(0), { buckets: BUCKETS });
}
