import { describe, expect, it } from 'vitest';
import { burstOf, nested, run } from './qdisc-laws.ts';

/** Twice the rate of a link of 1000 bytes/ms, in packets of 1000 bytes. */
const overload = burstOf(3000, 1000, { intervalNs: 500_000 });
const link = { linkBitsPerSecond: 8e6, durationNs: 1e9 };

describe('codel', () => {
  it('drops first when packets have waited above target for an interval', () => {
    const { fates } = run(nested('codel'), [overload], link);
    const first = fates.filter(({ end }) => end === 'dropped').reduce((a, b) => (a.endNs! < b.endNs! ? a : b));
    // One packet in two queues up, so packet n, leaving at n ms, has waited n/2 ms: from 10 ms on (9765 units) above
    // target, with more than a frame queued. 9765 + 97656 = 107421 units is the unit of 110 ms, and not after it.
    expect(first.endNs).toBe(111e6);
    expect(first.sequence).toBe(111);
  });

  it('marks instead where it may, and drops nothing until the queue is full', () => {
    const { root, fates } = run(nested('codel', { ecn: true }), [{ ...overload, ecn: 2 }], link);
    const { ecnMark, dropOverlimit } = root.report(0).counters;
    expect(ecnMark).toBeGreaterThan(0);
    expect(dropOverlimit).toBe(0);
    expect(fates.some(({ end }) => end === 'dropped')).toBe(false);
  });

  it('marks all that waited longer than ceThreshold', () => {
    const { root, departures } = run(nested('codel', { ceThreshold: 2e6 }), [{ ...overload, count: 20, ecn: 1 }], link);
    const late = departures.filter(({ arrivedNs, endNs }) => endNs! - arrivedNs > 2e6);
    expect(late.length).toBeGreaterThan(0);
    expect(root.report(0).counters.ceMark).toBe(late.length);
  });

  it('leaves a queue of one frame alone, however long it waits', () => {
    const slow = burstOf(1000, 1514, { intervalNs: 150e6 });
    // A frame takes 151.4 ms on the link: each waits for the one before, with nothing behind it.
    const { fates } = run(nested('codel'), [slow], { linkBitsPerSecond: 80_000, durationNs: 20e9 });
    expect(fates.some(({ end }) => end === 'dropped')).toBe(false);
  });
});

describe('fq_codel', () => {
  it('shares among flows by bytes, not by packets', () => {
    const sources = [burstOf(4000, 1500, { intervalNs: 1e6 }), burstOf(4000, 500, { flow: 2, intervalNs: 333_333 })];
    const { departures } = run(nested('fq_codel'), sources, link);
    const bytes = (flow: number): number =>
      departures.filter((fate) => fate.flow === flow).reduce((sum, fate) => sum + fate.bytes, 0);
    expect(bytes(1) / bytes(2)).toBeCloseTo(1, 1);
  });

  it('lets a new flow pass those that have a queue', () => {
    const sources = [overload, burstOf(1, 100, { flow: 2, startNs: 50_250_000 })];
    const { departures } = run(nested('fq_codel'), sources, link);
    const sparse = departures.find(({ flow }) => flow === 2)!;
    // It comes in the middle of a packet that ends at 51 ms, and is next.
    expect(sparse.endNs).toBe(51e6);
  });

  it('drops half of the fattest flow at most, and at most a batch', () => {
    const full = nested('fq_codel', { limit: 100, dropBatch: 64 });
    const { fates } = run(full, [burstOf(102, 1000)], { linkBitsPerSecond: 8, durationNs: 1e6 });
    // One is on the link; the 102nd makes 101 in the queue: heads go until half of 101000 bytes is reached, 51 of them.
    const dropped = fates.filter(({ end }) => end === 'dropped').map(({ sequence }) => sequence);
    expect(dropped).toEqual(Array.from({ length: 51 }, (_, index) => index + 1));
  });

  it('of 4.9 drops one at a time when the batch was set, whatever to', () => {
    const full = nested('fq_codel', { limit: 100, dropBatch: 64, kernel: '4.9' });
    const { fates } = run(full, [burstOf(102, 1000)], { linkBitsPerSecond: 8, durationNs: 1e6 });
    expect(fates.filter(({ end }) => end === 'dropped')).toHaveLength(1);
  });

  it('bounds the memory of the packets, not only their number', () => {
    // A packet of 232 bytes takes 1000 of memory: one is on the link, ten fit, with the eleventh half of the bytes go.
    const full = nested('fq_codel', { memoryLimit: 10_000 });
    const { root, fates } = run(full, [burstOf(12, 232)], { linkBitsPerSecond: 8, durationNs: 1e6 });
    expect(fates.filter(({ end }) => end === 'dropped')).toHaveLength(6);
    expect(root.report(0).counters).toMatchObject({ dropOvermemory: 6, memoryUsed: 5000 });
  });
});
