import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WaitQueue } from '../../../../models/linux/htb/wait-queue.ts';

describe('a queue of waiting classes', () => {
  it('gives the earliest first and keeps the order of equals, whatever is taken out between', () => {
    const adds = fc.array(fc.record({ ticks: fc.nat(5), removeOther: fc.option(fc.nat()) }), { maxLength: 80 });
    fc.assert(
      fc.property(adds, (steps) => {
        const queue = new WaitQueue(steps.length);
        const expected: { rank: number; ticks: number; order: number }[] = [];
        for (const [order, { ticks, removeOther }] of steps.entries()) {
          // Ranks have nothing to do with the order of coming.
          const rank = steps.length - 1 - order;
          queue.add(rank, ticks);
          expected.push({ rank, ticks, order });
          if (removeOther === null) continue;
          const [gone] = expected.splice(removeOther % expected.length, 1);
          queue.remove(gone!.rank);
          queue.remove(gone!.rank);
        }
        expected.sort((one, other) => one.ticks - other.ticks || one.order - other.order);
        expect(queue.count).toBe(expected.length);
        for (const { rank, ticks } of expected) {
          expect([queue.first, queue.firstTicks]).toEqual([rank, ticks]);
          queue.remove(queue.first);
        }
      }),
    );
  });
});
