import type { CongestionWindow } from './congestion.ts';
import type { TcpSettings } from './settings.ts';

/**
 * Whether the congestion window, and not the application or the receiver, limits the sender; and how the window shrinks
 * while it is not used (net/ipv4/tcp_output.c: tcp_cwnd_validate, tcp_cwnd_restart, tcp_cwnd_application_limited).
 */
export class WindowUsage {
  readonly #window: CongestionWindow;
  readonly #settings: TcpSettings;
  #limited = false;
  #mostPacketsOut = 0;
  #roundEndBytes = 0;
  #usedPackets = 0;
  #checkedTicks = 0;

  constructor(window: CongestionWindow, settings: TcpSettings) {
    this.#window = window;
    this.#settings = settings;
  }

  /** The connection stands. */
  begin(nowTicks: number): void {
    this.#checkedTicks = nowTicks;
  }

  /** Whether the window may grow: it was full, or in slow start more than half full. */
  get growing(): boolean {
    return this.#limited || (this.#window.inSlowStart && this.#window.packets < 2 * this.#mostPacketsOut);
  }

  /**
   * Takes account of a round of sending that ended because the window was full (`limited`) or for another reason.
   * Returns whether the window has gone unused for a timeout.
   */
  validate(
    limited: boolean,
    packetsOut: number,
    acknowledgedBytes: number,
    nextBytes: number,
    nowTicks: number,
    timeoutTicks: number,
  ): boolean {
    if (acknowledgedBytes >= this.#roundEndBytes || limited || (!this.#limited && packetsOut > this.#mostPacketsOut)) {
      this.#limited = limited;
      this.#mostPacketsOut = packetsOut;
      this.#roundEndBytes = nextBytes;
    }
    if (this.growing) {
      this.#usedPackets = 0;
      this.#checkedTicks = nowTicks;
      return false;
    }
    if (packetsOut > this.#usedPackets) this.#usedPackets = packetsOut;
    return this.#settings.slowStartAfterIdle && nowTicks - this.#checkedTicks >= timeoutTicks;
  }

  /** Begins to look anew; brings the window half-way to what was used of it, if the application left it unused. */
  endUnused(byApplication: boolean, threshold: number, nowTicks: number): void {
    const window = this.#window;
    const used = Math.max(this.#usedPackets, this.#settings.initialWindow);
    if (byApplication && used < window.packets) {
      window.threshold = threshold;
      window.packets = (window.packets + used) >> 1;
    }
    this.#usedPackets = 0;
    this.#checkedTicks = nowTicks;
  }

  /** Data is written with nothing in flight: halves the window once per timeout of idleness. */
  restart(idleTicks: number, timeoutTicks: number, threshold: number, nowTicks: number): void {
    if (!this.#settings.slowStartAfterIdle || idleTicks <= timeoutTicks) return;
    const window = this.#window;
    window.threshold = threshold;
    const floor = Math.min(this.#settings.initialWindow, window.packets);
    for (let left = idleTicks - timeoutTicks; left > 0 && window.packets > floor; left -= timeoutTicks) {
      window.packets >>= 1;
    }
    window.packets = Math.max(window.packets, floor);
    this.#usedPackets = 0;
    this.#checkedTicks = nowTicks;
  }
}
