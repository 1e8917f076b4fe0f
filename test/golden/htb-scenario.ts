import type { HtbClassValues, HtbValues } from '../../models/linux/htb/class-figures.ts';
import { Htb } from '../../models/linux/htb/htb.ts';
import type { NestedModel, Qdisc, Surroundings, Values } from '../../models/model.ts';
import { buildQdisc } from '../../models/registry.ts';
import { type ReplayObserver, type ReplaySettings, type ReplaySource, replay } from './replay.ts';

/** A scenario of golden/htb; rates in bit/s, class numbers are minor ids, class 0 is the direct queue. */
export interface HtbScenario {
  readonly name: string;
  readonly link_bps: number;
  readonly link_overhead: number;
  readonly duration_ns: number;
  readonly t0_ns?: number;
  readonly txqueuelen?: number;
  readonly hysteresis?: number;
  readonly timer_res_ns?: number;
  readonly timer_latency_ns?: number;
  readonly classes: readonly HtbScenarioClass[];
  readonly sources: readonly {
    readonly class: number;
    readonly size: number;
    readonly interval_ns: number;
    readonly start_ns: number;
    readonly count: number;
  }[];
}

export interface HtbScenarioClass {
  readonly id: number;
  readonly rate_bit: number;
  readonly ceil_bit?: number;
  readonly parent?: number;
  readonly burst?: number;
  readonly cburst?: number;
  readonly quantum?: number;
  readonly prio?: number;
  readonly mtu?: number;
  readonly mpu?: number;
  readonly overhead?: number;
  readonly linklayer?: string;
  readonly limit?: number;
}

/** The kernels and tools that the golden outcomes come from. */
export const eras = {
  k2624: { kernel: '2.6.24', tc: '2.6.23', hz: 1000 },
  k306: { kernel: '3.6', tc: '2.6.31' },
  k612: { kernel: '6.12', tc: '6.1' },
} as const;

export type Era = keyof typeof eras;

/** Handle of the qdisc in replays: 1:0. */
const HANDLE = 0x10000;

/** The name of a class in replays. */
export function className(minor: number): string {
  return `1:${minor.toString(16)}`;
}

/** The parameters of HTB that a golden scenario stands for. */
export function htbValuesOf(scenario: HtbScenario, versions: { kernel: string; tc: string; hz?: number }): HtbValues {
  const classes: Record<string, HtbClassValues> = {};
  for (const given of scenario.classes) {
    classes[className(given.id)] = {
      rate: given.rate_bit,
      ...(given.ceil_bit === undefined ? {} : { ceil: given.ceil_bit }),
      ...(given.parent === undefined || given.parent === 0 ? {} : { parent: HANDLE + given.parent }),
      ...(given.burst === undefined ? {} : { burst: given.burst }),
      ...(given.cburst === undefined ? {} : { cburst: given.cburst }),
      ...(given.quantum === undefined ? {} : { quantum: given.quantum }),
      ...(given.limit === undefined ? {} : { limit: given.limit }),
      prio: given.prio ?? 0,
      mtu: given.mtu ?? 1600,
      mpu: given.mpu ?? 0,
      overhead: given.overhead ?? 0,
      linklayer: given.linklayer === 'atm' ? 'atm' : 'ethernet',
    };
  }
  // In 2.6.24 hysteresis is compiled in: a scenario's setting reaches the later kernels only.
  const settable = versions.kernel !== '2.6.24' && scenario.hysteresis !== undefined;
  return {
    ...versions,
    r2q: 10,
    txQueueLen: scenario.txqueuelen ?? 1000,
    ...(settable ? { hysteresis: scenario.hysteresis === 1 } : {}),
    classes,
  };
}

/** The device and clock of a golden scenario. */
export function settingsOf(scenario: HtbScenario): ReplaySettings {
  return {
    startNs: scenario.t0_ns ?? 0,
    durationNs: scenario.duration_ns,
    linkBitsPerSecond: scenario.link_bps,
    linkOverheadBytes: scenario.link_overhead,
    timerResolutionNs: scenario.timer_res_ns ?? 0,
    timerLatencyNs: scenario.timer_latency_ns ?? 0,
  };
}

/** The sources of a golden scenario; the flow of a packet is its class. */
export function sourcesOf(scenario: HtbScenario): ReplaySource[] {
  return scenario.sources.map((source) => ({
    flow: source.class,
    priority: HANDLE + source.class,
    sizeBytes: source.size,
    intervalNs: source.interval_ns,
    startNs: source.start_ns,
    count: source.count,
  }));
}

/** What a class received, was refused and sent; instants of the first and last departure are 0 where there is none. */
export interface ClassTally {
  arr: number;
  drop: number;
  txp: number;
  txb: number;
  first: number;
  last: number;
}

/** Runs a golden scenario through HTB; `departed` is told each departure. */
export function replayHtb(
  scenario: HtbScenario,
  versions: { kernel: string; tc: string; hz?: number },
  departed: (nowNs: number, minor: number, sizeBytes: number) => void,
): { htb: Htb; tallies: ReadonlyMap<number, ClassTally>; settings: ReplaySettings } {
  const tallies = new Map<number, ClassTally>();
  const tally = (minor: number): ClassTally => {
    const found = tallies.get(minor) ?? { arr: 0, drop: 0, txp: 0, txb: 0, first: 0, last: 0 };
    tallies.set(minor, found);
    return found;
  };
  const observer: ReplayObserver = {
    onArrival: (packet, packets) => {
      tally(packets.flow[packet]!).arr++;
    },
    onDrop: (packet, packets) => {
      tally(packets.flow[packet]!).drop++;
    },
    onDeparture: (packet, packets, nowNs) => {
      const minor = packets.flow[packet]!;
      const sizeBytes = packets.sizeBytes[packet]!;
      const entry = tally(minor);
      entry.txp++;
      entry.txb += sizeBytes;
      if (entry.txp === 1) entry.first = nowNs;
      entry.last = nowNs;
      departed(nowNs, minor, sizeBytes);
    },
  };
  const settings = settingsOf(scenario);
  const values: Values = { ...htbValuesOf(scenario, versions) };
  const create = (surroundings: Surroundings): Htb => new Htb(values, surroundings, nest);
  return { htb: replay(create, settings, sourcesOf(scenario), observer), tallies, settings };
}

/** Builds nested qdiscs as a simulation does. */
export function nest(model: NestedModel, surroundings: Surroundings): Qdisc {
  return buildQdisc(model, surroundings);
}
