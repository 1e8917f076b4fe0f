import { type HtbClassValues, type HtbValues, htbRules, htbValues } from '../../models/linux/htb/class-figures.ts';
import type { ReadBytes, Values } from '../../models/model.ts';
import { possibleSizes } from '../../models/sources/sizes.ts';
import { HopClasses } from '../output/class-of-flow.ts';
import { deviation } from '../output/figures.ts';
import type { PointResult } from '../run/result.ts';
import { simulate } from '../run/simulate.ts';
import type { FlowSpec, HopSpec, LinkSpec, Scenario } from '../scenario/scenario.ts';
import { FULL_FRAME_BYTES } from '../tc/lint/finding.ts';
import { formatRate, writeRate } from '../units/rate.ts';
import { resultOf, type TreeClass, treeOf } from './htb-tree.ts';
import { judgePromises, promisesGain } from './judge.ts';
import { meanOf, mixText, type SizeMix, sizeMixOf } from './packet-mix.ts';
import type { Adviser, Outcome, Proposal } from './proposal.ts';

/** A class that gets its rate that closely is left alone. */
const CLOSE_ENOUGH = 0.01;
/** A class that sends less than this share of what its rate gives is not limited by it. */
const AT_BOUND = 0.95;
/** Configured rates are looked for from a quarter of the wanted one to twice as much. */
const LEAST_SHARE = 0.25;
const MOST_SHARE = 2;
/** Digits of a configured rate. */
const DIGITS = 5;
/** Packets that a trial of one class lasts: of one size, and of several drawn at random. */
const PACKETS = 4000;
const PACKETS_OF_A_MIX = 12_000;
/** More is sent than any rate that is tried lets pass. */
const OFFERED_SHARE = 2 * MOST_SHARE;
/** A line that is never busy. */
const NO_LINE: LinkSpec = {
  rateBitsPerSecond: 0,
  delayNs: 0,
  fcsBytes: 4,
  overheadBytes: 24,
  queue: { packets: 1000 },
  loss: 0,
  drop: [],
};

/** One flow's part of what passes a class. */
interface Part {
  readonly size: SizeMix;
  readonly gsoBytes: number | undefined;
  readonly headersBytes: number;
  /** Relative to the other parts, in bytes. */
  readonly weight: number;
}

/** What passes a class, and at which rate (bit/s). */
interface Passing {
  readonly given: readonly Part[];
  readonly sends: number;
}

/** A configured rate, and what it gives to packets of the mix (bit/s). */
interface Given {
  readonly configured: number;
  readonly got: number;
}

/**
 * On kernels that price from tables, the rates to configure in order to get those that are written: each class is
 * simulated alone with the packets that its flows send, and the configured rate found by bisection.
 */
export class RateAdviser implements Adviser {
  readonly #readBytes: ReadBytes | undefined;
  /** Classes that are alike are tried once. */
  readonly #known = new Map<string, Given[] | undefined>();

  constructor(readBytes: ReadBytes | undefined) {
    this.#readBytes = readBytes;
  }

  propose(hop: HopSpec, { scenario, point }: Outcome) {
    const values = htbValues(hop.shaper!.values);
    const { cost } = htbRules(values).kernel;
    if (cost !== 'table' && cost !== 'table-clamped') return undefined;
    const parts = this.#partsByClass(scenario, point, hop);
    const proposals = treeOf(values).flatMap((entry) =>
      this.#proposeFor(hop, values, entry, {
        given: parts.get(entry.name) ?? [],
        sends: resultOf(point, hop, entry.name)?.bitsPerSecond ?? 0,
      }),
    );
    if (proposals.length === 0) return undefined;
    return {
      proposals,
      // Both are held against the rates that are wanted, not against those that are written to get them.
      verdict: (before: Outcome, after: Outcome) => judgePromises(before, after, hop.name, scenario),
      gain: (before: Outcome, after: Outcome) => promisesGain(before, after, hop.name, scenario),
    };
  }

  #proposeFor(hop: HopSpec, values: HtbValues, entry: TreeClass, { given, sends }: Passing): Proposal[] {
    const parts =
      given.length > 0 ? given : [{ size: FULL_FRAME_BYTES, gsoBytes: undefined, headersBytes: 0, weight: 1 }];
    const { rate, ceil } = entry.given;
    const { version } = htbRules(values).kernel;
    return (['rate', 'ceil'] as const).flatMap((key) => {
      const wanted = key === 'rate' ? rate : ceil;
      if (wanted === undefined) return [];
      const found = this.#search(values, entry.name, wanted, parts);
      if (found === undefined) return [];
      const [now, best] = found as [Given, Given];
      if (sends < AT_BOUND * Math.min(now.got, wanted)) return [];
      const off = (got: number): string => deviation(100 * (got / wanted - 1));
      const reason =
        `kernel ${version} gives ${formatRate(now.got)} for ${formatRate(wanted)} (${off(now.got)}) to ` +
        `${mixText(parts.map(({ size }) => size))}; ${formatRate(best.configured)} gives ${formatRate(best.got)} (${off(best.got)})`;
      return [{ path: ['hops', hop.name, 'classes', entry.name, key], value: writeRate(best.configured), reason }];
    });
  }

  /** What passes each class, inner ones included. */
  #partsByClass(scenario: Scenario, point: PointResult, hop: HopSpec): ReadonlyMap<string, readonly Part[]> {
    const classes = new HopClasses(hop);
    const parts = new Map<string, Part[]>();
    for (const flow of scenario.flows.filter(({ via }) => via.includes(hop.name))) {
      const part = this.#partOf(flow, point);
      for (const { name } of classes.lineOf(flow)) parts.set(name, [...(parts.get(name) ?? []), part]);
    }
    return parts;
  }

  #partOf(flow: FlowSpec, point: PointResult): Part {
    const { offered, accounted } = point.flows[flow.name]!.bitsPerSecond;
    return {
      size: sizeMixOf(flow, this.#readBytes),
      gsoBytes: flow.source.values.gso as number | undefined,
      headersBytes: flow.headersBytes,
      weight: Math.max(1, offered, accounted),
    };
  }

  /** What is given now and the closest that can be had; undefined where that is no better, or now is close enough. */
  #search(values: HtbValues, name: string, wanted: number, parts: readonly Part[]): Given[] | undefined {
    const { kernel, tc } = htbRules(values);
    const total = parts.reduce((sum, { weight }) => sum + weight, 0);
    const shares = parts.map((part) => ({ ...part, weight: Math.round((part.weight / total) * 1000) / 1000 }));
    const { mtu, mpu, overhead, linklayer } = values.classes[name]!;
    const key = JSON.stringify([
      kernel.version,
      tc.version,
      values.hysteresis,
      mtu,
      mpu,
      overhead,
      linklayer,
      wanted,
      shares,
    ]);
    if (!this.#known.has(key)) this.#known.set(key, search(values, values.classes[name]!, wanted, shares));
    return this.#known.get(key);
  }
}

