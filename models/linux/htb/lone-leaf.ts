import type { RecurrencePass } from '../../recurrence.ts';
import type { KernelRules } from '../kernels.ts';
import { CAN_SEND, CANT_SEND, type HtbClass, TOKEN_SPAN_SECONDS } from './htb-class.ts';

/**
 * What remains of {@link HtbScheduler} where a tree is one leaf: there are no turns to take, nobody lends, and one class
 * at most waits. The same departures and counters for about half of the time.
 *
 * For exact timers only: it leaves out the looks at idle levels. From net/sched/sch_htb.c, 2.6.22 to 6.18.
 */
export class LoneLeaf {
  readonly leaf: HtbClass;
  /** Times that the leaf became CANT_SEND. */
  limitReached = 0;
  /** When the leaf's mode changes next (ticks); Infinity: it may send. */
  nextTicks = Number.POSITIVE_INFINITY;
  readonly #hysteresis: boolean;
  readonly #tokenSpan: number = Number.NaN;

  constructor(kernel: KernelRules, leaf: HtbClass, hysteresis: boolean) {
    this.leaf = leaf;
    this.#hysteresis = hysteresis;
    this.#tokenSpan = TOKEN_SPAN_SECONDS * kernel.ticksPerSecond;
  }

  /** Whether the leaf may send, its mode brought up to date (htb_do_events). */
  maySend(nowTicks: number): boolean {
    if (nowTicks < this.nextTicks) return this.nextTicks === Number.POSITIVE_INFINITY;
    const { leaf } = this;
    this.#changeMode(nowTicks, Math.min(nowTicks - leaf.checkpointTicks, this.#tokenSpan));
    return leaf.mode === CAN_SEND;
  }

  /** Charges a packet (htb_charge_class). */
  charge(nowTicks: number, sizeBytes: number, segments: number): void {
    const { leaf } = this;
    const span = this.#tokenSpan;
    leaf.lended++;
    leaf.payOwn(Math.min(nowTicks - leaf.checkpointTicks, span), sizeBytes, 1 - span);
    leaf.checkpointTicks = nowTicks;
    leaf.departedPackets += segments;
    leaf.departedBytes += sizeBytes;
    this.#changeMode(nowTicks, 0);
  }

  /** Tells of the instant that it waits for. */
  visit(pass: RecurrencePass, tickNs: number): void {
    this.limitReached = pass.counter(this.limitReached);
    this.nextTicks = pass.ticks(this.nextTicks, tickNs);
  }

  #changeMode(nowTicks: number, elapsed: number): void {
    const { leaf } = this;
    const mode = leaf.modeAfter(elapsed, this.#hysteresis);
    if (mode !== leaf.mode) {
      leaf.enter(mode);
      if (mode === CANT_SEND) this.limitReached++;
    }
    this.nextTicks = mode === CAN_SEND ? Number.POSITIVE_INFINITY : leaf.changeTicks(elapsed, nowTicks);
  }
}
