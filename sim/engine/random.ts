import seedrandom from 'seedrandom';
import type { RandomStream } from '../../models/model.ts';

/**
 * The stream of random numbers called `name` under `seed`: the same for the same pair, independent of all others, so
 * that adding a flow does not change another flow's numbers.
 */
export function randomStream(seed: number, name: string): RandomStream {
  const generator = seedrandom.alea(`${seed}/${name}`);
  return {
    uniform: () => generator.quick(),
    uint32: () => Math.floor(generator.quick() * 4294967296),
  };
}
