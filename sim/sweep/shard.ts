import { SweepFault } from './sweep-fault.ts';

/** A part of a sweep: one of `of` parts of equal size. */
export interface Shard {
  /** 1 to `of`. */
  readonly number: number;
  readonly of: number;
}

/** Reads `i/n`. @throws SweepFault (usage) */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const [number, of] = [Number(match?.[1]), Number(match?.[2])];
  if (number >= 1 && number <= of) return { number, of };
  throw new SweepFault(
    'usage',
    `--shard: expected i/n with i from 1 to n but received ${JSON.stringify(text)}`,
    match !== null && number === 0 ? 'shards are counted from 1: --shard $((INDEX + 1))/n' : undefined,
  );
}

/**
 * Whether a point belongs to a shard: its digits in base n, added up, decide. Every n points in a row are shared out
 * evenly, and from row to row in another order, so that no shard gets all the large ones whatever the grid's axes are.
 */
export function isInShard(index: number, { number, of }: Shard): boolean {
  if (of === 1) return true;
  let sum = 0;
  for (let rest = index; rest > 0; rest = Math.floor(rest / of)) sum += rest % of;
  return sum % of === number - 1;
}
