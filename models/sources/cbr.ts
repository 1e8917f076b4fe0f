import type { PacketSource, ParameterProblem, RandomStream, SourceDeclaration, Values } from '../model.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { checkSizes, type SizeSource, sizeParameters, sizeSource, visitSizes } from './sizes.ts';

const BIT_NS_PER_BYTE_SECOND = 8e9;

/** Sends at a constant rate without drift: the gap after a packet is its size over the rate, remainders carried on. */
class ConstantRate implements PacketSource {
  sizeBytes = 0;
  gsoBytes = 0;
  #dueNs = 0;
  /** Of the last gap: what was cut off, in units of 1 ns / rate. */
  #remainder = 0;
  /** Whole ns and remainder of the gap after a packet of `#gapSizeBytes`. */
  #gapNs = 0;
  #gapRemainder = 0;
  #gapSizeBytes = 0;
  #rateBitsPerSecond = 0;
  readonly #sizes: SizeSource;

  constructor(rateBitsPerSecond: number, gsoBytes: number, sizes: SizeSource) {
    this.#rateBitsPerSecond = rateBitsPerSecond;
    this.#sizes = sizes;
    this.gsoBytes = gsoBytes;
  }

  next(): number {
    // Before the first packet the size is 0, and so is the gap.
    const sizeBytes = this.sizeBytes;
    if (sizeBytes !== this.#gapSizeBytes) this.#divide(sizeBytes);
    this.#dueNs += this.#gapNs;
    this.#remainder += this.#gapRemainder;
    if (this.#remainder >= this.#rateBitsPerSecond) {
      this.#remainder -= this.#rateBitsPerSecond;
      this.#dueNs++;
    }
    const fixed = this.#sizes.fixedBytes;
    this.sizeBytes = fixed > 0 ? fixed : this.#sizes.next();
    return this.#dueNs;
  }

  visit(pass: RecurrencePass): void {
    this.#dueNs = pass.instant(this.#dueNs);
    pass.plain(this.#remainder);
    visitSizes(this.#sizes, pass);
  }

  #divide(sizeBytes: number): void {
    const numerator = sizeBytes * BIT_NS_PER_BYTE_SECOND;
    this.#gapSizeBytes = sizeBytes;
    this.#gapNs = Math.floor(numerator / this.#rateBitsPerSecond);
    this.#gapRemainder = numerator - this.#gapNs * this.#rateBitsPerSecond;
  }
}

/** Sends at equal intervals. */
class ConstantInterval implements PacketSource {
  sizeBytes = 0;
  gsoBytes = 0;
  #dueNs = 0;
  #intervalNs = 0;
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

  visit(pass: RecurrencePass): void {
    this.#dueNs = pass.instant(this.#dueNs);
    visitSizes(this.#sizes, pass);
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
