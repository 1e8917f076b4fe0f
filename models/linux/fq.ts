import type { ShaperDeclaration, Surroundings } from '../model.ts';
import { NO_PACKET, PacketQueue } from '../packet.ts';
import { DEFAULT_PRIOMAP, PRIORITY_MASK } from './prio.ts';
import { BaseQdisc, deviceFrameBytes, deviceParameters, JIFFY_NS, qdiscCounters } from './qdisc-base.ts';
import { bytesPerSecond } from './tc.ts';
import { TimeHeap } from './time-heap.ts';

const SECOND_NS = 1e9;
/** What each band may send before the next has its turn (bytes). */
const BAND_WEIGHTS = [589_824, 196_608, 65_536] as const;

/** What fq is set to. */
export interface FqSettings {
  readonly limitPackets: number;
  readonly flowLimitPackets: number;
  readonly quantumBytes: number;
  readonly initialQuantumBytes: number;
  /** Infinity: no pacing. */
  readonly maxRateBytesPerSecond: number;
  readonly lowRateBytesPerSecond: number;
  readonly refillDelayNs: number;
}

/** Where a flow is: in no list, in one of the two of its band, or waiting for its time. */
type FlowPlace = 'detached' | 'listed' | 'throttled';

class FqFlow {
  readonly index: number;
  readonly queue: PacketQueue;
  place: FlowPlace = 'detached';
  band = 0;
  credit: number;
  /** 0: not paced yet. */
  timeNextNs = 0;
  detachedJiffies: number;
  next: FqFlow | undefined = undefined;

  constructor(index: number, queue: PacketQueue, credit: number, jiffies: number) {
    this.index = index;
    this.queue = queue;
    this.credit = credit;
    this.detachedJiffies = jiffies;
  }
}

class FlowList {
  first: FqFlow | undefined = undefined;
  #last: FqFlow | undefined = undefined;

  append(flow: FqFlow): void {
    flow.next = undefined;
    if (this.first === undefined || this.#last === undefined) this.first = flow;
    else this.#last.next = flow;
    this.#last = flow;
  }

  removeFirst(): void {
    this.first = this.first?.next;
  }
}

class Band {
  readonly newFlows = new FlowList();
  readonly oldFlows = new FlowList();
  readonly weightBytes: number;
  creditBytes: number;
  packets = 0;

  constructor(weightBytes: number) {
    this.weightBytes = weightBytes;
    this.creditBytes = weightBytes;
  }

  /** The list whose first flow has the turn, if the band may send. */
  select(): FlowList | undefined {
    if (this.creditBytes <= 0) return undefined;
    if (this.newFlows.first !== undefined) return this.newFlows;
    return this.oldFlows.first === undefined ? undefined : this.oldFlows;
  }
}

/**
 * Fair queueing with pacing: each flow is a socket and sends at most at `maxrate`, in bursts of a quantum.
 *
 * Packets have no departure time of their own, and sockets no pacing rate. Source of the rules: net/sched/sch_fq.c, 6.12.
 */
export class Fq extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: FqSettings;
  readonly #watchdog: number;
  readonly #flows: (FqFlow | undefined)[] = [];
  readonly #bands = BAND_WEIGHTS.map((weight) => new Band(weight));
  readonly #throttled = new TimeHeap();
  #band = 0;
  #flowLimitDrops = 0;
  #throttles = 0;
  #tooLong = 0;

  constructor(settings: FqSettings, surroundings: Surroundings) {
    super(surroundings);
    this.#settings = settings;
    this.#watchdog = surroundings.newWatchdog();
  }

