import type { NestedModel, Parameters, Qdisc, QdiscBuilder, QdiscReport, Surroundings, Values } from '../model.ts';
import { ACCEPTED, DROPPED } from '../model.ts';
import type { PacketPool } from '../packet.ts';
import { ECN_CE, ECN_NOT_ECT, NO_PACKET } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';

/** Bytes of an Ethernet header: psched_mtu() is the device's MTU plus this. */
export const ETHERNET_HEADER_BYTES = 14;

/** A jiffy at HZ 1000 (ns): the grid on which the kernel's own slow timers expire. */
export const JIFFY_NS = 1_000_000;

/** What each qdisc here counts, in tc's words. */
export const qdiscCounters: Readonly<Record<string, string>> = {
  sentPackets: 'Packets that left (segments of a super-packet counted singly).',
  sentBytes: 'Bytes that left.',
  droppedPackets: 'Packets dropped here or, after they were counted here, below.',
  overlimits: 'Times that a limit held a packet back or marked it.',
  backlogPackets: 'Packets held at the end.',
  backlogBytes: 'Bytes held at the end.',
};

/** Parameters that describe the device; a nested qdisc has them from its parent unless it says otherwise. */
export const deviceParameters = {
  txQueueLen: {
    type: 'integer',
    help: "Length of the device's queue (packets), from which default limits come; default 1000.",
    minimum: 0,
    maximum: 0xffffffff,
  },
  deviceMtu: {
    type: 'size',
    help: "The device's MTU, without the 14 bytes of the Ethernet header; default 1500.",
    minimum: 68,
    maximum: 65536,
  },
} as const satisfies Parameters;

/** The device's queue length (packets). */
export function txQueueLenOf(values: Values): number {
  return (values.txQueueLen as number | undefined) ?? 1000;
}

/** The longest ordinary frame of the device, header included (psched_mtu, bytes). */
export function deviceFrameBytes(values: Values): number {
  return ((values.deviceMtu as number | undefined) ?? 1500) + ETHERNET_HEADER_BYTES;
}

const inheritedNames = ['kernel', 'tc', 'hz', 'txQueueLen', 'deviceMtu'] as const;

/** A child as it runs below a parent with these values: on the same kernel, tc and device unless it says otherwise. */
export function withInherited({ kind, values: own }: NestedModel, parentValues: Values): NestedModel {
  const values: Record<string, unknown> = {};
  for (const name of inheritedNames) if (parentValues[name] !== undefined) values[name] = parentValues[name];
  return { kind, values: { ...values, ...own } };
}

/** Builds a child of `parent` that runs on the same kernel, tc and device unless it says otherwise. */
export function buildChild(
  parent: Qdisc,
  parentValues: Values,
  model: NestedModel,
  surroundings: Surroundings,
  build: QdiscBuilder,
): Qdisc {
  const child = build(withInherited(model, parentValues), surroundings);
  child.parent = parent;
  return child;
}

/**
 * Sets CE on a packet that is ECN-capable.
 *
 * @returns Whether the packet now carries CE; one that came with CE counts as marked (INET_ECN_set_ce).
 */
export function markCongestion(packets: PacketPool, packet: number): boolean {
  if (packets.ecn[packet] === ECN_NOT_ECT) return false;
  packets.ecn[packet] = ECN_CE;
  return true;
}

/**
 * What all qdiscs here share: lengths, counters, the way up to the parent, and peeking by a real dequeue whose packet
 * is parked, still counted, until it is asked for (net/sched: qdisc_peek_dequeued, qdisc_dequeue_peeked).
 */
export abstract class BaseQdisc implements Qdisc {
  lengthPackets = 0;
  backlogBytes = 0;
  parent: Qdisc | undefined = undefined;
  abstract readonly canBypass: boolean;

  protected readonly surroundings: Surroundings;
  protected readonly packets: PacketPool;
  protected sentPackets = 0;
  protected sentBytes = 0;
  protected droppedPackets = 0;
  protected overlimits = 0;
  /** Whether `Sent` counts a packet as it comes in, so that it includes what is still queued (kernels 2.6). */
  readonly #sentAtEnqueue: boolean;
  #parked = NO_PACKET;

