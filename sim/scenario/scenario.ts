import type { NestedModel } from '../../models/model.ts';
import type { HeaderFields } from './packet-header.ts';

/** A limit of a queue: packets, bytes, or the time that the link needs to drain it. */
export type QueueLimit = { readonly packets: number } | { readonly bytes: number } | { readonly ns: number };

/** The line behind a hop, or the hop itself where there is no shaper. */
export interface LinkSpec {
  /** bit/s; 0: never busy. */
  readonly rateBitsPerSecond: number;
  readonly delayNs: number;
  /** Bytes that an analyser counts beyond `size` (Ethernet: 4 of FCS). */
  readonly fcsBytes: number;
  /** All bytes a packet adds on the wire (Ethernet: 24). */
  readonly overheadBytes: number;
  /** Tail-drop queue of a hop without a shaper. */
  readonly queue: QueueLimit;
  /** Probability of losing a data packet, 0 to 1. */
  readonly loss: number;
  /** Data packets to lose, 1-based, in order of arrival at the link. */
  readonly drop: readonly number[];
  /** mahimahi delivery opportunities (ns since the start, non-decreasing), repeated; replaces `rate`. */
  readonly opportunitiesNs?: readonly number[];
}

/** A filter of a hop, as checked; ids are u32. */
export interface FilterValues {
  /** Selector in tc's words. */
  readonly match: string;
  readonly class?: number;
  readonly prio: number;
  readonly protocol: string;
  readonly parent?: number;
}

/** Which packets a filter takes that polices or redirects. */
export interface DeviceFilter {
  /** Selector in tc's words. */
  readonly match: string;
  readonly prio: number;
  readonly protocol: string;
}

/** A filter of another device that redirects what arrives there, or what leaves it. */
export interface DeviceRedirect extends DeviceFilter {
  readonly from: string;
  readonly egress: boolean;
}

/** Where tc sets a hop up. No run depends on it. */
export interface DeviceSpec {
  readonly name: string;
  /** Filter that a policer hangs on; absent: it takes all packets. */
  readonly filter?: DeviceFilter;
  /** Class that the netem of a hop without a shaper stands in (u32); absent: the root. */
  readonly class?: number;
  /** What brings packets to an ifb. */
  readonly redirects?: readonly DeviceRedirect[];
}

/** One place that packets cross. */
export interface HopSpec {
  readonly name: string;
  /** Absent: nobody said where it is set up. */
  readonly device?: DeviceSpec;
  readonly shaper?: NestedModel;
  /** Filters that chose the classes of its flows, as checked. */
  readonly filters?: readonly FilterValues[];
  /** Watchdogs fire at multiples of `resolutionNs` of the kernel's clock, and `latencyNs` later. */
  readonly timer: { readonly resolutionNs: number; readonly latencyNs: number };
  readonly link: LinkSpec;
}

/** One flow of packets; what `source` is decides whether it is open-loop, TCP, or curl on TCP. */
export interface FlowSpec {
  readonly name: string;
  readonly source: NestedModel;
  /** Names of the hops, in order. */
  readonly via: readonly string[];
  /** skb priority (class id as u32, major << 16 | minor); 0: unclassified. `class: direct` gives the root's handle. */
  readonly priority: number;
  /** Where filters choose the class: the priority at each hop of `via`; `priority` is the first. */
  readonly priorities?: readonly number[];
  /** The class as the scenario writes it, for reports (`direct` included). */
  readonly className?: string;
  /** Bytes of `size` that are not payload. */
  readonly headersBytes: number;
  /** Since the start of the simulation. */
  readonly startNs: number;
  /** No packet is sent at or after it; absent: none. */
  readonly stopNs?: number;
  /** At most so many packets (open-loop sources); absent: unbounded. */
  readonly count?: number;
  readonly ecn: number;
  /** Header fields as filters see them, and as a capture of its packets shows them. */
  readonly header?: HeaderFields;
}

/** A line of `expect:`, parsed. */
export interface ExpectationSpec {
  /** As written. */
  readonly text: string;
  /** Dotted path into a point of the result, e.g. `flows.generator.bitsPerSecond.frame`. */
  readonly path: readonly string[];
  readonly relation: 'within' | 'below' | 'above' | 'equals';
  /** For `within`: relative (0.005) or absolute tolerance, in the unit of the figure. */
  readonly tolerance?: { readonly relative: number } | { readonly absolute: number };
  /** In the unit of the figure (rates in bit/s, durations in s); a number, or another path of the result. */
  readonly expected: number | string | { readonly path: readonly string[] };
}

/** Figures measured elsewhere, already read from their file. */
export interface ReferenceSpec {
  readonly label: string;
  /** Variable of the sweep that a row belongs to, and the figure of the result that it measures. */
  readonly variable: string;
  readonly figure: readonly string[];
  /** `x` in the unit of the variable as parsed (rates in bit/s), `y` in the unit of the figure. */
  readonly rows: readonly {
    readonly x: number;
    readonly y: number;
    readonly where?: Readonly<Record<string, string>>;
  }[];
}

/** A checked scenario of one point: every variable replaced, every default filled in, plain data (JSON). */
export interface Scenario {
  readonly title: string;
  readonly about: string;
  readonly seed: number;
  readonly durationNs: number;
  readonly warmupNs: number;
  readonly clockStartNs: number;
  readonly hops: readonly HopSpec[];
  readonly flows: readonly FlowSpec[];
  readonly expect: readonly ExpectationSpec[];
}

/** A point of a sweep (a plain run is a sweep of one point without variables). */
export interface ScenarioPoint {
  /** Variables that the sweep sets, as text. */
  readonly variables: Readonly<Record<string, string>>;
  readonly scenario: Scenario;
}
