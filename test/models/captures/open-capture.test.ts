import { describe, expect, test } from 'vitest';
import { problemOf } from './files.ts';

describe('a file that is no capture', () => {
  test.each([
    ['an empty file', [], 'an empty file', undefined],
    ['gzip', [0x1f, 0x8b, 8, 0, 0], 'a file packed by gzip', 'gunzip'],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd], 'a file packed by zstd', 'unzstd'],
    ['an old modified pcap', [0x34, 0xcd, 0xb2, 0xa1, 2, 0], 'something else', 'editcap -F pcap'],
    ['a snoop file', [...new TextEncoder().encode('snoop'), 0, 0, 0], 'something else', 'editcap -F pcap'],
  ])('is refused: %s', (_, bytes, received, hint) => {
    const problem = problemOf(Uint8Array.from(bytes));
    expect(problem).toMatchObject({ place: 'byte 0', received });
    expect(problem?.hint ?? '').toContain(hint ?? '');
  });

  test('is read as a CSV where it is text, and says which columns that needs', () => {
    expect(problemOf('title: a scenario\n')).toMatchObject({
      place: 'line 1',
      expected: 'the columns time_s (or time_ns) and size',
    });
  });
});
