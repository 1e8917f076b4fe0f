import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RankSet } from '../../../../models/linux/htb/rank-set.ts';

describe('a set of ranks', () => {
  it('finds the next member at or after a rank, for sets of one word to several blocks', () => {
    const sizes = fc.constantFrom(1, 31, 32, 33, 1000, 1024, 1025, 3000);
    const operations = fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, operations, fc.array(fc.nat(), { maxLength: 20 }), (size, steps, questions) => {
        const set = new RankSet(new Array<number>(size).fill(0));
        const members = new Set<number>();
        for (const [add, any] of steps) {
          const rank = any % size;
          if (add && !members.has(rank)) {
            set.add(rank);
            members.add(rank);
          } else if (!add && members.delete(rank)) {
            set.remove(rank);
          }
        }
        expect(set.count).toBe(members.size);
        for (const from of [0, ...questions.map((any) => any % (size + 1))]) {
          const after = [...members].filter((rank) => rank >= from);
          expect(set.next(from)).toBe(after.length === 0 ? -1 : Math.min(...after));
        }
      }),
    );
  });

  it('moves its pointer to the next member, past the end to none, and not at all from none', () => {
    const set = new RankSet(['a', 'b', 'c']);
    set.add(0);
    set.add(2);
    set.pointer = 0;
    set.advance();
    expect(set.pointer).toBe(2);
    set.advance();
    expect(set.pointer).toBe(-1);
    set.advance();
    expect(set.pointer).toBe(-1);
  });

  it('refuses to hold a member twice', () => {
    const set = new RankSet(['a']);
    set.add(0);
    expect(() => set.add(0)).toThrow('linked once');
  });
});
