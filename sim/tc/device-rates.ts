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

/** The least of what a class and each class above it may use at most (bit/s). */
export function classLimit(device: TcDevice, id: number): number {
  const rates: number[] = [];
  for (let entry = device.classes.find((candidate) => candidate.id === id); entry !== undefined; ) {
    const { options, parent }: TcClass = entry;
    const { rate, ceil } = options;
    rates.push(parseRate(String(ceil ?? rate)));
    entry = device.classes.find((candidate) => candidate.id === parent);
  }
  return Math.min(...rates);
}
