import type { PacketPool } from './packet.ts';
import type { RecurrencePass } from './recurrence.ts';

/** Thrown where the program, not the scenario, is at fault; says when and in which model. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Asserts what must hold whatever the scenario says. @throws InvariantError */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

// ---------------------------------------------------------------------------------------------------------------
// What a model declares of itself. Scenario checks, the JSON Schema, `sim models` and the reference all come from it.

/**
 * What a parameter's value is. After checking, a model sees plain numbers: `rate` in bit/s, `size` in bytes,
 * `duration` in ns, `probability` from 0 to 1; `class-id` as u32 major << 16 | minor; everything else as written.
 */
export type ParameterType =
  | 'rate' // as tc reads it → bit/s (integer)
  | 'size' // as tc reads it, or B, KiB, MiB → bytes (integer)
  | 'duration' // 1ns … 1h → ns (integer)
  | 'probability' // 0.1% or 0.001 → 0 … 1
  | 'curl-limit' // as curl --limit-rate reads it → bytes/s
  | 'queue' // 1000p, 64kb or 40ms → { packets } | { bytes } | { ns }
  | 'class-id' // "1:10" (hexadecimal, as tc) → u32
  | 'integer'
  | 'number'
  | 'boolean'
  | 'string'
  | { readonly choice: readonly string[] } // one of these words
  | { readonly listOf: ParameterType }
  | { readonly record: Parameters } // a mapping with these keys → a record of the checked values
  | { readonly mapOf: Parameters; readonly key: 'class-id' | 'name' } // a mapping of own keys to such records → Record, keys as written
  | { readonly model: ModelRole } // a mapping with `kind:` and that model's own parameters → NestedModel
  | { readonly oneOf: readonly ParameterType[] }; // the first that accepts the value

