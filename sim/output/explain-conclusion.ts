import type { HopSpec, LinkSpec } from '../scenario/scenario.ts';
import { type ClassRates, mostOfClass, type NamedClass } from './class-of-flow.ts';
import type { ExplainedPacket } from './explained-packet.ts';
import type { Prediction } from './explanation.ts';
import { deviation, figure } from './figures.ts';

/** A packet and what it costs; 0 ns: less than a tick. */
export interface PricedPacket<Steps extends { readonly costNs: number } = { readonly costNs: number }> {
  readonly packet: ExplainedPacket;
  readonly steps: Steps;
}

/** What a limiter is set to, in words. */
interface Limit {
  readonly bitsPerSecond: number;
  /** `the class's own rate of 8 Mbit/s`. */
  readonly what: string;
  /** `the class`. */
  readonly who: string;
}

/** What a class gives to the packets that stray farthest, in a sentence: its own rate or ceil, loans, and the line. */
export function concludeClass(
  hop: HopSpec,
  line: readonly NamedClass[],
  prices: readonly PricedPacket[],
): string | undefined {
  const { rate = 0, ceil = rate } = line[0]!.values;
  const isCeil = ceil < rate;
  const own = Math.min(rate, ceil);
  const what = isCeil ? `${ceilText(ceil)} (below its rate of ${figure(rate, 'rate')})` : ownText(rate);
  const sentence = conclude(hop.link, { bitsPerSecond: own, what, who: 'the class' }, prices);
  const most = mostOfClass(line.map(({ values }) => values)) ?? own;
  if (sentence === undefined || most <= own) return sentence;
  const by =
    most < ceil ? `the most that ${line[1]!.name} can lend it, below its ceil of ${figure(ceil, 'rate')}` : 'its ceil';
  const { link } = hop;
  const packet = farthest(prices, own)!.packet;
  const carried = carriedBitsPerSecond(link, packet);
  const lineBound =
    carried < most ? `; the line of ${figure(link.rateBitsPerSecond, 'rate')} carries ${figure(carried, 'rate')}` : '';
  return `${sentence} What others leave it may borrow up to ${figure(most, 'rate')}, ${by}${lineBound}.`;
}

/** What a limiter gives to the packets that stray farthest, in a sentence; undefined without packets. */
export function conclude(
  link: LinkSpec,
  { bitsPerSecond, what, who }: Limit,
  prices: readonly PricedPacket[],
): string | undefined {
  const found = farthest(prices, bitsPerSecond);
  if (found === undefined) return undefined;
  const { packet, steps } = found;
  const name = `${packet.segments > 1 ? 'Super-packets' : 'Packets'} of ${packet.sizeBytes} B`;
  const carried = carriedBitsPerSecond(link, packet);
  const line = `the line, ${figure(link.rateBitsPerSecond, 'rate')} with ${link.overheadBytes} B more a frame,`;
  if (steps.costNs === 0) {
    const held = carried === Number.POSITIVE_INFINITY ? '' : `; ${line} carries ${figure(carried, 'rate')} of them`;
    return `${name} cost less than a tick: ${who} does not hold them back${held}.`;
  }
  const limited = (packet.sizeBytes * 8e9) / steps.costNs;
  if (carried < limited) {
    return (
      `${name} leave at ${figure(carried, 'rate')} at most, as tc counts them: ${line} is slower than ` +
      `${what}, which would give ${figure(limited, 'rate')} (${deviation(100 * (limited / bitsPerSecond - 1))}).`
    );
  }
  const framed = limited * (1 + (packet.segments * link.fcsBytes) / packet.sizeBytes);
  return (
    `${name} leave at ${figure(limited, 'rate')}, as tc counts them, by ${what} ` +
    `(${deviation(100 * (limited / bitsPerSecond - 1))}); with their checksum, as an analyser counts them, at ${figure(framed, 'rate')}.`
  );
}

/** What a limiter gives to each kind of packet, to be held against what a run came to. */
export function predict(link: LinkSpec, limit: Limit, prices: readonly PricedPacket[], onLoan: boolean): Prediction[] {
  return prices.flatMap((price) => {
    const { packet, steps } = price;
    const limited = (packet.sizeBytes * 8e9) / steps.costNs;
    const bitsPerSecond = Math.min(limited, carriedBitsPerSecond(link, packet));
    const words = conclude(link, limit, [price]);
    if (words === undefined || bitsPerSecond === Number.POSITIVE_INFINITY) return [];
    return [{ bitsPerSecond, level: 'accounted', sizeBytes: packet.sizeBytes, onLoan, words }];
  });
}

/** {@link predict} for a class: by its own rate and, where it borrows, by its ceil. */
export function predictClass(
  hop: HopSpec,
  { rate = 0, ceil = rate }: ClassRates,
  atRate: readonly PricedPacket[],
  atCeil: readonly PricedPacket[],
): Prediction[] {
  const own = { bitsPerSecond: rate, what: ownText(rate), who: 'the class' };
  const lent = { bitsPerSecond: ceil, what: ceilText(ceil), who: 'the class' };
  const byRate = ceil < rate ? [] : predict(hop.link, own, atRate, false);
  return ceil === rate ? byRate : [...byRate, ...predict(hop.link, lent, atCeil, ceil > rate)];
}

/** The packet whose rate is farthest from the configured one. */
function farthest(prices: readonly PricedPacket[], bitsPerSecond: number): PricedPacket | undefined {
  const stray = ({ packet, steps: { costNs } }: PricedPacket): number =>
    costNs === 0 ? Number.POSITIVE_INFINITY : Math.abs((packet.sizeBytes * 8e9) / costNs / bitsPerSecond - 1);
  return prices.toSorted((a, b) => stray(b) - stray(a))[0];
}

/** What a line carries of packets of one kind, as tc counts them (bit/s); Infinity where it is never busy. */
function carriedBitsPerSecond({ rateBitsPerSecond, overheadBytes }: LinkSpec, packet: ExplainedPacket): number {
  if (rateBitsPerSecond === 0) return Number.POSITIVE_INFINITY;
  return (rateBitsPerSecond * packet.sizeBytes) / (packet.sizeBytes + packet.segments * overheadBytes);
}

function ownText(rate: number): string {
  return `the class's own rate of ${figure(rate, 'rate')}`;
}

function ceilText(ceil: number): string {
  return `the class's ceil of ${figure(ceil, 'rate')}`;
}
