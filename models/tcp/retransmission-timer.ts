import type { TimerOwner } from '../model.ts';
import { Deadline, type TimerService } from './environment.ts';
import type { Jiffies } from './jiffies.ts';
import { MAXIMUM_TIMEOUT_US, MINIMUM_VARIATION_US, type RttEstimator } from './rtt.ts';
import type { Scoreboard } from './scoreboard.ts';

/** What the timer is set for. */
export const NOTHING = 0;
export const RETRANSMIT = 1;
export const TAIL_PROBE = 2;
export const REORDER = 3;
export const WINDOW_PROBE = 4;

/** What RACK and the tail-loss probe wait beyond what they reckon, since 6.7 (tcp.h: TCP_TIMEOUT_MIN_US). */
const SHORTEST_WAIT_US = 2000;

/** The one timer of a sender, set for one thing at a time (net/ipv4/tcp_timer.c; icsk_retransmit_timer). */
export class RetransmissionTimer extends Deadline {
  /** What the timer is set for. */
  pending = NOTHING;
  /** Timeouts in a row without a round trip measured since: each doubles the wait. */
  backoff = 0;
  readonly #jiffies: Jiffies;
  readonly #rtt: RttEstimator;
  readonly #scoreboard: Scoreboard;

  constructor(timers: TimerService, owner: TimerOwner, jiffies: Jiffies, rtt: RttEstimator, scoreboard: Scoreboard) {
    super(timers, owner);
    this.#jiffies = jiffies;
    this.#rtt = rtt;
    this.#scoreboard = scoreboard;
  }

  /** The timeout, back-off included (ticks). */
  get timeoutTicks(): number {
    return this.#jiffies.fromUs(Math.min(this.#rtt.timeoutUs * 2 ** this.backoff, MAXIMUM_TIMEOUT_US));
  }

  /** At an expiry of its timer: what it was set for, or NOTHING. */
  expire(nowNs: number): number {
    if (!this.reached(nowNs)) return NOTHING;
    const pending = this.pending;
    this.pending = NOTHING;
    return pending;
  }

  /** Sets the timeout; what a tail probe or reordering timer has used up of it already is taken off. */
  armTimeout(nowNs: number): void {
    if (this.#scoreboard.packetsOut === 0) {
      this.clear();
      return;
    }
    const resumed = this.pending === TAIL_PROBE || this.pending === REORDER;
    const ticks = resumed ? this.#jiffies.fromUs(Math.max(this.#timeoutLeftUs(nowNs), 1)) : this.timeoutTicks;
    this.#arm(RETRANSMIT, ticks, nowNs);
  }

  /** Sets the tail-loss probe: two round trips without an ACK, but never after the timeout (tcp_schedule_loss_probe). */
  armTailProbe(onAck: boolean, nowNs: number): void {
    const extraUs = this.#scoreboard.packetsOut === 1 ? MINIMUM_VARIATION_US : SHORTEST_WAIT_US;
    const waitUs = this.#rtt.srttEighthsUs / 4 + extraUs;
    const leftUs = onAck ? (this.timeoutTicks * this.#jiffies.tickNs) / 1000 : this.#timeoutLeftUs(nowNs);
    this.#arm(TAIL_PROBE, this.#jiffies.fromUs(leftUs > 0 ? Math.min(waitUs, leftUs) : waitUs), nowNs);
  }

  /** Sets the timer for RACK's next look. */
  armReorder(waitUs: number, nowNs: number): void {
    this.#arm(REORDER, this.#jiffies.fromUs(waitUs + SHORTEST_WAIT_US), nowNs);
  }

  /** Sets the probe of a closed window. */
  armWindowProbe(nowNs: number): void {
    this.#arm(WINDOW_PROBE, this.timeoutTicks, nowNs);
  }

  clear(): void {
    this.pending = NOTHING;
    this.set(Number.POSITIVE_INFINITY);
  }

  #arm(pending: number, ticks: number, nowNs: number): void {
    this.pending = pending;
    this.set(this.#jiffies.expiryNs(nowNs, ticks));
  }

  #timeoutLeftUs(nowNs: number): number {
    const sentNs = this.#scoreboard.sentNs(this.#scoreboard.first);
    return (this.timeoutTicks * this.#jiffies.tickNs + sentNs - nowNs) / 1000;
  }
}
