import type { CorrelatedRandom } from './netem-random.ts';

/** Decides whether a packet is lost; each call is the next packet. */
export interface LossModel {
  isLost(): boolean;
}

/** Loses each packet with a probability, which may depend on the number drawn before (loss random). */
export class RandomLoss implements LossModel {
  readonly #probability: number;
  readonly #random: CorrelatedRandom;

  /** @param probability in units of 2^-32, above 0 */
  constructor(probability: number, random: CorrelatedRandom) {
    this.#probability = probability;
    this.#random = random;
  }

  isLost(): boolean {
    return this.#probability >= this.#random.next();
  }
}

/** Probabilities of going from one state to another, in units of 2^-32. */
export interface StateLossSettings {
  readonly p13: number;
  readonly p31: number;
  readonly p32: number;
  readonly p23: number;
  readonly p14: number;
}

const GAP = 1;
const BURST = 2;
const LOST_IN_BURST = 3;
const LOST_IN_GAP = 4;

/**
 * The chain of four states: received in a gap (1), received in a burst (2), lost in a burst (3), lost in a gap (4). One
 * draw a packet; sums of two probabilities wrap at 2^32 (net/sched/sch_netem.c: loss_4state).
 */
export class StateLoss implements LossModel {
  readonly #settings: StateLossSettings;
  readonly #randomUint32: () => number;
  #state = GAP;

  constructor(settings: StateLossSettings, randomUint32: () => number) {
    this.#settings = settings;
    this.#randomUint32 = randomUint32;
  }

  isLost(): boolean {
    const { p13, p31, p32, p23, p14 } = this.#settings;
    const drawn = this.#randomUint32();
    switch (this.#state) {
      case GAP:
        if (drawn < p14) this.#state = LOST_IN_GAP;
        else if (drawn < (p13 + p14) >>> 0) this.#state = LOST_IN_BURST;
        break;
      case BURST:
        if (drawn < p23) this.#state = LOST_IN_BURST;
        break;
      case LOST_IN_BURST:
        if (drawn < p32) this.#state = BURST;
        else if (drawn < (p31 + p32) >>> 0) this.#state = GAP;
        break;
      default:
        this.#state = GAP;
    }
    return this.#state === LOST_IN_BURST || this.#state === LOST_IN_GAP;
  }
}

/** Probabilities of the Gilbert-Elliott chain, in units of 2^-32. */
export interface GilbertElliottSettings {
  /** From good to bad, and back. */
  readonly p: number;
  readonly r: number;
  /** Of passing in the bad state (h). */
  readonly passInBad: number;
  /** Of a loss in the good state (1 - k). */
  readonly lossInGood: number;
}

/**
 * The chain of two states, good and bad, each with a loss of its own. Two draws a packet: one for the way to the other
 * state, one for the loss, which is that of the state before (net/sched/sch_netem.c: loss_gilb_ell).
 */
export class GilbertElliottLoss implements LossModel {
  readonly #settings: GilbertElliottSettings;
  readonly #randomUint32: () => number;
  #isBad = false;

  constructor(settings: GilbertElliottSettings, randomUint32: () => number) {
    this.#settings = settings;
    this.#randomUint32 = randomUint32;
  }

  isLost(): boolean {
    const { p, r, passInBad, lossInGood } = this.#settings;
    const turn = this.#randomUint32();
    const loss = this.#randomUint32();
    if (this.#isBad) {
      if (turn < r) this.#isBad = false;
      return loss > passInBad;
    }
    if (turn < p) this.#isBad = true;
    return loss < lossInGood;
  }
}
