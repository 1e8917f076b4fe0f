import type { PacketSource, RandomStream, SourceDeclaration, Values } from '../model.ts';
import { checkSizes, type SizeSource, sizeParameters, sizeSource } from './sizes.ts';

/** Sends after exponentially distributed gaps, rounded to whole ns without accumulating the rounding. */
class PoissonArrivals implements PacketSource {
  sizeBytes = 0;
  gsoBytes: number;
  #exactNs = 0;
  readonly #meanGapNs: number;
  readonly #random: RandomStream;
  readonly #sizes: SizeSource;

  constructor(rateBitsPerSecond: number, gsoBytes: number, random: RandomStream, sizes: SizeSource) {
    this.#meanGapNs = (sizes.meanBytes * 8e9) / rateBitsPerSecond;
    this.#random = random;
    this.#sizes = sizes;
    this.gsoBytes = gsoBytes;
  }

  next(): number {
    // 1 - u is in (0, 1], so the logarithm is finite.
    this.#exactNs -= Math.log(1 - this.#random.uniform()) * this.#meanGapNs;
    this.sizeBytes = this.#sizes.next();
    return Math.round(this.#exactNs);
  }
}

/** `source: poisson`: a Poisson process of packets with a mean rate. */
export const poisson: SourceDeclaration = {
  kind: 'poisson',
  role: 'source',
  summary: 'Packets as a Poisson process with a mean rate',
  parameters: {
    rate: {
      type: 'rate',
      required: true,
      minimum: 1,
      help: 'Mean rate of the packets, sizes counted as tc counts them.',
    },
    ...sizeParameters,
  },
  counters: {},
  check: checkSizes,
  create(values: Values, random: RandomStream): PacketSource {
    const sizes = sizeSource(values, random);
    return new PoissonArrivals(values.rate as number, (values.gso as number | undefined) ?? 0, random, sizes);
  },
};
