import type { HtbClassValues, HtbValues } from '../../../../models/linux/htb/class-figures.ts';
import type { Values } from '../../../../models/model.ts';

/** A class with the defaults of the declaration. */
export function htbClass(given: Partial<HtbClassValues> & { rate: number }): HtbClassValues {
  return { prio: 0, mtu: 1600, mpu: 0, overhead: 0, linklayer: 'ethernet', ...given };
}

/** An HTB with the defaults of the declaration. */
export function htbOf(
  classes: Readonly<Record<string, HtbClassValues>>,
  given: Partial<HtbValues> = {},
): Values & HtbValues {
  const values: HtbValues = { r2q: 10, classes, ...given };
  return { ...values };
}
