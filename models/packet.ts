import type { RecurrencePass } from './recurrence.ts';

/** A packet is an index into the pool's columns; {@link NO_PACKET} stands for "none". */
export const NO_PACKET = -1;

/**
 * Longest packet (bytes): the longest super-packet of Linux is 512 KiB and its segments' headers, and up to here every
 * product of a length and a rate is exact.
 */
export const LONGEST_PACKET_BYTES = 2 ** 21 - 1;

/** ECN field of a packet: not capable, capable (ECT(1), ECT(0)), congestion experienced. */
export const ECN_NOT_ECT = 0;
export const ECN_CE = 3;

/** Marks of a packet: a copy that nobody sent, and one with a changed bit, which its receiver throws away. */
export const MARK_COPY = 1;
export const MARK_DAMAGED = 2;

const INITIAL_CAPACITY = 1024;

/** Numbers that a protocol keeps for each packet beside the pool's own. */
export interface PacketCompanion {
  /** Gives a copy what is kept for its original. */
  copied(original: number, copy: number): void;
}

/**
 * Packets as columns of typed arrays, so that a packet costs no allocation.
 *
 * A packet belongs to one owner at a time (a source, a queue, a link, a receiver), who hands it on or frees it; the
 * `next` column is the owner's, to chain the packets of a queue. Columns are replaced when the pool grows: read them
 * through the pool each time.
 */
export class PacketPool {
  /** Length as tc counts it: with the 14-byte Ethernet header, without FCS; headers of GSO segments included (bytes). */
  sizeBytes = new Int32Array(INITIAL_CAPACITY);
  /** Payload that counts as goodput (bytes). */
  payloadBytes = new Int32Array(INITIAL_CAPACITY);
  /** Flow that sent it (index in the scenario's order). */
  flow = new Int32Array(INITIAL_CAPACITY);
  /** Position on the flow's path: 0 is the first hop of `via`. */
  hop = new Int32Array(INITIAL_CAPACITY);
  /** skb priority (u32): a class id major << 16 | minor, or 0. */
  priority = new Uint32Array(INITIAL_CAPACITY);
  /** Number of the packet within its flow, from 0; for TCP the first payload byte's offset. */
  sequence = new Float64Array(INITIAL_CAPACITY);
  /** Instant at which its source sent it (ns). */
  sentNs = new Float64Array(INITIAL_CAPACITY);
  /** Scratch of the queue that holds the packet (codel: instant of the enqueue, ns; links: instant of delivery, ns). */
  stampNs = new Float64Array(INITIAL_CAPACITY);
  /** ECN field, 0 to 3. */
  ecn = new Uint8Array(INITIAL_CAPACITY);
  /** GSO: segments that the packet stands for (1: an ordinary packet). */
  segments = new Int32Array(INITIAL_CAPACITY);
  /** GSO: payload of a full segment (bytes), 0 for an ordinary packet. */
  gsoBytes = new Int32Array(INITIAL_CAPACITY);
  /** Header bytes of each segment (Ethernet, IP and transport). */
  headerBytes = new Int32Array(INITIAL_CAPACITY);
  /** Memory that the kernel books for the packet (skb->truesize, bytes). */
  truesizeBytes = new Int32Array(INITIAL_CAPACITY);
  /** Chain to the next packet of the queue that holds it. */
  next = new Int32Array(INITIAL_CAPACITY);

  /** Told of each copy. */
  companion: PacketCompanion | undefined = undefined;
  /** Marks of the packets that have any; undefined until there is one, as most runs have none. */
  #marks: Map<number, number> | undefined = undefined;
  #free = NO_PACKET;
  #used = 0;
  #live = 0;

  /** Packets in use. */
  get live(): number {
    return this.#live;
  }

  /** Packets that the columns have room for. */
  get capacity(): number {
    return this.sizeBytes.length;
  }

