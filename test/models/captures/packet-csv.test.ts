import { describe, expect, test } from 'vitest';
import { packetsOf, problemOf } from './files.ts';

describe('a CSV of packets', () => {
  test('has instants in seconds, of which every ns counts', () => {
    const text = 'time_s,size\n1700000000.123456789,1514\n1700000001,60\n1700000001.5,60\n';
    expect(packetsOf(text)).toEqual([
      [1_700_000_000, 123_456_789, 1514],
      [1_700_000_001, 0, 60],
      [1_700_000_001, 500_000_000, 60],
    ]);
  });

  test('has instants in ns, beyond 2^53 too', () => {
    expect(packetsOf('time_ns,size\n7,60\n1700000000123456789,60')).toEqual([
      [0, 7, 60],
      [1_700_000_000, 123_456_789, 60],
    ]);
  });

  test('may have its columns the other way round, spaces, empty lines and the line ends of Windows', () => {
    expect(packetsOf('size, time_s\r\n60, 0.25\r\n\r\n1514, 1e-05\r\n')).toEqual([
      [0, 250_000_000, 60],
      [0, 10_000, 1514],
    ]);
  });

  test('may begin with the mark that some programs write before UTF-8', () => {
    expect(packetsOf('\uFEFFtime_s,size\n0.5,60\n')).toEqual([[0, 500_000_000, 60]]);
    expect(packetsOf('\uFEFF"size","time_ns"\n60,5\n')).toEqual([[0, 5, 60]]);
    expect(problemOf('\uFEFFtime\n')).toMatchObject({ place: 'line 1', received: '"time"' });
  });

  test('may have quotes around its names and figures', () => {
    expect(packetsOf('"time_s","size"\n"0.5", "60"\n1,"61"\n')).toEqual([
      [0, 500_000_000, 60],
      [1, 0, 61],
    ]);
    expect(problemOf('"time_s","size"\n"1,60"\n')).toMatchObject({ place: 'line 2', received: '"\\"1"' });
  });

  test('rounds what is smaller than a ns', () => {
    expect(packetsOf('time_s,size\n0.0000000019,60\n9.9999999999e-1,60\n')).toEqual([
      [0, 1, 60],
      [1, 0, 60],
    ]);
  });

  test('of more bytes than are held at a time is read to its end', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i},${60 + (i % 1000)}`);
    const packets = packetsOf(`time_ns,size\n${lines.join('\n')}\n`);
    expect(packets).toHaveLength(20_000);
    expect(packets.at(-1)).toEqual([0, 19_999, 1059]);
  });

  test.each([
    ['time,size\n0,60\n', 'line 1', '"time,size"'],
    ['time_s,size,flow\n0,60,a\n', 'line 1', '"time_s,size,flow"'],
    ['time_s,size\n0,60\n1;60\n', 'line 3', '"1;60"'],
    ['time_s,size\n-1,60\n', 'line 2', '"-1"'],
    ['time_ns,size\n1.5,60\n', 'line 2', '"1.5"'],
    ['time_s,size\n1,0\n', 'line 2', '"0"'],
    ['time_s,size\n1,60.5\n', 'line 2', '"60.5"'],
    [`time_s,size\n${'1'.repeat(5000)},60\n`, 'line 2', '"more"'],
  ])('is refused with the line where it is none: %j', (text, place, received) => {
    expect(problemOf(text)).toMatchObject({ place, received });
  });
});
