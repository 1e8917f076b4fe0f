import type { ShaperDeclaration, Surroundings } from '../model.ts';
import { NO_PACKET, PacketQueue } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { kernelParameter, kernelReleaseOf, release, versionProblems } from './kernel-parameters.ts';
import { DEFAULT_PRIOMAP, PRIORITY_MASK } from './prio.ts';
import { BaseQdisc, deviceParameters, qdiscCounters, txQueueLenOf } from './qdisc-base.ts';

const BANDS = 3;

/** Kernels in which the limit counts for all bands together (read in 3.6 and 4.9; not in 2.6.24, nor from 4.16 on). */
const SHARED_FROM = release(3, 0);
const SHARED_BEFORE = release(4, 16);

/** The device's own qdisc: three FIFOs in strict priority. Source of the rules: net/sched/sch_generic.c: pfifo_fast. */
export class PfifoFast extends BaseQdisc {
  readonly canBypass = true;
  readonly #bands: readonly PacketQueue[];
  readonly #limit: number;
  readonly #sharesLimit: boolean;

  constructor(limit: number, sharesLimit: boolean, surroundings: Surroundings, sentAtEnqueue: boolean) {
    super(surroundings, sentAtEnqueue);
    this.#bands = Array.from({ length: BANDS }, () => new PacketQueue(surroundings.packets));
    this.#limit = limit;
    this.#sharesLimit = sharesLimit;
  }

  enqueue(packet: number, nowNs: number): number {
    const band = this.#bands[DEFAULT_PRIOMAP[this.packets.priority[packet]! & PRIORITY_MASK]!]!;
    const held = this.#sharesLimit ? this.lengthPackets : band.lengthPackets;
    if (held >= this.#limit) return this.refuse(packet, nowNs);
    band.push(packet);
    return this.accept(packet);
  }

  protected take(_nowNs: number): number {
    for (const band of this.#bands) {
      const packet = band.shift();
      if (packet === NO_PACKET) continue;
      this.release(packet);
      this.departed(packet);
      return packet;
    }
    return NO_PACKET;
  }

  override dequeue(nowNs: number): number {
    return this.take(nowNs);
  }

  override peek(_nowNs: number): number {
    for (const band of this.#bands) if (band.head !== NO_PACKET) return band.head;
    return NO_PACKET;
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    for (const band of this.#bands) band.visit(pass);
  }
}

/** `pfifo_fast`: the device's default for long. */
export const pfifoFast: ShaperDeclaration = {
  kind: 'pfifo_fast',
  role: 'shaper',
  summary: "Three FIFOs in strict priority by the packet's priority, of the device's length (sch_generic).",
  parameters: { kernel: kernelParameter, ...deviceParameters },
  counters: qdiscCounters,
  check: (values) => versionProblems(values),
  create(values, surroundings) {
    const kernel = kernelReleaseOf(values);
    const shares = kernel >= SHARED_FROM && kernel < SHARED_BEFORE;
    return new PfifoFast(txQueueLenOf(values), shares, surroundings, kernel < release(3, 0));
  },
};
