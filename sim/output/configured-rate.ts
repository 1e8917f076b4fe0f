import { modelsOf } from '../../models/registry.ts';
import type { RateLevels } from '../run/result.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';

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
}

/** The least upper bound on a flow's path; undefined where nothing bounds it. */
export function configuredRate(scenario: Scenario, flow: FlowSpec): ConfiguredRate | undefined {
  const bounds = flow.via.flatMap((name) => {
    const hop = scenario.hops.find((candidate) => candidate.name === name);
    return hop === undefined ? [] : boundsOf(hop, flow);
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

function boundsOf(hop: HopSpec, flow: FlowSpec): ConfiguredRate[] {
  const bounds: ConfiguredRate[] = [];
  const shaper = shaperBound(hop, flow);
  if (shaper !== undefined) bounds.push(shaper);
  const linkRate = hop.link.rateBitsPerSecond;
  if (linkRate > 0) bounds.push({ bitsPerSecond: linkRate, by: `link of ${hop.name}`, level: 'wire' });
  return bounds;
}

interface ClassRates {
  readonly rate?: number;
  readonly ceil?: number;
  readonly parent?: number;
}

function shaperBound(hop: HopSpec, flow: FlowSpec): ConfiguredRate | undefined {
  if (hop.shaper === undefined || flow.className === 'direct') return undefined;
  const { kind, values } = hop.shaper;
  const classes = values.classes as Readonly<Record<string, ClassRates>> | undefined;
  if (classes === undefined) {
    const rate = values.rate;
    return typeof rate === 'number' && rate > 0 ? { bitsPerSecond: rate, by: kind, level: 'accounted' } : undefined;
  }
  const byId = new Map(Object.entries(classes).map(([name, values]) => [classIdOf(name), { name, values }]));
  const chosen = byId.get(flow.priority) ?? byId.get(defaultClass(values.default, classes));
  if (chosen?.values.rate === undefined) return undefined;
  const { rate, parent } = chosen.values;
  // A class borrows up to its ceil, and no further than every ancestor's ceil; without a lender it has its rate.
  const lender = parent === undefined ? undefined : byId.get(parent);
  if (lender === undefined) return { bitsPerSecond: rate, by: `class ${chosen.name}`, level: 'accounted' };
  let ceil = chosen.values.ceil ?? rate;
  for (let above: typeof lender | undefined = lender; above !== undefined; ) {
    ceil = Math.min(ceil, Math.max(above.values.ceil ?? above.values.rate ?? ceil, rate));
    above = above.values.parent === undefined ? undefined : byId.get(above.values.parent);
  }
  return {
    bitsPerSecond: ceil,
    ...(rate < ceil ? { guaranteedBitsPerSecond: rate } : {}),
    by: `class ${chosen.name}`,
    level: 'accounted',
  };
}

/** The default class's id: its minor is the scenario's, its major that of the other classes. */
function defaultClass(value: unknown, classes: Readonly<Record<string, unknown>>): number {
  const first = Object.keys(classes)[0];
  if (typeof value !== 'number' || first === undefined) return -1;
  return Math.floor(classIdOf(first) / 0x10000) * 0x10000 + (value % 0x10000);
}

function classIdOf(name: string): number {
  const [major = '', minor = ''] = name.split(':');
  return Number.parseInt(major || '0', 16) * 0x10000 + Number.parseInt(minor || '0', 16);
}
