import { ignoredFraming } from '../ignored-framing.ts';
import { fixedPointRate, pricedBytes, tableSlot } from '../packet-cost.ts';
import { formatTcSize, slotBytes, TABLE_SLOTS, transmitSizeBytes, transmitTime } from '../tc.ts';
import { bucketCost, type ClassFigures, classFigures, type HtbValues, htbRules } from './class-figures.ts';

/** Buckets that hold less than this lose rate on a busy machine: its wake-ups have been seen 67 µs late (ns). */
const LATE_WAKE_UP_NS = 100_000;

/** The bucket of a class's rate, or that of its ceil. */
export type BucketName = 'rate' | 'ceil';

/** A burst on its way from the configuration through tc to the kernel, and back to the screen. */
export interface BurstSteps {
  readonly burstBytes: number;
  /** Whether it is tc's default. */
  readonly defaulted: boolean;
  readonly exactMicroseconds: number;
  /** What a tc before 6.15 cuts that to. */
  readonly wholeMicroseconds?: number;
  /** What tc sends (u32), in ticks of `netlinkTickNs`. */
  readonly netlinkTicks: number;
  readonly netlinkTickNs: number;
  /** What the kernel keeps. */
  readonly bufferNs: number;
  /** Bytes that this lets pass at once at the bucket's rate. */
  readonly keptBytes: number;
  /** What tc shows of it, e.g. `1375b`. */
  readonly shown: string;
}

/** A packet's price at a rate, step by step. */
export interface CostSteps {
  readonly sizeBytes: number;
  readonly bytesPerSecond: number;
  /** Slot of the rate table, before any limit to 255 (kernels before 3.8). */
  readonly slot?: number;
  /** Size that the price is for. */
  readonly pricedBytes: number;
  /** Time that tc found for the slot, and cut to whole microseconds before 6.15 (tables only, slots up to 255). */
  readonly exactMicroseconds?: number;
  readonly wholeMicroseconds?: number;
  /** Multiplier and shift of the rate (3.8 on). */
  readonly mult?: number;
  readonly shift?: number;
  readonly costTicks: number;
  readonly tickNs: number;
  readonly costNs: number;
  /** What a class limited by this bucket alone sends; Infinity where a packet costs less than a tick. */
  readonly packetsPerSecond: number;
  readonly bitsPerSecond: number;
}

function bucketOf(figures: ClassFigures, bucket: BucketName) {
  return bucket === 'rate' ? figures.rate : figures.ceil;
}

/** Follows the burst (or cburst) of the class `name` from configuration to kernel. */
export function burstSteps(values: HtbValues, name: string, bucket: BucketName): BurstSteps {
  const { kernel, tc } = htbRules(values);
  const { burstBytes, burstDefaulted, bytesPerSecond, netlinkTicks, bufferTicks } = bucketOf(
    classFigures(values, name),
    bucket,
  );
  const { netlinkTickNs, tickNs } = kernel;
  const { exactMicroseconds, wholeMicroseconds } = transmitTime(tc, bytesPerSecond, burstBytes, netlinkTickNs);
  const bufferNs = bufferTicks * tickNs;
  return {
    burstBytes,
    defaulted: burstDefaulted,
    exactMicroseconds,
    ...(wholeMicroseconds === undefined ? {} : { wholeMicroseconds }),
    netlinkTicks,
    netlinkTickNs,
    bufferNs,
    keptBytes: (bufferNs * bytesPerSecond) / 1e9,
    shown: formatTcSize(transmitSizeBytes(tc, bytesPerSecond, netlinkTicks, netlinkTickNs)),
  };
}

/** Follows the price of a packet of `sizeBytes` at the rate (or ceil) of the class `name`. */
export function costSteps(values: HtbValues, name: string, bucket: BucketName, sizeBytes: number): CostSteps {
  const { kernel, tc } = htbRules(values);
  const figures = classFigures(values, name);
  const { bytesPerSecond, table } = bucketOf(figures, bucket);
  const costTicks = bucketCost(kernel, bucketOf(figures, bucket), figures.kernelFraming).ticks(sizeBytes);
  const costNs = costTicks * kernel.tickNs;
  const packetsPerSecond = 1e9 / costNs;
  const end = {
    costTicks,
    tickNs: kernel.tickNs,
    costNs,
    packetsPerSecond,
    bitsPerSecond: packetsPerSecond * sizeBytes * 8,
  };
  if (table === undefined) {
    const priced = pricedBytes(kernel, sizeBytes, figures.kernelFraming);
    const multiplier = kernel.cost === 'fixed-point' ? fixedPointRate(bytesPerSecond) : {};
    return { sizeBytes, bytesPerSecond, pricedBytes: priced, ...multiplier, ...end };
  }
  const last = TABLE_SLOTS - 1;
  const slot = tableSlot(table, kernel, sizeBytes, figures.kernelFraming);
  const bytesOf = (index: number): number => slotBytes(tc, index, table.cellLog, figures.tableFraming);
  if (slot > last) {
    const clamped = kernel.cost === 'table-clamped';
    const priced = clamped ? bytesOf(last) : bytesOf(last) * (slot >> 8) + bytesOf(slot & last);
    return { sizeBytes, bytesPerSecond, slot, pricedBytes: priced, ...end };
  }
  const { exactMicroseconds, wholeMicroseconds } = transmitTime(
    tc,
    bytesPerSecond,
    bytesOf(slot),
    kernel.netlinkTickNs,
  );
  return {
    sizeBytes,
    bytesPerSecond,
    slot,
    pricedBytes: bytesOf(slot),
    exactMicroseconds,
    ...(wholeMicroseconds === undefined ? {} : { wholeMicroseconds }),
    ...end,
  };
}

