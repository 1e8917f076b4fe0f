import type { Parameters, ShaperDeclaration, Surroundings } from '../model.ts';
import { NO_PACKET, PacketQueue } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { CE_THRESHOLD_OFF, CodelControl, type CodelQueues, type CodelSettings, codelSetting } from './codel-control.ts';
import { kernelParameter, kernelReleaseOf, release, versionProblems } from './kernel-parameters.ts';
import { BaseQdisc, deviceFrameBytes, deviceParameters, qdiscCounters } from './qdisc-base.ts';

/** Parameters that codel and fq_codel share; `ecn` differs in its default. */
export const codelParameters = {
  target: { type: 'duration', help: 'Delay that is accepted as standing.', default: '5ms' },
  interval: {
    type: 'duration',
    help: 'Time that the delay may stay above target before the first drop.',
    default: '100ms',
  },
  ceThreshold: { type: 'duration', help: 'Delay above which each ECN-capable packet is marked; default off.' },
  kernel: kernelParameter,
  ...deviceParameters,
} as const satisfies Parameters;

/** Counters that codel and fq_codel share. */
export const codelCounters: Readonly<Record<string, string>> = {
  ...qdiscCounters,
  dropOverlimit: 'Packets dropped because the queue was full.',
  ecnMark: 'Packets marked instead of dropped.',
  ceMark: 'Packets marked above ceThreshold.',
  maxPacket: 'Longest packet seen by the law (bytes).',
  target: 'Target as the kernel holds it (1.024 µs).',
  interval: 'Interval as the kernel holds it (1.024 µs).',
};

/** Reads what CoDel is set to from the values of codel or fq_codel. */
export function codelSettings(values: Readonly<Record<string, unknown>>): CodelSettings {
  const kernel = kernelReleaseOf(values);
  const ceThresholdNs = kernel >= release(4, 9) ? (values.ceThreshold as number | undefined) : undefined;
  return {
    target: codelSetting(values.target as number),
    interval: codelSetting(values.interval as number),
    ceThreshold: ceThresholdNs === undefined ? CE_THRESHOLD_OFF : codelSetting(ceThresholdNs),
    ecn: values.ecn as boolean,
    ...(kernel >= release(4, 9) ? { standingBytes: deviceFrameBytes(values) } : {}),
    forgetsWhenEmpty: kernel >= release(5, 10),
  };
}

/** CoDel on one FIFO. Source of the rules: net/sched/sch_codel.c, 3.6 to 6.12. */
export class Codel extends BaseQdisc implements CodelQueues {
  readonly canBypass: boolean;
  readonly #queue: PacketQueue;
  readonly #limit: number;
  readonly #control: CodelControl;
  #dropOverlimit = 0;
  #takenDrops = 0;
  #takenDropBytes = 0;

  constructor(limit: number, settings: CodelSettings, surroundings: Surroundings) {
    super(surroundings);
    this.#queue = new PacketQueue(surroundings.packets);
    this.#limit = limit;
    this.canBypass = limit >= 1;
    this.#control = new CodelControl(settings, 1, surroundings.packets, this);
  }

  enqueue(packet: number, nowNs: number): number {
    if (this.lengthPackets >= this.#limit) {
      this.#dropOverlimit++;
      return this.refuse(packet, nowNs);
    }
    this.packets.stampNs[packet] = nowNs;
    this.#queue.push(packet);
    return this.accept(packet);
  }

  protected take(nowNs: number): number {
    const packet = this.#control.dequeue(0, nowNs);
    if (this.#takenDrops > 0) {
      this.tellParent(this.#takenDrops, this.#takenDropBytes);
      this.#takenDrops = 0;
      this.#takenDropBytes = 0;
    }
    if (packet !== NO_PACKET) this.departed(packet);
    return packet;
  }

  popFlow(_flow: number): number {
    const packet = this.#queue.shift();
    if (packet === NO_PACKET) return NO_PACKET;
    this.release(packet);
    return packet;
  }

  dropTaken(packet: number, nowNs: number): void {
    this.#takenDrops++;
    this.#takenDropBytes += this.packets.sizeBytes[packet]!;
    this.refuse(packet, nowNs);
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    this.#queue.visit(pass);
    this.#control.visit(pass);
    this.#dropOverlimit = pass.counter(this.#dropOverlimit);
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const control = this.#control;
    return {
      limit: this.#limit,
      target: control.settings.target,
      interval: control.settings.interval,
      count: control.count[0]!,
      lastCount: control.lastCount[0]!,
      dropping: control.dropping[0]!,
      recInvSqrt: control.recInvSqrt[0]!,
      firstAboveTime: control.firstAboveTime[0]!,
      dropNext: control.dropNext[0]!,
      ldelay: control.delay[0]!,
      maxPacket: control.maxPacketBytes,
      ecnMark: control.ecnMarks,
      ceMark: control.ceMarks,
      dropOverlimit: this.#dropOverlimit,
    };
  }
}

/** `codel`: one queue under the CoDel law. */
export const codel: ShaperDeclaration = {
  kind: 'codel',
  role: 'shaper',
  summary: 'CoDel: drops or marks when packets have waited above target for an interval (sch_codel).',
  parameters: {
    limit: {
      type: 'integer',
      help: 'Packets that the queue holds at most.',
      default: 1000,
      minimum: 0,
      maximum: 0xffffffff,
    },
    ecn: { type: 'boolean', help: 'Mark ECN-capable packets instead of dropping them.', default: false },
    ...codelParameters,
  },
  counters: {
    ...codelCounters,
    limit: 'The limit (packets).',
    count: 'Drops or marks since the queue went above target.',
    lastCount: 'The count at which dropping last began.',
    dropping: '1 while in the dropping state.',
    recInvSqrt: 'The inverse square root of count as the kernel approximates it (1/65536).',
    firstAboveTime: 'When the delay has been above target for an interval (1.024 µs, modulo 2^32).',
    dropNext: 'Instant of the next drop (1.024 µs, modulo 2^32).',
    ldelay: 'Time that the last packet looked at has waited (1.024 µs).',
  },
  check: (values) => versionProblems(values, [3, 5]),
  create: (values, surroundings) => new Codel(values.limit as number, codelSettings(values), surroundings),
};
