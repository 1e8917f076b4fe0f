import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { ScenarioError } from '../scenario/problem.ts';
import type { FlowSpec, Scenario } from '../scenario/scenario.ts';

/** Bytes of a packet where a source does not tell. */
const USUAL_PACKET_BYTES = 1514;
/** A packet of TCP costs the sender, the receiver and an acknowledgement. */
const TCP_FACTOR = 4;
/** The part of a point's cost that does not depend on its packets, in packets. */
const FIXED_COST = 50;
/** How long the estimate goes on without letting others have a turn (ms). */
const PATIENCE_MS = 40;

/** Roughly how long a scenario runs, in packets times hops: good for an order, and for shares of a whole. */
export function costOf(scenario: Scenario): number {
  const linkRate = Math.max(...scenario.hops.map(({ link }) => link.rateBitsPerSecond || 1e9));
  const perFlow = scenario.flows.map((flow) => packetsOf(flow, scenario.durationNs, linkRate) * flow.via.length);
  return FIXED_COST + perFlow.reduce((sum, cost) => sum + cost, 0);
}

function packetsOf({ source, startNs, stopNs, count }: FlowSpec, durationNs: number, linkRate: number): number {
  const { rate, interval, size, bytes } = source.values;
  const seconds = Math.max(0, Math.min(durationNs, stopNs ?? durationNs) - startNs) / 1e9;
  const isOpen = typeof rate === 'number' || typeof interval === 'number';
  if (!isOpen) {
    const fromLink = (seconds * linkRate) / 8;
    const total = typeof bytes === 'number' ? bytes : typeof size === 'number' ? size : fromLink;
    return (TCP_FACTOR * Math.min(total, fromLink)) / USUAL_PACKET_BYTES;
  }
  const packetBytes = typeof size === 'number' ? size : USUAL_PACKET_BYTES;
  const perSecond = typeof rate === 'number' ? rate / 8 / packetBytes : 1e9 / Math.max(1, interval as number);
  return Math.min(seconds * perSecond, count ?? Number.POSITIVE_INFINITY);
}

/**
 * Estimates the cost of every point of a grid, which also reads every file that a point names; a point that is invalid
 * costs next to nothing.
 *
 * @param onProgress told now and then how many points were looked at
 */
export async function estimateCosts(
  loaded: LoadedScenario,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<Float64Array> {
  const costs = new Float64Array(loaded.pointCount);
  let restedMs = performance.now();
  for (let index = 0; index < costs.length && !signal.aborted; index++) {
    costs[index] = costAt(loaded, index);
    if (performance.now() - restedMs < PATIENCE_MS) continue;
    onProgress(index);
    await nextTurn();
    restedMs = performance.now();
  }
  return costs;
}

/** Estimates the cost of a point of a grid; next to nothing where it is invalid. */
export function costAt(loaded: LoadedScenario, index: number): number {
  try {
    return costOf(loaded.pointAt(index).scenario);
  } catch (error) {
    if (error instanceof ScenarioError) return 1;
    throw error;
  }
}
