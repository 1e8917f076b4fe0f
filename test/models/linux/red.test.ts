import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RED_CERTAINLY, RED_PASS, RedControl } from '../../../models/linux/red-control.ts';
import { redParameters } from '../../../models/linux/red-tc.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';
import { valuesOf } from './values-of.ts';

const manpage = { limit: 400_000, min: 30_000, max: 90_000, avpkt: 1000, burst: 55, bandwidth: 10e6 };
const parameters = redParameters(valuesOf('red', manpage), 400_000, true);
const never = (): number => {
  throw new Error('a draw');
};

describe("tc's arithmetic for RED", () => {
  it('finds the defaults from limit and avpkt', () => {
    // max 60000 / 4, min a third of it, burst (2 * 5000 + 15000) / 3000.
    const found = redParameters(valuesOf('red', { limit: 60_000, avpkt: 1000 }), 60_000, true);
    expect(found).toMatchObject({ minBytes: 5000, maxBytes: 15_000, burstPackets: 8 });
  });

  it('has an empty idle table where a packet takes no whole microsecond', () => {
    // 1000 bytes at 10 Gbit/s take 0.8 µs, which tc cuts to 0.
    const { idleShifts } = redParameters(valuesOf('red', { ...manpage, bandwidth: 10e9, tc: '6.1' }), 400_000, true);
    expect([...idleShifts]).toEqual([...Array(255).fill(0), 31]);
  });
});

describe('the average of RED', () => {
  it('takes a 32nd of each backlog with a weight of 2^-5', () => {
    const control = new RedControl(parameters, 1, never);
    control.add(0, 32_000);
    expect(control.average[0]! / 32).toBe(1000);
  });

  it('passes all below min without a draw and none from max on', () => {
    const control = new RedControl(parameters, 1, never);
    control.average[0] = 30_000 * 32 - 1;
    expect(control.decide(0)).toBe(RED_PASS);
    control.average[0] = 90_000 * 32;
    expect(control.decide(0)).toBe(RED_CERTAINLY);
  });

  it('decays while idle as 64-bit integers do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 }), fc.integer({ min: 0, max: 2 ** 40 }), (average, idleNs) => {
        const control = new RedControl(parameters, 1, never);
        control.average[0] = average;
        const longest = 255n << BigInt(parameters.cellLog);
        let idle = BigInt(idleNs) / 1000n;
        if (idle > longest) idle = longest;
        const shift = BigInt(parameters.idleShifts[Number((idle >> BigInt(parameters.cellLog)) & 255n)]!);
        const wide = BigInt(average);
        const loss = BigInt.asUintN(64, wide * idle) >> BigInt(parameters.cellLog);
        const linear = loss < wide >> 1n ? wide - loss : wide >> 1n;
        expect(control.decayed(0, idleNs)).toBe(Number(shift > 0n ? wide >> shift : linear));
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe('red', () => {
  const overload = burstOf(2000, 1000, { intervalNs: 500_000 });
  const link = { linkBitsPerSecond: 8e6, durationNs: 1e9 };

  it('keeps the average between min and max where dropping early is enough', () => {
    const { root } = run(nested('red', { ...manpage, probability: 0.5 }), [overload], link);
    const { qavg, forcedDrop, probDrop } = root.report(0).counters;
    expect(qavg! / 32).toBeGreaterThan(30_000);
    expect(qavg! / 32).toBeLessThan(90_000);
    expect(probDrop).toBeGreaterThan(0);
    expect(forcedDrop).toBe(0);
  });

  it('with ecn marks and, with nodrop, never drops early', () => {
    const given = { ...manpage, ecn: true, nodrop: true, limit: 4_000_000 };
    const plain = { ...overload, flow: 2, startNs: 1000 };
    const { root, fates } = run(nested('red', given), [{ ...overload, ecn: 2 }, plain], link);
    const { probMark, forcedMark } = root.report(0).counters;
    expect(probMark! + forcedMark!).toBeGreaterThan(0);
    expect(fates.some(({ end }) => end === 'dropped')).toBe(false);
  });

  it('below a tbf, which peeks, does not notice that it is idle again', () => {
    const pause = [overload, burstOf(1, 1000, { flow: 2, startNs: 30e9 })];
    const child = nested('red', manpage);
    const alone = run(child, pause, { linkBitsPerSecond: 8e6 }).root.report(0).counters;
    const { children } = run(nested('tbf', { rate: 8e6, burst: 3000, limit: 1, qdisc: child }), pause).root.report(0);
    expect(alone.idlestart).toBeGreaterThan(0);
    expect(alone.qavg).toBeLessThan(1000 * 32);
    expect(children['1:1']!.counters.idlestart).toBe(0);
    expect(children['1:1']!.counters.qavg).toBeGreaterThan(1000 * 32);
  });
});
