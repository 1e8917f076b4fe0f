import type { RttEstimator } from './rtt.ts';
import { EVER_RETRANSMITTED, type Scoreboard } from './scoreboard.ts';

/** SACKed packets behind a hole that prove it lost where no reordering has been seen. */
const REORDERING_PACKETS = 3;

/**
 * RACK: what was sent before something that has been delivered, and is a round trip overdue, is lost
 * (RFC 8985; net/ipv4/tcp_recovery.c).
 */
export class Rack {
  /** Set while a delivery has not been looked at. */
  advanced = false;
  #rttUs = 0;
  #sentNs = 0;
  #endBytes = 0;
  /** End of the highest segment delivered, now and before the ACK that is being taken. */
  #highestBytes = 0;
  #highestBefore = 0;
  #reorderingSeen = false;
  readonly #scoreboard: Scoreboard;
  readonly #rtt: RttEstimator;

  constructor(scoreboard: Scoreboard, rtt: RttEstimator) {
    this.#scoreboard = scoreboard;
    this.#rtt = rtt;
  }

  /** Begins to take what one ACK tells, in whatever order its blocks come. */
  beginAck(): void {
    this.#highestBefore = this.#highestBytes;
  }

  /** Notes that a transmission arrived. */
  onDelivered(endBytes: number, sentNs: number, flags: number, nowNs: number): void {
    if (endBytes > this.#highestBytes) this.#highestBytes = endBytes;
    // What was sent once and arrives behind later data was overtaken.
    else if (endBytes < this.#highestBefore && (flags & EVER_RETRANSMITTED) === 0) this.#reorderingSeen = true;
    const rttUs = Math.floor((nowNs - sentNs) / 1000);
    // Too early an answer to a retransmission is one to the original.
    if (rttUs < this.#rtt.minUs && (flags & EVER_RETRANSMITTED) !== 0) return;
    this.advanced = true;
    this.#rttUs = rttUs;
    if (sentNs > this.#sentNs || (sentNs === this.#sentNs && endBytes > this.#endBytes)) {
      this.#sentNs = sentNs;
      this.#endBytes = endBytes;
    }
  }

  /**
   * Marks what is lost and returns how long until the next overdue segment (µs), 0 if there is none.
   * `repairing`: in Recovery or Loss, where nothing waits for reordering, unless some was seen on this path.
   */
  detect(repairing: boolean, nowNs: number): number {
    this.advanced = false;
    const scoreboard = this.#scoreboard;
    const reorderingUs = this.#reorderingUs(repairing);
    let remainingUs = 0;
    let segment = scoreboard.oldest;
    while (segment >= 0) {
      const sentNs = scoreboard.sentNs(segment);
      if (sentNs > this.#sentNs || (sentNs === this.#sentNs && scoreboard.endBytes(segment) >= this.#endBytes)) break;
      const newer = scoreboard.newer(segment);
      const leftUs = this.#rttUs + reorderingUs - Math.floor((nowNs - sentNs) / 1000);
      if (leftUs <= 0) scoreboard.markLost(segment);
      else if (leftUs > remainingUs) remainingUs = leftUs;
      segment = newer;
    }
    return remainingUs;
  }

  /** Whether a segment is too young to be given up by a retransmission timeout. */
  isRecent(sentNs: number, nowNs: number): boolean {
    return this.#rttUs > Math.floor((nowNs - sentNs) / 1000);
  }

  #reorderingUs(repairing: boolean): number {
    if (!this.#reorderingSeen && (repairing || this.#scoreboard.sackedOut >= REORDERING_PACKETS)) return 0;
    return Math.min(Math.floor(this.#rtt.minUs / 4), this.#rtt.srttEighthsUs >> 6);
  }
}
