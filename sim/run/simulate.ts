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
  const simulation = simulateInSteps(point, options, 1);
  for (;;) {
    const { done, value } = simulation.next();
    if (done === true) return value;
  }
}

/**
 * As {@link simulate}, but yields the share that is done after each of `steps` equal parts of the simulated time, and
 * within those of very many events, so that the caller can show how far it is, or stop. The result does not depend on the number of steps.
 */
export function* simulateInSteps(
  point: ScenarioPoint,
  options: NetworkOptions,
  steps: number,
): Generator<number, PointResult> {
  const { scenario } = point;
  const network = new Network(scenario, options);
  yield* network.run(steps);
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
