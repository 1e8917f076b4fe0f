import { describe, expect, it } from 'vitest';
import type { Values } from '../../../models/model.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';

/** Packets of a burst that a qdisc holds, before the device takes any. */
function held(kind: string, given: Values, count: number, sizeBytes: number): number[] {
  // A packet of flow 0 keeps the device busy.
  const sources = [burstOf(1, sizeBytes, { flow: 0 }), burstOf(count, sizeBytes)];
  const { fates } = run(nested(kind, given), sources, { linkBitsPerSecond: 8, durationNs: 1 });
  return fates.filter(({ flow, end }) => flow === 1 && end === 'held').map(({ sequence }) => sequence);
}

describe('FIFOs', () => {
  it('pfifo holds so many packets and refuses the rest', () => {
    expect(held('pfifo', { limit: 3 }, 5, 100)).toEqual([0, 1, 2]);
  });

  it('bfifo holds so many bytes, the last one included', () => {
    expect(held('bfifo', { limit: 300 }, 5, 100)).toEqual([0, 1, 2]);
    expect(held('bfifo', { limit: 299 }, 5, 100)).toEqual([0, 1]);
  });

  it('pfifo_head_drop keeps the newest', () => {
    expect(held('pfifo_head_drop', { limit: 3 }, 5, 100)).toEqual([2, 3, 4]);
  });

  it('take their limit from the device', () => {
    expect(held('pfifo', { txQueueLen: 2 }, 5, 100)).toHaveLength(2);
    // 2 * 1514 bytes; 2.6.24: 2 * 1500.
    expect(held('bfifo', { txQueueLen: 2 }, 40, 100)).toHaveLength(30);
    expect(held('bfifo', { txQueueLen: 2 }, 4, 1514)).toHaveLength(2);
    expect(held('bfifo', { txQueueLen: 2, kernel: '2.6.24' }, 4, 1514)).toHaveLength(1);
  });

  it('with a device queue of 0 packets hold nothing, in old kernels one', () => {
    const { fates } = run(nested('pfifo', { txQueueLen: 0 }), [burstOf(2, 100)]);
    expect(fates.map(({ end }) => end)).toEqual(['dropped', 'dropped']);
    expect(held('pfifo', { txQueueLen: 0, kernel: '3.6' }, 3, 100)).toHaveLength(1);
  });
});

describe('pfifo_fast', () => {
  const sources = [
    burstOf(1, 100, { flow: 0 }),
    burstOf(3, 100, { flow: 1, priority: 2 }),
    burstOf(3, 100, { flow: 2, priority: 0 }),
    burstOf(3, 100, { flow: 3, priority: 6 }),
  ];
  const busy = { linkBitsPerSecond: 800_000 };

  it('sends the lowest band first', () => {
    const { departures } = run(nested('pfifo_fast'), sources, busy);
    expect(departures.map(({ flow }) => flow)).toEqual([0, 3, 3, 3, 2, 2, 2, 1, 1, 1]);
  });

  it.each([
    ['2.6.24', 6],
    ['3.6', 2],
    ['4.9', 2],
    ['4.16', 6],
    ['6.12', 6],
  ])('of %s holds %i packets with a device queue of 2', (kernel, packets) => {
    const { fates } = run(nested('pfifo_fast', { txQueueLen: 2, kernel }), sources, { ...busy, durationNs: 1 });
    expect(fates.filter(({ end }) => end === 'held')).toHaveLength(packets);
  });
});
