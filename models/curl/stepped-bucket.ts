import type { Limiter } from '../model.ts';
import type { CurlRules } from './versions.ts';

const SECOND_US = 1_000_000;

/** Part of a known length that the tuning leaves for the last step (bytes): a hundredth, from 1 to 4096. */
function lastPieceBytes(sizeBytes: number): number {
  return Math.min(4096, Math.max(1, Math.trunc(sizeBytes / 100)));
}

/** Rate, burst and length of a step of a {@link SteppedBucket}. */
export interface Steps {
  readonly stepUs: number;
  readonly tokensPerStep: number;
  readonly burstTokens: number;
}

/**
 * The steps that a limit gives before any transfer is known.
 *
 * Source: curl, lib/ratelimit.c: Curl_rlimit_init.
 */
export function initialSteps(rules: CurlRules, limitBytesPerSecond: number): Steps {
  const halves = rules.steps === 'half-second' && limitBytesPerSecond >= 2 * 16384 ? 2 : 1;
  const tokensPerStep = Math.trunc(limitBytesPerSecond / halves);
  return {
    stepUs: SECOND_US / halves,
    tokensPerStep,
    burstTokens: Math.max(tokensPerStep, rules.burstFloorBytes),
  };
}

/**
 * The steps after tuning for a download of known length; the same ones where the rules do not tune.
 *
 * The whole file but a small rest is meant to fill whole steps, so that the last step, which nobody waits for, is short.
 * Source: curl, lib/ratelimit.c, 8.19.0 on.
 */
export function tunedSteps(rules: CurlRules, steps: Steps, sizeBytes: number): Steps {
  if (rules.steps !== 'tuned' || steps.tokensPerStep === 0) return steps;
  const mainBytes = sizeBytes - lastPieceBytes(sizeBytes);
  const mainMs = Math.trunc((mainBytes * 1000) / steps.tokensPerStep);
  const keepsBurst = rules.burstFloorBytes > 0;
  if (mainMs < 2) return steps;
  if (mainMs < 1000) {
    return {
      stepUs: mainMs * 1000,
      tokensPerStep: mainBytes,
      burstTokens: keepsBurst ? steps.burstTokens : mainBytes,
    };
  }
  const addedMs = Math.trunc((mainMs % 1000) / Math.trunc(mainMs / 1000));
  const addedTokens = Math.trunc((steps.tokensPerStep * addedMs) / 1000);
  if (addedMs === 0 || addedTokens === 0) return steps;
  const tokensPerStep = steps.tokensPerStep + addedTokens;
  return {
    stepUs: SECOND_US + addedMs * 1000,
    tokensPerStep,
    burstTokens: keepsBurst ? steps.burstTokens + Math.trunc((steps.burstTokens * addedMs) / 1000) : tokensPerStep,
  };
}

/**
 * A token bucket that is filled in lumps, on a grid that begins with the transfer: the limiter of curl 8.18.0 on.
 *
 * Within a step a transfer runs at line speed until the step's tokens are gone, then stands until the next grid point.
 * One full step is there at the start. Times are those of curl's clock, in microseconds; waits are whole milliseconds.
 * Source: curl, lib/ratelimit.c.
 */
export class SteppedBucket implements Limiter {
  readonly #rules: CurlRules;
  readonly #limitBytesPerSecond: number;
  #steps: Steps;
  #tokens: number;
  #stampUs = 0;
  #spareUs = 0;
  #started = false;
  #startUs = 0;

  /** @param limitBytesPerSecond 0: unlimited. */
  constructor(rules: CurlRules, limitBytesPerSecond: number) {
    this.#rules = rules;
    this.#limitBytesPerSecond = limitBytesPerSecond;
    this.#steps = initialSteps(rules, limitBytesPerSecond);
    this.#tokens = this.#steps.tokensPerStep;
  }

  /** Steps in force. */
  get steps(): Steps {
    return this.#steps;
  }

  /**
   * Starts the grid with one full step of tokens.
   *
   * @param sizeBytes Length of a download where it is known: the steps are then tuned to it.
   */
  start(nowNs: number, sizeBytes?: number): void {
    if (this.#limitBytesPerSecond === 0) return;
    if (this.#rules.restoresAtStart) this.#steps = initialSteps(this.#rules, this.#limitBytesPerSecond);
    if (sizeBytes !== undefined) this.#steps = tunedSteps(this.#rules, this.#steps, sizeBytes);
    this.#tokens = this.#steps.tokensPerStep;
    this.#stampUs = Math.floor(nowNs / 1000);
    this.#startUs = this.#stampUs;
    this.#spareUs = 0;
    this.#started = true;
  }

  /** Bytes that may be moved now; Infinity without a limit. */
  allowanceBytes(nowNs: number): number {
    if (this.#limitBytesPerSecond === 0) return Number.POSITIVE_INFINITY;
    this.#update(nowNs);
    return Math.max(0, this.#tokens);
  }

  /** Takes the tokens of `bytes` that were moved; may leave a debt. */
  consumed(bytes: number, nowNs: number): void {
    if (this.#limitBytesPerSecond === 0) return;
    this.#update(nowNs);
    this.#tokens -= bytes;
  }

  /** How long to wait (ms, rounded up); 0 when there are tokens. */
  waitMs(nowNs: number): number {
    if (this.#limitBytesPerSecond === 0) return 0;
    this.#update(nowNs);
    if (this.#tokens > 0) return 0;
    const { stepUs, tokensPerStep } = this.#steps;
    const elapsedUs = Math.floor(nowNs / 1000) - this.#stampUs + this.#spareUs;
    const debtSteps = -this.#tokens / tokensPerStep;
    const debtUs = Math.trunc((this.#rules.proportionalDebt ? debtSteps : Math.trunc(debtSteps)) * stepUs);
    return Math.ceil((stepUs - elapsedUs + debtUs) / 1000);
  }

  /** As {@link waitMs}, in ns. */
  waitNs(nowNs: number): number {
    return this.waitMs(nowNs) * 1e6;
  }

  /** A full step at the start, one more at each grid point, and what the burst may have saved before. */
  boundBytes(nowNs: number): number {
    const { stepUs, tokensPerStep } = this.#steps;
    const steps = Math.floor((Math.floor(nowNs / 1000) - this.#startUs) / stepUs);
    return this.#limitBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : (steps + 1) * tokensPerStep;
  }

  #update(nowNs: number): void {
    if (!this.#started) return;
    const nowUs = Math.floor(nowNs / 1000);
    const elapsedUs = nowUs - this.#stampUs + this.#spareUs;
    const { stepUs, tokensPerStep, burstTokens } = this.#steps;
    if (elapsedUs < stepUs) return;
    const steps = Math.floor(elapsedUs / stepUs);
    this.#stampUs = nowUs;
    this.#spareUs = elapsedUs % stepUs;
    this.#tokens = Math.min(this.#tokens + steps * tokensPerStep, burstTokens);
  }
}
