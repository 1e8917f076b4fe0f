import { kernelOf, tcOf } from '../../models/linux/kernel-parameters.ts';
import { policeSettings } from '../../models/linux/police-settings.ts';
import { ETHERNET_HEADER_BYTES } from '../../models/linux/qdisc-base.ts';
import { tbfSettings } from '../../models/linux/tbf-settings.ts';
import { bytesPerSecond } from '../../models/linux/tc.ts';
import type { NestedModel } from '../../models/model.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import { microseconds, rateLines } from './explain-price.ts';
import type { Explanation } from './explanation.ts';
import { fixed } from './figures.ts';

/** Explains `tbf` or `police` for packets of the given sizes (bytes); undefined for a policer without a rate. */
export function explainTokenBucket(
  hop: HopSpec,
  { kind, values }: NestedModel,
  sizesBytes: readonly number[],
): Explanation | undefined {
  const rate = values.rate as number | undefined;
  const bucket = kind === 'tbf' ? tbfSettings(values) : policeSettings(values).main;
  if (rate === undefined || bucket === undefined) return undefined;
  const [kernel, tc] = [kernelOf(values), tcOf(values)];
  const bufferNs = bucket.bufferTicks * kernel.tickNs;
  const rateBytes = bytesPerSecond(rate);
  const goneBytes = kind === 'police' && values.ingress === true ? ETHERNET_HEADER_BYTES : 0;
  const prices = sizesBytes.map((sizeBytes) => {
    const chargedBytes = sizeBytes - goneBytes;
    return { sizeBytes, chargedBytes, priceNs: bucket.cost.ticks(chargedBytes) * kernel.tickNs };
  });
  return {
    subject: `${kind} of ${hop.name}`,
    sections: [
      {
        title: 'rate and burst',
        lines: [
          { label: 'rate', value: `${fixed(rateBytes, 0)} bytes/s`, rule: `${fixed(rate, 0)} bit/s / 8` },
          { label: 'burst', value: `${fixed(values.burst as number, 0)} B`, rule: 'as configured' },
          {
            label: 'kernel keeps',
            value: `${fixed(Math.floor((rateBytes * bufferNs) / 1e9), 0)} B`,
            rule: `${microseconds(bufferNs / 1000)} at the rate; kernel ${kernel.version}, tc ${tc.version}`,
          },
        ],
      },
      ...prices.map(({ sizeBytes, chargedBytes, priceNs }) => ({
        title: `packets of ${fixed(sizeBytes, 0)} B`,
        lines: [
          ...(chargedBytes === sizeBytes
            ? []
            : [
                {
                  label: 'length',
                  value: `${fixed(chargedBytes, 0)} B`,
                  rule: `${sizeBytes} B - ${goneBytes} B: the Ethernet header is gone on ingress`,
                },
              ]),
          {
            label: 'price',
            value: microseconds(priceNs / 1000),
            rule: `in ticks of ${kernel.tickNs} ns: ${fixed(priceNs / kernel.tickNs, 0)}`,
          },
          ...rateLines(priceNs, sizeBytes, rate, hop.link),
        ],
      })),
    ],
    warnings: prices
      .filter(({ priceNs }) => priceNs > bufferNs)
      .map(({ sizeBytes }) => `packets of ${sizeBytes} B cost more than the bucket holds: they never pass`),
  };
}
