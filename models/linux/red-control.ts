import { invariant } from '../model.ts';
import type { RedParameters } from './red-tc.ts';

/** What RED wants of a packet: nothing, a mark or drop at random, a mark or drop for certain. */
export const RED_PASS = 0;
export const RED_PROBABLY = 1;
export const RED_CERTAINLY = 2;

const LARGEST_U32 = 2 ** 32 - 1;
const MICROSECOND_NS = 1000;
const LAST_CELL = 255;
/** 1 % in units of 2^-32, rounded. */
const ONE_PERCENT = 42_949_673;

/**
 * RED's moving average and its decisions, for one queue or for many with the same settings.
 *
 * The average is kept scaled by 2^wLog. Source of the rules: include/net/red.h, 3.6 to 6.12.
 */
export class RedControl {
  readonly average: Float64Array;
  /** Packets since the last mark or drop; -1 outside the range from min to max. */
  readonly count: Int32Array;
  /** The random number that decides the next mark or drop. */
  readonly random: Uint32Array;
  /** Probability at max (1/2^32); moves when adaptive. */
  maxP: number;

  readonly #scale: number;
  readonly #min: number;
  readonly #max: number;
  readonly #minBytes: number;
  readonly #delta: number;
  readonly #cellScale: number;
  readonly #longestIdle: number;
  readonly #idleShifts: Uint8Array;
  readonly #randomUint32: () => number;
  #divisor: number;

  constructor(parameters: RedParameters, queues: number, randomUint32: () => number) {
    const { minBytes, maxBytes, wLog, pLog, cellLog } = parameters;
    invariant(wLog !== undefined && pLog !== undefined, 'the parameters of RED are checked');
    this.average = new Float64Array(queues);
    this.count = new Int32Array(queues).fill(-1);
    this.random = new Uint32Array(queues);
    this.#scale = 2 ** wLog;
    this.#min = minBytes * this.#scale;
    this.#max = maxBytes * this.#scale;
    this.#minBytes = minBytes;
    this.#delta = Math.max(maxBytes - minBytes, 1);
    this.#cellScale = 2 ** cellLog;
    this.#longestIdle = (LAST_CELL << cellLog) >>> 0;
    this.#idleShifts = parameters.idleShifts;
    this.#randomUint32 = randomUint32;
    this.maxP = parameters.maxP === 0 ? Math.imul(LARGEST_U32 >>> pLog, this.#delta) >>> 0 : parameters.maxP;
    this.#divisor = Math.max(Math.floor(this.maxP / this.#delta), 1);
  }

  /** Forgets all about a queue. */
  reset(queue: number): void {
    this.average[queue] = 0;
    this.count[queue] = -1;
  }

  /** Takes the backlog before a packet into the average of a busy queue. */
  add(queue: number, backlogBytes: number): void {
    const average = this.average[queue]!;
    this.average[queue] = average + backlogBytes - Math.floor(average / this.#scale);
  }

  /** What is left of the average after an idle time (red_calc_qavg_from_idle_time). */
  decayed(queue: number, idleNs: number): number {
    const average = this.average[queue]!;
    const idle = Math.min(Math.floor(idleNs / MICROSECOND_NS), this.#longestIdle);
    const shift = this.#idleShifts[Math.floor(idle / this.#cellScale) & LAST_CELL]!;
    if (shift > 0) return Math.floor(average / 2 ** shift);
    const loss = this.#scaledLoss(average, idle);
    const half = Math.floor(average / 2);
    return loss < half ? average - loss : half;
  }

  /** (average * idle) >> cellLog in u64. */
  #scaledLoss(average: number, idle: number): number {
    const product = average * idle;
    if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / this.#cellScale);
    // Only at the end of an idle time, so wide integers do no harm.
    return Number(BigInt.asUintN(64, BigInt(average) * BigInt(idle)) / BigInt(this.#cellScale));
  }

  /** Decides about a packet from the average (red_action). */
  decide(queue: number): number {
    const average = this.average[queue]!;
    if (average < this.#min) {
      this.count[queue] = -1;
      return RED_PASS;
    }
    if (average >= this.#max) {
      this.count[queue] = -1;
      return RED_CERTAINLY;
    }
    const count = ++this.count[queue]!;
    if (count === 0) {
      this.#draw(queue);
      return RED_PASS;
    }
    if (Math.floor((average - this.#min) / this.#scale) * count < this.random[queue]!) return RED_PASS;
    this.count[queue] = 0;
    this.#draw(queue);
    return RED_PROBABLY;
  }

  #draw(queue: number): void {
    this.random[queue] = Math.floor(this.#randomUint32() / this.#divisor);
  }

  /** Moves the probability so that the average stays around the middle (red_adaptative_algo), every half second. */
  adapt(scaledAverage: number): void {
    const average = Math.floor(scaledAverage / this.#scale);
    const fifth = Math.floor(this.#delta / 5);
    if (average > this.#minBytes + 3 * fifth && this.maxP <= 50 * ONE_PERCENT) {
      this.maxP += Math.min(ONE_PERCENT, Math.floor(this.maxP / 4));
    } else if (average < this.#minBytes + 2 * fifth && this.maxP >= ONE_PERCENT) {
      this.maxP = Math.floor(this.maxP / 10) * 9;
    }
    this.#divisor = Math.max(Math.floor((this.maxP + Math.floor(this.#delta / 2)) / this.#delta), 1);
  }
}
