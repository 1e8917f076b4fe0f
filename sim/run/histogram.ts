import type { RecurrencePass } from '../../models/recurrence.ts';
import type { DelayHistogram } from './result.ts';

/** Cells per octave; a value lies within 1/256 (0.4 %) of the middle of its cell. */
const CELLS_PER_OCTAVE = 128;
const OCTAVE_SHIFT = 7;
const NS_PER_SECOND = 1e9;
/** The sum is kept in two parts, so that it stays exact; the lower one is below this. */
const CARRY = 2 ** 52;

/**
 * Counts integer values (ns) in cells whose width grows with the value: exact below 256, then 128 cells an octave, so
 * that a quantile is within 0.4 % of the true one whatever the range. Memory depends on the largest value only.
 */
export class LogHistogram {
  #counts = new Float64Array(1024);
  #total = 0;
  #sum = 0;
  /** Of the sum, in units of {@link CARRY}. */
  #carried = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  /** Adds one value, an integer from 0 to 2^52. */
  add(value: number): void {
    const cell = cellOf(value);
    if (cell >= this.#counts.length) this.#grow(cell);
    this.#counts[cell]!++;
    this.#total++;
    this.#sum += value;
    if (this.#sum >= CARRY) this.#carry();
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /** Tells of its counts; minimum and maximum do not change while values repeat. */
  visit(pass: RecurrencePass): void {
    pass.counts(this.#counts);
    this.#total = pass.counter(this.#total);
    this.#sum = pass.counter(this.#sum);
    this.#carried = pass.counter(this.#carried);
    this.#carry();
  }

  #carry(): void {
    const whole = Math.floor(this.#sum / CARRY);
    this.#carried += whole;
    this.#sum -= whole * CARRY;
  }

  /** Number of values. */
  get total(): number {
    return this.#total;
  }

  /** Smallest value, exact; 0 when empty. */
  get min(): number {
    return this.#total === 0 ? 0 : this.#min;
  }

  /** Largest value, exact. */
  get max(): number {
    return this.#max;
  }

  /** Mean of the values, exact up to the rounding of the sum. */
  get mean(): number {
    return this.#total === 0 ? 0 : (this.#carried * CARRY + this.#sum) / this.#total;
  }

  /** The value below or at which a share of all values lies (nearest rank), within 0.4 %. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let cell = 0; cell < this.#counts.length; cell++) {
      seen += this.#counts[cell]!;
      if (seen >= rank && seen > 0) {
        const middle = (lowerOf(cell) + lowerOf(cell + 1) - 1) / 2;
        return Math.min(this.#max, Math.max(this.#min, middle));
      }
    }
    return 0;
  }

  /** The non-empty cells, in seconds. */
  toSeconds(): DelayHistogram {
    const upperSeconds: number[] = [];
    const counts: number[] = [];
    for (let cell = 0; cell < this.#counts.length; cell++) {
      const count = this.#counts[cell]!;
      if (count === 0) continue;
      upperSeconds.push(Math.min(lowerOf(cell + 1) - 1, this.#max) / NS_PER_SECOND);
      counts.push(count);
    }
    return { upperSeconds, counts };
  }

  #grow(cell: number): void {
    const grown = new Float64Array((Math.floor(cell / 1024) + 1) * 1024);
    grown.set(this.#counts);
    this.#counts = grown;
  }
}

function cellOf(value: number): number {
  if (value < 2 * CELLS_PER_OCTAVE) return value;
  let integer = value;
  let octaves = 0;
  if (value >= 0x80000000) {
    // Beyond 31 bits integer shifts would wrap; the low bits do not matter there.
    integer = Math.floor(value / 0x1000000);
    octaves = 24;
    if (integer < 2 * CELLS_PER_OCTAVE) {
      integer = Math.floor(value / 0x10000);
      octaves = 16;
    }
  }
  const shift = 31 - Math.clz32(integer) - OCTAVE_SHIFT;
  return CELLS_PER_OCTAVE * (shift + octaves) + (integer >>> shift);
}

function lowerOf(cell: number): number {
  if (cell < 2 * CELLS_PER_OCTAVE) return cell;
  const shift = Math.floor(cell / CELLS_PER_OCTAVE) - 1;
  return (cell - CELLS_PER_OCTAVE * shift) * 2 ** shift;
}
