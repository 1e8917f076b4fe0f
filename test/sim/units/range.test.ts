import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRange, type ValueRange } from '../../../sim/units/range.ts';
import { parseRate } from '../../../sim/units/rate.ts';
import { UnitError } from '../../../sim/units/unit-error.ts';

const valuesOf = (range: ValueRange): string[] => Array.from({ length: range.length }, (_, i) => range.at(i));
const read = (text: string): string[] => valuesOf(parseRange(text));

test('a list keeps its values as written', () => {
  expect(read('10Mbit, 2.0,x')).toEqual(['10Mbit', '2.0', 'x']);
});

describe('a range with a step', () => {
  test('is written in the unit of its beginning, exactly', () => {
    const values = read('100mbit..1gbit/10mbit');
    expect(values).toHaveLength(91);
    expect([values[0], values[1], values[90]]).toEqual(['100mbit', '110mbit', '1gbit']);
  });

  test.each([
    ['1mbit..2mbit/300kbit', ['1mbit', '1300kbit', '1600kbit', '1900kbit']],
    ['1Mibit..2Mibit/512Kibit', ['1Mibit', '1536Kibit', '2Mibit']],
    ['1kbps..2kbps/500bps', ['1kbps', '1500bps', '2kbps']],
    ['1k..2k/512b', ['1k', '1536b', '2k']],
    ['1MiB..3MiB/1MiB', ['1MiB', '2MiB', '3MiB']],
    ['0..20ms/10ms', ['0ns', '10ms', '20ms']],
    ['0%..1%/0.5%', ['0%', '0.5%', '1%']],
    ['0.1..0.4/0.1', ['0.1', '0.2', '0.3', '0.4']],
    ['64..66/1', ['64', '65', '66']],
    ['100p..200p/50p', ['100p', '150p', '200p']],
    ['5..5/1', ['5']],
  ])('%s gives %j', (text, values) => {
    expect(read(text)).toEqual(values);
  });

  test('of a billion values is made at once and read at its end', () => {
    const range = parseRange('1..1000000000/1');
    expect(range.length).toBe(1e9);
    expect(range.at(999_999_999)).toBe('1000000000');
  });

  test('of rates reads back as equal steps', () => {
    const naturals = fc.integer({ min: 1, max: 1e6 });
    fc.assert(
      fc.property(naturals, naturals, fc.integer({ min: 0, max: 50 }), (from, step, count) => {
        const rates = read(`${from}kbit..${from + step * count}kbit/${step}kbit`).map(parseRate);
        expect(rates).toEqual(Array.from({ length: count + 1 }, (_, i) => (from + step * i) * 1000));
      }),
    );
  });
});

describe('a range with a factor', () => {
  test.each([
    ['1mbit..1gbit*10', ['1mbit', '10mbit', '100mbit', '1gbit']],
    ['64b..1kb*2', ['64b', '128b', '256b', '512b', '1kb']],
    ['1..1000*10', ['1', '10', '100', '1000']],
    // 1000 bit/s * 1.5 and * 2.25, and 3375 is beyond the end
    ['1kbit..3kbit*1.5', ['1kbit', '1500bit', '2250bit']],
  ])('%s gives %j', (text, values) => {
    expect(read(text)).toEqual(values);
  });
});

test.each([
  '1..10',
  '10..1/1',
  '1..10/0',
  '1mbit..10/1mbit',
  '1mbit..10ms/1',
  '1..10*1',
  '0..10*2',
  'a,,b',
  '',
  '1..x/1',
])('%j is refused', (text) => {
  expect(() => parseRange(text)).toThrow(UnitError);
});
