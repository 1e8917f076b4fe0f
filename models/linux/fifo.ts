import type { Parameters, ShaperDeclaration, Surroundings, Values } from '../model.ts';
import { CONGESTED } from '../model.ts';
import { NO_PACKET, PacketQueue } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { kernelParameter, kernelReleaseOf, release, versionProblems } from './kernel-parameters.ts';
import {
  BaseQdisc,
  deviceFrameBytes,
  deviceParameters,
  ETHERNET_HEADER_BYTES,
  qdiscCounters,
  txQueueLenOf,
} from './qdisc-base.ts';

/** What a FIFO does with a packet that finds it full, and in which unit its limit counts. */
export type FifoKind = 'pfifo' | 'bfifo' | 'pfifo_head_drop';

/**
 * Linux's FIFOs: `pfifo` and `bfifo` refuse what does not fit (a limit in packets or bytes), `pfifo_head_drop` makes
 * room by dropping its oldest packet. Source of the rules: net/sched/sch_fifo.c.
 */
export class Fifo extends BaseQdisc {
  readonly canBypass: boolean;
  readonly #queue: PacketQueue;
  readonly #kind: FifoKind;
  readonly #limit: number;

  /** `limit` in packets, for `bfifo` in bytes; `bypassLimit` is the least limit with which the port may send past it. */
  constructor(kind: FifoKind, limit: number, bypassLimit: number, surroundings: Surroundings, sentAtEnqueue = false) {
    super(surroundings, sentAtEnqueue);
    this.#queue = new PacketQueue(surroundings.packets);
    this.#kind = kind;
    this.#limit = limit;
    this.canBypass = limit >= bypassLimit;
  }

  enqueue(packet: number, nowNs: number): number {
    const sizeBytes = this.packets.sizeBytes[packet]!;
    const fits =
      this.#kind === 'bfifo' ? this.backlogBytes + sizeBytes <= this.#limit : this.lengthPackets < this.#limit;
    if (fits) {
      this.#queue.push(packet);
      return this.accept(packet);
    }
    if (this.#kind !== 'pfifo_head_drop' || this.#limit === 0) return this.refuse(packet, nowNs);
    const oldest = this.#queue.shift();
    const oldestBytes = this.packets.sizeBytes[oldest]!;
    this.refuse(oldest, nowNs);
    this.#queue.push(packet);
    this.backlogBytes += sizeBytes - oldestBytes;
    this.tellParent(0, oldestBytes - sizeBytes);
    return CONGESTED;
  }

  protected take(_nowNs: number): number {
    const packet = this.#queue.shift();
    if (packet === NO_PACKET) return NO_PACKET;
    this.release(packet);
    this.departed(packet);
    return packet;
  }

  override dequeue(nowNs: number): number {
    return this.take(nowNs);
  }

  override peek(_nowNs: number): number {
    return this.#queue.head;
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    this.#queue.visit(pass);
  }
}

/** Parameters that all FIFOs share. */
const fifoParameters = { kernel: kernelParameter, ...deviceParameters } as const satisfies Parameters;

/** Kernels 2.6 count `Sent` at enqueue. */
const SENT_AT_DEQUEUE = release(3, 0);

/** Kernels before 4.3 take a device queue of 0 packets for 1. */
const EMPTY_QUEUE_KEPT = release(4, 3);

function create(kind: FifoKind, values: Values, surroundings: Surroundings): Fifo {
  const kernel = kernelReleaseOf(values);
  const devicePackets = Math.max(txQueueLenOf(values), kernel < EMPTY_QUEUE_KEPT ? 1 : 0);
  const frameBytes = deviceFrameBytes(values);
  // 2.6.24 priced the default of bfifo without the Ethernet header.
  const pricedBytes = kernel < release(3, 0) ? frameBytes - ETHERNET_HEADER_BYTES : frameBytes;
  const standard = kind === 'bfifo' ? devicePackets * pricedBytes : devicePackets;
  const limit = (values.limit as number | undefined) ?? standard;
  const bypassLimit = kind === 'bfifo' ? frameBytes : 1;
  return new Fifo(kind, limit, bypassLimit, surroundings, kernel < SENT_AT_DEQUEUE);
}

const packetLimit = {
  type: 'integer',
  help: 'Packets held at most; default the length of the device queue. 0 refuses all.',
  minimum: 0,
  maximum: 0xffffffff,
} as const satisfies Parameters[string];

/** `pfifo`: first in, first out, so many packets. */
export const pfifo: ShaperDeclaration = {
  kind: 'pfifo',
  role: 'shaper',
  summary: 'First in, first out, limited in packets (sch_fifo).',
  parameters: { limit: packetLimit, ...fifoParameters },
  counters: qdiscCounters,
  check: (values) => versionProblems(values),
  create: (values, surroundings) => create('pfifo', values, surroundings),
};

/** `bfifo`: first in, first out, so many bytes. */
export const bfifo: ShaperDeclaration = {
  kind: 'bfifo',
  role: 'shaper',
  summary: 'First in, first out, limited in bytes (sch_fifo).',
  parameters: {
    limit: {
      type: 'size',
      help: 'Bytes held at most; default the length of the device queue times its longest frame. 0 refuses all.',
      minimum: 0,
      maximum: 0xffffffff,
    },
    ...fifoParameters,
  },
  counters: qdiscCounters,
  check: (values) => versionProblems(values),
  create: (values, surroundings) => create('bfifo', values, surroundings),
};

/** `pfifo_head_drop`: a full queue drops its oldest packet. */
export const pfifoHeadDrop: ShaperDeclaration = {
  kind: 'pfifo_head_drop',
  role: 'shaper',
  summary: 'First in, first out, limited in packets; a full queue drops its oldest packet (sch_fifo).',
  parameters: { limit: packetLimit, ...fifoParameters },
  counters: qdiscCounters,
  check: (values) => versionProblems(values),
  create: (values, surroundings) => create('pfifo_head_drop', values, surroundings),
};
