/** Age at which the window may be moved (ms). Source: curl, lib/progress.c: MIN_RATE_LIMIT_PERIOD. */
const WINDOW_MS = 3000;

/**
 * Judges a transfer by its average since a window's start: the limiter of curl 7.60.0 to 8.17.0.
 *
 * It says how long to wait after too much was moved, never how much may be moved: that is up to the read visit.
 * Source: curl, lib/progress.c: Curl_pgrsLimitWaitTime, Curl_ratelimit.
 */
export class AverageWindow {
  readonly limitBytesPerSecond: number;
  #startNs = 0;
  #startBytes = 0;

  /** @param limitBytesPerSecond 0: unlimited. */
  constructor(limitBytesPerSecond: number) {
    this.limitBytesPerSecond = limitBytesPerSecond;
  }

  /** Opens the first window; curl does so before it connects, so connecting is credit. */
  start(nowNs: number, countedBytes: number): void {
    this.#startNs = nowNs;
    this.#startBytes = countedBytes;
  }

  /** How long to wait (ms, integer); 0: not at all. */
  waitMs(movedBytes: number, nowNs: number): number {
    const bytes = movedBytes - this.#startBytes;
    if (this.limitBytesPerSecond === 0 || bytes === 0) return 0;
    const shouldTakeMs = Math.trunc((1000 * bytes) / this.limitBytesPerSecond);
    const tookMs = Math.ceil((nowNs - this.#startNs) / 1e6);
    return Math.max(0, shouldTakeMs - tookMs);
  }

  /** Moves the window to `nowNs` if it is old enough: what was too much or too little until now is forgotten. */
  rebase(movedBytes: number, nowNs: number): void {
    if (Math.floor((nowNs - this.#startNs) / 1e6) < WINDOW_MS) return;
    this.#startNs = nowNs;
    this.#startBytes = movedBytes;
  }
}
