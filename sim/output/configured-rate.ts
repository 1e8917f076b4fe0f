import { modelsOf } from '../../models/registry.ts';
import type { RateLevels } from '../run/result.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';
import { classesOfFlow } from './class-of-flow.ts';

/** What a scenario allows a flow. */
export interface ConfiguredRate {
  /** The most that the flow may get (bit/s). */
  readonly bitsPerSecond: number;
  /** What it gets for sure, where that is less: a class's rate below its ceil (bit/s). */
  readonly guaranteedBitsPerSecond?: number;
  /** What sets it: `class 1:108`, `tbf`, `link of wan`. */
  readonly by: string;
  /** The level at which that limiter counts. */
  readonly level: keyof RateLevels;
  /** Whether other flows have to get along with the same rate. */
  readonly shared: boolean;
}

/** The least upper bound on a flow's path; undefined where nothing bounds it. */
export function configuredRate(scenario: Scenario, flow: FlowSpec): ConfiguredRate | undefined {
  const bounds = flow.via.flatMap((name) => {
    const hop = scenario.hops.find((candidate) => candidate.name === name);
    return hop === undefined ? [] : boundsOf(hop, flow, scenario.flows);
  });
  return bounds.reduce<ConfiguredRate | undefined>(
    (least, bound) => (least === undefined || bound.bitsPerSecond < least.bitsPerSecond ? bound : least),
    undefined,
  );
}

/** Whether a flow sends at instants of its own choosing, whatever it gets. */
export function isOpenLoop(flow: FlowSpec): boolean {
  return 'create' in (modelsOf('source').get(flow.source.kind) ?? {});
}

function boundsOf(hop: HopSpec, flow: FlowSpec, flows: readonly FlowSpec[]): ConfiguredRate[] {
  const others = flows.filter((other) => other !== flow && other.via.includes(hop.name));
  const bounds: ConfiguredRate[] = [];
  const shaper = shaperBound(hop, flow, others);
  if (shaper !== undefined) bounds.push(shaper);
  const linkRate = hop.link.rateBitsPerSecond;
  if (linkRate > 0) {
    bounds.push({ bitsPerSecond: linkRate, by: `link of ${hop.name}`, level: 'wire', shared: others.length > 0 });
  }
  return bounds;
}

function shaperBound(hop: HopSpec, flow: FlowSpec, others: readonly FlowSpec[]): ConfiguredRate | undefined {
  if (hop.shaper === undefined || flow.className === 'direct') return undefined;
  const { kind, values } = hop.shaper;
  const level = 'accounted';
  if (values.classes === undefined) {
    const rate = values.rate;
    if (typeof rate !== 'number' || rate === 0) return undefined;
    return { bitsPerSecond: rate, by: kind, level, shared: others.length > 0 };
  }
  const [leaf, ...lenders] = classesOfFlow(hop, flow);
  const rate = leaf?.values.rate;
  if (leaf === undefined || rate === undefined) return undefined;
  const by = `class ${leaf.name}`;
  const shared = others.some((other) => classesOfFlow(hop, other)[0]?.name === leaf.name);
  // A class borrows up to its ceil, and no further than every lender's ceil; without a lender it has its rate.
  if (lenders.length === 0) return { bitsPerSecond: rate, by, level, shared };
  const ceils = lenders.map(({ values: lender }) => lender.ceil ?? lender.rate ?? Number.POSITIVE_INFINITY);
  const bitsPerSecond = Math.max(rate, Math.min(leaf.values.ceil ?? rate, ...ceils));
  return { bitsPerSecond, ...(rate < bitsPerSecond ? { guaranteedBitsPerSecond: rate } : {}), by, level, shared };
}
