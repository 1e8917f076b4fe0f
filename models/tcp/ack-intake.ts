import type { PacketPool } from '../packet.ts';
import { headersOf, type SegmentHeaders } from './headers.ts';
import type { Rack } from './rack.ts';
import { EVER_RETRANSMITTED, SACKED, type SackVisitor, type Scoreboard } from './scoreboard.ts';

const NONE = -1;

/**
 * Reads an ACK into the scoreboard: what it SACKs and acknowledges, and the round trips that it tells
 * (net/ipv4/tcp_input.c: tcp_sacktag_write_queue, tcp_clean_rtx_queue, tcp_ack_update_rtt). Holds what one ACK says,
 * until the next one of any connection.
 */
export class AckIntake implements SackVisitor {
  /** Whether the ACK acknowledged data in order. */
  advanced = false;
  /** Packets newly acknowledged or SACKed. */
  delivered = 0;
  newlySacked = 0;
  /** A segment below the repair's end that was sent only once arrived: the repair was not needed for it. */
  originalDelivered = false;
  /** Round trip for the timeout, and the latest one for the congestion control (µs); -1: none. */
  smoothedUs = NONE;
  latestUs = NONE;
  readonly #packets: PacketPool;
  readonly #headers: SegmentHeaders;
  #scoreboard!: Scoreboard;
  #rack!: Rack;
  #repairEndBytes = 0;
  #firstSackedNs = NONE;
  #lastSackedNs = NONE;

  constructor(packets: PacketPool) {
    this.#packets = packets;
    this.#headers = headersOf(packets);
  }

  /**
   * Takes an ACK for a sender's scoreboard and RACK; `acknowledgedBytes` is what was acknowledged before,
   * `repairEndBytes` where the repair under way ends.
   */
  take(
    packet: number,
    scoreboard: Scoreboard,
    rack: Rack,
    acknowledgedBytes: number,
    repairEndBytes: number,
    nowNs: number,
  ): void {
    this.#scoreboard = scoreboard;
    this.#rack = rack;
    rack.beginAck();
    const acknowledged = this.#packets.sequence[packet]!;
    this.advanced = acknowledged > acknowledgedBytes;
    this.delivered = 0;
    this.newlySacked = 0;
    this.originalDelivered = false;
    this.#repairEndBytes = repairEndBytes;
    this.#firstSackedNs = NONE;
    this.#lastSackedNs = NONE;
    const sackCount = this.#headers.sackCount(packet);
    if (sackCount > 0) this.#takeSack(packet, sackCount, nowNs);
    this.#takeAcknowledged(acknowledged, this.#headers.echoMs(packet), nowNs);
  }

  onSacked(segment: number, flagsBefore: number, nowNs: number): void {
    const scoreboard = this.#scoreboard;
    const sentNs = scoreboard.sentNs(segment);
    const endBytes = scoreboard.endBytes(segment);
    this.#rack.onDelivered(endBytes, sentNs, flagsBefore, nowNs);
    if ((flagsBefore & EVER_RETRANSMITTED) === 0) {
      if (this.#firstSackedNs < 0) this.#firstSackedNs = sentNs;
      this.#lastSackedNs = sentNs;
      if (endBytes <= this.#repairEndBytes) this.originalDelivered = true;
    }
    this.delivered++;
    this.newlySacked++;
  }

  #takeSack(packet: number, sackCount: number, nowNs: number): void {
    const headers = this.#headers;
    const scoreboard = this.#scoreboard;
    scoreboard.beginSack();
    for (let block = 0; block < sackCount; block++) {
      scoreboard.sackRange(headers.sackStart(packet, block), headers.sackEnd(packet, block), this, nowNs);
    }
    scoreboard.endSack();
  }

  #takeAcknowledged(acknowledged: number, echoMs: number, nowNs: number): void {
    const scoreboard = this.#scoreboard;
    let firstNs = NONE;
    let lastNs = NONE;
    let ambiguous = false;
    while (scoreboard.first < scoreboard.next && scoreboard.endBytes(scoreboard.first) <= acknowledged) {
      const sentNs = scoreboard.sentNs(scoreboard.first);
      const endBytes = scoreboard.endBytes(scoreboard.first);
      const flags = scoreboard.shift();
      if ((flags & EVER_RETRANSMITTED) !== 0) {
        ambiguous = true;
      } else if ((flags & SACKED) === 0) {
        lastNs = sentNs;
        if (firstNs < 0) firstNs = sentNs;
        if (endBytes <= this.#repairEndBytes) this.originalDelivered = true;
      }
      if ((flags & SACKED) === 0) {
        this.delivered++;
        this.#rack.onDelivered(endBytes, sentNs, flags, nowNs);
      }
    }
    this.#measure(ambiguous ? NONE : firstNs, lastNs, echoMs, nowNs);
  }

  #measure(firstNs: number, lastNs: number, echoMs: number, nowNs: number): void {
    this.smoothedUs = NONE;
    this.latestUs = NONE;
    if (firstNs >= 0) {
      this.smoothedUs = Math.floor((nowNs - firstNs) / 1000);
      this.latestUs = Math.floor((nowNs - lastNs) / 1000);
    }
    if (this.#firstSackedNs >= 0) {
      this.latestUs = Math.floor((nowNs - this.#lastSackedNs) / 1000);
      if (this.smoothedUs < 0) this.smoothedUs = Math.floor((nowNs - this.#firstSackedNs) / 1000);
    }
    if (this.smoothedUs < 0 && this.advanced) {
      // Only retransmissions were acknowledged: the echoed timestamp tells which, in whole milliseconds.
      this.smoothedUs = Math.max(Math.floor(nowNs / 1e6) - echoMs, 1) * 1000;
      this.latestUs = this.smoothedUs;
    }
  }
}

const intakeByPool = new WeakMap<PacketPool, AckIntake>();

/** The reader of the ACKs of a pool: one, shared by all its connections. */
export function ackIntakeOf(packets: PacketPool): AckIntake {
  let intake = intakeByPool.get(packets);
  if (intake === undefined) {
    intake = new AckIntake(packets);
    intakeByPool.set(packets, intake);
  }
  return intake;
}
