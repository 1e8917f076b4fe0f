import { describe, expect, test } from 'vitest';
import { cutOffOf, packetsOf, pcapOf, problemOf, type TestPacket } from './files.ts';

const PACKETS: readonly TestPacket[] = [
  { seconds: 1_700_000_000, nanoseconds: 999_999_000, lengthBytes: 1514, capturedBytes: 42 },
  { seconds: 1_700_000_001, nanoseconds: 0, lengthBytes: 60, capturedBytes: 60 },
  { seconds: 1_700_000_001, nanoseconds: 5000, lengthBytes: 590 },
];
const AS_READ = PACKETS.map(({ seconds, nanoseconds, lengthBytes }) => [seconds, nanoseconds, lengthBytes]);

describe('a pcap', () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('is read in either byte order (little-endian %s) and unit (ns %s)', (littleEndian, nanoseconds) => {
    expect(packetsOf(pcapOf(PACKETS, { littleEndian, nanoseconds }))).toEqual(AS_READ);
  });

  test('of more bytes than are held at a time is read to its end', () => {
    // 2000 records of 16 + 100 bytes: 232,000, several windows of 65,536
    const packets = Array.from({ length: 2000 }, (_, i) => ({
      seconds: i,
      nanoseconds: i,
      lengthBytes: 100 + i,
      capturedBytes: 100,
    }));
    expect(packetsOf(pcapOf(packets))).toEqual(packets.map((_, i) => [i, i, 100 + i]));
  });

  test('with records longer than the window is read to its end', () => {
    const long = { seconds: 1, nanoseconds: 2, lengthBytes: 200_000, capturedBytes: 200_000 };
    expect(packetsOf(pcapOf([long, ...PACKETS]))).toEqual([[1, 2, 200_000], ...AS_READ]);
  });

  test.each([
    ['raw IP', 101, 1500, 1514],
    ['BSD loopback', 0, 1504, 1514],
    ['Linux cooked capture', 113, 1516, 1514],
    ['Linux cooked capture 2', 276, 1520, 1514],
    // 4 bytes of FCS: 2 words of 16 bits in the highest four bits, and the flag that says so
    ['Ethernet with FCS', 0x24000001, 1518, 1514],
  ])('of %s gives sizes with an Ethernet header and without FCS', (_, network, lengthBytes, sizeBytes) => {
    const [packet] = packetsOf(pcapOf([{ seconds: 0, nanoseconds: 0, lengthBytes }], { network }));
    expect(packet![2]).toBe(sizeBytes);
  });

  test('of another link type is refused', () => {
    const problem = problemOf(pcapOf(PACKETS, { network: 105 }));
    expect(problem).toMatchObject({ place: 'byte 20', received: 'link type 105' });
  });

  test('that ends within its own header is refused, with the place and what is missing', () => {
    expect(problemOf(pcapOf(PACKETS).subarray(0, 20))).toMatchObject({
      place: 'byte 0',
      expected: '24 bytes of the header of a pcap',
      received: 'the end of the file, with 4 of them missing',
    });
  });

  test('that ends within its last packet is read up to it, and says what is missing', () => {
    const whole = pcapOf(PACKETS);
    // records begin at 24, 24 + 16 + 42 = 82 and 82 + 16 + 60 = 158; the last is a header only
    const endsAt = (length: number) => {
      const file = whole.subarray(0, length);
      return [packetsOf(file).length, cutOffOf(file)];
    };
    const missing = (bytes: number) => `the end of the file, with ${bytes} of them missing`;
    const header = "16 bytes of a packet's header";
    expect(endsAt(30)).toMatchObject([0, { place: 'byte 24', expected: header, received: missing(10) }]);
    expect(endsAt(82)).toEqual([1, undefined]);
    expect(endsAt(100)).toMatchObject([
      1,
      { place: 'byte 98', expected: '60 bytes of a packet', received: missing(58) },
    ]);
    expect(endsAt(98)).toMatchObject([1, { place: 'byte 98', received: missing(60) }]);
    expect(endsAt(157)).toMatchObject([1, { place: 'byte 98', received: missing(1) }]);
    expect(endsAt(173)).toMatchObject([2, { place: 'byte 158', expected: header, received: missing(1) }]);
    expect(endsAt(whole.length)).toEqual([3, undefined]);
  });

  test('that ends within a packet longer than the window says how much is missing', () => {
    const long = { seconds: 1, nanoseconds: 2, lengthBytes: 200_000, capturedBytes: 200_000 };
    // 24 + 16 + 200,000 bytes, less the last 66,000
    expect(cutOffOf(pcapOf([long]).subarray(0, 134_040))).toMatchObject({
      place: 'byte 40',
      received: 'the end of the file, with 66000 of them missing',
    });
  });

  test('that ends before a length in the middle which makes no sense is refused as damaged', () => {
    const beyondItself = pcapOf([...PACKETS, { seconds: 2, nanoseconds: 0, lengthBytes: 60, capturedBytes: 60 }]);
    // the captured length of the first record: 20,000,000 is longer than any packet, 1,000,000 than the snapshots
    const view = new DataView(beyondItself.buffer);
    view.setUint32(32, 20_000_000, true);
    expect(problemOf(beyondItself)).toMatchObject({ place: 'byte 24', hint: 'the file is damaged there' });
    view.setUint32(32, 1_000_000, true);
    view.setUint32(36, 1_000_000, true);
    expect(problemOf(beyondItself)).toMatchObject({ place: 'byte 40', hint: expect.stringContaining('damaged') });
    // 2000 captured of a packet of 1514
    view.setUint32(32, 2000, true);
    view.setUint32(36, 1514, true);
    expect(problemOf(beyondItself)).toMatchObject({ place: 'byte 40', hint: expect.stringContaining('damaged') });
  });

  test('with impossible figures is refused, with the place', () => {
    expect(problemOf(pcapOf([{ seconds: 0, nanoseconds: 1e9, lengthBytes: 60 }]))).toMatchObject({
      place: 'byte 24',
      received: '1000000000',
    });
    const longest = { seconds: 0, nanoseconds: 0, lengthBytes: 0xfffffff0 };
    expect(problemOf(pcapOf([longest]))).toMatchObject({ received: '4294967280', hint: 'the file is damaged there' });
    expect(problemOf(pcapOf([{ seconds: 0, nanoseconds: 0, lengthBytes: 0 }]))).toMatchObject({ received: '0' });
    // a cooked capture of 2 bytes would be a frame of 0
    const cooked = pcapOf([{ seconds: 0, nanoseconds: 0, lengthBytes: 2 }], { network: 113 });
    expect(problemOf(cooked)).toMatchObject({ expected: 'a packet of at least 3 bytes' });
  });

  test('without packets has none', () => {
    expect(packetsOf(pcapOf([]))).toEqual([]);
  });
});