/**
 * The rate of a class that is limited by one bucket and woken late each time (bit/s).
 *
 * While the kernel is not asked, tokens grow no further than the bucket: what a wake-up comes later than the bucket
 * takes to fill is lost. Holds for a leaf that has packets waiting and no arrivals, which would also ask.
 */
export function lateRateBitsPerSecond(steps: CostSteps, bufferNs: number, latencyNs: number): number {
  if (latencyNs <= bufferNs || steps.costNs === 0) return steps.bitsPerSecond;
  // A full bucket lets pass all that fits and one packet more.
  const packets = Math.floor(bufferNs / steps.costNs) + 1;
  const periodNs = packets * steps.costNs - bufferNs + latencyNs;
  return (packets * steps.sizeBytes * 8e9) / periodNs;
}

/** Something about a configuration that its owner may not expect; the kernel accepts it. */
export interface HtbNote {
  readonly path: readonly string[];
  readonly text: string;
}

/** Finds what is allowed, but does something else than it says. */
export function htbNotes(values: HtbValues): HtbNote[] {
  const notes: HtbNote[] = [];
  const { kernel } = htbRules(values);
  const names = Object.keys(values.classes);
  const figures = names.map((name) => classFigures(values, name));
  const parents = new Set(figures.map(({ parentId }) => parentId));
  for (const { name, id, parentId, rate, ceil, quantumRule, quantumBytes, kernelFraming } of figures) {
    const note = (key: string, text: string): void => {
      notes.push({ path: ['classes', name, key], text });
    };
    const given = values.classes[name]!;
    const inner = parents.has(id);
    if (parentId === 0 && ceil.bytesPerSecond > rate.bytesPerSecond) {
      note('ceil', 'a class without parent cannot use a ceil above its rate: nobody lends to it');
    }
    if (ceil.bytesPerSecond < rate.bytesPerSecond) note('ceil', 'ceil below rate: the ceil is what limits the class');
    if (given.prio > 7) note('prio', 'a prio above 7 acts as 7');
    if (inner && given.prio > 0)
      note('prio', 'the prio of a class with children is ignored: priorities are those of leaves');
    if (inner && quantumRule === 'given') note('quantum', 'the quantum of a class with children is ignored');
    if (!inner && quantumRule === 'raised')
      note('quantum', `rate / r2q is below 1000: quantum is ${quantumBytes} bytes`);
    if (!inner && quantumRule === 'lowered') {
      note('quantum', `rate / r2q is above 200000: quantum is ${quantumBytes} bytes`);
    }
    for (const { key, text } of ignoredFraming(kernel, kernelFraming)) note(key, text);
    for (const bucket of ['rate', 'ceil'] as const) {
      const { bufferNs, keptBytes, shown } = burstSteps(values, name, bucket);
      const key = bucket === 'rate' ? 'burst' : 'cburst';
      if (bufferNs < LATE_WAKE_UP_NS) {
        const microseconds = Math.floor(bufferNs / 100) / 10;
        note(
          key,
          `the bucket holds ${Math.floor(keptBytes)} bytes (tc shows ${shown}): a wake-up later than ${microseconds} µs loses rate`,
        );
      }
    }
  }
  const defaultId = values.default ?? 0;
  if ((defaultId & 0xffff) !== 0 && parents.has(defaultId)) {
    notes.push({
      path: ['default'],
      text: 'the default class has children: packets that name no leaf go to the direct queue, unshaped',
    });
  }
  if (values.hysteresis ?? kernel.hysteresis) {
    notes.push({ path: ['hysteresis'], text: 'with hysteresis a class sends down to minus one burst: bursts double' });
  }
  return notes;
}
