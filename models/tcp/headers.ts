import type { PacketPool } from '../packet.ts';

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

/**
 * TCP's own columns beside the pool's, by packet. Data: `sequence` of the pool is the first byte's offset. ACKs: it is
 * the next byte that the receiver expects.
 */
export class SegmentHeaders {
  /** One of SEGMENT_PLAIN, … */
  kind = new Uint8Array(0);
  /** Data: its receiver need not wait for more (PSH). ACKs: reports a segment that came twice (D-SACK). */
  mark = new Uint8Array(0);
  /** Timestamp of the sending host and the one that it echoes (ms). */
  timestampMs = new Float64Array(0);
  echoMs = new Float64Array(0);
  /** Window from the acknowledged byte on (bytes). */
  windowBytes = new Float64Array(0);
  /** SACK blocks: how many, and MAX_SACK_BLOCKS pairs a packet. */
  sackCount = new Uint8Array(0);
  sackStart = new Float64Array(0);
  sackEnd = new Float64Array(0);

  readonly #packets: PacketPool;

  constructor(packets: PacketPool) {
    this.#packets = packets;
  }

  /** Takes a packet with pool and TCP columns set: plain, unmarked, without SACK blocks. */
  fill(flow: number, priority: number, payloadBytes: number, sequence: number, nowNs: number): number {
    const packet = this.#packets.fill(flow, payloadBytes + HEADER_BYTES, payloadBytes, priority, sequence, nowNs);
    if (packet >= this.kind.length) this.#grow();
    this.kind[packet] = SEGMENT_PLAIN;
    this.mark[packet] = 0;
    this.sackCount[packet] = 0;
    this.timestampMs[packet] = Math.floor(nowNs / 1e6);
    return packet;
  }

  #grow(): void {
    const length = this.#packets.capacity;
    const uint8 = (old: Uint8Array): Uint8Array<ArrayBuffer> => {
      const grown = new Uint8Array(length);
      grown.set(old);
      return grown;
    };
    const float64 = (old: Float64Array, width: number): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(length * width);
      grown.set(old);
      return grown;
    };
    this.kind = uint8(this.kind);
    this.mark = uint8(this.mark);
    this.sackCount = uint8(this.sackCount);
    this.timestampMs = float64(this.timestampMs, 1);
    this.echoMs = float64(this.echoMs, 1);
    this.windowBytes = float64(this.windowBytes, 1);
    this.sackStart = float64(this.sackStart, MAX_SACK_BLOCKS);
    this.sackEnd = float64(this.sackEnd, MAX_SACK_BLOCKS);
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
