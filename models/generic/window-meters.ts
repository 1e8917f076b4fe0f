import type { RecurrencePass } from '../recurrence.ts';
import { multiplyDivide } from './exact.ts';
import type { Meter } from './meter.ts';

/** What a rate earns in a window (bytes, rounded down). */
export function quotaBytes(rateBitsPerSecond: number, windowNs: number): number {
  return multiplyDivide(rateBitsPerSecond, windowNs, 8e9);
}

/** Counts in windows that begin at the start: each lets its quota through, and what is left of it is lost. */
export class FixedWindowMeter implements Meter {
  readonly largestBytes: number;
  readonly #windowNs: number;
  readonly #startNs: number;
  #currentNs: number;
  #spentBytes = 0;

  constructor(quota: number, windowNs: number, startNs: number) {
    this.largestBytes = quota;
    this.#windowNs = windowNs;
    this.#startNs = startNs;
    this.#currentNs = startNs;
  }

  conformsAt(bytes: number, nowNs: number): number {
    if (bytes > this.largestBytes) return Number.POSITIVE_INFINITY;
    this.#roll(nowNs);
    return this.#spentBytes + bytes <= this.largestBytes ? nowNs : this.#currentNs + this.#windowNs;
  }

  spend(bytes: number, nowNs: number): void {
    this.#roll(nowNs);
    this.#spentBytes += bytes;
  }

  visit(pass: RecurrencePass): void {
    this.#currentNs = pass.instant(this.#currentNs);
    pass.plain(this.#spentBytes);
  }

  boundBytes(nowNs: number): number {
    return windowsBegun(nowNs - this.#startNs, this.#windowNs) * this.largestBytes;
  }

  #roll(nowNs: number): void {
    const passed = Math.floor((nowNs - this.#currentNs) / this.#windowNs);
    if (passed <= 0) return;
    this.#currentNs += passed * this.#windowNs;
    this.#spentBytes = 0;
  }
}

function windowsBegun(elapsedNs: number, windowNs: number): number {
  return Math.floor(elapsedNs / windowNs) + 1;
}

/** Remembers all that was spent within the last window: no window, wherever it begins, holds more than the quota. */
export class SlidingLogMeter implements Meter {
  readonly largestBytes: number;
  readonly #windowNs: number;
  readonly #startNs: number;
  #timesNs = new Float64Array(256);
  #bytes = new Float64Array(256);
  #first = 0;
  #length = 0;
  #sumBytes = 0;

  constructor(quota: number, windowNs: number, startNs: number) {
    this.largestBytes = quota;
    this.#windowNs = windowNs;
    this.#startNs = startNs;
  }

  conformsAt(bytes: number, nowNs: number): number {
    if (bytes > this.largestBytes) return Number.POSITIVE_INFINITY;
    this.#forget(nowNs);
    const mask = this.#timesNs.length - 1;
    let sumBytes = this.#sumBytes + bytes;
    let timeNs = nowNs;
    for (let i = 0; sumBytes > this.largestBytes; i++) {
      const entry = (this.#first + i) & mask;
      sumBytes -= this.#bytes[entry]!;
      timeNs = this.#timesNs[entry]! + this.#windowNs;
    }
    return timeNs;
  }

  spend(bytes: number, nowNs: number): void {
    this.#forget(nowNs);
    if (this.#length === this.#timesNs.length) this.#grow();
    const entry = (this.#first + this.#length) & (this.#timesNs.length - 1);
    this.#timesNs[entry] = nowNs;
    this.#bytes[entry] = bytes;
    this.#length++;
    this.#sumBytes += bytes;
  }

  boundBytes(nowNs: number): number {
    return windowsBegun(nowNs - this.#startNs, this.#windowNs) * this.largestBytes;
  }

  visit(pass: RecurrencePass): void {
    const mask = this.#timesNs.length - 1;
    pass.plain(this.#length);
    for (let i = 0; i < this.#length && !pass.done; i++) {
      const entry = (this.#first + i) & mask;
      this.#timesNs[entry] = pass.instant(this.#timesNs[entry]!);
      pass.plain(this.#bytes[entry]!);
    }
  }

  #forget(nowNs: number): void {
    const mask = this.#timesNs.length - 1;
    while (this.#length > 0 && this.#timesNs[this.#first]! <= nowNs - this.#windowNs) {
      this.#sumBytes -= this.#bytes[this.#first]!;
      this.#first = (this.#first + 1) & mask;
      this.#length--;
    }
  }

  #grow(): void {
    const length = this.#timesNs.length;
    const timesNs = new Float64Array(length * 2);
    const bytes = new Float64Array(length * 2);
    for (let i = 0; i < length; i++) {
      const entry = (this.#first + i) & (length - 1);
      timesNs[i] = this.#timesNs[entry]!;
      bytes[i] = this.#bytes[entry]!;
    }
    this.#timesNs = timesNs;
    this.#bytes = bytes;
    this.#first = 0;
  }
}

/**
 * Estimates the last window from two counters: the current one, and the share of the previous one that still reaches into
 * the last window, as if it had been spent evenly.
 */
export class SlidingCounterMeter implements Meter {
  readonly largestBytes: number;
  readonly #windowNs: number;
  readonly #startNs: number;
  #currentNs: number;
  #spentBytes = 0;
  #previousBytes = 0;

  constructor(quota: number, windowNs: number, startNs: number) {
    this.largestBytes = quota;
    this.#windowNs = windowNs;
    this.#startNs = startNs;
    this.#currentNs = startNs;
  }

  conformsAt(bytes: number, nowNs: number): number {
    if (bytes > this.largestBytes) return Number.POSITIVE_INFINITY;
    this.#roll(nowNs);
    let previousBytes = this.#previousBytes;
    let spentBytes = this.#spentBytes;
    for (let windowNs = this.#currentNs; ; windowNs += this.#windowNs) {
      const afterNs = this.#conformsAfter(bytes, previousBytes, spentBytes);
      if (afterNs < this.#windowNs) return Math.max(nowNs, windowNs + afterNs);
      previousBytes = spentBytes;
      spentBytes = 0;
    }
  }

  spend(bytes: number, nowNs: number): void {
    this.#roll(nowNs);
    this.#spentBytes += bytes;
  }

  boundBytes(nowNs: number): number {
    return windowsBegun(nowNs - this.#startNs, this.#windowNs) * this.largestBytes;
  }

  visit(pass: RecurrencePass): void {
    this.#currentNs = pass.instant(this.#currentNs);
    pass.plain(this.#spentBytes);
    pass.plain(this.#previousBytes);
  }

  /** Time since a window's begin from which `bytes` fit; the whole window or more: they do not. */
  #conformsAfter(bytes: number, previousBytes: number, spentBytes: number): number {
    const roomBytes = this.largestBytes - spentBytes - bytes;
    if (roomBytes < 0) return this.#windowNs;
    if (roomBytes >= previousBytes) return 0;
    // previous * (window - elapsed) / window <= room
    return this.#windowNs - multiplyDivide(roomBytes, this.#windowNs, previousBytes);
  }

  #roll(nowNs: number): void {
    const passed = Math.floor((nowNs - this.#currentNs) / this.#windowNs);
    if (passed <= 0) return;
    this.#previousBytes = passed === 1 ? this.#spentBytes : 0;
    this.#spentBytes = 0;
    this.#currentNs += passed * this.#windowNs;
  }
}