  /** Takes a packet; its columns hold what was left there, the caller fills them (see {@link fill}). */
  allocate(): number {
    this.#live++;
    const packet = this.#free;
    if (packet !== NO_PACKET) {
      this.#free = this.next[packet]!;
      return packet;
    }
    if (this.#used === this.sizeBytes.length) this.#grow();
    return this.#used++;
  }

  /** Takes an ordinary packet of `sizeBytes` for `flow`, every column set. */
  fill(
    flow: number,
    sizeBytes: number,
    payloadBytes: number,
    priority: number,
    sequence: number,
    nowNs: number,
  ): number {
    const packet = this.allocate();
    this.flow[packet] = flow;
    this.sizeBytes[packet] = sizeBytes;
    this.payloadBytes[packet] = payloadBytes;
    this.priority[packet] = priority;
    this.sequence[packet] = sequence;
    this.sentNs[packet] = nowNs;
    this.stampNs[packet] = nowNs;
    this.hop[packet] = 0;
    this.ecn[packet] = ECN_NOT_ECT;
    this.segments[packet] = 1;
    this.gsoBytes[packet] = 0;
    this.headerBytes[packet] = sizeBytes - payloadBytes;
    this.truesizeBytes[packet] = sizeBytes + 768;
    this.next[packet] = NO_PACKET;
    return packet;
  }

  /** Takes a packet whose columns are those of `original`, which stays as it is. */
  copyOf(original: number): number {
    const packet = this.allocate();
    this.sizeBytes[packet] = this.sizeBytes[original]!;
    this.payloadBytes[packet] = this.payloadBytes[original]!;
    this.flow[packet] = this.flow[original]!;
    this.hop[packet] = this.hop[original]!;
    this.priority[packet] = this.priority[original]!;
    this.sequence[packet] = this.sequence[original]!;
    this.sentNs[packet] = this.sentNs[original]!;
    this.stampNs[packet] = this.stampNs[original]!;
    this.ecn[packet] = this.ecn[original]!;
    this.segments[packet] = this.segments[original]!;
    this.gsoBytes[packet] = this.gsoBytes[original]!;
    this.headerBytes[packet] = this.headerBytes[original]!;
    this.truesizeBytes[packet] = this.truesizeBytes[original]!;
    this.next[packet] = NO_PACKET;
    const marks = this.#marks?.get(original);
    if (marks !== undefined) this.setMark(packet, marks);
    this.companion?.copied(original, packet);
    return packet;
  }

  /** Marks a packet, until it is freed: {@link MARK_COPY}, {@link MARK_DAMAGED}. */
  setMark(packet: number, mark: number): void {
    this.#marks ??= new Map();
    this.#marks.set(packet, (this.#marks.get(packet) ?? 0) | mark);
  }

  /** Whether a packet has a mark. */
  hasMark(packet: number, mark: number): boolean {
    return this.#marks !== undefined && ((this.#marks.get(packet) ?? 0) & mark) !== 0;
  }

  /** Tells of a packet and all that are chained to it. */
  visitChain(head: number, pass: RecurrencePass): void {
    if (pass.isBrief) return;
    for (let packet = head; packet !== NO_PACKET && !pass.done; packet = this.next[packet]!) {
      pass.plain(this.flow[packet]!);
      pass.plain(this.sizeBytes[packet]!);
      pass.plain(this.hop[packet]!);
      pass.plain(this.ecn[packet]!);
      this.sentNs[packet] = pass.instant(this.sentNs[packet]!);
      this.stampNs[packet] = pass.instant(this.stampNs[packet]!);
    }
  }

  /** Gives a packet back; its index is used again by the next {@link allocate}. */
  free(packet: number): void {
    if (this.#marks !== undefined) this.#marks.delete(packet);
    this.#live--;
    this.next[packet] = this.#free;
    this.#free = packet;
  }

  #grow(): void {
    const length = this.sizeBytes.length * 2;
    const int32 = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(length);
      grown.set(old);
      return grown;
    };
    const float64 = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(length);
      grown.set(old);
      return grown;
    };
    this.sizeBytes = int32(this.sizeBytes);
    this.payloadBytes = int32(this.payloadBytes);
    this.flow = int32(this.flow);
    this.hop = int32(this.hop);
    this.segments = int32(this.segments);
    this.gsoBytes = int32(this.gsoBytes);
    this.headerBytes = int32(this.headerBytes);
    this.truesizeBytes = int32(this.truesizeBytes);
    this.next = int32(this.next);
    this.sequence = float64(this.sequence);
    this.sentNs = float64(this.sentNs);
    this.stampNs = float64(this.stampNs);
    const priority = new Uint32Array(length);
    priority.set(this.priority);
    this.priority = priority;
    const ecn = new Uint8Array(length);
    ecn.set(this.ecn);
    this.ecn = ecn;
  }
}

/** A first-in first-out chain of packets through the pool's `next` column; knows its packets and bytes. */
export class PacketQueue {
  head = NO_PACKET;
  tail = NO_PACKET;
  lengthPackets = 0;
  backlogBytes = 0;
  readonly #packets: PacketPool;

  constructor(packets: PacketPool) {
    this.#packets = packets;
  }

  /** Appends `packet` at the tail. */
  push(packet: number): void {
    const packets = this.#packets;
    packets.next[packet] = NO_PACKET;
    if (this.tail === NO_PACKET) this.head = packet;
    else packets.next[this.tail] = packet;
    this.tail = packet;
    this.lengthPackets++;
    this.backlogBytes += packets.sizeBytes[packet]!;
  }

  /** Takes the packet at the head, or {@link NO_PACKET}. */
  shift(): number {
    const packet = this.head;
    if (packet === NO_PACKET) return NO_PACKET;
    const packets = this.#packets;
    this.head = packets.next[packet]!;
    if (this.head === NO_PACKET) this.tail = NO_PACKET;
    this.lengthPackets--;
    this.backlogBytes -= packets.sizeBytes[packet]!;
    return packet;
  }

  /** Tells of the packets in the queue (see {@link RecurrencePass}). */
  visit(pass: RecurrencePass): void {
    pass.plain(this.lengthPackets);
    this.#packets.visitChain(this.head, pass);
  }

  /** Puts `packet` back at the head. */
  unshift(packet: number): void {
    const packets = this.#packets;
    packets.next[packet] = this.head;
    this.head = packet;
    if (this.tail === NO_PACKET) this.tail = packet;
    this.lengthPackets++;
    this.backlogBytes += packets.sizeBytes[packet]!;
  }
}