function search(values: HtbValues, own: HtbClassValues, wanted: number, parts: readonly Part[]): Given[] | undefined {
  const gives = (configured: number): Given => ({ configured, got: tryAlone(values, own, configured, wanted, parts) });
  const stray = ({ got }: Given): number => Math.abs(got / wanted - 1);
  const now = gives(wanted);
  if (stray(now) <= CLOSE_ENOUGH) return undefined;
  const step = Math.max(8, 10 ** (Math.floor(Math.log10(wanted)) + 1 - DIGITS));
  let low = gives(Math.max(step, Math.floor((wanted * LEAST_SHARE) / step) * step));
  let high = gives(Math.ceil((wanted * MOST_SHARE) / step) * step);
  if (now.got > wanted) high = now;
  else low = now;
  while (high.configured - low.configured > step) {
    const middle = gives(Math.round((low.configured + high.configured) / 2 / step) * step);
    if (middle.configured <= low.configured || middle.configured >= high.configured) break;
    if (middle.got > wanted) high = middle;
    else low = middle;
  }
  const best = stray(low) <= stray(high) ? low : high;
  return stray(best) < stray(now) * 0.8 ? [now, best] : undefined;
}

/** Simulates a class without others, with more to send than it lets pass; what it lets pass (bit/s, as tc counts). */
function tryAlone(
  values: HtbValues,
  own: HtbClassValues,
  configured: number,
  wanted: number,
  parts: readonly Part[],
): number {
  const sizes = parts.flatMap(({ size }) => possibleSizes({ size } as Values));
  const largest = Math.max(...sizes);
  const mean = parts.reduce((sum, { size, weight }) => sum + meanOf(size) * weight, 0);
  const nsOf = (bytes: number): number => Math.ceil((bytes * 8e9) / wanted);
  const burst = 2 * largest;
  const warmupNs = nsOf(4 * burst + 100 * mean);
  const packets = new Set(sizes).size === 1 ? PACKETS : PACKETS_OF_A_MIX;
  const { parent: _, qdisc: __, limit: ___, quantum: ____, ...settings } = own;
  const name = '1:1';
  const classes = { [name]: { ...settings, rate: configured, ceil: configured, burst, cburst: burst, prio: 0 } };
  const scenario: Scenario = {
    title: '',
    about: '',
    seed: 1,
    durationNs: warmupNs + nsOf(packets * mean),
    warmupNs,
    clockStartNs: 0,
    hops: [
      {
        name: 'alone',
        shaper: { kind: 'htb', values: { ...values, default: undefined, classes } as unknown as Values },
        timer: { resolutionNs: 1, latencyNs: 0 },
        link: NO_LINE,
      },
    ],
    flows: parts.map(({ size, gsoBytes, headersBytes, weight }, i) => ({
      name: String(i),
      source: {
        kind: 'cbr',
        values: {
          rate: Math.max(1, Math.round(wanted * OFFERED_SHARE * weight)),
          size,
          ...(gsoBytes === undefined ? {} : { gso: gsoBytes }),
        },
      },
      via: ['alone'],
      priority: 0x10001,
      className: name,
      headersBytes,
      startNs: 0,
      ecn: 0,
    })),
    expect: [],
  };
  const { flows } = simulate({ variables: {}, scenario }, { buckets: 0 });
  return Object.values(flows).reduce((sum, { bitsPerSecond }) => sum + bitsPerSecond.accounted, 0);
}
