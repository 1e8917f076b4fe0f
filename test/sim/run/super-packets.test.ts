import { describe, expect, it } from 'vitest';
import { modelsOf } from '../../../models/registry.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';

/** Ten segments of 1000 bytes behind 42 bytes of headers each, as the kernel counts them, in one super-packet. */
const SUPER_BYTES = 10 * 1042;

function run(kernel: string) {
  const document = {
    duration: '11s',
    warmup: '1s',
    hops: {
      host: {
        shaper: 'htb',
        kernel,
        default: '1:10',
        classes: { '1:10': { rate: '8mbit', mtu: '70000b' } },
        link: { rate: '1gbit' },
      },
    },
    flows: { a: { source: 'cbr', rate: '20mbit', size: `${SUPER_BYTES}b`, gso: '1000b', via: ['host'] } },
  };
  const point = checkDocument(document, { registry: { modelsOf } }).pointAt(0);
  return simulate(point, { buckets: 0 });
}

describe('a super-packet', () => {
  it('counts as the packets that the network card cuts it into, with the headers of each', () => {
    const { flows, hops } = run('6.12');
    const { bitsPerSecond, receivedPackets } = flows.a!;
    expect(hops.host!.classes['1:10']!.sentPackets % 10).toBe(0);
    expect(receivedPackets).toBeGreaterThan(900);
    expect(bitsPerSecond.goodput / bitsPerSecond.accounted).toBeCloseTo(10_000 / SUPER_BYTES, 12);
    // 4 bytes of FCS a frame, ten frames.
    expect(bitsPerSecond.frame / bitsPerSecond.accounted).toBeCloseTo((SUPER_BYTES + 40) / SUPER_BYTES, 12);
  });

  it('is charged with the headers of all segments from 3.9 on, before with those of one', () => {
    const rate = (kernel: string): number => run(kernel).flows.a!.bitsPerSecond.accounted;
    // The warm-up empties the bucket; what is left is one packet of 959 in 10 s.
    expect(Math.abs(rate('3.10') / 8e6 - 1)).toBeLessThan(0.0012);
    expect(Math.abs(rate('3.8') / (8e6 * (SUPER_BYTES / (SUPER_BYTES - 9 * 42))) - 1)).toBeLessThan(0.0012);
  });
});
