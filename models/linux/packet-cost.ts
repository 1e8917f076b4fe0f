import { invariant } from '../model.ts';
import type { KernelRules } from './kernels.ts';
import { atmBytes, type PacketFraming, type RateTable, TABLE_SLOTS } from './tc.ts';

/** The kernel's fixed-point form of a rate: ns of a byte = mult / 2^shift. */
export interface FixedPointRate {
  readonly mult: number;
  readonly shift: number;
}

/**
 * The multiplier of a rate, with 32 significant bits (net/sched/sch_generic.c: psched_ratecfg_precompute, 3.8 on).
 * Rates below 1 byte/s have none.
 */
export function fixedPointRate(rateBytesPerSecond: number): FixedPointRate {
  invariant(rateBytesPerSecond >= 1, 'a rate is at least 1 byte/s');
  // Quotients of numbers up to 2^63 must be exact, so this, done once a rate, needs wide integers.
  const rate = BigInt(rateBytesPerSecond);
  let factor = 1_000_000_000n;
  let shift = 0;
  for (;;) {
    const mult = BigInt.asUintN(32, factor / rate);
    if (mult >> 31n !== 0n || factor >> 63n !== 0n) return { mult: Number(mult), shift };
    factor <<= 1n;
    shift++;
  }
}

/** The slot of a table that a length falls into, before any limit to 255. */
export function tableSlot(table: RateTable, kernel: KernelRules, sizeBytes: number, framing: PacketFraming): number {
  if (kernel.cost === 'table-clamped') return sizeBytes >> table.cellLog;
  const overhead = kernel.addsOverhead ? framing.overheadBytes : 0;
  return Math.max(0, sizeBytes + table.cellAlignBytes + overhead) >> table.cellLog;
}

/** The length that a kernel prices where it computes the cost itself (bytes). */
export function pricedBytes(kernel: KernelRules, sizeBytes: number, framing: PacketFraming): number {
  const padded = sizeBytes + (kernel.addsOverhead ? framing.overheadBytes : 0);
  const raised = kernel.raisesToMpu ? Math.max(padded, framing.mpuBytes) : padded;
  return kernel.countsCells && framing.atm ? atmBytes(raised) : raised;
}

/**
 * What a packet costs at a rate, in ticks of the kernel's clock.
 *
 * `framing` holds what the kernel was told: a tc that prices `overhead` into the table tells 0. Lengths stay below
 * 2^21 bytes, for which `length * mult` is exact in a double.
 */
export class PacketCost {
  readonly #kernel: KernelRules;
  readonly #framing: PacketFraming;
  readonly #table: RateTable | undefined;
  readonly #mult: number = 0;
  readonly #scale: number = 1;
  readonly #exactDivisor: number = 1;
  #lastBytes = -1;
  #lastTicks = 0;

  constructor(kernel: KernelRules, rateBytesPerSecond: number, framing: PacketFraming, table?: RateTable) {
    this.#kernel = kernel;
    this.#framing = framing;
    this.#table = table;
    invariant(
      (table !== undefined) === (kernel.cost === 'table' || kernel.cost === 'table-clamped'),
      `kernel ${kernel.version} prices packets by ${kernel.cost}`,
    );
    const exact = kernel.cost === 'exact';
    const { mult, shift } = exact ? { mult: kernel.ticksPerSecond, shift: 0 } : fixedPointRate(rateBytesPerSecond);
    this.#mult = mult;
    this.#scale = 2 ** -shift;
    this.#exactDivisor = exact ? rateBytesPerSecond : 1;
  }

  /** Cost of a packet of `sizeBytes` (ticks). */
  ticks(sizeBytes: number): number {
    if (sizeBytes === this.#lastBytes) return this.#lastTicks;
    const ticks = this.#table === undefined ? this.#computed(sizeBytes) : this.#lookedUp(this.#table, sizeBytes);
    this.#lastBytes = sizeBytes;
    this.#lastTicks = ticks;
    return ticks;
  }

  /** Whether a packet is beyond the table of a kernel that clamps it (counted as a giant). */
  isGiant(sizeBytes: number): boolean {
    return this.#kernel.cost === 'table-clamped' && sizeBytes >> this.#table!.cellLog >= TABLE_SLOTS;
  }

  #computed(sizeBytes: number): number {
    const product = pricedBytes(this.#kernel, sizeBytes, this.#framing) * this.#mult;
    return Math.floor((product * this.#scale) / this.#exactDivisor);
  }

  #lookedUp(table: RateTable, sizeBytes: number): number {
    const slot = tableSlot(table, this.#kernel, sizeBytes, this.#framing);
    const last = TABLE_SLOTS - 1;
    if (slot <= last) return table.ticks[slot]!;
    if (this.#kernel.cost === 'table-clamped') return table.ticks[last]!;
    return (Math.imul(table.ticks[last]!, slot >> 8) + table.ticks[slot & last]!) >>> 0;
  }
}
