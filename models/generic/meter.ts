import type { RecurrencePass, Recurrent } from '../recurrence.ts';
import { multiplyDivide } from './exact.ts';

/** Bits of a byte times ns of a second. */
const BIT_NS_PER_BYTE_SECOND = 8e9;
/** Largest length whose price is worked out in one piece (bytes): times 8e9 it is below 2^53. */
const LARGEST_PIECE_BYTES = 1_000_000;

/**
 * The arithmetic of a textbook limiter, apart from who obeys it: a queue of packets, a policer, or an application.
 *
 * Instants are integer ns that never go back. No remainder is lost, so nothing drifts.
 */
export interface Meter extends Recurrent {
  /** Largest length that ever conforms (bytes). */
  readonly largestBytes: number;
  /** The earliest instant, from `nowNs` on, at which `bytes` conform if nothing is spent before. */
  conformsAt(bytes: number, nowNs: number): number;
  /** Spends `bytes`, which conform at `nowNs`. */
  spend(bytes: number, nowNs: number): void;
  /** The most that can have been spent by `nowNs`, whatever was asked for (bytes). */
  boundBytes(nowNs: number): number;
}

/** An amount of time as whole ns and a remainder in units of 1 ns / rate. */
class Price {
  ns = 0;
  remainder = 0;
  #bytes = 0;
  readonly #rateBitsPerSecond: number;

  constructor(rateBitsPerSecond: number) {
    this.#rateBitsPerSecond = rateBitsPerSecond;
  }

  /** Works out how long `bytes` take at the rate. */
  of(bytes: number): this {
    if (bytes === this.#bytes) return this;
    const rate = this.#rateBitsPerSecond;
    this.#bytes = bytes;
    this.ns = 0;
    this.remainder = 0;
    for (let left = bytes; left > 0; left -= LARGEST_PIECE_BYTES) {
      const numerator = Math.min(left, LARGEST_PIECE_BYTES) * BIT_NS_PER_BYTE_SECOND;
      const whole = Math.floor(numerator / rate);
      this.ns += whole;
      this.remainder += numerator - whole * rate;
    }
    const carry = Math.floor(this.remainder / rate);
    this.ns += carry;
    this.remainder -= carry * rate;
    return this;
  }
}

/** What both bucket meters keep: the instant at which all that was spent is paid off, with its remainder. */
abstract class VirtualTime {
  protected readonly price: Price;
  protected readonly rateBitsPerSecond: number;
  protected readonly startNs: number;
  protected paidNs: number;
  protected paidRemainder = 0;

  constructor(rateBitsPerSecond: number, startNs: number) {
    this.rateBitsPerSecond = rateBitsPerSecond;
    this.price = new Price(rateBitsPerSecond);
    this.startNs = startNs;
    this.paidNs = startNs;
  }

  spend(bytes: number, nowNs: number): void {
    // Paid off within the last ns: the instant was rounded up to the clock, and its fraction is not lost.
    const isRounding = this.paidRemainder > 0 && this.paidNs === nowNs - 1;
    if (this.paidNs < nowNs && !isRounding) {
      this.paidNs = nowNs;
      this.paidRemainder = 0;
    }
    const price = this.price.of(bytes);
    this.paidNs += price.ns;
    this.paidRemainder += price.remainder;
    if (this.paidRemainder < this.rateBitsPerSecond) return;
    this.paidRemainder -= this.rateBitsPerSecond;
    this.paidNs++;
  }

  visit(pass: RecurrencePass): void {
    // Debts that were paid off before the last ns are forgotten, and all such instants are alike.
    this.paidNs = pass.due(this.paidNs + 2, 1) - 2;
    pass.plain(this.paidRemainder);
  }

  /** What the rate alone earns in `ns` (bytes, rounded up). */
  protected earnedBytes(ns: number): number {
    return multiplyDivide(this.rateBitsPerSecond, ns, BIT_NS_PER_BYTE_SECOND) + 1;
  }
}

/** A bucket of `burstBytes`, full at the start, filled at the rate: a length conforms when it finds as many tokens. */
export class TokenBucketMeter extends VirtualTime implements Meter {
  readonly largestBytes: number;
  readonly #burst: Price;

  constructor(rateBitsPerSecond: number, burstBytes: number, startNs: number) {
    super(rateBitsPerSecond, startNs);
    this.largestBytes = burstBytes;
    this.#burst = new Price(rateBitsPerSecond).of(burstBytes);
  }

  conformsAt(bytes: number, nowNs: number): number {
    if (bytes > this.largestBytes) return Number.POSITIVE_INFINITY;
    const price = this.price.of(bytes);
    // The bucket holds burst - (paid - now): it holds `bytes` from paid - burst + price on.
    const remainder = this.paidRemainder - this.#burst.remainder + price.remainder;
    const roundedUp = Math.ceil(remainder / this.rateBitsPerSecond);
    return Math.max(nowNs, this.paidNs - this.#burst.ns + price.ns + roundedUp);
  }

  boundBytes(nowNs: number): number {
    return this.largestBytes + this.earnedBytes(nowNs - this.startNs);
  }
}

/**
 * The generic cell rate algorithm: a length conforms unless it comes more than the tolerance before the instant at which
 * all before it are paid off. With a tolerance of 0 it is a leaky bucket that drips at the rate.
 */
export class CellRateMeter extends VirtualTime implements Meter {
  readonly largestBytes = Number.POSITIVE_INFINITY;
  readonly #toleranceNs: number;
  #largestSpentBytes = 0;

  constructor(rateBitsPerSecond: number, toleranceNs: number, startNs: number) {
    super(rateBitsPerSecond, startNs);
    this.#toleranceNs = toleranceNs;
  }

  conformsAt(_bytes: number, nowNs: number): number {
    return Math.max(nowNs, this.paidNs + (this.paidRemainder > 0 ? 1 : 0) - this.#toleranceNs);
  }

  override spend(bytes: number, nowNs: number): void {
    if (bytes > this.#largestSpentBytes) this.#largestSpentBytes = bytes;
    super.spend(bytes, nowNs);
  }

  override visit(pass: RecurrencePass): void {
    super.visit(pass);
    pass.plain(this.#largestSpentBytes);
  }

  boundBytes(nowNs: number): number {
    return this.earnedBytes(nowNs - this.startNs + this.#toleranceNs) + this.#largestSpentBytes;
  }
}
