import { describe, expect, test } from 'vitest';
import { isInShard, parseShard } from '../../../sim/sweep/shard.ts';

const NUMBERS = [1, 2, 3, 4, 7];
const pointsOf = (number: number, of: number, count: number) =>
  Array.from({ length: count }, (_, index) => index).filter((index) => isInShard(index, { number, of }));

describe('shards', () => {
  test.each(NUMBERS)('of %i share out every point exactly once', (of) => {
    const all = Array.from({ length: of }, (_, i) => pointsOf(i + 1, of, 1000)).flat();
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  test.each(NUMBERS)('of %i are of equal size, but for one point', (of) => {
    const sizes = Array.from({ length: of }, (_, i) => pointsOf(i + 1, of, 1000).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  test.each(NUMBERS.slice(1))('of %i each get their part of an axis as long as they are many', (of) => {
    // The first value of the last axis is every of-th point: with index % of, one shard would have all of them.
    const first = pointsOf(1, of, of * of * 10).filter((index) => index % of === 0);
    expect(first).toHaveLength(10);
  });

  test('are counted from 1', () => {
    expect(parseShard('3/3')).toEqual({ number: 3, of: 3 });
    expect(() => parseShard('0/3')).toThrow('--shard: expected i/n with i from 1 to n but received "0/3"');
  });

  test.each(['4/3', '1', '1/0', 'a/b', '1/2/3', '-1/3'])('%s is refused', (text) => {
    expect(() => parseShard(text)).toThrow('--shard: expected');
  });
});
