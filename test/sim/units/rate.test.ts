import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRate, parseRate, printRateAsTc, writeRate } from '../../../sim/units/rate.ts';
import { UnitError } from '../../../sim/units/unit-error.ts';

describe('a rate is read as tc reads it', () => {
  // Bytes a second that tc of iproute2 6.1 put into its netlink message for each text.
  test.each([
    ['1.5kbit', 187],
    ['1kibit', 128],
    ['1000', 125],
    ['1e6', 125_000],
    ['0x10kbit', 2000],
    ['1Kbps', 1000],
    ['1KiBps', 1024],
    ['1tbit', 125_000_000_000],
    ['4.35mbit', 543_750],
    ['656.25mbit', 82_031_250],
    ['8.9bit', 1],
    ['+5mbit', 625_000],
    ['.5mbit', 62_500],
    ['5.mbit', 625_000],
    ['1MIBIT', 131_072],
    ['1e3kbit', 125_000],
    ['1.1kbit', 137],
    ['40gbit', 5_000_000_000],
    ['1tibps', 1_099_511_627_776],
  ])('%s is %d bytes/s to tc', (text, bytesPerSecond) => {
    expect(Math.trunc(parseRate(text) / 8)).toBe(bytesPerSecond);
  });

  test('what is above 0 and below 1 bit/s is refused, as 0 is without a limit in places', () => {
    expect(() => parseRate('0.0001bit')).toThrow('expected a rate of at least 1bit, or 0 but received "0.0001bit"');
    expect(() => parseRate('0.9')).toThrow(UnitError);
    expect(['0', '0mbit', '0.0', '1bit', '0.001kbit', '1.9bit'].map(parseRate)).toEqual([0, 0, 0, 1, 1, 1]);
  });

  test('bps counts bytes, whatever the case', () => {
    // 1000 * 8 Mbit/s; 11100 kbit/s * 8; 5 Mbit/s * 8
    expect(['1000Mbps', '11100Kbps', '5Mbps'].map(parseRate)).toEqual([8e9, 88.8e6, 40e6]);
  });

  test.each(['1k', '800Kib', '', 'fast', '10 mbit', '1_000', '1,5mbit', 'inf', 'mbit', '1kbitt'])(
    '%j is refused',
    (text) => {
      expect(() => parseRate(text)).toThrow(UnitError);
    },
  );

  test.each([
    ['10%', /no device/],
    ['10 mbit', /without a space: 10mbit/],
    ['1,5mbit', /with a point: 1\.5mbit/],
    ['1_000', /without a separator: 1000/],
    ['10Mb', /10mbit .* 10mbps/],
    ['800Ki', /800kibit .* 800kibps/],
    ['fast', /500kbit/],
  ])('%s is refused with the hint %s', (text, hint) => {
    try {
      parseRate(text);
      expect.unreachable();
    } catch (error) {
      expect((error as UnitError).received).toBe(JSON.stringify(text));
      expect((error as UnitError).hint).toMatch(hint);
    }
  });

  test('a negative rate and one beyond exact integers are refused', () => {
    expect(() => parseRate('-1mbit')).toThrow('expected a rate of 0 or more but received "-1mbit"');
    expect(() => parseRate('1e16bit')).toThrow(UnitError);
  });
});

test('writing a rate and reading it again gives the same number', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (rate) => parseRate(writeRate(rate)) === rate));
});

test('a rate is written with the largest unit that divides it', () => {
  expect([555e6, 656_250_000, 1e9, 1001, 0].map(writeRate)).toEqual([
    '555mbit',
    '656250kbit',
    '1gbit',
    '1001bit',
    '0bit',
  ]);
});

test('tc prints up to six digits before it goes on to the next prefix', () => {
  // From `tc class show` of iproute2 6.1: 40mbit, 800kbit, 1mbit; the others by the same rule.
  expect([40e6, 800e3, 1e6, 656_250_000, 1_234_567_000, 999].map(printRateAsTc)).toEqual([
    '40Mbit',
    '800Kbit',
    '1Mbit',
    '656250Kbit',
    '1234Mbit',
    '992bit',
  ]);
});

test('people read a rate with three decimals at most', () => {
  expect([656_250_000, 654_773_221, 999_999_999, 8, 0].map(formatRate)).toEqual([
    '656.25 Mbit/s',
    '654.773 Mbit/s',
    '1 Gbit/s',
    '8 bit/s',
    '0 bit/s',
  ]);
});
