import type { ClassReport } from '../../models/model.ts';
import type { ReferenceSpec } from '../scenario/scenario.ts';

/** Rates of a flow in the window after the warm-up (bit/s): payload, length as tc counts it, with FCS, and on the wire. */
export interface RateLevels {
  readonly offered: number;
  readonly goodput: number;
  readonly accounted: number;
  readonly frame: number;
  readonly wire: number;
}

/** Delays from the source's sending to the delivery behind the last hop (s); quantiles are within 0.4 % of the true ones. */
export interface DelaySummary {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** A transfer with an end: a curl download or a sized bulk flow. */
export interface TransferResult {
  readonly bytes: number;
  /** From the start of the flow to the last byte at the application (curl: time_total); to the end of the run if not completed. */
  readonly seconds: number;
  readonly bitsPerSecond: number;
  /** The limit that the application set itself (bit/s); 0: none. */
  readonly limitBitsPerSecond: number;
  /** 100 * (bitsPerSecond / limitBitsPerSecond - 1); 0 without a limit. */
  readonly deviationPercent: number;
  readonly completed: boolean;
}

/**
 * A series in equal buckets, down-sampled by minimum and maximum: no peak is lost, and `mean` is exact per bucket.
 * Bucket i covers startSeconds + i * stepSeconds onwards.
 */
export interface Series {
  readonly startSeconds: number;
  readonly stepSeconds: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly mean: readonly number[];
}

/** A histogram with bounded relative error: `counts[i]` values in (`upper[i-1]`, `upper[i]`]; empty cells are left out. */
export interface DelayHistogram {
  readonly upperSeconds: readonly number[];
  readonly counts: readonly number[];
}

/** What a flow did. */
export interface FlowResult {
  readonly sentPackets: number;
  readonly sentBytes: number;
  readonly droppedPackets: number;
  readonly receivedPackets: number;
  readonly receivedBytes: number;
  readonly packetsPerSecond: number;
  readonly bitsPerSecond: RateLevels;
  readonly delaySeconds: DelaySummary;
  readonly transfer?: TransferResult;
  /** Several transfers of one flow, in order; `transfer` is then the first. */
  readonly transfers?: readonly TransferResult[];
  /** What its source has to tell, such as a capture that ends within a packet. */
  readonly warning?: string;
  /** Figures of a model of its own (TCP: retransmissions, cwnd, …). */
  readonly counters?: Readonly<Record<string, number>>;
  readonly series?: {
    /** Accounted rate in windows of 10 ms, 100 ms and 1 s (bit/s), keyed `10ms`, `100ms`, `1s`. */
    readonly throughput?: Readonly<Record<string, Series>>;
    readonly delay?: DelayHistogram;
    /** Bytes at the application at the instants `seconds` (every step of the staircase, down-sampled). */
    readonly received?: { readonly seconds: readonly number[]; readonly bytes: readonly number[] };
    /** Of TCP: congestion window (packets), receive queue (bytes). */
    readonly [name: string]: unknown;
  };
}

/** What a class did: the counters of tc, and its rate in the window after the warm-up. */
export interface ClassResult {
  readonly parent?: string;
  readonly level?: number;
  readonly sentPackets: number;
  readonly sentBytes: number;
  readonly droppedPackets: number;
  readonly backlogPackets: number;
  readonly mode?: ClassReport['mode'];
  /** Accounted bit/s of what left through the class. */
  readonly bitsPerSecond: number;
  readonly packetsPerSecond: number;
  /** overlimits, lended, borrowed, giants, tokens, ctokens, … by tc's names. */
  readonly [counter: string]: number | string | undefined | object;
  readonly series?: {
    readonly throughput?: Readonly<Record<string, Series>>;
    readonly backlogBytes?: Series;
    /** In seconds of sending at the class's rate, so that eras compare. */
    readonly tokens?: Series;
    readonly ctokens?: Series;
    /** Share of the bucket in each mode, 0 to 1. */
    readonly mode?: {
      readonly cantSend: readonly number[];
      readonly mayBorrow: readonly number[];
      readonly canSend: readonly number[];
    };
  };
}

/** What a hop did. */
export interface HopResult {
  readonly kind?: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly classes: Readonly<Record<string, ClassResult>>;
  /** Qdiscs inside classes, by the class (or, for the root of a classless tree, `child`). */
  readonly children?: Readonly<Record<string, Omit<HopResult, 'link'>>>;
  readonly link: {
    readonly busyFraction: number;
    readonly sentPackets: number;
    readonly droppedPackets: number;
    readonly lostPackets: number;
  };
  readonly series?: { readonly backlogBytes?: Series };
}

/** A judged line of `expect:`. */
export interface ExpectationResult {
  readonly text: string;
  readonly passed: boolean;
  readonly actual: number | string | boolean | null;
  readonly expected: number | string | boolean | null;
}

/** One simulated point. */
export interface PointResult {
  readonly variables: Readonly<Record<string, string>>;
  readonly durationSeconds: number;
  readonly warmupSeconds: number;
  readonly events: number;
  readonly flows: Readonly<Record<string, FlowResult>>;
  readonly hops: Readonly<Record<string, HopResult>>;
  readonly expectations: readonly ExpectationResult[];
  /** Cause, for a point of a sweep that failed; the figures are then empty. */
  readonly failed?: string;
}

/** Two values of a swept variable between which a figure changes, as a refinement finds them. */
export interface EdgeResult {
  readonly variable: string;
  /** The values around it, as a scenario has them; they are not further apart than the resolution. */
  readonly below: string;
  readonly above: string;
  /** The same in bit/s, bytes, ns or as they stand. */
  readonly belowValue: number;
  readonly aboveValue: number;
  /** The point's other variables. */
  readonly others: Readonly<Record<string, string>>;
  /** Path into a point. */
  readonly figure: string;
  readonly figureBelow: number;
  readonly figureAbove: number;
}

/** What `--json` prints. Everything that may differ between two runs of the same input stands under `run`. */
export interface Result {
  readonly format: 'shaperlab-result/1';
  readonly title: string;
  readonly about: string;
  readonly scenario: {
    /** As given on the command line. */
    readonly file: string;
    readonly sha256: string;
    /** The scenario as written, as plain data, with `--set`, `--seed` and `--duration` applied: enough to run it again. */
    readonly document: unknown;
  };
  readonly seed: number;
  readonly references: readonly ReferenceSpec[];
  readonly points: readonly PointResult[];
  /** Of a sweep that was refined to its end. */
  readonly edges?: readonly EdgeResult[];
  readonly run: { readonly wallSeconds: number; readonly version: string; readonly node: string };
}
