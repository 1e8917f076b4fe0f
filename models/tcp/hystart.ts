import type { CongestionWindow } from './congestion.ts';

const LOW_WINDOW_PACKETS = 16;
const TRAIN_SPACING_US = 2000;
const MINIMUM_SAMPLES = 8;
const LARGEST_BURST_BYTES = 4 * 65536;

/**
 * Classic hybrid slow start: leaves slow start when a train of ACKs lasts half a round trip, or when the round trips of
 * a round have grown (net/ipv4/tcp_cubic.c: hystart_update, 6.18).
 */
export class HyStart {
  /** Whether the end of slow start was found since the last reset. */
  found = false;
  #roundEndBytes = 0;
  #roundStartUs = 0;
  #lastAckUs = 0;
  #roundRttUs = Number.POSITIVE_INFINITY;
  #samples = 0;

  /** Begins a round. */
  begin(nextBytes: number, nowUs: number): void {
    this.#roundStartUs = nowUs;
    this.#lastAckUs = nowUs;
    this.#roundEndBytes = nextBytes;
    this.#roundRttUs = Number.POSITIVE_INFINITY;
    this.#samples = 0;
  }

  /** Takes a sample in slow start; sets the window's threshold when it is time to leave. */
  update(
    window: CongestionWindow,
    rttUs: number,
    minimumUs: number,
    acknowledgedBytes: number,
    nextBytes: number,
    nowUs: number,
  ): void {
    if (acknowledgedBytes > this.#roundEndBytes) this.begin(nextBytes, nowUs);
    if (window.packets < LOW_WINDOW_PACKETS) return;
    if (nowUs - this.#lastAckUs <= TRAIN_SPACING_US) {
      this.#lastAckUs = nowUs;
      const burstUs = Math.floor((LARGEST_BURST_BYTES * 1e6) / window.pacingBytesPerSecond);
      let longestUs = minimumUs + Math.min(1000, burstUs);
      if (!window.paced) longestUs >>= 1;
      if (nowUs - this.#roundStartUs > longestUs) this.#leave(window);
    }
    if (rttUs < this.#roundRttUs) this.#roundRttUs = rttUs;
    if (this.#samples < MINIMUM_SAMPLES) this.#samples++;
    else if (this.#roundRttUs > minimumUs + Math.min(Math.max(minimumUs >> 3, 4000), 16000)) this.#leave(window);
  }

  #leave(window: CongestionWindow): void {
    this.found = true;
    window.threshold = window.packets;
  }
}
