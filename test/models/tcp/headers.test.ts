import { describe, expect, test } from 'vitest';
import { PacketPool } from '../../../models/packet.ts';
import { SEGMENT_PLAIN, SEGMENT_PROBE, SEGMENT_SYN, SegmentHeaders } from '../../../models/tcp/headers.ts';

describe('the TCP headers of a pool', () => {
  test('hold kind, mark, echo, window and SACK blocks of each packet apart', () => {
    const packets = new PacketPool();
    const headers = new SegmentHeaders(packets);
    const syn = headers.fill(SEGMENT_SYN, 0, 0, 0, 0, 0, 65160, 5e6);
    const ack = headers.fill(SEGMENT_PLAIN, 0, 0, 0, 1448, 7, 64088, 9e6);
    headers.addSack(ack, 2896, 4344);
    headers.mark(ack);
    headers.addSack(ack, 5792, 7240);
    expect([headers.kind(syn), headers.isMarked(syn), headers.sackCount(syn)]).toEqual([SEGMENT_SYN, false, 0]);
    expect([headers.timestampMs(syn), headers.windowBytes(syn)]).toEqual([5, 65160]);
    expect([headers.kind(ack), headers.isMarked(ack), headers.sackCount(ack)]).toEqual([SEGMENT_PLAIN, true, 2]);
    expect([headers.timestampMs(ack), headers.echoMs(ack), headers.windowBytes(ack)]).toEqual([9, 7, 64088]);
    expect([headers.sackStart(ack, 1), headers.sackEnd(ack, 1)]).toEqual([5792, 7240]);
  });

  test('start anew when a packet is used again', () => {
    const packets = new PacketPool();
    const headers = new SegmentHeaders(packets);
    const first = headers.fill(SEGMENT_PROBE, 0, 0, 0, 0, 0, 0, 0);
    headers.addSack(first, 0, 1448);
    packets.free(first);
    const second = headers.fill(SEGMENT_PLAIN, 0, 0, 1448, 0, 0, 0, 0);
    expect([second, headers.kind(second), headers.sackCount(second)]).toEqual([first, SEGMENT_PLAIN, 0]);
  });

  test('go along with a copy, also where the pool grows for it', () => {
    const packets = new PacketPool();
    const headers = new SegmentHeaders(packets);
    const original = headers.fill(SEGMENT_PLAIN, 3, 0, 1448, 2896, 11, 0, 4e6);
    headers.mark(original);
    while (packets.live < packets.capacity) packets.allocate();
    const copy = packets.copyOf(original);
    expect(copy).toBe(1024);
    expect([headers.isMarked(copy), headers.echoMs(copy), headers.timestampMs(copy)]).toEqual([true, 11, 4]);
  });
});
