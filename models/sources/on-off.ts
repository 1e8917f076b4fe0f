import type { PacketSource, RandomStream, SourceDeclaration, Values } from '../model.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { checkSizes, type SizeSource, sizeParameters, sizeSource, visitSizes } from './sizes.ts';

/** Sends at a constant rate during on periods and nothing during off periods; fixed or exponential lengths. */
class OnOff implements PacketSource {
  sizeBytes = 0;
  gsoBytes: number;
  #dueNs = 0;
  #remainder = 0;
  #onUntilNs: number;
  #started = false;
  readonly #rateBitsPerSecond: number;
  readonly #onNs: number;
  readonly #offNs: number;
  readonly #exponential: boolean;
  readonly #random: RandomStream;
  readonly #sizes: SizeSource;

  constructor(values: Values, random: RandomStream, sizes: SizeSource) {
    this.#rateBitsPerSecond = values.rate as number;
    this.#onNs = values.on as number;
    this.#offNs = values.off as number;
    this.#exponential = values.lengths === 'exponential';
    this.#random = random;
    this.#sizes = sizes;
    this.gsoBytes = (values.gso as number | undefined) ?? 0;
    this.#onUntilNs = this.#length(this.#onNs);
  }

  next(): number {
    if (this.#started) {
      const numerator = this.sizeBytes * 8e9 + this.#remainder;
      const gapNs = Math.floor(numerator / this.#rateBitsPerSecond);
      this.#remainder = numerator - gapNs * this.#rateBitsPerSecond;
      this.#dueNs += gapNs;
    }
    this.#started = true;
    if (this.#dueNs >= this.#onUntilNs) {
      this.#dueNs = this.#onUntilNs + this.#length(this.#offNs);
      this.#onUntilNs = this.#dueNs + this.#length(this.#onNs);
      this.#remainder = 0;
    }
    this.sizeBytes = this.#sizes.next();
    return this.#dueNs;
  }

  visit(pass: RecurrencePass): void {
    if (this.#exponential) pass.never();
    this.#dueNs = pass.instant(this.#dueNs);
    this.#onUntilNs = pass.instant(this.#onUntilNs);
    pass.plain(this.#remainder);
    visitSizes(this.#sizes, pass);
  }

  #length(meanNs: number): number {
    if (!this.#exponential) return meanNs;
    return Math.max(1, Math.round(-Math.log(1 - this.#random.uniform()) * meanNs));
  }
}

/** `source: on-off`: bursts at a constant rate, with pauses. */
export const onOff: SourceDeclaration = {
  kind: 'on-off',
  role: 'source',
  summary: 'Bursts at a constant rate with pauses between them',
  parameters: {
    rate: {
      type: 'rate',
      required: true,
      minimum: 1,
      help: 'Rate during an on period, sizes counted as tc counts them.',
    },
    on: { type: 'duration', required: true, minimum: 1, help: 'Length of an on period (its mean, if exponential).' },
    off: { type: 'duration', required: true, minimum: 1, help: 'Length of an off period (its mean, if exponential).' },
    lengths: {
      type: { choice: ['fixed', 'exponential'] },
      default: 'fixed',
      help: 'How the lengths of the periods are drawn.',
    },
    ...sizeParameters,
  },
  counters: {},
  check: checkSizes,
  create(values: Values, random: RandomStream): PacketSource {
    return new OnOff(values, random, sizeSource(values, random));
  },
};
