import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tcRules } from '../../../models/linux/kernels.ts';
import {
  atmBytes,
  bytesPerSecond,
  cellLogOf,
  defaultBurstBytes,
  formatTcSize,
  HIGH_RESOLUTION_HZ,
  rateTable,
  transmitSizeBytes,
  transmitTime,
} from '../../../models/linux/tc.ts';

const oldTc = tcRules('2.6.23')!;
const tc61 = tcRules('6.1')!;
const tc615 = tcRules('6.15')!;
const tc618 = tcRules('6.18')!;

/** What tc shows of a burst that it sent itself. */
function shown(
  tc: typeof tc61,
  rateBitsPerSecond: number,
  burst: number | undefined,
  hz: number,
  tickNs: number,
  mtu = 1600,
) {
  const rate = bytesPerSecond(rateBitsPerSecond);
  const bytes = burst ?? defaultBurstBytes(rate, hz, mtu);
  return formatTcSize(transmitSizeBytes(tc, rate, transmitTime(tc, rate, bytes, tickNs).ticks, tickNs));
}

describe('bursts that tc shows', () => {
  it.each([
    [555e6, '70901b'],
    [1000e6, '126375b'],
  ])('at hz 1000, ticks of 1024 ns and %i bit/s: %s', (rate, text) => {
    expect(shown(oldTc, rate, undefined, 1000, 1024)).toBe(text);
  });

  it.each([
    [100e6, '1600b'],
    [300e6, '1537b'],
    [500e6, '1500b'],
    [662e6, '1489b'],
    [664e6, '1494b'],
    [1e9, '1375b'],
    [10e9, '0b'],
  ])('with high-resolution timers, ticks of 64 ns, tc up to 6.14 and %i bit/s: %s', (rate, text) => {
    expect(shown(tc61, rate, undefined, HIGH_RESOLUTION_HZ, 64)).toBe(text);
  });

  it.each([
    [20e3, undefined, 1600, '1600b'],
    [20e3, 1000, 1600, '1000b'],
    [20e3, undefined, 2048, '2Kb'],
  ])('at %i bit/s with burst %s and mtu %i: %s', (rate, burst, mtu, text) => {
    expect(shown(tc61, rate, burst, HIGH_RESOLUTION_HZ, 64, mtu)).toBe(text);
  });

  it('shows a byte less than was given at one of two rates', () => {
    // 1749 B at 101250 B/s: 17274 µs → 269906 ticks → 17273 µs → 1748 B; at 1312500 B/s: 1332 µs → 20812 → 1331 → 1746.
    expect(shown(tc61, 810e3, 1749, HIGH_RESOLUTION_HZ, 64)).toBe('1748b');
    expect(shown(tc61, 10_500e3, 1749, HIGH_RESOLUTION_HZ, 64)).toBe('1746b');
  });

  it('from 6.15 differs from what was given by less than a tick', () => {
    // 1600 B at 1 Gbit/s: 12.8 µs are exactly 200 ticks.
    expect(shown(tc615, 1e9, undefined, HIGH_RESOLUTION_HZ, 64)).toBe('1600b');
    // 1601 B at 10 Gbit/s: 20.01 ticks are rounded up to 21, of 80 bytes each.
    expect(shown(tc615, 10e9, undefined, HIGH_RESOLUTION_HZ, 64)).toBe('1680b');
  });
});

