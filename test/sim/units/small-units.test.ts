import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClassId, writeClassId } from '../../../sim/units/class-id.ts';
import { parseCurlLimit } from '../../../sim/units/curl-limit.ts';
import { parseProbability } from '../../../sim/units/probability.ts';
import { parseFigure, parseQuantity } from '../../../sim/units/quantity.ts';
import { parseQueueLimit } from '../../../sim/units/queue-limit.ts';
import { UnitError } from '../../../sim/units/unit-error.ts';

describe('a class id', () => {
  test('is hexadecimal in both parts, as in tc', () => {
    expect(['1:10', '1:', 'ffff:ffff', 'A:b', '0x1:0x10'].map(parseClassId)).toEqual([
      0x00010010, 0x00010000, 0xffffffff, 0x000a000b, 0x00010010,
    ]);
  });

  test.each(['10', '1:1g', '1:10000', '10000:1', '1:10:1', ':', ':5', 'root'])('%s is none', (text) => {
    expect(() => parseClassId(text)).toThrow(UnitError);
  });

  test('is read back from what is written', () => {
    const classIds = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(fc.property(classIds, (classId) => parseClassId(writeClassId(classId)) === classId));
  });
});

describe('a limit of curl', () => {
  // src/tool_getparam.c: GetSizeParameter of curl 8.19; 2.5M = 2 * 1024² + floor(1024² * 0.5)
  test.each([
    ['2000000', 2_000_000],
    ['500k', 512_000],
    ['2M', 2_097_152],
    ['16b', 16],
    ['1G', 1_073_741_824],
    ['1t', 1_099_511_627_776],
    ['2.5M', 2_621_440],
    ['1.3k', 1331],
  ])('%s is %d bytes/s', (text, bytes) => {
    expect(parseCurlLimit(text)).toBe(bytes);
  });

  test.each(['2.5', '2.5b', '10kb', '-5', '1e6', '8mbit', '', '1 k'])('%j is refused', (text) => {
    expect(() => parseCurlLimit(text)).toThrow(UnitError);
  });

  test('a rate in bits is refused with its bytes a second', () => {
    try {
      parseCurlLimit('16mbit');
      expect.unreachable();
    } catch (error) {
      expect((error as UnitError).hint).toContain('16mbit is 2000000');
    }
  });
});

describe('a probability', () => {
  test('is a share or percent', () => {
    expect(['0.1%', '0.001', '100%', '0', '1e-3'].map(parseProbability)).toEqual([0.001, 0.001, 1, 0, 0.001]);
  });

  test.each(['5', '200%', '-1%', 'often', '0.1x'])('%s is none', (text) => {
    expect(() => parseProbability(text)).toThrow(UnitError);
  });
});

describe('a queue limit', () => {
  test('is in packets, bytes or time', () => {
    expect(['1000p', '64kb', '9000b', '40ms', '1m', '0p'].map(parseQueueLimit)).toEqual([
      { packets: 1000 },
      { bytes: 65_536 },
      { bytes: 9000 },
      { ns: 40_000_000 },
      { bytes: 1_048_576 },
      { packets: 0 },
    ]);
  });

  test.each(['1000', '1.5p', '-1p', 'long', '5x'])('%s is none', (text) => {
    expect(() => parseQueueLimit(text)).toThrow(UnitError);
  });
});

describe('a number with any unit', () => {
  test('is known by its unit', () => {
    const kinds = ['10mbit', '10kbps', '64kb', '64KiB', '10B', '10ms', '1m', '5%', '10p', '7'].map(
      (text) => parseQuantity(text).kind,
    );
    expect(kinds).toEqual([
      'rate',
      'rate',
      'size',
      'size',
      'size',
      'duration',
      'size',
      'probability',
      'packets',
      'number',
    ]);
  });

  test('is brought into the units of a result', () => {
    expect(['656.25mbit', '10ms', '1kb', '0.5%', '7'].map(parseFigure)).toEqual([656_250_000, 0.01, 1024, 0.005, 7]);
  });

  test('with an unknown unit is refused', () => {
    expect(() => parseQuantity('10xyz')).toThrow(UnitError);
  });
});
