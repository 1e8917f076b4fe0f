import { describe, expect, test } from 'vitest';
import { concise, deviation, figure, figureColumn, fixed, measureOf } from '../../../sim/output/figures.ts';

describe('figures', () => {
  test.each([
    [656_250_000, 'rate', '656.25 Mbit/s'],
    [9_999_000_000, 'rate', '9,999 Mbit/s'],
    [40e9, 'rate', '40 Gbit/s'],
    [0, 'rate', '0 bit/s'],
    [0.010239744, 'time', '10.24 ms'],
    [8.192e-6, 'time', '8.192 µs'],
    [0, 'time', '0 s'],
    [97_656, 'count', '97,656'],
    [0.305, 'share', '30.5 %'],
    [28.94, 'percent', '28.94 %'],
    [5_242_880, 'bytes', '5,242.9 kB'],
  ] as const)('%d as a %s is written %s', (value, measure, text) => {
    expect(figure(value, measure)).toBe(text);
  });

  test('are known by their path in the result', () => {
    const of = (path: string) => measureOf(path.split('.'));
    expect(of('flows.generator.bitsPerSecond.frame')).toBe('rate');
    expect(of('flows.generator.packetsPerSecond')).toBe('countRate');
    expect(of('flows.generator.delaySeconds.p99')).toBe('time');
    expect(of('flows.generator.transfer.seconds')).toBe('time');
    expect(of('flows.generator.transfer.deviationPercent')).toBe('percent');
    expect(of('hops.wan.link.busyFraction')).toBe('share');
    expect(of('flows.generator.sentBytes')).toBe('bytes');
    expect(of('hops.wan.classes.1:10.lended')).toBe('plain');
  });

  test('lose trailing zeros, but none of a whole number', () => {
    expect([concise(500), concise(0.5), concise(1234.5), concise(-2.5)]).toEqual(['500', '0.5', '1,234.5', '-2.5']);
  });

  test('are not written as minus zero', () => {
    expect([fixed(-0.001, 2), deviation(-0.001)]).toEqual(['0.00', '0.00 %']);
  });

  test('show deviations with their sign', () => {
    expect([deviation(18.24), deviation(-0.079), deviation(9.999)]).toEqual(['+18.2 %', '-0.08 %', '+10.0 %']);
  });
});

describe('a column of figures', () => {
  test('has one unit, and only the decimals that one of them needs', () => {
    expect(figureColumn([546_875_000, 656_250_000], 'rate')).toEqual({ unit: 'Mbit/s', cells: ['546.88', '656.25'] });
    expect(figureColumn([500e6, 1000e6], 'rate')).toEqual({ unit: 'Mbit/s', cells: ['500', '1,000'] });
  });

  test('keeps three digits of the smallest figure where a column mixes scales', () => {
    // limits of 1k, 10k and 1M bytes a second
    expect(figureColumn([8192, 81_920, 8_388_608], 'rate')).toEqual({
      unit: 'Mbit/s',
      cells: ['0.00819', '0.08192', '8.38861'],
    });
    expect(figureColumn([0, 8192], 'rate')).toEqual({ unit: 'kbit/s', cells: ['0.000', '8.192'] });
  });

  test('leaves out what is missing', () => {
    expect(figureColumn([undefined, 1e6], 'rate').cells).toEqual(['', '1']);
  });
});
