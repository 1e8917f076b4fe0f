import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration, printDurationAsTc, writeDuration } from '../../../sim/units/duration.ts';
import { UnitError } from '../../../sim/units/unit-error.ts';

test.each([
  ['1s', 1e9],
  ['1sec', 1e9],
  ['2secs', 2e9],
  ['1.5ms', 1_500_000],
  ['1MSEC', 1_000_000],
  ['64us', 64_000],
  ['64usecs', 64_000],
  ['0.1us', 100],
  ['1024ns', 1024],
  ['2.7ns', 3],
  ['5m', 300e9],
  ['5min', 300e9],
  ['1h', 3600e9],
  ['0', 0],
])('%s is %d ns', (text, ns) => {
  expect(parseDuration(text)).toBe(ns);
});

test.each(['5', '-1s', '1 s', '', 'soon', '1x', '105000h'])('%j is refused', (text) => {
  expect(() => parseDuration(text)).toThrow(UnitError);
});

test('a bare number is refused with both readings offered', () => {
  try {
    parseDuration('5');
    expect.unreachable();
  } catch (error) {
    expect((error as UnitError).hint).toBe('a bare number has no unit; did you mean 5s or 5ms?');
  }
});

test('writing a duration and reading it again gives the same number', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (ns) => parseDuration(writeDuration(ns)) === ns));
});

test('tc prints three significant digits, and whole microseconds below 1 ms', () => {
  // A tbf of 500kbit, 10 kb and limit 30000 shows `lat 316ms` (316160 us) in iproute2 6.1; %.3g turns 1234 to 1.23e+03.
  expect([316_160_000, 1_500_000_000, 15_999, 1234e9, 0].map(printDurationAsTc)).toEqual([
    '316ms',
    '1.5s',
    '15us',
    '1.23e+03s',
    '0us',
  ]);
});

test('people read a duration with three decimals at most', () => {
  expect([12_288, 1_500_000_000, 999_999_999, 64].map(formatDuration)).toEqual(['12.288 us', '1.5 s', '1 s', '64 ns']);
});
