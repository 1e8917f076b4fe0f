import type { ModelDeclaration } from '../model.ts';
import type { Jiffies } from './jiffies.ts';

/** Slow-start threshold of a connection that has lost nothing yet (packets). */
export const INFINITE_THRESHOLD = 0x7fffffff;

/** The congestion window of a sender, in packets as the kernel counts it, and what its control may know of the sender. */
export class CongestionWindow {
  /** snd_cwnd. */
  packets: number;
  /** snd_ssthresh. */
  threshold = INFINITE_THRESHOLD;
  /** snd_cwnd_cnt: acknowledged packets saved up for the next step. */
  credit = 0;
  /** Whether segments are spaced by a pacing timer. */
  readonly paced: boolean;
  /** Bytes a second that the pacing formula gives, whether or not it spaces segments. */
  pacingBytesPerSecond = Number.POSITIVE_INFINITY;

  constructor(packets: number, paced: boolean) {
    this.packets = packets;
    this.paced = paced;
  }

  /** Whether the window is below the threshold. */
  get inSlowStart(): boolean {
    return this.packets < this.threshold;
  }

  /** Grows by `acked` up to the threshold and returns what is left of `acked` (tcp_cong.c: tcp_slow_start). */
  slowStart(acked: number): number {
    const grown = Math.min(this.packets + acked, this.threshold);
    const rest = acked - (grown - this.packets);
    this.packets = grown;
    return rest;
  }

  /** Grows by one packet for every `per` acknowledged ones (tcp_cong.c: tcp_cong_avoid_ai). */
  additive(per: number, acked: number): void {
    if (this.credit >= per) {
      this.credit = 0;
      this.packets++;
    }
    this.credit += acked;
    if (this.credit >= per) {
      const steps = Math.floor(this.credit / per);
      this.credit -= steps * per;
      this.packets += steps;
    }
  }
}

/** What decides how the window grows and how far it falls. */
export interface CongestionControl {
  /** New data was acknowledged while the window limits the sender and nothing is being repaired. */
  onAck(window: CongestionWindow, ackedPackets: number, nowNs: number): void;
  /** A round-trip time was measured; the byte offsets tell one round from the next. */
  onRtt(window: CongestionWindow, rttUs: number, acknowledgedBytes: number, nextBytes: number, nowNs: number): void;
  /** The threshold for a loss seen now (packets). */
  onLoss(window: CongestionWindow): number;
  /** The retransmission timer expired; called after {@link onLoss}. */
  onTimeout(nextBytes: number, nowNs: number): void;
  /** Sending starts again with nothing in flight, `lastSentNs` being the last time that data was sent. */
  onRestart(lastSentNs: number, nowNs: number): void;
}

/** A congestion control that a scenario can name. */
export interface CongestionDeclaration extends ModelDeclaration {
  readonly role: 'congestion';
  create(jiffies: Jiffies): CongestionControl;
}