  enqueue(packet: number, nowNs: number): number {
    const settings = this.#settings;
    const index = DEFAULT_PRIOMAP[this.packets.priority[packet]! & PRIORITY_MASK]!;
    const band = this.#bands[index]!;
    if (band.packets >= settings.limitPackets) return this.refuse(packet, nowNs);
    const flow = this.#flowOf(packet, nowNs);
    if (flow.queue.lengthPackets >= settings.flowLimitPackets) {
      this.#flowLimitDrops++;
      return this.refuse(packet, nowNs);
    }
    if (flow.place === 'detached') {
      const idleJiffies = Math.floor(nowNs / JIFFY_NS) - flow.detachedJiffies;
      if (idleJiffies > Math.floor(settings.refillDelayNs / JIFFY_NS)) {
        flow.credit = Math.max(flow.credit, settings.quantumBytes);
      }
      flow.band = index;
      flow.place = 'listed';
      band.newFlows.append(flow);
    }
    flow.queue.push(packet);
    this.#bands[flow.band]!.packets++;
    return this.accept(packet);
  }

  #flowOf(packet: number, nowNs: number): FqFlow {
    const index = this.packets.flow[packet]!;
    const known = this.#flows[index];
    if (known !== undefined) return known;
    const queue = new PacketQueue(this.packets);
    const flow = new FqFlow(index, queue, this.#settings.initialQuantumBytes, Math.floor(nowNs / JIFFY_NS));
    this.#flows[index] = flow;
    return flow;
  }

  protected take(nowNs: number): number {
    if (this.lengthPackets === 0) return NO_PACKET;
    this.#releaseThrottled(nowNs);
    for (;;) {
      const list = this.#selectList();
      const flow = list?.first;
      if (list === undefined || flow === undefined) {
        if (this.#throttled.length > 0) this.surroundings.wakeAt(this.#watchdog, this.#throttled.earliestNs);
        return NO_PACKET;
      }
      const band = this.#bands[flow.band]!;
      if (flow.credit <= 0) {
        flow.credit += this.#settings.quantumBytes;
        list.removeFirst();
        band.oldFlows.append(flow);
      } else if (flow.queue.head === NO_PACKET) {
        list.removeFirst();
        // A pass through the old flows, lest a flow that keeps coming as a new one starve them.
        if (list === band.newFlows && band.oldFlows.first !== undefined) band.oldFlows.append(flow);
        else this.#detach(flow, nowNs);
      } else if (flow.timeNextNs > nowNs) {
        list.removeFirst();
        flow.place = 'throttled';
        this.#throttles++;
        this.#throttled.push(flow.index, flow.timeNextNs);
      } else {
        return this.#send(flow, band, nowNs);
      }
    }
  }

  #detach(flow: FqFlow, nowNs: number): void {
    flow.place = 'detached';
    flow.detachedJiffies = Math.floor(nowNs / JIFFY_NS);
  }