/** One parameter of a model. */
export interface Parameter {
  readonly type: ParameterType;
  /** One sentence for people: what it is, and its unit if the type does not say. */
  readonly help: string;
  readonly required?: boolean;
  /** Value used when the key is absent, as one would write it in a scenario; absent: the model decides (help says how). */
  readonly default?: string | number | boolean;
  /** Bounds on the checked number, inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** What a person is told whose number lies outside of the bounds, where they do not say enough. */
  readonly boundsHint?: string;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** Checked values by parameter name; absent optional parameters without a default are left out. */
export type Values = Readonly<Record<string, unknown>>;

/** A checked `{ kind, … }` mapping. */
export interface NestedModel {
  readonly kind: string;
  readonly values: Values;
}

/** Where a model can stand in a scenario. */
export type ModelRole = 'shaper' | 'source' | 'congestion' | 'limiter';

/** One problem that a model finds among values that are fine one by one. */
export interface ParameterProblem {
  /** Path below the model's own mapping, e.g. `['classes', '1:10', 'parent']`. */
  readonly path: readonly string[];
  readonly expected: string;
  readonly received: string;
  readonly hint?: string;
}

/** What every model says of itself. `models/registry.ts` lists them all. */
export interface ModelDeclaration {
  readonly kind: string;
  readonly role: ModelRole;
  /** One line. */
  readonly summary: string;
  readonly parameters: Parameters;
  /** Names of the counters that it reports, with one sentence each. */
  readonly counters: Readonly<Record<string, string>>;
  /**
   * Finds what is wrong between parameters (circular parents, a default class that is not there). `written` are the values
   * as they stand in the scenario, for models that must know how a number was put.
   */
  check?(values: Values, written?: Values): ParameterProblem[];
  /** Looks at the beginning of the files that the values name; called where files can be read. */
  checkFiles?(values: Values, readBytes: ReadBytes): ParameterProblem[];
}

/**
 * Reads a file that a scenario names, relative to the scenario: fills `into` with the bytes from `offset` on and returns
 * how many there were, fewer only at the end of the file. Nothing stays open between two calls.
 *
 * @throws Error that says why the file cannot be read
 */
export type ReadBytes = (file: string, offset: number, into: Uint8Array) => number;

// ---------------------------------------------------------------------------------------------------------------
// Packet side: qdiscs. A qdisc is a state machine without a clock, driven by a port (sim/run) or by a test.

/** Results of an enqueue, as the kernel's NET_XMIT codes. */
export const ACCEPTED = 0;
/** This packet was dropped. */
export const DROPPED = 1;
/** This or an older packet was dropped. */
export const CONGESTED = 2;

/** Receives the expiry of a timer that a model asked for. */
export interface TimerOwner {
  onTimer(timer: number, nowNs: number): void;
}

/** What a packet-side model is handed of the outside: packets, timers, randomness, and where drops go. */
export interface Surroundings {
  readonly packets: PacketPool;
  /** Clock at the model's creation (ns). */
  readonly startNs: number;
  /**
   * Whether watchdogs expire at the very instant that they are armed for; absent: they may be late. A model may then leave
   * out wake-ups that change nothing.
   */
  readonly exactTimers?: boolean;
  /** Registers a watchdog: on expiry the port tries to dequeue from the root. Watchdogs expire in order of registration. */
  newWatchdog(): number;
  /** Registers a timer of the model's own, after all watchdogs at one instant; never late. */
  newTimer(owner: TimerOwner): number;
  /** Arms a watchdog or timer for `timeNs`, replacing what it was armed for. The port adds its resolution and latency to watchdogs. */
  wakeAt(timer: number, timeNs: number): void;
  /** Takes a packet that the model drops: counts, traces and frees it. The caller must not touch it afterwards. */
  drop(packet: number, nowNs: number): void;
  /** The next draw of the model's own seeded stream, uniform in 0 … 2^32 - 1. */
  randomUint32(): number;
}

/**
 * A queueing discipline: what a port, or another qdisc, drives.
 *
 * All instants are integer ns of the simulated kernel's clock and never go back. Lengths are `sizeBytes` of the pool.
 */
export interface Qdisc {
  /** Packets held, as the kernel's q.qlen (a peeked packet is still counted). */
  readonly lengthPackets: number;
  /** Bytes held, as the kernel's qstats.backlog. */
  readonly backlogBytes: number;
  /** Whether the port may send past an empty qdisc (TCQ_F_CAN_BYPASS). */
  readonly canBypass: boolean;
  /** Takes the packet. DROPPED: it was handed to {@link Surroundings.drop}. */
  enqueue(packet: number, nowNs: number): number;
  /** The next packet that may leave now, or NO_PACKET; a shaping qdisc then has armed its watchdog. */
  dequeue(nowNs: number): number;
  /** The packet that the next dequeue would return; some qdiscs really dequeue it and park it. */
  peek(nowNs: number): number;
  /** The qdisc that holds this one: set by whoever builds a child, told of the child's drops. */
  parent?: Qdisc | undefined;
  /**
   * Told when a descendant dropped packets that were already counted here (qdisc_tree_reduce_backlog); tells its own
   * parent in turn. `packets` may be 0 and `bytes` negative, where a packet took the place of one of another length.
   * `child` is the child from which the news comes; it may be empty now.
   */
  onDescendantDrop?(packets: number, bytes: number, child: Qdisc): void;
  /** Counts a packet that the port sent past the empty qdisc (only where `canBypass`). */
  onBypass?(packet: number): void;
  /** Tells of all that changes in it, so that repeating states are found; absent: a run with it is never cut short. */
  visit?(pass: RecurrencePass): void;
  /** The class that a packet goes to, as written in the scenario (`direct` for a direct queue); classless: absent. */
  classOf?(packet: number): string;
  /** Live view of the classes, for series; absent without classes. */
  readonly probe?: ClassProbe;
  /** Counters in tc's words; {@link QdiscReport}. Called after the run and, rarely, for samples. */
  report(nowNs: number): QdiscReport;
}

/** Reads classes by index without allocation. */
export interface ClassProbe {
  /** As written in the scenario. */
  readonly names: readonly string[];
  /** Tokens at `nowNs`, refilled up to the bucket, as time of sending at the class's rate or ceil (ns); NaN where there are none. */
  tokensNs(index: number, nowNs: number): number;
  ctokensNs(index: number, nowNs: number): number;
  /** 0 cant-send, 1 may-borrow, 2 can-send. */
  mode(index: number): number;
  backlogBytes(index: number): number;
  backlogPackets(index: number): number;
  /** What has left through the class so far (inner classes: through all below). */
  departedPackets(index: number): number;
  departedBytes(index: number): number;
}

/** What a qdisc tells of itself after a run. */
export interface QdiscReport {
  /** Counters of the qdisc itself, by the names of its declaration (overlimits, dropped, requeues, …). */
  readonly counters: Readonly<Record<string, number>>;
  /** One entry a class, keyed as written in the scenario (`1:10`); `direct` for HTB's direct queue. */
  readonly classes: Readonly<Record<string, ClassReport>>;
  /** Reports of child qdiscs, keyed by the class that holds them. */
  readonly children: Readonly<Record<string, QdiscReport>>;
}

/** Counters of a class in tc's words; tokens in the unit of the kernel's era. */
export interface ClassReport {
  readonly parent?: string;
  readonly level?: number;
  readonly mode?: 'cant-send' | 'may-borrow' | 'can-send';
  readonly counters: Readonly<Record<string, number>>;
}

/** Creates a qdisc from checked values. `children` builds nested qdiscs by kind. */
export interface ShaperDeclaration extends ModelDeclaration {
  readonly role: 'shaper';
  create(values: Values, surroundings: Surroundings, build: QdiscBuilder): Qdisc;
}

/** Builds a nested qdisc; `surroundings` defaults to the parent's. */
export type QdiscBuilder = (model: NestedModel, surroundings: Surroundings) => Qdisc;

// ---------------------------------------------------------------------------------------------------------------
// Sources of packets that do not listen: CBR, Poisson, on-off, traces.

/** Random numbers of one named stream. */
export interface RandomStream {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Uniform in 0 … 2^32 - 1. */
  uint32(): number;
}

/**
 * A source that sends at instants of its own choosing. `next` fixes the next packet: it sets the public fields and
 * returns the instant, or Infinity after the last one.
 */
export interface PacketSource {
  /** Of the packet that the last `next` announced. */
  sizeBytes: number;
  /** Payload of a segment of a super-packet; 0: an ordinary packet. */
  gsoBytes: number;
  /** The instant (ns since the flow's start) of the next packet; never before the one before. */
  next(): number;
  /** Tells of all that changes in it; absent: it never repeats. */
  visit?(pass: RecurrencePass): void;
  /** What is to be told of its packets so far, such as a file that ends within one. */
  readonly warning?: string | undefined;
}

export interface SourceDeclaration extends ModelDeclaration {
  readonly role: 'source';
  /** `readBytes` is absent where no files can be read, as in a web page. */
  create(values: Values, random: RandomStream, readBytes?: ReadBytes): PacketSource;
}

// ---------------------------------------------------------------------------------------------------------------
// Application side: limiters such as curl's. Free of the engine; a client couples one to a TCP connection.

/** The application side of a rate limit: how much may be read now, and otherwise how long to wait. */
export interface Limiter {
  /** Begins counting (ns). */
  start(nowNs: number): void;
  /** Bytes that may be taken at `nowNs`; 0: wait. */
  allowanceBytes(nowNs: number): number;
  /** Tells that `bytes` were taken. */
  consumed(bytes: number, nowNs: number): void;
  /** How long to sleep before asking again (ns); 0 when something may be taken. */
  waitNs(nowNs: number): number;
  /** The largest number of bytes that may have been taken by `nowNs`, whatever the demand: the limiter's own bound. */
  boundBytes(nowNs: number): number;
}

/** Creates an application's limiter from checked values. */
export interface LimiterDeclaration extends ModelDeclaration {
  readonly role: 'limiter';
  create(values: Values): Limiter;
}
