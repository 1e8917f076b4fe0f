import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pcapOf, problemOf } from './files.ts';
import { Blocks } from './pcapng-blocks.ts';

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

describe('a damaged capture', () => {
  const packets = [1, 2, 3].map((seconds) => ({ seconds, nanoseconds: 5, lengthBytes: 90, capturedBytes: 40 }));
  const pcapng = new Blocks()
    .section()
    .iface(1, [[9, [9]]])
    .packet(7n, 60)
    .packet(9n, 1514);
  const files = [pcapOf(packets), pcapOf(packets, { littleEndian: false }), pcapng.file];
  const damage = fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 }));

  test('is read or refused in words, whatever bytes it has', () => {
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(damage, { maxLength: 6 }), fc.nat(220), (file, changes, end) => {
        const damaged = file.slice(0, Math.max(1, end));
        for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte;
        // problemOf throws whatever is no CaptureError
        const problem = problemOf(damaged);
        expect(problem?.expected ?? 'nothing').not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });
});