describe('time to send', () => {
  it('is cut to whole microseconds and then to whole ticks by a tc before 6.15', () => {
    // 1600 B / 125e6 B/s = 12.8 µs → 12 µs × 15.625 = 187.5 → 187 ticks.
    expect(transmitTime(tc61, 125e6, 1600, 64)).toMatchObject({ wholeMicroseconds: 12, ticks: 187 });
  });

  it('is rounded up once from 6.15', () => {
    // 1601 B / 1.25e9 B/s = 1.2808 µs × 15.625 = 20.0125 ticks.
    expect(transmitTime(tc615, 1.25e9, 1601, 64).ticks).toBe(21);
  });

  it('wraps at 2^32 ticks, and is held there from 6.18', () => {
    // 1600 s × 15625000 = 25e9 ticks; 25e9 mod 2^32 = 3525163520.
    expect(transmitTime(tc61, 1, 1600, 64).ticks).toBe(3525163520);
    expect(shown(tc61, 8, undefined, HIGH_RESOLUTION_HZ, 64)).toBe('225b');
    expect(transmitTime(tc615, 1, 1600, 64).ticks).toBe(3525163520);
    expect(transmitTime(tc618, 1, 1600, 64).ticks).toBe(4294967295);
  });

  it('never shows more than was given before 6.15, and never less from there', () => {
    const rates = fc.integer({ min: 1000, max: 5e9 });
    const sizes = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(rates, sizes, (rate, size) => {
        const cut = transmitTime(tc61, rate, size, 64).ticks;
        const rounded = transmitTime(tc618, rate, size, 64).ticks;
        expect(transmitSizeBytes(tc61, rate, cut, 64)).toBeLessThanOrEqual(size);
        expect(rounded * 64 * rate).toBeGreaterThanOrEqual(size * 1e9 * (1 - 1e-12));
      }),
    );
  });
});

describe('rate tables', () => {
  const framing = { mtuBytes: 1600, mpuBytes: 0, overheadBytes: 0, atm: false };

  it('has cells so large that mtu fits 256 slots', () => {
    expect([0, 255, 256, 1600, 2047, 2048, 9000].map(cellLogOf)).toEqual([3, 0, 1, 3, 3, 4, 6]);
  });

  it('prices a slot for its smallest size up to tc 2.6.23, for its largest from 2.6.24', () => {
    // 836 bytes are in slot 104: 832 or 840 bytes at 69375000 B/s: 11.99 or 12.1 µs → 11 or 12 µs → 10 or 11 ticks.
    expect(rateTable(oldTc, 69375000, 1024, framing).ticks[104]).toBe(10);
    expect(rateTable(tcRules('2.6.24')!, 69375000, 1024, framing).ticks[104]).toBe(11);
    expect(rateTable(oldTc, 69375000, 1024, framing).cellAlignBytes).toBe(0);
    expect(rateTable(tc61, 69375000, 1024, framing).cellAlignBytes).toBe(-1);
  });

  it('holds overhead and mpu in an old table, mpu and cells in a later one', () => {
    const padded = { mtuBytes: 1600, mpuBytes: 84, overheadBytes: 24, atm: false };
    // At 125000 B/s a byte takes 8 µs; ticks of 64 ns: 125 a byte. Slot 4: 32 + 24 → 84 bytes; slot 20: 160 + 24 = 184.
    const old = rateTable(oldTc, 125000, 64, padded).ticks;
    expect([old[4], old[20]]).toEqual([84 * 125, 184 * 125]);
    // From 2.6.24 the kernel adds overhead; slot 4 is for 40 → 84 bytes, slot 20 for 168.
    const later = rateTable(tc61, 125000, 64, padded).ticks;
    expect([later[4], later[20]]).toEqual([84 * 125, 168 * 125]);
    // 168 bytes are 4 cells of 53.
    expect(rateTable(tc61, 125000, 64, { ...padded, atm: true }).ticks[20]).toBe(212 * 125);
  });

  it('fills cells of 48 bytes', () => {
    expect([1, 48, 49, 1500].map(atmBytes)).toEqual([53, 53, 106, 1696]);
  });
});

describe('sizes as tc writes them', () => {
  it.each([
    [0, '0b'],
    [1023, '1023b'],
    [1024, '1Kb'],
    [1039, '1Kb'],
    [1040, '1040b'],
    [9000, '9000b'],
    [20480, '20Kb'],
    [20465, '20Kb'],
    [20464, '20464b'],
    [1048576, '1Mb'],
    [1048576 + 1023, '1Mb'],
    [1048576 + 1024, '1025Kb'],
    [126375, '126375b'],
  ])('%i is %s', (bytes, text) => {
    expect(formatTcSize(bytes)).toBe(text);
  });
});
