import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatSize, parseSize, printSizeAsTc, writeSize } from '../../../sim/units/size.ts';
import { UnitError } from '../../../sim/units/unit-error.ts';

describe('a size is read as tc reads it', () => {
  // Bytes that tc of iproute2 6.1 put into its netlink message for each text.
  test.each([
    ['1', 1],
    ['1.5k', 1536],
    ['1kb', 1024],
    ['1KB', 1024],
    ['1b', 1],
    ['1B', 1],
    ['1mb', 1_048_576],
    ['1MB', 1_048_576],
    ['1M', 1_048_576],
    ['1g', 1_073_741_824],
    ['1kbit', 128],
    ['1mbit', 131_072],
    ['1gbit', 134_217_728],
    ['0.3k', 307],
    ['1e3', 1000],
    ['3.9gb', 4_187_593_113],
    ['0x10', 16],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test('IEC names are read beside, which tc does not know', () => {
    expect(['1KiB', '5MiB', '2gib'].map(parseSize)).toEqual([1024, 5_242_880, 2_147_483_648]);
  });

  test.each(['1t', '5 k', '1tbit', '-1', '', 'large', '1000p'])('%j is refused', (text) => {
    expect(() => parseSize(text)).toThrow(UnitError);
  });
});

test('writing a size and reading it again gives the same number', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (size) => parseSize(writeSize(size)) === size));
});

test('tc prints sizes near a whole number of Kb or Mb rounded', () => {
  // 20Kb, 6Kb, 1600b, 9000b stand so in `tc class show` of iproute2 6.1; 1040 is 16 above 1 Kb, 1039 is 15.
  expect([20_480, 6144, 1600, 9000, 1039, 1040, 2_097_152, 2_098_000].map(printSizeAsTc)).toEqual([
    '20Kb',
    '6Kb',
    '1600b',
    '9000b',
    '1Kb',
    '1040b',
    '2Mb',
    '2Mb',
  ]);
});

test('people read packets in bytes and larger sizes in powers of 1024', () => {
  expect([1514, 64_000, 5_242_880].map(formatSize)).toEqual(['1514 B', '62.5 KiB', '5 MiB']);
});
