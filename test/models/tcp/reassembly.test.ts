import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PacketPool } from '../../../models/packet.ts';
import { SEGMENT_PLAIN, SegmentHeaders } from '../../../models/tcp/headers.ts';
import { Reassembly } from '../../../models/tcp/reassembly.ts';

const MEMORY = 300;

function blocks(reassembly: Reassembly): [number, number][] {
  const headers = new SegmentHeaders(new PacketPool());
  const packet = headers.fill(SEGMENT_PLAIN, 0, 0, 0, 0, 0, 0, 0);
  const count = reassembly.writeBlocks(headers, packet);
  return Array.from({ length: count }, (_, block) => [
    headers.sackStart(packet, block),
    headers.sackEnd(packet, block),
  ]);
}

function hold(reassembly: Reassembly, ...segments: number[]): void {
  for (const segment of segments) reassembly.insert(segment * 100, (segment + 1) * 100, MEMORY);
}

describe('data ahead of a hole', () => {
  test('is reported with the block that changed last first, three at most', () => {
    const reassembly = new Reassembly();
    hold(reassembly, 2, 4, 6, 8);
    expect(blocks(reassembly)).toEqual([
      [800, 900],
      [600, 700],
      [400, 500],
    ]);
    hold(reassembly, 5);
    expect(blocks(reassembly)).toEqual([
      [400, 700],
      [800, 900],
      [200, 300],
    ]);
  });

  test('comes out up to the next hole when its own is filled', () => {
    const reassembly = new Reassembly();
    hold(reassembly, 1, 2, 4);
    expect(reassembly.release(100)).toBe(300);
    expect(reassembly.releasedMemoryBytes).toBe(2 * MEMORY);
    expect(reassembly.release(300)).toBe(300);
    expect([reassembly.payloadBytes, reassembly.memoryBytes]).toEqual([100, MEMORY]);
    expect(blocks(reassembly)).toEqual([[400, 500]]);
  });

  test('is not held twice', () => {
    const reassembly = new Reassembly();
    hold(reassembly, 3, 4);
    expect(reassembly.insert(300, 400, MEMORY)).toBe(false);
    expect(reassembly.payloadBytes).toBe(200);
  });

  test('is complete in whatever order it comes', () => {
    const orders = fc.shuffledSubarray(
      Array.from({ length: 40 }, (_, index) => index + 1),
      { minLength: 40 },
    );
    fc.assert(
      fc.property(orders, (order) => {
        const reassembly = new Reassembly();
        hold(reassembly, ...order);
        expect(reassembly.count).toBe(1);
        expect(reassembly.memoryBytes).toBe(40 * MEMORY);
        expect(reassembly.release(100)).toBe(4100);
        expect([reassembly.count, reassembly.payloadBytes, reassembly.memoryBytes]).toEqual([0, 0, 0]);
      }),
    );
  });
});
