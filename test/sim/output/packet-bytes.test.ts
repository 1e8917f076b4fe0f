import { describe, expect, test } from 'vitest';
import { type Frame, LONGEST_HEADERS_BYTES, TCP_ACK, TCP_SYN, writeHeaders } from '../../../sim/output/packet-bytes.ts';

const HEADER = {
  proto: 17,
  src: 0x0a010001,
  dst: 0x0a020001,
  sport: 40_000,
  dport: 5001,
  tos: 0xb8,
  mark: 0,
  lengthBytes: 0,
};
const TCP = { sequence: 1449, flags: TCP_ACK, headerBytes: 32, timestampMs: 7, echoMs: 5 };
const UDP_FRAME: Frame = { sizeBytes: 836, header: HEADER, ecn: 2, classId: 0x00010108, number: 3, tcp: TCP };
const TCP_FRAME: Frame = { ...UDP_FRAME, sizeBytes: 1514, header: { ...HEADER, proto: 6 } };

function written(frame: Frame): DataView {
  const into = new DataView(new ArrayBuffer(LONGEST_HEADERS_BYTES));
  return new DataView(into.buffer, 0, writeHeaders(into, frame));
}

const hex = (view: DataView, start: number, length: number): string =>
  Buffer.from(view.buffer, start, length).toString('hex');

/** The sum of 16-bit words, carries added: ffff for what holds its own checksum. */
function onesSum(words: Iterable<number>): number {
  let sum = 0;
  for (const word of words) sum += word;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

function* wordsOf(view: DataView, start: number, length: number): Generator<number> {
  for (let at = start; at < start + length; at += 2) yield view.getUint16(at);
}

describe('the headers of a frame', () => {
  test('show the class in the sender’s Ethernet address', () => {
    expect(hex(written(UDP_FRAME), 6, 6)).toBe('020000010108');
    expect(hex(written({ ...UDP_FRAME, classId: 0 }), 6, 6)).toBe('020000000000');
  });

  test('have IPv4 with the length, number, TOS and ECN of the packet, and a checksum that is right', () => {
    const view = written(UDP_FRAME);
    // version and length, 0xb8 | ECN 2, 836 - 14 = 822 bytes, number 3, do not fragment, 64 hops, UDP
    expect(hex(view, 14, 10)).toBe('45ba0336000340004011');
    expect(hex(view, 26, 8)).toBe('0a0100010a020001');
    expect(onesSum(wordsOf(view, 14, 20))).toBe(0xffff);
  });

  test('have UDP with ports, length and no checksum, and end behind it', () => {
    const view = written(UDP_FRAME);
    expect(view.byteLength).toBe(42);
    // 40000, 5001, 836 - 34 = 802 bytes
    expect(hex(view, 34, 8)).toBe('9c40138903220000');
  });

  test('have TCP with sequence, acknowledgement, timestamps, and a checksum over a payload of zeros', () => {
    const view = written(TCP_FRAME);
    expect(view.byteLength).toBe(66);
    expect(hex(view, 38, 10)).toBe('000005a9000000018010');
    expect(hex(view, 54, 12)).toBe('0101080a0000000700000005');
    const segmentBytes = 1514 - 34;
    const pseudoHeader = [...wordsOf(view, 26, 8), 6, segmentBytes];
    expect(onesSum([...pseudoHeader, ...wordsOf(view, 34, 32)])).toBe(0xffff);
  });

  test('have the options of a SYN, whose acknowledgement is empty', () => {
    const view = written({
      ...TCP_FRAME,
      sizeBytes: 74,
      tcp: { ...TCP, sequence: 0, flags: TCP_SYN, headerBytes: 40 },
    });
    expect(view.byteLength).toBe(74);
    expect(hex(view, 38, 10)).toBe('0000000000000000a002');
    // segment size 1460, SACK permitted, timestamps, window scale
    expect(hex(view, 54, 8)).toBe('020405b40402080a');
    expect(hex(view, 70, 4)).toBe('0103030a');
  });

  test('of a sequence beyond 32 bits wrap', () => {
    const view = written({ ...TCP_FRAME, tcp: { ...TCP, sequence: 2 ** 32 + 5 } });
    expect(view.getUint32(38)).toBe(5);
  });

  test('of another protocol end behind IPv4', () => {
    expect(written({ ...UDP_FRAME, header: { ...HEADER, proto: 47 } }).byteLength).toBe(34);
  });

  test('of a frame too short for them are those of Ethernet, and say that nothing follows', () => {
    const view = written({ ...UDP_FRAME, sizeBytes: 40 });
    expect(view.byteLength).toBe(14);
    expect(view.getUint16(12)).toBe(0x88b5);
    expect(written({ ...UDP_FRAME, sizeBytes: 9 }).byteLength).toBe(9);
  });

  test('of a super-packet have no lengths, which would not fit', () => {
    const view = written({ ...UDP_FRAME, sizeBytes: 100_000 });
    expect([view.getUint16(16), view.getUint16(38)]).toEqual([0, 0]);
  });
});
