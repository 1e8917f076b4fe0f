import { describe, expect, test } from 'vitest';
import { cutOffOf, packetsOf, problemOf } from './files.ts';
import { Blocks } from './pcapng-blocks.ts';

describe('a pcapng', () => {
  test.each([true, false])(
    'is read in either byte order (little-endian: %s), in µs unless it says otherwise',
    (order) => {
      const { file } = new Blocks(order)
        .section()
        .iface()
        .packet(1_700_000_000_000_007n, 1514)
        .packet(1_700_000_001_500_000n, 60);
      expect(packetsOf(file)).toEqual([
        [1_700_000_000, 7000, 1514],
        [1_700_000_001, 500_000_000, 60],
      ]);
    },
  );

  test('keeps every ns of instants beyond 2^53 units, and adds the offset of the interface', () => {
    const nanoseconds = [9, [9]] as const;
    const offset = [14, [10, 0, 0, 0, 0, 0, 0, 0]] as const;
    const { file } = new Blocks().section().iface(1, [nanoseconds, offset]).packet(1_700_000_000_123_456_789n, 100);
    expect(packetsOf(file)).toEqual([[1_700_000_010, 123_456_789, 100]]);
  });

  test('has interfaces of different kinds, and sections of different order', () => {
    const first = new Blocks(true)
      .section()
      .iface(1)
      .iface(101, [[9, [3]]])
      .packet(5n, 1514, 0)
      .packet(2_001n, 1500, 1);
    const second = new Blocks(false).section().iface(1).packet(2_500_000n, 60);
    expect(packetsOf(Uint8Array.from([...first.bytes, ...second.bytes]))).toEqual([
      [0, 5000, 1514],
      [2, 1_000_000, 1514],
      [2, 500_000_000, 60],
    ]);
  });

  test('may hold other blocks, such as names and statistics', () => {
    const { file } = new Blocks()
      .section()
      .block(4, Array(8).fill(0))
      .iface()
      .packet(1n, 60)
      .block(5, Array(12).fill(0));
    expect(packetsOf(file)).toEqual([[0, 1000, 60]]);
  });

  test('with packets that have no instant is refused, and how to convert it is said', () => {
    const { file } = new Blocks().section().iface().block(3, Array(8).fill(0));
    expect(problemOf(file)).toMatchObject({ place: 'byte 48', hint: expect.stringContaining('editcap -F pcap') });
  });

  test('with units finer than a ns or binary ones is refused', () => {
    expect(problemOf(new Blocks().section().iface(1, [[9, [12]]]).file)).toMatchObject({ place: 'byte 28' });
    expect(problemOf(new Blocks().section().iface(1, [[9, [0x8a]]]).file)).toMatchObject({ place: 'byte 28' });
  });

  test('that ends within a block is read up to it, and says what is missing', () => {
    const { file } = new Blocks().section().iface().packet(1n, 60).packet(2n, 90);
    // section of 28 bytes, interface of 20, then packets of 36 bytes at 48 and 84
    const endsAt = (length: number) => {
      const part = file.subarray(0, length);
      return [packetsOf(part).length, cutOffOf(part)];
    };
    const missing = (bytes: number) => `the end of the file, with ${bytes} of them missing`;
    expect(endsAt(119)).toMatchObject([1, { place: 'byte 84', expected: '36 bytes of a block', received: missing(1) }]);
    expect(endsAt(88)).toMatchObject([1, { place: 'byte 84', expected: '12 bytes of a block', received: missing(8) }]);
    expect(endsAt(84)).toEqual([1, undefined]);
    expect(endsAt(30)).toMatchObject([0, { place: 'byte 28', received: missing(10) }]);
    expect(endsAt(120)).toEqual([2, undefined]);
    // a block of names (type 4) that would be longer than a MiB
    const far = file.slice();
    new DataView(far.buffer).setUint32(84, 4, true);
    new DataView(far.buffer).setUint32(88, 1 << 21, true);
    expect(problemOf(far)).toMatchObject({ place: 'byte 84', hint: expect.stringContaining('damaged') });
  });

  test('that is damaged is refused, with the place', () => {
    const { file } = new Blocks().section().iface().packet(1n, 60);
    const odd = file.slice();
    odd[52] = 41;
    expect(problemOf(odd)).toMatchObject({ place: 'byte 48', received: '41' });
    expect(problemOf(new Blocks().section().packet(1n, 60).file)).toMatchObject({ received: 'one of number 0' });
    expect(problemOf(new Blocks().section().iface().packet(1n, 60, 0, 4).file)).toBeUndefined();
    const overfull = file.slice();
    overfull[48 + 8 + 12] = 200;
    expect(problemOf(overfull)).toMatchObject({ expected: 'a packet that fits its block' });
    expect(problemOf(new Blocks().block(0x0a0d0d0a, Array(16).fill(7)).file)).toMatchObject({ place: 'byte 0' });
  });
});
