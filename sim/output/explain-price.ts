import type { CostSteps } from '../../models/linux/htb/explain.ts';
import type { KernelRules, TcRules } from '../../models/linux/kernels.ts';
import { type PacketFraming, TABLE_SLOTS, ticksPerMicrosecond } from '../../models/linux/tc.ts';
import type { LinkSpec } from '../scenario/scenario.ts';
import type { ExplainedPacket } from './explained-packet.ts';
import type { ExplanationLine } from './explanation.ts';
import { concise, deviation, figure, fixed } from './figures.ts';

/** What a price is made by. */
export interface Pricing {
  readonly kernel: KernelRules;
  readonly tc: TcRules;
  /** What the kernel is told of a packet's framing. */
  readonly framing: PacketFraming;
  /** Bytes of a slot of the rate table, and what is added to a length before it is looked up (kernels before 3.8). */
  readonly cellBytes?: number;
  readonly cellAlignBytes?: number;
}

/** Formats µs to the ns: `1,022.976 µs`. */
export function microseconds(value: number): string {
  const [whole = '', fraction] = fixed(value, 3).split('.');
  const rest = fraction?.replace(/0+$/, '') ?? '';
  return `${rest === '' ? whole : `${whole}.${rest}`} µs`;
}

/** Explains how tc makes ticks of a size: `832 B / 69,375,000 B/s = 11.993 µs → 11 µs → 10.742 → 10 ticks of 1024 ns`. */
export function ticksRule(
  sizeBytes: number,
  bytesPerSecond: number,
  time: { readonly exactMicroseconds: number; readonly wholeMicroseconds?: number },
  ticks: number,
  tickNs: number,
): string {
  const { exactMicroseconds, wholeMicroseconds } = time;
  const exactTicks = (wholeMicroseconds ?? exactMicroseconds) * ticksPerMicrosecond(tickNs);
  const steps = [
    `${fixed(sizeBytes, 0)} B / ${fixed(bytesPerSecond, 0)} B/s = ${microseconds(exactMicroseconds)}`,
    ...(wholeMicroseconds === undefined || wholeMicroseconds === exactMicroseconds
      ? []
      : [`${fixed(wholeMicroseconds, 0)} µs`]),
    ...(Number.isInteger(exactTicks) ? [] : [concise(exactTicks)]),
    `${fixed(ticks, 0)} ticks of ${tickNs} ns`,
  ];
  const held = ticks === 2 ** 32 - 1 ? ', the most that fits' : ', what does not fit 32 bits lost';
  return steps.join(' → ') + (exactTicks >= 2 ** 32 ? held : '');
}

/** Explains the price of a packet. */
export function priceLines(steps: CostSteps, pricing: Pricing): ExplanationLine[] {
  return steps.slot === undefined ? computedLines(steps, pricing) : tableLines(steps, steps.slot, pricing);
}

function tableLines(steps: CostSteps, slot: number, { kernel, tc, framing, ...table }: Pricing): ExplanationLine[] {
  const { cellBytes = 1, cellAlignBytes = 0 } = table;
  const clamped = kernel.cost === 'table-clamped';
  const overhead = clamped || !kernel.addsOverhead ? 0 : framing.overheadBytes;
  const align = clamped ? 0 : cellAlignBytes;
  const terms = `${steps.sizeBytes}${overhead === 0 ? '' : ` + overhead ${overhead}`}${align === 0 ? '' : ` - ${-align}`}`;
  const length = terms === String(steps.sizeBytes) ? terms : `(${terms})`;
  // tc asks for the byte less where it prices a cell by its largest size, so that a full cell is not the next one's.
  const aligned = align === 0 ? '' : `; the ${-align} less keeps a size that fills a cell in it`;
  const price = { label: 'price', value: priceValue(steps) };
  if (steps.exactMicroseconds === undefined) {
    const last = TABLE_SLOTS - 1;
    const rule = clamped
      ? `beyond the table: priced as its last cell, ${last}`
      : `beyond the table: ${slot >> 8} × its last cell and cell ${slot & last}`;
    return [
      { label: 'cell', value: `cell ${slot}`, rule: `${length} / ${cellBytes}` },
      { ...price, rule },
    ];
  }
  const bound = tc.slotBound === 'lower' ? 'smallest' : 'largest';
  const { pricedBytes, bytesPerSecond, exactMicroseconds, wholeMicroseconds, costTicks, tickNs } = steps;
  const time = wholeMicroseconds === undefined ? { exactMicroseconds } : { exactMicroseconds, wholeMicroseconds };
  return [
    {
      label: 'cell',
      value: `cell ${slot}, priced as ${fixed(pricedBytes, 0)} B`,
      rule: `${length} / ${cellBytes}; tc ${tc.version} prices a cell of ${cellBytes} B by its ${bound} size${aligned}`,
    },
    { ...price, rule: ticksRule(pricedBytes, bytesPerSecond, time, costTicks, tickNs) },
  ];
}

