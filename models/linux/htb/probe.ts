import type { ClassProbe } from '../../model.ts';
import type { PacketQueue } from '../../packet.ts';
import type { HtbCounters } from './htb.ts';
import { CAN_SEND, type HtbClass } from './htb-class.ts';
import { DIRECT_NAME } from './report.ts';

/** All that changes in a class, for inspection; tokens and instants in ticks of the kernel's clock. */
export interface HtbClassState {
  readonly tokens: number;
  readonly ctokens: number;
  readonly checkpointTicks: number;
  readonly mode: number;
  readonly level: number;
  /** By the level that the leaf is served from. */
  readonly deficitsBytes: readonly number[];
}

/** Live view of an HTB's classes, in the order of their ids, and of the direct queue after them. */
export class HtbProbe implements ClassProbe {
  readonly names: readonly string[];
  readonly #classes: readonly HtbClass[];
  readonly #tickNs: number;
  readonly #direct: PacketQueue;
  readonly #counters: HtbCounters;

  constructor(classes: readonly HtbClass[], tickNs: number, direct: PacketQueue, counters: HtbCounters) {
    this.names = [...classes.map((entry) => entry.figures.name), DIRECT_NAME];
    this.#classes = classes;
    this.#tickNs = tickNs;
    this.#direct = direct;
    this.#counters = counters;
  }

  tokensNs(index: number, nowNs: number): number {
    const entry = this.#classes[index];
    return entry === undefined ? Number.NaN : this.#refilledNs(entry, nowNs, entry.tokens, entry.bufferTicks);
  }

  ctokensNs(index: number, nowNs: number): number {
    const entry = this.#classes[index];
    return entry === undefined ? Number.NaN : this.#refilledNs(entry, nowNs, entry.ctokens, entry.cbufferTicks);
  }

  mode(index: number): number {
    return this.#classes[index]?.mode ?? CAN_SEND;
  }

  backlogBytes(index: number): number {
    return this.#classes[index]?.backlogBytes ?? this.#direct.backlogBytes;
  }

  backlogPackets(index: number): number {
    return this.#classes[index]?.backlogPackets ?? this.#direct.lengthPackets;
  }

  departedPackets(index: number): number {
    return this.#classes[index]?.departedPackets ?? this.#counters.directDepartedPackets;
  }

  departedBytes(index: number): number {
    return this.#classes[index]?.departedBytes ?? this.#counters.directDepartedBytes;
  }

  /** What changes in a class. */
  state(index: number): HtbClassState {
    const { tokens, ctokens, checkpointTicks, mode, level, deficitsBytes } = this.#classes[index]!;
    return { tokens, ctokens, checkpointTicks, mode, level, deficitsBytes: [...deficitsBytes] };
  }

  #refilledNs(entry: HtbClass, nowNs: number, tokens: number, bufferTicks: number): number {
    const elapsed = Math.floor(nowNs / this.#tickNs) - entry.checkpointTicks;
    return Math.min(tokens + elapsed, bufferTicks) * this.#tickNs;
  }
}