  /** The list of the band whose turn it is; passes the turn on where the band has nothing to send. */
  #selectList(): FlowList | undefined {
    const bands = this.#bands;
    const list = bands[this.#band]!.select();
    if (list !== undefined) return list;
    // Twice around: a packet longer than its band's weight leaves a debt that one round does not pay.
    for (let tries = 0; tries < 2 * bands.length; tries++) {
      this.#band = (this.#band + 1) % bands.length;
      const band = bands[this.#band]!;
      band.creditBytes = Math.min(band.creditBytes + band.weightBytes, band.weightBytes);
      const found = band.select();
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #releaseThrottled(nowNs: number): void {
    while (this.#throttled.earliestNs <= nowNs) {
      const flow = this.#flows[this.#throttled.shift()]!;
      flow.place = 'listed';
      this.#bands[flow.band]!.oldFlows.append(flow);
    }
  }

  #send(flow: FqFlow, band: Band, nowNs: number): number {
    const packet = flow.queue.shift();
    const sizeBytes = this.packets.sizeBytes[packet]!;
    band.packets--;
    band.creditBytes -= sizeBytes;
    flow.credit -= sizeBytes;
    this.release(packet);
    this.departed(packet);
    if (this.#settings.maxRateBytesPerSecond !== Number.POSITIVE_INFINITY) this.#pace(flow, sizeBytes, nowNs);
    return packet;
  }

  /** Sets when the flow may send next. */
  #pace(flow: FqFlow, sizeBytes: number, nowNs: number): void {
    const { maxRateBytesPerSecond: rate, lowRateBytesPerSecond, quantumBytes } = this.#settings;
    let pacedBytes = sizeBytes;
    if (rate <= lowRateBytesPerSecond) {
      flow.credit = 0;
    } else {
      if (flow.credit > 0) return;
      pacedBytes = Math.max(sizeBytes, quantumBytes);
    }
    let gapNs = Math.floor((pacedBytes * SECOND_NS) / rate);
    if (gapNs > SECOND_NS) {
      gapNs = SECOND_NS;
      this.#tooLong++;
    }
    if (flow.timeNextNs !== 0) gapNs -= Math.min(Math.floor(gapNs / 2), nowNs - flow.timeNextNs);
    flow.timeNextNs = nowNs + gapNs;
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const flows = this.#flows.filter((flow) => flow !== undefined);
    return {
      flowsPlimit: this.#flowLimitDrops,
      throttled: this.#throttles,
      pktsTooLong: this.#tooLong,
      flows: flows.length,
      inactiveFlows: flows.filter(({ place }) => place === 'detached').length,
      throttledFlows: this.#throttled.length,
      nextPacketNs: this.#throttled.length === 0 ? 0 : this.#throttled.earliestNs,
    };
  }
}

/** `fq`: fair queueing with pacing. */
export const fq: ShaperDeclaration = {
  kind: 'fq',
  role: 'shaper',
  summary: 'Fair queueing of sockets, each paced to maxrate in bursts of a quantum (sch_fq).',
  parameters: {
    limit: {
      type: 'integer',
      help: 'Packets held at most in each of the three bands.',
      default: 10000,
      minimum: 0,
      maximum: 0xffffffff,
    },
    flowLimit: {
      type: 'integer',
      help: 'Packets of one flow held at most.',
      default: 100,
      minimum: 0,
      maximum: 0xffffffff,
    },
    quantum: {
      type: 'size',
      help: 'Bytes that a flow may send in one turn; default two of the longest frames.',
      minimum: 1,
      maximum: 1 << 20,
    },
    initialQuantum: {
      type: 'size',
      help: 'Bytes that a new flow may send at once; default ten of the longest frames.',
    },
    maxrate: { type: 'rate', help: 'Rate that no flow exceeds; default none.', minimum: 8 },
    lowRateThreshold: { type: 'rate', help: 'Up to this rate each packet is paced by itself.', default: '550kbit' },
    refillDelay: { type: 'duration', help: 'Idle time after which a flow has a whole quantum again.', default: '40ms' },
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    flowsPlimit: 'Packets dropped because their flow was full.',
    throttled: 'Times that a flow waited for its time.',
    pktsTooLong: 'Gaps cut to a second.',
    flows: 'Flows seen.',
    inactiveFlows: 'Flows with nothing to send at the end.',
    throttledFlows: 'Flows that wait for their time at the end.',
    nextPacketNs: 'When the first of them may send (ns); 0: none waits.',
  },
  create(values, surroundings) {
    const frameBytes = deviceFrameBytes(values);
    const maxrate = values.maxrate as number | undefined;
    const settings: FqSettings = {
      limitPackets: values.limit as number,
      flowLimitPackets: values.flowLimit as number,
      quantumBytes: (values.quantum as number | undefined) ?? 2 * frameBytes,
      initialQuantumBytes: (values.initialQuantum as number | undefined) ?? 10 * frameBytes,
      maxRateBytesPerSecond: maxrate === undefined ? Number.POSITIVE_INFINITY : bytesPerSecond(maxrate),
      lowRateBytesPerSecond: bytesPerSecond(values.lowRateThreshold as number),
      refillDelayNs: values.refillDelay as number,
    };
    return new Fq(settings, surroundings);
  },
};
