import type { CongestionWindow } from './congestion.ts';
import { MSS_BYTES } from './headers.ts';
import type { RttEstimator } from './rtt.ts';

const LARGEST_BURST_BYTES = 65536;
const LARGEST_BURST_SEGMENTS = Math.floor(LARGEST_BURST_BYTES / MSS_BYTES) - 1;
const UNPACED_SEGMENTS = 10;

/**
 * The pacing rate of a socket, which sizes bursts always and spaces them where pacing is on
 * (net/ipv4/tcp_input.c: tcp_update_pacing_rate; tcp_output.c: tcp_tso_autosize, tcp_update_skb_after_send).
 */
export class Pacing {
  /** When the next burst may leave (ns); 0 when pacing is off. */
  nextNs = 0;
  readonly #window: CongestionWindow;
  readonly #rtt: RttEstimator;
  #sentSegments = 0;

  constructor(window: CongestionWindow, rtt: RttEstimator) {
    this.#window = window;
    this.#rtt = rtt;
  }

  /** Recomputes the rate, as is done at every ACK: twice the window a round trip in slow start, 1.2 times later. */
  update(packetsOut: number): void {
    const window = this.#window;
    const gain = window.packets < window.threshold >> 1 ? 2 : 1.2;
    const perRoundBytes = MSS_BYTES * Math.max(window.packets, packetsOut) * gain;
    if (this.#rtt.srttEighthsUs > 0) {
      window.pacingBytesPerSecond = Math.floor((perRoundBytes * 8e6) / this.#rtt.srttEighthsUs);
    }
  }

  /** Segments that one burst may hold: a millisecond's worth and, at short round trips, more; 2 to 44. */
  burstSegments(): number {
    const rate = this.#window.pacingBytesPerSecond;
    if (rate === Number.POSITIVE_INFINITY) return LARGEST_BURST_SEGMENTS;
    const nearness = this.#rtt.minUs / 512;
    const bytes = rate / 1024 + (nearness < 32 ? LARGEST_BURST_BYTES / 2 ** Math.floor(nearness) : 0);
    return Math.min(Math.max(Math.floor(bytes / MSS_BYTES), 2), LARGEST_BURST_SEGMENTS);
  }

  /** Accounts a burst that left now; a late one is made up for, by half its own length at most. */
  onBurst(segments: number, bytes: number, nowNs: number): void {
    if (!this.#window.paced) return;
    this.#sentSegments += segments;
    const rate = this.#window.pacingBytesPerSecond;
    const lateNs = this.nextNs === 0 ? 0 : Math.max(nowNs - this.nextNs, 0);
    this.nextNs = Math.max(this.nextNs, nowNs);
    if (rate === Number.POSITIVE_INFINITY || this.#sentSegments < UNPACED_SEGMENTS) return;
    const lengthNs = Math.floor((bytes * 1e9) / rate);
    this.nextNs += lengthNs - Math.min(Math.floor(lengthNs / 2), lateNs);
  }
}
