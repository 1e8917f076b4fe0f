import { parseRate } from '../units/rate.ts';
import type { TcClass, TcDevice } from './model.ts';

const LINK_RATES = [1e9, 1e10, 1e11, 1e12, 1e13];

/** The rate of the line that a device is taken to have: well above all that is configured on it (bit/s). */
export function linkRateFor(device: TcDevice): number {
  const rates = [...device.classes, ...device.qdiscs].flatMap(({ options }) =>
    [options.rate, options.ceil, options.peakrate].filter((rate) => typeof rate === 'string').map(parseRate),
  );
  const most = Math.max(0, ...rates);
  return LINK_RATES.find((rate) => rate >= most * 1.1) ?? 0;
}

/** The classes of a device by their ids. */
export function classesById(device: TcDevice): ReadonlyMap<number | undefined, TcClass> {
  return new Map(device.classes.map((entry) => [entry.id, entry]));
}

/** The most that a class may send (bit/s): its ceil, or less where nobody above lends, but never less than its own rate. */
export function classLimit(classes: ReadonlyMap<number | undefined, TcClass>, id: number | undefined): number {
  const entry = classes.get(id);
  if (entry === undefined) return Number.POSITIVE_INFINITY;
  const { rate, ceil } = entry.options;
  const own = parseRate(String(rate));
  return Math.min(parseRate(String(ceil ?? rate)), Math.max(own, classLimit(classes, entry.parent)));
}

/** The least rate that a qdisc without classes on the device lets through; Infinity if none has one (bit/s). */
export function leastQdiscRate(device: TcDevice): number {
  const rates = device.qdiscs.map(({ options }) => options.rate).filter((rate) => typeof rate === 'string');
  return Math.min(...rates.map(parseRate));
}
