/**
 * Round-trip time and retransmission timeout in integer microseconds (Jacobson's filter, scaled by 8 and 4, with the
 * deviation's maximum per window and a floor of 200 ms under it; net/ipv4/tcp_input.c: tcp_rtt_estimator, tcp_set_rto).
 */
export class RttEstimator {
  /** Smoothed round-trip time, times 8 (µs); 0 before the first sample. */
  srttEighthsUs = 0;
  /** Smallest round-trip time seen (µs); Infinity before the first sample. */
  minUs = Number.POSITIVE_INFINITY;
  /** Timeout before back-off (µs). */
  timeoutUs = INITIAL_TIMEOUT_US;
  #deviationQuarters = 0;
  #deviationMax = 0;
  #variation = 0;
  #windowEndBytes = 0;

  /** Smoothed round-trip time (µs). */
  get srttUs(): number {
    return Math.floor(this.srttEighthsUs / 8);
  }

  /** Takes a sample for minimum and HyStart's sake only. */
  observeMinimum(rttUs: number): void {
    if (rttUs < this.minUs) this.minUs = rttUs;
  }

  /** Takes a sample; `acknowledgedBytes` and `nextBytes` mark the windows over which the deviation's maximum is kept. */
  sample(rttUs: number, acknowledgedBytes: number, nextBytes: number): void {
    const measured = Math.max(rttUs, 1);
    if (this.srttEighthsUs === 0) {
      this.srttEighthsUs = measured * 8;
      this.#deviationQuarters = measured * 2;
      this.#variation = Math.max(this.#deviationQuarters, MINIMUM_VARIATION_US);
      this.#deviationMax = this.#variation;
      this.#windowEndBytes = nextBytes;
    } else {
      this.#smooth(measured);
      if (acknowledgedBytes > this.#windowEndBytes) {
        if (this.#deviationMax < this.#variation) this.#variation -= (this.#variation - this.#deviationMax) >> 2;
        this.#windowEndBytes = nextBytes;
        this.#deviationMax = MINIMUM_VARIATION_US;
      }
    }
    this.timeoutUs = Math.min((this.srttEighthsUs >> 3) + this.#variation, MAXIMUM_TIMEOUT_US);
  }

  #smooth(measured: number): void {
    let error = measured - (this.srttEighthsUs >> 3);
    this.srttEighthsUs += error;
    // A shorter round trip than expected is no sign of a longer one to come: it widens the deviation only by an eighth.
    if (error < 0) {
      error = -error - (this.#deviationQuarters >> 2);
      if (error > 0) error >>= 3;
    } else {
      error -= this.#deviationQuarters >> 2;
    }
    this.#deviationQuarters += error;
    if (this.#deviationQuarters > this.#deviationMax) {
      this.#deviationMax = this.#deviationQuarters;
      if (this.#deviationMax > this.#variation) this.#variation = this.#deviationMax;
    }
  }
}

/** Timeout of a SYN, and of everything before the first sample (µs). */
export const INITIAL_TIMEOUT_US = 1_000_000;
/** Longest timeout, back-off included (µs). */
export const MAXIMUM_TIMEOUT_US = 120_000_000;
/** Least deviation in a timeout; so a timeout is never below 200 ms + RTT (µs). */
export const MINIMUM_VARIATION_US = 200_000;
