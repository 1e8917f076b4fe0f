import { htbValues } from '../../models/linux/htb/class-figures.ts';
import { HopClasses } from '../output/class-of-flow.ts';
import { fixed } from '../output/figures.ts';
import type { PointResult } from '../run/result.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { isPressed, mostOf, promisedTo, resultOf, rootOf, type TreeClass, treeOf } from './htb-tree.ts';
import type { Outcome, Verdict } from './proposal.ts';

/** Differences of rates below this share are no difference. */
const RATE_SHARE = 0.005;
/** The same of mean delays, which depend on chance. */
const DELAY_SHARE = 0.05;
/** Share of a contested rate that must come to the right class to be worth a change. */
const TRAFFIC_SHARE = 0.002;
/** A class is at a bound when it is that close. */
const AT_BOUND = 0.01;

/** Judges two figures of which the smaller is better. */
export function judgeFaults(before: number, after: number, tolerance: number = RATE_SHARE): Verdict {
  if (after < before - tolerance) return 'better';
  return after > before + tolerance ? 'worse' : 'same';
}

/**
 * Judges by what the flows get: better if some get a higher rate or wait less, and none the opposite.
 *
 * @param allowedLoss share of its rate that a flow may lose where it waits less for it
 */
export function judgeFlows(before: PointResult, after: PointResult, allowedLoss: number = RATE_SHARE): Verdict {
  let gains = false;
  let loses = false;
  for (const [name, { bitsPerSecond, delaySeconds, receivedPackets }] of Object.entries(before.flows)) {
    const then = after.flows[name]!;
    const rate = then.bitsPerSecond.accounted / Math.max(1, bitsPerSecond.accounted) - 1;
    const hasDelay = receivedPackets > 0 && then.receivedPackets > 0 && delaySeconds.mean > 0;
    const delay = hasDelay ? then.delaySeconds.mean / delaySeconds.mean - 1 : 0;
    if (rate > RATE_SHARE || (delay < -DELAY_SHARE && rate >= -allowedLoss)) gains = true;
    if (rate < -allowedLoss || (delay > DELAY_SHARE && rate <= RATE_SHARE)) loses = true;
  }
  if (loses) return 'worse';
  return gains ? 'better' : 'same';
}

/**
 * How far an HTB is from keeping its word: for each leaf that asks for more than it gets, the share that is missing of
 * its rate, also where a line further on holds its flows up; for each class, the share that it sends above the most it
 * can have. The sum over all classes.
 *
 * @param promised whose rates count; the result may be that of another configuration
 */
function brokenPromises(promised: Scenario, point: PointResult, hopName: string): number {
  const hop = hopOf(promised, hopName);
  const arrived = arrivals(promised, point, hop);
  return treeOf(htbValues(hop.shaper!.values)).reduce((sum, entry) => {
    const result = resultOf(point, hop, entry.name);
    if (result === undefined) return sum;
    const above = Math.max(0, result.bitsPerSecond / mostOf(entry) - 1);
    const { bitsPerSecond = 0, isDropped = false } = arrived.get(entry.name) ?? {};
    if (entry.children.length > 0 || !(isDropped || isPressed(result))) return sum + above;
    const gets = Math.min(result.bitsPerSecond, bitsPerSecond);
    return sum + above + Math.max(0, 1 - gets / promisedTo(entry));
  }, 0);
}

/** What the flows of each leaf receive at the end of their ways, and whether any of them loses packets. */
function arrivals({ flows }: Scenario, point: PointResult, hop: HopSpec) {
  const classes = new HopClasses(hop);
  const arrived = new Map<string, { readonly bitsPerSecond: number; readonly isDropped: boolean }>();
  for (const flow of flows.filter(({ via }) => via.includes(hop.name))) {
    const leaf = classes.leafOf(flow);
    if (leaf === undefined) continue;
    const { bitsPerSecond = 0, isDropped = false } = arrived.get(leaf.name) ?? {};
    const { bitsPerSecond: levels, droppedPackets } = point.flows[flow.name]!;
    arrived.set(leaf.name, {
      bitsPerSecond: bitsPerSecond + levels.accounted,
      isDropped: isDropped || droppedPackets > 0,
    });
  }
  return arrived;
}

/**
 * Judges by {@link brokenPromises}: of what each result's own configuration promises, or both by that of `wanted`.
 */
export function judgePromises(before: Outcome, after: Outcome, hopName: string, wanted?: Scenario): Verdict {
  const [broken, then] = [before, after].map(({ scenario, point }) =>
    brokenPromises(wanted ?? scenario, point, hopName),
  );
  return judgeFaults(broken!, then!);
}

/** Tells by how much an HTB keeps its word better. */
export function promisesGain(before: Outcome, after: Outcome, hopName: string, wanted?: Scenario): string {
  const [broken, then] = [before, after].map(({ scenario, point }) =>
    brokenPromises(wanted ?? scenario, point, hopName),
  );
  return `the classes of ${hopName} strayed ${percent(broken!)} from what they are configured to get, all deviations added up; now ${percent(then!)}`;
}

/** A share in percent. */
export function percent(share: number): string {
  return `${fixed(100 * share, 1)} %`;
}

/** Leaves that share by quantum what they borrow: of one tree and one priority. */
export function contests(entries: readonly TreeClass[]): readonly (readonly TreeClass[])[] {
  const groups = new Map<string, TreeClass[]>();
  for (const entry of entries) {
    if (entry.children.length > 0) continue;
    const key = `${rootOf(entry).figures.id}/${entry.figures.priority}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Names of the leaves of a contest that ask for more, have more than their rate, and are not at their ceil. */
export function contenders(group: readonly TreeClass[], point: PointResult, hop: HopSpec): ReadonlySet<string> {
  const found = group.filter((entry) => {
    const result = resultOf(point, hop, entry.name);
    if (result === undefined || !isPressed(result)) return false;
    const { bitsPerSecond } = result;
    return bitsPerSecond > promisedTo(entry) * (1 + AT_BOUND) && bitsPerSecond < mostOf(entry) * (1 - AT_BOUND);
  });
  return new Set(found.map(({ name }) => name));
}

/** Of what some classes get, the share that belongs to others of them by their weights, 0 to 1. */
export function misplacedShare(rates: readonly number[], weights: readonly number[]): number {
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return 0;
  const strayed = rates.reduce((sum, rate, i) => sum + Math.abs(rate - (total * weights[i]!) / allWeights), 0);
  return strayed / 2 / total;
}

/** Judges shares of contested rates by {@link misplacedShare}. */
export function judgeShares(before: number, after: number): Verdict {
  return judgeFaults(before, after, TRAFFIC_SHARE);
}

/** A hop of a scenario by name. */
export function hopOf({ hops }: Scenario, name: string): HopSpec {
  return hops.find((hop) => hop.name === name)!;
}