function computedLines(steps: CostSteps, { kernel, framing }: Pricing): ExplanationLine[] {
  const { sizeBytes, pricedBytes, bytesPerSecond, mult, shift } = steps;
  const lines: ExplanationLine[] = [];
  if (pricedBytes !== sizeBytes) {
    lines.push({ label: 'length', value: `${fixed(pricedBytes, 0)} B`, rule: lengthRule(kernel, sizeBytes, framing) });
  }
  const exactTicks = (pricedBytes * kernel.ticksPerSecond) / bytesPerSecond;
  const rule =
    mult === undefined
      ? `${fixed(pricedBytes, 0)} B / ${fixed(bytesPerSecond, 0)} B/s = ${concise(exactTicks)} ticks, cut to whole ones`
      : `${fixed(pricedBytes, 0)} × ${mult} >> ${shift}${Number.isInteger(exactTicks) ? '' : `; exactly it were ${fixed(exactTicks, 3)} ns`}`;
  return [...lines, { label: 'price', value: priceValue(steps), rule }];
}

function lengthRule(kernel: KernelRules, sizeBytes: number, framing: PacketFraming): string {
  const parts = [`${sizeBytes} B`];
  if (kernel.addsOverhead && framing.overheadBytes > 0) parts.push(`overhead ${framing.overheadBytes} B`);
  if (kernel.raisesToMpu && framing.mpuBytes > 0) parts.push(`at least mpu ${framing.mpuBytes} B`);
  if (kernel.countsCells && framing.atm) parts.push('ATM cells of 53 B for every 48');
  return parts.join(', ');
}

function priceValue({ costTicks, tickNs, costNs }: CostSteps): string {
  if (tickNs === 1) return `${fixed(costNs, 0)} ns`;
  return `${fixed(costTicks, 0)} ticks = ${microseconds(costNs / 1000)}`;
}

/** Rates at which packets of one kind leave at a price each, against the configured rate. */
export function rateLines(
  priceNs: number,
  { sizeBytes, segments, gsoBytes, headersBytes }: ExplainedPacket,
  configuredBitsPerSecond: number,
  link: LinkSpec,
): ExplanationLine[] {
  if (priceNs === 0) {
    return [{ label: 'packets', value: 'unlimited', rule: 'a packet that costs nothing is not held back' }];
  }
  const packetsPerSecond = 1e9 / priceNs;
  const rate = (bytes: number): string => {
    const bitsPerSecond = packetsPerSecond * bytes * 8;
    return `${figure(bitsPerSecond, 'rate')}, ${deviation(100 * (bitsPerSecond / configuredBitsPerSecond - 1))}`;
  };
  const frameBytes = sizeBytes + segments * link.fcsBytes;
  const wireBytes = sizeBytes + segments * link.overheadBytes;
  const each = segments === 1 ? '' : ` of each of its ${segments} frames`;
  const lines: ExplanationLine[] = [
    { label: 'packets', value: `${fixed(packetsPerSecond, 0)} /s`, rule: `1 s / ${microseconds(priceNs / 1000)}` },
    ...(segments === 1
      ? []
      : [
          {
            label: 'frames',
            value: `${fixed(packetsPerSecond * segments, 0)} /s`,
            rule: `× ${segments} segments, up to ${gsoBytes + headersBytes} B each`,
          },
        ]),
    { label: 'accounted', value: rate(sizeBytes), rule: `× ${sizeBytes} B, as tc counts` },
    { label: 'frame', value: rate(frameBytes), rule: `× ${frameBytes} B, as an analyser counts: with FCS${each}` },
    ...(segments === 1
      ? []
      : [
          {
            label: 'payload',
            value: rate(sizeBytes - segments * headersBytes),
            rule: `× ${sizeBytes - segments * headersBytes} B, without ${segments} × ${headersBytes} B of headers`,
          },
        ]),
  ];
  if (link.rateBitsPerSecond > 0) {
    const most = link.rateBitsPerSecond / (wireBytes * 8);
    const verdict = most < packetsPerSecond ? '; the line is the bottleneck' : '';
    lines.push({
      label: 'line',
      value: `${fixed(most, 0)} packets/s`,
      rule: `${figure(link.rateBitsPerSecond, 'rate')} / ${wireBytes} B on the wire${verdict}`,
    });
  }
  return lines;
}
