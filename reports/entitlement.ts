import type { FlowResult, PointResult, RateLevels } from '../sim/run/result.ts';
import { type Bound, Bounds } from './bounds.ts';
import { type Mapping, mappingOf, textOf } from './document.ts';
import { timeOfText } from './quantity.ts';

/** Why a flow that gets less than its bound is not wronged. */
export type Excuse =
  | 'offers less'
  | 'comes in bursts'
  | 'pauses'
  | 'runs for a part of the time'
  | 'shares'
  | 'link is full'
  | 'headers'
  | 'class unknown';

/** What a flow may get at most, and what it is entitled to. */
export interface Entitlement {
  /** The least bound on its way; undefined where nothing bounds it. */
  readonly bound: Bound | undefined;
  /** 100 * (received / bound - 1); undefined where less than the bound is what the flow is entitled to. */
  readonly deviationPercent: number | undefined;
  readonly excuse: Excuse | undefined;
}

/** Shares above which a bound or a link counts as used up. */
const FULL = 0.97;
const BUSY = 0.98;
/** Shares below which a flow offers less than a bound, and of its packets that may be under way. */
const OFFERED = 0.999;
const UNDER_WAY = 0.01;
/** A miss below this is what headers of another level make (percent). */
const HEADER_PERCENT = 1;

/** Judges the flows of one point. */
export class Entitlements {
  readonly #flows: Mapping;
  readonly #point: PointResult;
  readonly #bounds: Bounds;
  readonly #used = new Map<string, number>();

  /** @param document the scenario of the point, variables filled in */
  constructor(document: Mapping, point: PointResult) {
    this.#flows = mappingOf(document.flows);
    this.#point = point;
    this.#bounds = new Bounds(document);
  }

  /**
   * What a flow is entitled to.
   *
   * @param level of what it received; `transfer` is payload
   * @param ownLimitBitsPerSecond that the application sets itself; 0: none
   */
  of(
    flow: string,
    receivedBitsPerSecond: number,
    level: keyof RateLevels | 'transfer',
    ownLimitBitsPerSecond: number,
  ): Entitlement {
    const figures = this.#point.flows[flow] as FlowResult;
    const least = this.boundOf(flow);
    const own: Bound | undefined =
      ownLimitBitsPerSecond > 0
        ? { bitsPerSecond: ownLimitBitsPerSecond, by: 'its own limit', level: 'accounted', hop: '', flows: [flow] }
        : undefined;
    const bound = own ?? least;
    if (bound === undefined) return { bound, deviationPercent: undefined, excuse: undefined };
    const deviationPercent = 100 * (receivedBitsPerSecond / bound.bitsPerSecond - 1);
    if (deviationPercent >= 0) return { bound, deviationPercent, excuse: undefined };
    const excuse =
      this.#excuseOf(flow, figures, bound) ??
      (own !== undefined && least !== undefined
        ? this.#headers(figures, receivedBitsPerSecond, level, least)
        : own === undefined
          ? this.#headers(figures, receivedBitsPerSecond, level, bound)
          : undefined);
    return { bound, deviationPercent: excuse === undefined ? deviationPercent : undefined, excuse };
  }

  /** The least bound on a flow's way; undefined where nothing bounds it. */
  boundOf(flow: string): Bound | undefined {
    return this.#bounds
      .of(flow)
      .reduce<Bound | undefined>((a, b) => (a === undefined || b.bitsPerSecond < a.bitsPerSecond ? b : a), undefined);
  }

  #excuseOf(name: string, figures: FlowResult, bound: Bound): Excuse | undefined {
    const flow = mappingOf(this.#flows[name]);
    const source = textOf(flow.source) ?? '';
    if (this.#bounds.isUnknown(name)) return 'class unknown';
    if (figures.transfer === undefined && this.#isPartial(flow)) return 'runs for a part of the time';
    if (source === 'on-off' || source === 'trace') return 'comes in bursts';
    if (flow.idle !== undefined || flow.read !== undefined || (figures.transfers?.length ?? 0) > 1) return 'pauses';
    if ((source === 'cbr' || source === 'poisson') && offersLess(figures, bound.bitsPerSecond)) return 'offers less';
    for (const other of this.#bounds.of(name)) {
      if (other.flows.length > 1 && this.#isUsedUp(other)) return 'shares';
    }
    const via = Array.isArray(flow.via) ? flow.via.map(String) : [];
    const isFull = via.some((hop) => hop !== bound.hop && (this.#point.hops[hop]?.link.busyFraction ?? 0) >= BUSY);
    return isFull ? 'link is full' : undefined;
  }

  #isPartial({ start, stop, count }: Mapping): boolean {
    if (stop !== undefined || count !== undefined) return true;
    const begins = start === undefined ? 0 : (timeOfText(textOf(start) ?? '') ?? 0);
    return begins > this.#point.warmupSeconds;
  }

  /** Whether the flows that share a bound take all that it lets pass. */
  #isUsedUp({ bitsPerSecond, by, hop, level, flows }: Bound): boolean {
    const key = `${hop}\n${by}`;
    let used = this.#used.get(key);
    if (used === undefined) {
      used = flows.reduce((sum, name) => sum + (this.#point.flows[name]?.bitsPerSecond[level] ?? 0), 0);
      this.#used.set(key, used);
    }
    return used >= FULL * bitsPerSecond;
  }

  /** Whether what is missing is headers, which the bound counts and the figure does not. */
  #headers(
    { bitsPerSecond }: FlowResult,
    receivedBitsPerSecond: number,
    level: keyof RateLevels | 'transfer',
    bound: Bound,
  ): Excuse | undefined {
    const counted = bitsPerSecond[bound.level];
    const share = counted > 0 ? bitsPerSecond[level === 'transfer' ? 'goodput' : level] / counted : 1;
    if (share >= 1) return undefined;
    const missingPercent = 100 * (1 - receivedBitsPerSecond / (bound.bitsPerSecond * share));
    return missingPercent < HEADER_PERCENT ? 'headers' : undefined;
  }
}

/** Whether a flow that sends as it likes asks for less than a bound and all of it has passed, or is about to. */
function offersLess(figures: FlowResult, bitsPerSecond: number): boolean {
  const { offered, accounted } = figures.bitsPerSecond;
  const waiting = figures.sentPackets - figures.receivedPackets - figures.droppedPackets;
  return (
    Math.max(offered, accounted) < bitsPerSecond * OFFERED && waiting <= Math.max(2, figures.sentPackets * UNDER_WAY)
  );
}
