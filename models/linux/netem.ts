import type { ParameterProblem, ShaperDeclaration, Surroundings, Values } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { BaseQdisc, qdiscCounters } from './qdisc-base.ts';
import { bytesPerSecond } from './tc.ts';
import { TimeHeap } from './time-heap.ts';

const TWO_POW_32 = 2 ** 32;
const LARGEST_U32 = TWO_POW_32 - 1;
const SECOND_NS = 1e9;

/** What netem is set to. */
export interface NetemSettings {
  readonly limitPackets: number;
  readonly delayNs: number;
  readonly jitterNs: number;
  /** Probabilities and correlations in units of 2^-32. */
  readonly delayCorrelation: number;
  readonly loss: number;
  readonly lossCorrelation: number;
  /** 0: none. */
  readonly rateBytesPerSecond: number;
  readonly packetOverheadBytes: number;
}

/** Random numbers of which each keeps some of the one before (sch_netem.c: get_crandom). */
class CorrelatedRandom {
  readonly #rho: number;
  readonly #randomUint32: () => number;
  #last: number;

  constructor(correlation: number, seeded: boolean, randomUint32: () => number) {
    this.#rho = correlation;
    this.#randomUint32 = randomUint32;
    this.#last = seeded ? randomUint32() : 0;
  }

  next(): number {
    const drawn = this.#randomUint32();
    if (this.#rho === 0) return drawn;
    const rho = BigInt(this.#rho) + 1n;
    const mixed = BigInt(drawn) * (BigInt(TWO_POW_32) - rho) + BigInt(this.#last) * rho;
    this.#last = Number(mixed >> 32n);
    return this.#last;
  }
}

/**
 * netem: holds packets for a delay, loses some, sends at a rate. Source of the rules: net/sched/sch_netem.c with
 * delays in ns (4.x on). Jitter is uniform, and reorders packets unless there is a rate.
 */
export class Netem extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: NetemSettings;
  readonly #queue = new TimeHeap();
  readonly #watchdog: number;
  readonly #delayRandom: CorrelatedRandom;
  readonly #lossRandom: CorrelatedRandom;
  /** Latest time to send among the packets held. */
  #latestNs = 0;

  constructor(settings: NetemSettings, surroundings: Surroundings) {
    super(surroundings);
    this.#settings = settings;
    this.#watchdog = surroundings.newWatchdog();
    const random = (): number => surroundings.randomUint32();
    const correlated = settings.delayCorrelation > 0 || settings.lossCorrelation > 0;
    this.#delayRandom = new CorrelatedRandom(settings.delayCorrelation, correlated, random);
    this.#lossRandom = new CorrelatedRandom(settings.lossCorrelation, correlated, random);
  }

  enqueue(packet: number, nowNs: number): number {
    const settings = this.#settings;
    if (settings.loss > 0 && settings.loss >= this.#lossRandom.next()) return this.refuse(packet, nowNs);
    if (this.lengthPackets >= settings.limitPackets) return this.refuse(packet, nowNs);
    const dueNs = this.#dueNs(packet, nowNs);
    if (this.#queue.length === 0 || dueNs > this.#latestNs) this.#latestNs = dueNs;
    this.#queue.push(packet, dueNs);
    return this.accept(packet);
  }

  #dueNs(packet: number, nowNs: number): number {
    const { rateBytesPerSecond, packetOverheadBytes } = this.#settings;
    const delayNs = this.#delayNs();
    if (rateBytesPerSecond === 0) return nowNs + delayNs;
    const bytes = this.packets.sizeBytes[packet]! + packetOverheadBytes;
    const sendingNs = Math.floor((bytes * SECOND_NS) / rateBytesPerSecond);
    if (this.#queue.length === 0) return nowNs + delayNs + sendingNs;
    // Behind others a packet has waited part of its delay already.
    const waitedNs = this.#latestNs - nowNs;
    return this.#latestNs + Math.max(0, delayNs - waitedNs) + sendingNs;
  }

  #delayNs(): number {
    const { delayNs, jitterNs } = this.#settings;
    if (jitterNs === 0) return delayNs;
    return delayNs + (this.#delayRandom.next() % (2 * jitterNs)) - jitterNs;
  }

  protected take(nowNs: number): number {
    const dueNs = this.#queue.earliestNs;
    if (dueNs > nowNs) {
      if (this.#queue.length > 0) this.surroundings.wakeAt(this.#watchdog, dueNs);
      return NO_PACKET;
    }
    const packet = this.#queue.shift();
    this.release(packet);
    this.departed(packet);
    return packet;
  }
}

/** Converts a probability as tc does. */
function scaled(probability: unknown): number {
  return Math.round(((probability as number | undefined) ?? 0) * LARGEST_U32);
}

function check(values: Values): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const needs = (name: string, other: string): void => {
    if (values[name] === undefined || values[other] !== undefined) return;
    problems.push({ path: [name], expected: `${other} as well`, received: `${name} alone` });
  };
  needs('delayCorrelation', 'jitter');
  needs('lossCorrelation', 'loss');
  needs('packetOverhead', 'rate');
  return problems;
}

/** `netem`: delay, jitter, loss and rate. */
export const netem: ShaperDeclaration = {
  kind: 'netem',
  role: 'shaper',
  summary: 'Network emulator: delay, jitter, loss and a rate (sch_netem).',
  parameters: {
    limit: {
      type: 'integer',
      help: 'Packets held at most, those on their way included.',
      default: 1000,
      minimum: 0,
      maximum: 0xffffffff,
    },
    delay: { type: 'duration', help: 'Time that each packet is held.', default: '0s' },
    jitter: {
      type: 'duration',
      help: 'The delay varies evenly by so much either way; without a rate packets overtake each other.',
      minimum: 0,
      maximum: 2 ** 31 - 1,
    },
    delayCorrelation: { type: 'probability', help: 'How much of a random delay comes from the one before.' },
    loss: { type: 'probability', help: 'Probability of losing a packet.' },
    lossCorrelation: { type: 'probability', help: 'How much of the chance of a loss comes from the one before.' },
    rate: { type: 'rate', help: 'Rate at which packets are sent, one after the other.', minimum: 8 },
    packetOverhead: {
      type: 'size',
      help: 'Bytes that each packet takes beyond its length, at the rate.',
      minimum: 0,
      maximum: 0xffff,
    },
  },
  counters: qdiscCounters,
  check,
  create(values, surroundings) {
    const settings: NetemSettings = {
      limitPackets: values.limit as number,
      delayNs: values.delay as number,
      jitterNs: (values.jitter as number | undefined) ?? 0,
      delayCorrelation: scaled(values.delayCorrelation),
      loss: scaled(values.loss),
      lossCorrelation: scaled(values.lossCorrelation),
      rateBytesPerSecond: bytesPerSecond((values.rate as number | undefined) ?? 0),
      packetOverheadBytes: (values.packetOverhead as number | undefined) ?? 0,
    };
    return new Netem(settings, surroundings);
  },
};
