const TWO_POW_16 = 0x10000;
const TWO_POW_32 = 2 ** 32;
const LARGEST_U32 = TWO_POW_32 - 1;

/** Converts a probability to units of 2^-32 as tc does (tc/q_netem.c: set_percent). */
export function scaledProbability(probability: number): number {
  return Math.round(probability * LARGEST_U32);
}

/** `floor(value * random / 2^32)`, exact for values below 2^37 (mul_u64_u32_shr). */
export function scaledByRandom(value: number, random: number): number {
  const high = Math.floor(value / TWO_POW_16) * random;
  const low = (value % TWO_POW_16) * random;
  return Math.floor((high + Math.floor(low / TWO_POW_16)) / TWO_POW_16);
}

/**
 * Random numbers of which each keeps some of the one before: of a draw r and the last number l it is
 * `(r * (2^32 - rho') + l * rho') >> 32` with rho' = rho + 1 (net/sched/sch_netem.c: get_crandom).
 */
export class CorrelatedRandom {
  readonly #kept: number;
  readonly #randomUint32: () => number;
  #last: number;

  /**
   * @param correlation in units of 2^-32; 0: plain draws
   * @param seeded draws the number before the first (init_crandom)
   */
  constructor(correlation: number, seeded: boolean, randomUint32: () => number) {
    this.#kept = correlation === 0 ? 0 : correlation + 1;
    this.#randomUint32 = randomUint32;
    this.#last = seeded ? randomUint32() : 0;
  }

  next(): number {
    const drawn = this.#randomUint32();
    const kept = this.#kept;
    if (kept === 0) return drawn;
    const fresh = TWO_POW_32 - kept;
    const last = this.#last;
    // The sum of two 64-bit products, by halves of their first factors, so that doubles hold every step exactly.
    const high = Math.floor(drawn / TWO_POW_16) * fresh + Math.floor(last / TWO_POW_16) * kept;
    const low = (drawn % TWO_POW_16) * fresh + (last % TWO_POW_16) * kept;
    this.#last = Math.floor((high + Math.floor(low / TWO_POW_16)) / TWO_POW_16);
    return this.#last;
  }
}
