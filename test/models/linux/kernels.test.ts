import { describe, expect, it } from 'vitest';
import { defaultTcVersion, kernelRules, tcRules } from '../../../models/linux/kernels.ts';

describe('kernel versions', () => {
  it.each([
    ['2.6.22', 1024, 'table-clamped', true],
    ['2.6.22.18', 1024, 'table-clamped', true],
    ['2.6.24', 1024, 'table', true],
    ['2.6.25', 1024, 'table', true],
    ['2.6.26', 1024, 'table', false],
    ['2.6.30', 1024, 'table', false],
    ['2.6.31', 64, 'table', false],
    ['3.6', 64, 'table', false],
    ['3.7.10', 64, 'table', false],
    ['3.8', 1, 'fixed-point', false],
    ['6.12.117', 1, 'fixed-point', false],
    ['6.18', 1, 'fixed-point', false],
    ['thread', 1000, 'exact', false],
  ])('%s has ticks of %i ns, prices by %s', (version, tickNs, cost, hysteresis) => {
    expect(kernelRules(version)).toMatchObject({ version, tickNs, cost, hysteresis });
  });

  it.each([
    '2.6',
    '2.6.21',
    '2.6.40',
    '2.4.37',
    '3',
    '3.20',
    '4.21',
    '6.19',
    '7.0',
    '6.12-rc1',
    'v6.12',
    'thread2',
    '',
  ])('refuses %s', (version) => {
    expect(kernelRules(version)).toBeUndefined();
  });

  it('counts seconds as the kernel does: 1e9 / 1024 and 1e9 / 64, cut', () => {
    expect(kernelRules('2.6.24')!.ticksPerSecond).toBe(976562);
    expect(kernelRules('3.6')!.ticksPerSecond).toBe(15625000);
  });

  it('takes overhead, ATM cells and mpu into account again one after the other', () => {
    const flags = ['3.7', '3.8', '3.10', '3.11', '4.9.79', '5.17'].map((version) => {
      const { addsOverhead, countsCells, raisesToMpu } = kernelRules(version)!;
      return [version, addsOverhead, countsCells, raisesToMpu];
    });
    expect(flags).toEqual([
      ['3.7', true, false, false],
      ['3.8', false, false, false],
      ['3.10', true, false, false],
      ['3.11', true, true, false],
      ['4.9.79', true, true, false],
      ['5.17', true, true, true],
    ]);
  });

  it('counts a leaf at the enqueue up to 3.4 and at the dequeue from 3.6', () => {
    expect(kernelRules('3.4.11')!.leafSentAt).toBe('enqueue');
    expect(kernelRules('3.6')!.leafSentAt).toBe('dequeue');
  });
});

describe('tc versions', () => {
  it.each([
    ['2.6.23', 'whole-microseconds', 'lower', false],
    ['2.6.24', 'whole-microseconds', 'upper', false],
    ['3.13', 'whole-microseconds', 'upper', false],
    ['3.14', 'whole-microseconds', 'upper', true],
    ['6.14', 'whole-microseconds', 'upper', true],
    ['6.15', 'rounded-up', 'upper', true],
    ['6.17', 'rounded-up', 'upper', true],
    ['6.18', 'rounded-up-held', 'upper', true],
    ['7.0', 'rounded-up-held', 'upper', true],
  ])('%s computes times %s and prices slots for their %s bound', (version, transmitTime, slotBound, wideRates) => {
    expect(tcRules(version)).toMatchObject({ version, transmitTime, slotBound, wideRates });
  });

  it.each(['2.6.21', '7.1', '8.0', 'iproute2-6.1'])('refuses %s', (version) => {
    expect(tcRules(version)).toBeUndefined();
  });

  it('goes with the kernel of the same number, an old one with the thread', () => {
    expect(defaultTcVersion('3.6')).toBe('3.6');
    expect(defaultTcVersion('thread')).toBe('2.6.23');
  });

  it('knows a tc for every kernel', () => {
    for (const version of ['2.6.22', '2.6.39', '3.0', '3.19', '4.20', '5.19', '6.18', '2.6.22.18', '6.12.117']) {
      expect(tcRules(defaultTcVersion(version))).toBeDefined();
    }
  });
});