  constructor(surroundings: Surroundings, sentAtEnqueue = false) {
    this.surroundings = surroundings;
    this.packets = surroundings.packets;
    this.#sentAtEnqueue = sentAtEnqueue;
  }

  abstract enqueue(packet: number, nowNs: number): number;

  /** The qdisc's own dequeue, apart from a parked packet. */
  protected abstract take(nowNs: number): number;

  dequeue(nowNs: number): number {
    const parked = this.#parked;
    if (parked === NO_PACKET) return this.take(nowNs);
    this.#parked = NO_PACKET;
    this.release(parked);
    return parked;
  }

  peek(nowNs: number): number {
    if (this.#parked === NO_PACKET) {
      const packet = this.take(nowNs);
      if (packet === NO_PACKET) return NO_PACKET;
      this.#parked = packet;
      this.lengthPackets++;
      this.backlogBytes += this.packets.sizeBytes[packet]!;
    }
    return this.#parked;
  }

  onDescendantDrop(packets: number, bytes: number, _child: Qdisc): void {
    this.lengthPackets -= packets;
    this.backlogBytes -= bytes;
    if (packets > 0) this.droppedPackets += packets;
    this.tellParent(packets, bytes);
  }

  onBypass(packet: number): void {
    this.countSent(this.packets.segments[packet]!, this.packets.sizeBytes[packet]!);
  }

  report(nowNs: number): QdiscReport {
    return {
      counters: {
        sentPackets: this.sentPackets,
        sentBytes: this.sentBytes,
        droppedPackets: this.droppedPackets,
        overlimits: this.overlimits,
        backlogPackets: this.lengthPackets,
        backlogBytes: this.backlogBytes,
        ...this.ownCounters(),
      },
      classes: {},
      children: this.reportChildren(nowNs),
    };
  }

  /** Counters beyond {@link qdiscCounters}. */
  protected ownCounters(): Readonly<Record<string, number>> {
    return {};
  }

  /** Reports of the children, by class. */
  protected reportChildren(_nowNs: number): Readonly<Record<string, QdiscReport>> {
    return {};
  }

  /** Tells of what all qdiscs have in common; those whose own state can be told call it in their `visit`. */
  protected visitBase(pass: RecurrencePass): void {
    pass.plain(this.lengthPackets);
    pass.plain(this.backlogBytes);
    if (this.#parked !== NO_PACKET) this.packets.next[this.#parked] = NO_PACKET;
    this.packets.visitChain(this.#parked, pass);
    this.sentPackets = pass.counter(this.sentPackets);
    this.sentBytes = pass.counter(this.sentBytes);
    this.droppedPackets = pass.counter(this.droppedPackets);
    this.overlimits = pass.counter(this.overlimits);
  }

  /** Drops a packet that was not counted here yet. */
  protected refuse(packet: number, nowNs: number): number {
    this.droppedPackets++;
    this.surroundings.drop(packet, nowNs);
    return DROPPED;
  }

  /** Counts a packet that has come in. */
  protected accept(packet: number): number {
    return this.acceptCounted(1, this.packets.sizeBytes[packet]!, this.packets.segments[packet]!);
  }

  /** Counts what a child has taken; by then the packet may be gone. */
  protected acceptCounted(packets: number, bytes: number, segments: number): number {
    this.lengthPackets += packets;
    this.backlogBytes += bytes;
    if (this.#sentAtEnqueue) this.countSent(segments, bytes);
    return ACCEPTED;
  }

  /** Takes a packet off the lengths. */
  protected release(packet: number): void {
    this.lengthPackets--;
    this.backlogBytes -= this.packets.sizeBytes[packet]!;
  }

  /** Counts a packet as sent where the kernel does so at dequeue. */
  protected departed(packet: number): void {
    if (!this.#sentAtEnqueue) this.countSent(this.packets.segments[packet]!, this.packets.sizeBytes[packet]!);
  }

  /** Counts what is taken for sent. */
  protected countSent(segments: number, bytes: number): void {
    this.sentPackets += segments;
    this.sentBytes += bytes;
  }

  /** Takes packets that the ancestors have counted off their lengths (qdisc_tree_reduce_backlog). */
  protected tellParent(packets: number, bytes: number): void {
    if (packets === 0 && bytes === 0) return;
    this.parent?.onDescendantDrop?.(packets, bytes, this);
  }
}
