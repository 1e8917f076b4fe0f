import { modelsOf } from '../../models/registry.ts';
import type { RateLevels } from '../run/result.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';
import { HopClasses, mostOfClass } from './class-of-flow.ts';

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

/** What a scenario allows its flows. The hops are gone through once, however many flows are asked for. */
export class ConfiguredRates {
  readonly #hops: ReadonlyMap<string, HopUse>;

  constructor({ hops, flows }: Scenario) {
    this.#hops = new Map(hops.map((hop) => [hop.name, new HopUse(hop)]));
    for (const flow of flows) {
      for (const name of new Set(flow.via)) this.#hops.get(name)?.add(flow);
    }
  }

  /** The least upper bound on a flow's path; undefined where nothing bounds it. */
  of(flow: FlowSpec): ConfiguredRate | undefined {
    return flow.via
      .flatMap((name) => this.#hops.get(name)?.boundsOn(flow) ?? [])
      .reduce<ConfiguredRate | undefined>(
        (least, bound) => (least === undefined || bound.bitsPerSecond < least.bitsPerSecond ? bound : least),
        undefined,
      );
  }
}

/** Whether a flow sends at instants of its own choosing, whatever it gets. */
export function isOpenLoop(flow: FlowSpec): boolean {
  return 'create' in (modelsOf('source').get(flow.source.kind) ?? {});
}

/** A hop and how many flows use it and each of its classes. */
class HopUse {
  readonly #hop: HopSpec;
  readonly #classes: HopClasses;
  readonly #flowsOfLeaf = new Map<string | undefined, number>();
  #flows = 0;

  constructor(hop: HopSpec) {
    this.#hop = hop;
    this.#classes = new HopClasses(hop);
  }

  add(flow: FlowSpec): void {
    const leaf = this.#classes.leafOf(flow)?.name;
    this.#flowsOfLeaf.set(leaf, (this.#flowsOfLeaf.get(leaf) ?? 0) + 1);
    this.#flows++;
  }

  boundsOn(flow: FlowSpec): ConfiguredRate[] {
    const shaper = this.#shaperBound(flow);
    const bounds = shaper === undefined ? [] : [shaper];
    const { name, link } = this.#hop;
    if (link.rateBitsPerSecond > 0) {
      const by = `link of ${name}`;
      bounds.push({ bitsPerSecond: link.rateBitsPerSecond, by, level: 'wire', shared: this.#flows > 1 });
    }
    return bounds;
  }

  #shaperBound(flow: FlowSpec): ConfiguredRate | undefined {
    const { shaper } = this.#hop;
    if (shaper === undefined || flow.className === 'direct') return undefined;
    const { kind, values } = shaper;
    const level = 'accounted';
    if (values.classes === undefined) {
      const rate = values.rate;
      if (typeof rate !== 'number' || rate === 0) return undefined;
      return { bitsPerSecond: rate, by: kind, level, shared: this.#flows > 1 };
    }
    const line = this.#classes.lineOf(flow);
    const leaf = line[0];
    const rate = leaf?.values.rate;
    const bitsPerSecond = mostOfClass(line.map(({ values: lender }) => lender));
    if (leaf === undefined || rate === undefined || bitsPerSecond === undefined) return undefined;
    const by = `class ${leaf.name}`;
    const shared = this.#flowsOfLeaf.get(leaf.name)! > 1;
    return { bitsPerSecond, ...(rate < bitsPerSecond ? { guaranteedBitsPerSecond: rate } : {}), by, level, shared };
  }
}
