/** Slots of a level of the timer wheel that lie ahead; those of the next level are eight times as long. */
const NEAR_SLOTS = 63;
const SLOT_GROWTH = 8;

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

  /**
   * When a timer of `ticks` set now expires (ns): never early, so on the tick behind; and the farther it is, the coarser
   * the slots of the timer wheel are, of 1, 8, 64, … ticks (kernel/time/timer.c: calc_wheel_index).
   */
  expiryNs(nowNs: number, ticks: number): number {
    let slotTicks = 1;
    while (ticks >= NEAR_SLOTS * slotTicks) slotTicks *= SLOT_GROWTH;
    const slot = Math.floor((this.at(nowNs) + ticks) / slotTicks) + 1;
    return slot * slotTicks * this.tickNs;
  }
}

const jiffiesByRate = new Map<number, Jiffies>();

/** The ticks of a kernel of `hz` ticks a second, one for all connections. */
export function jiffiesOf(hz: number): Jiffies {
  let jiffies = jiffiesByRate.get(hz);
  if (jiffies === undefined) {
    jiffies = new Jiffies(hz);
    jiffiesByRate.set(hz, jiffies);
  }
  return jiffies;
}
