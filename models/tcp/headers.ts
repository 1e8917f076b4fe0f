import type { PacketCompanion, PacketPool } from '../packet.ts';

/** Payload of a full segment at MTU 1500 over IPv4 with timestamps (bytes). */
export const MSS_BYTES = 1448;
/** Ethernet, IPv4 and TCP header with timestamps: a pure ACK, or what a segment adds to its payload (bytes, as tc counts). */
export const HEADER_BYTES = 66;
/** A SYN or SYN-ACK with its options (bytes, as tc counts). */
export const SYN_BYTES = 74;
/** SACK blocks that fit beside the timestamps. */
export const MAX_SACK_BLOCKS = 3;

/** Data, or an ACK. */
export const SEGMENT_PLAIN = 0;
/** The three segments of the handshake. */
export const SEGMENT_SYN = 1;
export const SEGMENT_SYN_ACK = 2;
export const SEGMENT_OPEN = 3;
/** What the receiving application asks of the sending one. */
export const SEGMENT_REQUEST = 4;
/** Asks for the receiver's window. */
export const SEGMENT_PROBE = 5;

/** Numbers of a packet's row: its tag, the timestamp that it echoes and the window that it offers; one is spare. */
const ROW_NUMBERS = 4;
const TAG = 0;
const ECHO_MS = 1;
const WINDOW_BYTES = 2;
/** Tag: the kind in the lowest bits, then the mark, then the number of SACK blocks. */
const KIND_BITS = 7;
const MARK = 8;
const SACK_SHIFT = 4;
/** Two ends of each SACK block. */
const SACK_NUMBERS = 2 * MAX_SACK_BLOCKS;

/**
 * What TCP adds to a packet of the pool: a row for each, so that a packet touches one place in memory. Data: `sequence`
 * of the pool is the first byte's offset. ACKs: it is the next byte that the receiver expects.
 */
export class SegmentHeaders implements PacketCompanion {
  #rows = new Float64Array(0);
  #sacks = new Float64Array(0);
  readonly #packets: PacketPool;

  constructor(packets: PacketPool) {
    this.#packets = packets;
    packets.companion = this;
  }

  /** Takes a packet with the pool's columns and TCP's row set: of `kind`, unmarked, without SACK blocks. */
  fill(
    kind: number,
    flow: number,
    priority: number,
    payloadBytes: number,
    sequence: number,
    echoMs: number,
    windowBytes: number,
    nowNs: number,
  ): number {
    const packet = this.#packets.fill(flow, payloadBytes + HEADER_BYTES, payloadBytes, priority, sequence, nowNs);
    const at = packet * ROW_NUMBERS;
    if (at >= this.#rows.length) this.#grow();
    const rows = this.#rows;
    rows[at + TAG] = kind;
    rows[at + ECHO_MS] = echoMs;
    rows[at + WINDOW_BYTES] = windowBytes;
    return packet;
  }

  /** Only what crosses hops is copied, and that has no SACK blocks: the row is all. */
  copied(original: number, copy: number): void {
    if (copy * ROW_NUMBERS >= this.#rows.length) this.#grow();
    const from = original * ROW_NUMBERS;
    this.#rows.copyWithin(copy * ROW_NUMBERS, from, from + ROW_NUMBERS);
  }

  /** One of SEGMENT_PLAIN, … */
  kind(packet: number): number {
    return this.#rows[packet * ROW_NUMBERS + TAG]! & KIND_BITS;
  }

  /** Data: its receiver need not wait for more (PSH). ACKs: reports a segment that came twice (D-SACK). */
  isMarked(packet: number): boolean {
    return (this.#rows[packet * ROW_NUMBERS + TAG]! & MARK) !== 0;
  }

  mark(packet: number): void {
    const at = packet * ROW_NUMBERS + TAG;
    this.#rows[at] = this.#rows[at]! | MARK;
  }

  /** Timestamp of the sending host (ms): when it sent the packet. */
  timestampMs(packet: number): number {
    return Math.floor(this.#packets.sentNs[packet]! / 1e6);
  }

  /** Timestamp of the other host that the packet echoes (ms). */
  echoMs(packet: number): number {
    return this.#rows[packet * ROW_NUMBERS + ECHO_MS]!;
  }

  /** Window from the acknowledged byte on (bytes). */
  windowBytes(packet: number): number {
    return this.#rows[packet * ROW_NUMBERS + WINDOW_BYTES]!;
  }

  /** Number of SACK blocks. */
  sackCount(packet: number): number {
    return this.#rows[packet * ROW_NUMBERS + TAG]! >> SACK_SHIFT;
  }

  /** First byte of a SACK block, and the byte behind its last one. */
  sackStart(packet: number, block: number): number {
    return this.#sacks[packet * SACK_NUMBERS + 2 * block]!;
  }
  sackEnd(packet: number, block: number): number {
    return this.#sacks[packet * SACK_NUMBERS + 2 * block + 1]!;
  }

  /** Adds a SACK block behind those that the packet has. */
  addSack(packet: number, start: number, end: number): void {
    const block = this.sackCount(packet);
    const at = packet * SACK_NUMBERS + 2 * block;
    if (at >= this.#sacks.length) this.#growSacks();
    this.#sacks[at] = start;
    this.#sacks[at + 1] = end;
    this.#rows[packet * ROW_NUMBERS + TAG]! += 1 << SACK_SHIFT;
  }

  #grow(): void {
    const grown = new Float64Array(this.#packets.capacity * ROW_NUMBERS);
    grown.set(this.#rows);
    this.#rows = grown;
  }

  #growSacks(): void {
    const grown = new Float64Array(this.#packets.capacity * SACK_NUMBERS);
    grown.set(this.#sacks);
    this.#sacks = grown;
  }
}

const headersByPool = new WeakMap<PacketPool, SegmentHeaders>();

/** The TCP columns of a pool: one set, shared by all its connections. */
export function headersOf(packets: PacketPool): SegmentHeaders {
  let headers = headersByPool.get(packets);
  if (headers === undefined) {
    headers = new SegmentHeaders(packets);
    headersByPool.set(packets, headers);
  }
  return headers;
}
