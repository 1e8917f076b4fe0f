/** The tick of a kernel of `hz` ticks a second, on which CUBIC's clock and all retransmission timers stand. */
export class Jiffies {
  readonly hz: number;
  /** Length of a tick (ns). */
  readonly tickNs: number;

  constructor(hz: number) {
    this.hz = hz;
    this.tickNs = 1e9 / hz;
  }

  /** Ticks since the start of the clock. */
  at(nowNs: number): number {
    return Math.floor(nowNs / this.tickNs);
  }

  /** A duration in ticks, rounded up (include/linux/jiffies.h: usecs_to_jiffies). */
  fromUs(durationUs: number): number {
    return Math.ceil((durationUs * this.hz) / 1e6);
  }

  /** When a timer of `ticks` set now expires: on a tick, counted from the current one (ns). */
  expiryNs(nowNs: number, ticks: number): number {
    return (this.at(nowNs) + ticks) * this.tickNs;
  }
}
