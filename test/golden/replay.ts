import type { Qdisc, Surroundings, TimerOwner } from '../../models/model.ts';
import { NO_PACKET, PacketPool } from '../../models/packet.ts';

/** A source of a golden scenario: `count` packets, one every `intervalNs`, back to back where that is 0. */
export interface ReplaySource {
  readonly flow: number;
  readonly priority: number;
  readonly sizeBytes: number;
  readonly intervalNs: number;
  /** Instant of the first packet, after the clock's start. */
  readonly startNs: number;
  readonly count: number;
  readonly ecn?: number;
  /** Columns beyond those that `fill` sets: segments, headers, truesize. */
  readonly dress?: (packets: PacketPool, packet: number) => void;
}

/** The clock, the device below the qdisc, and the timers of a golden scenario. */
export interface ReplaySettings {
  readonly startNs: number;
  readonly durationNs: number;
  /** bit/s; 0: never busy. */
  readonly linkBitsPerSecond: number;
  readonly linkOverheadBytes: number;
  /** Of watchdogs; 0 or 1: exact. */
  readonly timerResolutionNs: number;
  readonly timerLatencyNs: number;
  /** Whether a packet that meets an idle device and an empty qdisc goes past it. */
  readonly bypass?: boolean;
  readonly randomUint32?: () => number;
}

/** Told of what happens; a departing or dropped packet may be read until the callback returns. */
export interface ReplayObserver {
  onArrival?(packet: number, packets: PacketPool, nowNs: number): void;
  onEnqueued?(result: number, nowNs: number): void;
  onDeparture(packet: number, packets: PacketPool, nowNs: number): void;
  onDrop?(packet: number, packets: PacketPool, nowNs: number): void;
}

interface Timer {
  readonly owner: TimerOwner | undefined;
  atNs: number;
}

/** Smallest integer not below `bits * 1e9 / rate`. */
function transmissionNs(bytes: number, linkBitsPerSecond: number): number {
  const bitNs = bytes * 8e9;
  const ns = Math.floor(bitNs / linkBitsPerSecond);
  return ns * linkBitsPerSecond < bitNs ? ns + 1 : ns;
}

/**
 * Drives a qdisc as the golden scenarios describe: a second, simple driver beside the simulator's own.
 *
 * At one instant the device becomes free first, then watchdogs fire in the order of their creation, then timers, then
 * packets arrive in the order of the sources; a try to dequeue follows each. Stops at the first event at or after
 * the end. Returns the qdisc.
 */
export function replay<Root extends Qdisc>(
  create: (surroundings: Surroundings) => Root,
  settings: ReplaySettings,
  sources: readonly ReplaySource[],
  observer: ReplayObserver,
): Root {
  const packets = new PacketPool();
  const timers: Timer[] = [];
  const never = Number.POSITIVE_INFINITY;
  let busyUntilNs = settings.startNs;
  let busy = false;

  const surroundings: Surroundings = {
    packets,
    startNs: settings.startNs,
    newWatchdog: () => timers.push({ owner: undefined, atNs: never }) - 1,
    newTimer: (owner) => timers.push({ owner, atNs: never }) - 1,
    wakeAt(timer, timeNs) {
      const { timerResolutionNs: step, timerLatencyNs } = settings;
      const entry = timers[timer]!;
      const late = entry.owner === undefined;
      const rounded = late && step > 1 ? Math.ceil(timeNs / step) * step : timeNs;
      entry.atNs = late ? rounded + timerLatencyNs : rounded;
    },
    drop(packet, nowNs) {
      observer.onDrop?.(packet, packets, nowNs);
      packets.free(packet);
    },
    randomUint32: settings.randomUint32 ?? (() => 0),
  };
  const root = create(surroundings);

  const depart = (packet: number, nowNs: number): void => {
    const wireBytes = packets.sizeBytes[packet]! + settings.linkOverheadBytes * packets.segments[packet]!;
    observer.onDeparture(packet, packets, nowNs);
    packets.free(packet);
    if (settings.linkBitsPerSecond === 0) return;
    busyUntilNs = nowNs + transmissionNs(wireBytes, settings.linkBitsPerSecond);
    busy = true;
  };
  const tryToSend = (nowNs: number): void => {
    while (!busy) {
      const packet = root.dequeue(nowNs);
      if (packet === NO_PACKET) return;
      depart(packet, nowNs);
    }
  };

  const sent = sources.map(() => 0);
  const nextNs = sources.map((source) => (source.count > 0 ? settings.startNs + source.startNs : never));
  const arrive = (index: number, nowNs: number): void => {
    const source = sources[index]!;
    const packet = packets.fill(source.flow, source.sizeBytes, source.sizeBytes, source.priority, sent[index]!, nowNs);
    packets.ecn[packet] = source.ecn ?? 0;
    source.dress?.(packets, packet);
    sent[index]!++;
    nextNs[index] = sent[index]! < source.count ? nowNs + source.intervalNs : never;
    observer.onArrival?.(packet, packets, nowNs);
    if (settings.bypass === true && root.canBypass && !busy && root.lengthPackets === 0) {
      root.onBypass?.(packet);
      depart(packet, nowNs);
    } else {
      const result = root.enqueue(packet, nowNs);
      observer.onEnqueued?.(result, nowNs);
    }
    tryToSend(nowNs);
  };

  const endNs = settings.startNs + settings.durationNs;
  for (;;) {
    let nowNs = busy ? busyUntilNs : never;
    let timer: Timer | undefined;
    let source = -1;
    for (const watchdogs of [true, false]) {
      for (const candidate of timers) {
        if ((candidate.owner === undefined) !== watchdogs || candidate.atNs >= nowNs) continue;
        nowNs = candidate.atNs;
        timer = candidate;
      }
    }
    for (let index = 0; index < sources.length; index++) {
      if (nextNs[index]! >= nowNs) continue;
      nowNs = nextNs[index]!;
      source = index;
    }
    if (nowNs >= endNs) return root;
    if (source >= 0) {
      arrive(source, nowNs);
    } else if (timer === undefined) {
      busy = false;
      tryToSend(nowNs);
    } else {
      timer.atNs = never;
      timer.owner?.onTimer(timers.indexOf(timer), nowNs);
      if (timer.owner === undefined) tryToSend(nowNs);
    }
  }
}
