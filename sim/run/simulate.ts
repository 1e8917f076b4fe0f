import type { ScenarioPoint } from '../scenario/scenario.ts';
import { judge } from './expect.ts';
import { Network, type NetworkOptions } from './network.ts';
import type { PointResult } from './result.ts';

/**
 * Simulates one point and judges its expectations.
 *
 * Pure: the same point and options give the same result, on any machine and in a browser.
 */
export function simulate(point: ScenarioPoint, options: NetworkOptions): PointResult {
  const { scenario } = point;
  const network = new Network(scenario, options);
  network.run();
  const figures = {
    variables: point.variables,
    durationSeconds: scenario.durationNs / 1e9,
    warmupSeconds: scenario.warmupNs / 1e9,
    events: network.timers.events,
    flows: network.flowResults(),
    hops: network.hopResults(),
  };
  return { ...figures, expectations: judge(scenario.expect, figures) };
}
