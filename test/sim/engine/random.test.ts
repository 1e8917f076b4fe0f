import { expect, it } from 'vitest';
import { randomStream } from '../../../sim/engine/random.ts';

const draws = (seed: number, name: string): number[] => {
  const stream = randomStream(seed, name);
  return Array.from({ length: 1000 }, () => stream.uniform());
};

it('a stream is the same for the same seed and name', () => {
  expect(draws(7, 'flow/a')).toEqual(draws(7, 'flow/a'));
});

it('another seed or another name is another stream', () => {
  expect(draws(7, 'flow/a')).not.toEqual(draws(8, 'flow/a'));
  expect(draws(7, 'flow/a')).not.toEqual(draws(7, 'flow/b'));
});

it('draws are spread evenly over [0, 1) and over 32 bits', () => {
  const tenths = new Array<number>(10).fill(0);
  const stream = randomStream(1, 'x');
  let bits = 0;
  for (let i = 0; i < 100_000; i++) {
    tenths[Math.floor(stream.uniform() * 10)]!++;
    bits |= stream.uint32();
  }
  // 10,000 each, standard deviation 95.
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  expect(bits >>> 0).toBe(0xffffffff);
});
