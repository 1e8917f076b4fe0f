import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kernelRules, tcRules } from '../../../models/linux/kernels.ts';
import { fixedPointRate, PacketCost } from '../../../models/linux/packet-cost.ts';
import { rateTable } from '../../../models/linux/tc.ts';

const plain = { mtuBytes: 1600, mpuBytes: 0, overheadBytes: 0, atm: false };

describe('the fixed-point form of a rate', () => {
  it.each([
    [1, 4000000000, 2],
    [1000, 4096000000, 12],
    [1250000, 3355443200, 22],
  ])('of %i bytes/s', (rate, mult, shift) => {
    expect(fixedPointRate(rate)).toEqual({ mult, shift });
  });

  it('has 32 bits, and never prices above the true value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000_000 }), fc.integer({ min: 1, max: 65535 }), (rate, size) => {
        const { mult, shift } = fixedPointRate(rate);
        expect(mult).toBeGreaterThanOrEqual(2 ** 31);
        expect(mult).toBeLessThan(2 ** 32);
        const exact = (BigInt(size) * BigInt(mult)) >> BigInt(shift);
        const cost = new PacketCost(kernelRules('6.12')!, rate, plain).ticks(size);
        expect(BigInt(cost)).toBe(exact);
        expect(BigInt(cost) * BigInt(rate)).toBeLessThanOrEqual(BigInt(size) * 1_000_000_000n);
      }),
    );
  });
});

describe('what a packet costs', () => {
  it('with the thread’s accounting, in whole microseconds: 800 bytes at 550 Mbit/s take 11 ticks', () => {
    // 800 / 68750000 s = 11.64 µs; 10^6 / 11 = 90909 packets/s, 581.8 Mbit/s.
    const cost = new PacketCost(kernelRules('thread')!, 68750000, plain).ticks(800);
    expect(cost).toBe(11);
    expect(Math.floor(1e6 / cost)).toBe(90909);
    expect((1e6 / cost) * 6400).toBeCloseTo(581.8e6, -5);
  });

  it('counts overhead, mpu and cells where the kernel does', () => {
    const framing = { mtuBytes: 1600, mpuBytes: 84, overheadBytes: 24, atm: false };
    const ns = (version: string, size: number, atm = false) =>
      new PacketCost(kernelRules(version)!, 1e6, { ...framing, atm }).ticks(size) / 1000;
    // 1 µs a byte. 40 + 24 = 64 → 84 with mpu.
    expect(['3.9', '3.10', '4.9.79', '6.12'].map((version) => ns(version, 40))).toEqual([40, 64, 64, 84]);
    // 84 bytes are two cells, 106 bytes; 64 are two as well.
    expect(['3.10', '3.11', '6.12'].map((version) => ns(version, 40, true))).toEqual([64, 106, 106]);
  });

  it('beyond the table is that of its last slot up to 2.6.23, then a sum', () => {
    const tc = tcRules('2.6.23')!;
    // 125000 B/s: 8 µs a byte, 7.8125 ticks of 1024 ns; slot 255 is priced for 2040 bytes: 16320 µs → 15937 ticks.
    const table = rateTable(tc, 125000, 1024, plain);
    const clamped = new PacketCost(kernelRules('2.6.23')!, 125000, plain, table);
    expect(clamped.ticks(2047)).toBe(15937);
    expect(clamped.ticks(12800)).toBe(15937);
    expect([2047, 2048].map((size) => clamped.isGiant(size))).toEqual([false, true]);
    // 12800 >> 3 = slot 1600 = 6 × 256 + 64; slot 64 is 512 bytes: 4096 µs → 4000 ticks.
    const summed = new PacketCost(kernelRules('2.6.24')!, 125000, plain, table);
    expect(summed.ticks(12800)).toBe(6 * 15937 + 4000);
    expect(summed.isGiant(12800)).toBe(false);
  });
});
