import type { CongestionControl, CongestionDeclaration, CongestionWindow } from './congestion.ts';
import { HyStart } from './hystart.ts';
import type { Jiffies } from './jiffies.ts';

/** Share of the window kept on loss, in 1024ths (RFC 9438's beta of 0.7). */
const BETA = 717;
/** RFC 9438's C, in 1024ths of packets a cubic second. */
const CUBE_FACTOR = 410;
/** Unit of CUBIC's own time: 1/1024 s. */
const UNITS_PER_SECOND = 1024;
const CUBE_SHIFT = 2 ** 40;
const UNSET = -1;
/** Growth in the Reno-friendly region: 8 * (1 + beta) / 3 / (1 - beta), truncated. */
const FRIENDLY_SCALE = Math.floor(Math.floor((8 * (1024 + BETA)) / 3) / (1024 - BETA));

/**
 * CUBIC in the kernel's integers (RFC 9438; net/ipv4/tcp_cubic.c, 6.18): W_cubic(t) = C (t - K)^3 + W_max, never slower
 * than Reno with the same beta, with fast convergence and HyStart.
 */
class Cubic implements CongestionControl {
  readonly #jiffies: Jiffies;
  readonly #hystart = new HyStart();
  /** W_max (packets). */
  #lastMaximum = 0;
  /** Where the cubic's plateau lies (packets) and when it is reached (K). */
  #origin = 0;
  #plateauUnits = 0;
  #epochTicks = UNSET;
  #updatedTicks = 0;
  #updatedWindow = 0;
  #per = 0;
  #ackedPackets = 0;
  /** W_est (packets). */
  #friendlyWindow = 0;
  #minimumRttUs = 0;

  constructor(jiffies: Jiffies) {
    this.#jiffies = jiffies;
  }

  onAck(window: CongestionWindow, ackedPackets: number, nowNs: number): void {
    const rest = window.inSlowStart ? window.slowStart(ackedPackets) : ackedPackets;
    if (rest === 0) return;
    this.#update(window.packets, rest, this.#jiffies.at(nowNs));
    window.additive(this.#per, rest);
  }

  #update(window: number, acked: number, nowTicks: number): void {
    this.#ackedPackets += acked;
    const sinceUpdate = nowTicks - this.#updatedTicks;
    if (this.#updatedWindow === window && sinceUpdate <= this.#jiffies.hz >> 5) return;
    if (this.#epochTicks === UNSET || sinceUpdate !== 0) this.#aim(window, acked, nowTicks);
    this.#keepUpWithReno(window);
    // At most one packet for every two acknowledged: half as much again in a round trip.
    this.#per = Math.max(this.#per, 2);
  }

  #aim(window: number, acked: number, nowTicks: number): void {
    this.#updatedWindow = window;
    this.#updatedTicks = nowTicks;
    if (this.#epochTicks === UNSET) {
      this.#epochTicks = nowTicks;
      this.#ackedPackets = acked;
      this.#friendlyWindow = window;
      if (this.#lastMaximum <= window) {
        this.#plateauUnits = 0;
        this.#origin = window;
      } else {
        this.#plateauUnits = Math.floor(Math.cbrt(Math.floor(CUBE_SHIFT / CUBE_FACTOR) * (this.#lastMaximum - window)));
        this.#origin = this.#lastMaximum;
      }
    }
    const elapsedTicks = nowTicks - this.#epochTicks + this.#jiffies.fromUs(this.#minimumRttUs);
    const elapsedUnits = Math.floor((elapsedTicks * UNITS_PER_SECOND) / this.#jiffies.hz);
    const offset = Math.abs(elapsedUnits - this.#plateauUnits);
    const distance = Math.floor((CUBE_FACTOR * offset * offset * offset) / CUBE_SHIFT);
    const target = elapsedUnits < this.#plateauUnits ? this.#origin - distance : this.#origin + distance;
    this.#per = target > window ? Math.floor(window / (target - window)) : 100 * window;
    // Before the first loss there is no plateau to approach: grow by a twentieth a round trip at least.
    if (this.#lastMaximum === 0 && this.#per > 20) this.#per = 20;
  }

  #keepUpWithReno(window: number): void {
    const ackedPerPacket = (window * FRIENDLY_SCALE) >> 3;
    if (this.#ackedPackets > ackedPerPacket) {
      const steps = Math.ceil(this.#ackedPackets / ackedPerPacket) - 1;
      this.#ackedPackets -= steps * ackedPerPacket;
      this.#friendlyWindow += steps;
    }
    if (this.#friendlyWindow > window) {
      this.#per = Math.min(this.#per, Math.floor(window / (this.#friendlyWindow - window)));
    }
  }

  onRtt(window: CongestionWindow, rttUs: number, acknowledgedBytes: number, nextBytes: number, nowNs: number): void {
    // Round trips of the second after a reduction still carry the queue of before.
    if (this.#epochTicks !== UNSET && this.#jiffies.at(nowNs) - this.#epochTicks < this.#jiffies.hz) return;
    const measured = Math.max(rttUs, 1);
    if (this.#minimumRttUs === 0 || measured < this.#minimumRttUs) this.#minimumRttUs = measured;
    if (this.#hystart.found || !window.inSlowStart) return;
    const nowUs = Math.floor(nowNs / 1000);
    this.#hystart.update(window, measured, this.#minimumRttUs, acknowledgedBytes, nextBytes, nowUs);
  }

  onLoss(window: CongestionWindow): number {
    this.#epochTicks = UNSET;
    this.#lastMaximum =
      window.packets < this.#lastMaximum ? Math.floor((window.packets * (1024 + BETA)) / 2048) : window.packets;
    return Math.max(Math.floor((window.packets * BETA) / 1024), 2);
  }

  onTimeout(nextBytes: number, nowNs: number): void {
    this.#lastMaximum = 0;
    this.#origin = 0;
    this.#plateauUnits = 0;
    this.#epochTicks = UNSET;
    this.#updatedTicks = 0;
    this.#updatedWindow = 0;
    this.#per = 0;
    this.#ackedPackets = 0;
    this.#friendlyWindow = 0;
    this.#minimumRttUs = 0;
    this.#hystart.found = false;
    this.#hystart.begin(nextBytes, Math.floor(nowNs / 1000));
  }

  onRestart(lastSentNs: number, nowNs: number): void {
    if (this.#epochTicks === UNSET) return;
    const nowTicks = this.#jiffies.at(nowNs);
    // Idle time is taken out of the curve.
    this.#epochTicks = Math.min(this.#epochTicks + nowTicks - this.#jiffies.at(lastSentNs), nowTicks);
  }
}

/** CUBIC, Linux's default. */
export const cubic: CongestionDeclaration = {
  kind: 'cubic',
  role: 'congestion',
  summary: 'CUBIC with HyStart, the default of Linux: 30 % less on loss, then a cubic curve in time',
  parameters: {},
  counters: {},
  create: (jiffies) => new Cubic(jiffies),
};
