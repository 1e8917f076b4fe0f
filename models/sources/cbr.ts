import type { PacketSource, ParameterProblem, RandomStream, SourceDeclaration, Values } from '../model.ts';
import { checkSizes, type SizeSource, sizeParameters, sizeSource } from './sizes.ts';

const BIT_NS_PER_BYTE_SECOND = 8e9;

/** Sends at a constant rate without drift: the gap after a packet is its size over the rate, remainders carried on. */
class ConstantRate implements PacketSource {
  sizeBytes = 0;
  gsoBytes: number;
  #dueNs = 0;
  #remainder = 0;
  #started = false;
  readonly #rateBitsPerSecond: number;
  readonly #sizes: SizeSource;

  constructor(rateBitsPerSecond: number, gsoBytes: number, sizes: SizeSource) {
    this.#rateBitsPerSecond = rateBitsPerSecond;
    this.#sizes = sizes;
    this.gsoBytes = gsoBytes;
  }

  next(): number {
    if (this.#started) {
      const numerator = this.sizeBytes * BIT_NS_PER_BYTE_SECOND + this.#remainder;
      const gapNs = Math.floor(numerator / this.#rateBitsPerSecond);
      this.#remainder = numerator - gapNs * this.#rateBitsPerSecond;
      this.#dueNs += gapNs;
    }
    this.#started = true;
    this.sizeBytes = this.#sizes.next();
    return this.#dueNs;
  }
}

/** Sends at equal intervals. */
class ConstantInterval implements PacketSource {
  sizeBytes = 0;
  gsoBytes: number;
  #dueNs: number;
  readonly #intervalNs: number;
  readonly #sizes: SizeSource;

  constructor(intervalNs: number, gsoBytes: number, sizes: SizeSource) {
    this.#intervalNs = intervalNs;
    this.#dueNs = -intervalNs;
    this.#sizes = sizes;
    this.gsoBytes = gsoBytes;
  }

  next(): number {
    this.#dueNs += this.#intervalNs;
    this.sizeBytes = this.#sizes.next();
    return this.#dueNs;
  }
}

/** `source: cbr`: packets at a constant rate or interval, the first at the flow's start. */
export const cbr: SourceDeclaration = {
  kind: 'cbr',
  role: 'source',
  summary: 'Packets at a constant rate or interval',
  parameters: {
    rate: {
      type: 'rate',
      minimum: 1,
      help: 'Rate of the packets, sizes counted as tc counts them; or give `interval`.',
    },
    interval: { type: 'duration', minimum: 0, help: 'Time from packet to packet; 0 with `count`: all at once.' },
    ...sizeParameters,
  },
  counters: {},
  check(values: Values): ParameterProblem[] {
    const problems = checkSizes(values);
    const given = ['rate', 'interval'].filter((name) => values[name] !== undefined);
    if (given.length !== 1) {
      problems.push({
        path: [],
        expected: 'either `rate` or `interval`',
        received: given.length === 0 ? 'neither' : 'both',
        hint: 'rate: 950mbit, or interval: 7us',
      });
    }
    return problems;
  },
  create(values: Values, random: RandomStream): PacketSource {
    const sizes = sizeSource(values, random);
    const gsoBytes = (values.gso as number | undefined) ?? 0;
    const intervalNs = values.interval as number | undefined;
    return intervalNs === undefined
      ? new ConstantRate(values.rate as number, gsoBytes, sizes)
      : new ConstantInterval(intervalNs, gsoBytes, sizes);
  },
};
