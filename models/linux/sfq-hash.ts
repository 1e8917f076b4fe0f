import type { Surroundings, TimerOwner } from '../model.ts';
import { MINOR_MASK } from './class-id.ts';
import { JIFFY_NS } from './qdisc-base.ts';

const HASH_FIRST = 2_654_435_761;
const HASH_SECOND = 2_246_822_519;
const HASH_SHIFT = 15;

/**
 * Puts packets into buckets: by their flow's number, which stands for the hash, mixed with a random key that changes
 * every `perturbNs` (in whole jiffies) if that is not 0. A class of the qdisc's own names its bucket.
 */
export class SfqHash implements TimerOwner {
  readonly #surroundings: Surroundings;
  readonly #divisor: number;
  readonly #handleMajor: number;
  readonly #periodJiffies: number;
  readonly #timer: number;
  /** Told when the key has changed. */
  readonly #rekeyed: (nowNs: number) => void;
  /** 0: none. */
  #key = 0;

  constructor(
    surroundings: Surroundings,
    divisor: number,
    handleMajor: number,
    perturbNs: number,
    rekeyed: (nowNs: number) => void,
  ) {
    this.#surroundings = surroundings;
    this.#divisor = divisor;
    this.#handleMajor = handleMajor;
    this.#periodJiffies = Math.floor(perturbNs / JIFFY_NS);
    this.#rekeyed = rekeyed;
    this.#timer = this.#periodJiffies > 0 ? surroundings.newTimer(this) : -1;
    if (this.#periodJiffies === 0) return;
    // One key at the creation, another as the period is set.
    surroundings.randomUint32();
    this.#key = surroundings.randomUint32();
    this.#armTimer(surroundings.startNs);
  }

  /** The bucket of a packet. */
  bucketOf(packet: number): number {
    const { packets } = this.#surroundings;
    const priority = packets.priority[packet]!;
    const minor = priority & MINOR_MASK;
    if (priority >>> 16 === this.#handleMajor && minor > 0 && minor <= this.#divisor) return minor - 1;
    const flow = packets.flow[packet]!;
    if (this.#key === 0) return flow & (this.#divisor - 1);
    const mixed = Math.imul(Math.imul(flow + 1, HASH_FIRST) ^ this.#key, HASH_SECOND);
    return (mixed >>> HASH_SHIFT) & (this.#divisor - 1);
  }

  onTimer(_timer: number, nowNs: number): void {
    this.#key = this.#surroundings.randomUint32();
    this.#rekeyed(nowNs);
    this.#armTimer(nowNs);
  }

  #armTimer(nowNs: number): void {
    this.#surroundings.wakeAt(this.#timer, (Math.floor(nowNs / JIFFY_NS) + this.#periodJiffies) * JIFFY_NS);
  }
}
