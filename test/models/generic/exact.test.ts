import fc from 'fast-check';
import { expect, it } from 'vitest';
import { multiplyDivide } from '../../../models/generic/exact.ts';

it('divides a product exactly, also where a double cannot hold it', () => {
  const below = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
  fc.assert(
    fc.property(below(39), below(45), below(39), (a, b, c) => {
      const divisor = c + 1;
      const expected = (BigInt(a) * BigInt(b)) / BigInt(divisor);
      if (expected < 2n ** 53n) expect(multiplyDivide(a, b, divisor)).toBe(Number(expected));
    }),
  );
});
