import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HtbClass } from '../../../../models/linux/htb/htb-class.ts';
import { WaitQueue } from '../../../../models/linux/htb/wait-queue.ts';

/** A class as far as a wait queue looks at it. */
function waiter(): HtbClass {
  return { waitTicks: 0, waitOrder: 0, waitPlace: -1 } as HtbClass;
}

describe('a queue of waiting classes', () => {
  it('gives the earliest first and keeps the order of equals, whatever is taken out between', () => {
    const adds = fc.array(fc.record({ ticks: fc.nat(5), removeOther: fc.option(fc.nat()) }), { maxLength: 80 });
    fc.assert(
      fc.property(adds, (steps) => {
        const queue = new WaitQueue();
        const expected: { entry: HtbClass; ticks: number; order: number }[] = [];
        for (const [order, { ticks, removeOther }] of steps.entries()) {
          const entry = waiter();
          queue.add(entry, ticks);
          expected.push({ entry, ticks, order });
          if (removeOther === null) continue;
          const [gone] = expected.splice(removeOther % expected.length, 1);
          queue.remove(gone!.entry);
          queue.remove(gone!.entry);
        }
        expected.sort((one, other) => one.ticks - other.ticks || one.order - other.order);
        expect(queue.count).toBe(expected.length);
        for (const { entry } of expected) {
          expect(queue.first()).toBe(entry);
          queue.remove(queue.first());
        }
      }),
    );
  });
});
