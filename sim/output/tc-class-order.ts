/** Buckets of the kernel's table of classes at first, and how full it may get. */
const FIRST_SIZE = 4;
const FULL_NUMERATOR = 3;
const FULL_DENOMINATOR = 4;

/**
 * The order in which the kernel lists classes: by the buckets of its hash table, which doubles when it is three
 * quarters full; the newest is first in its bucket, and a growing table turns each bucket around
 * (net/sched/sch_api.c: qdisc_class_hash_insert, qdisc_class_hash_grow).
 *
 * @param ids u32, in the order in which they were added
 * @returns positions in `ids`
 */
export function classShowOrder(ids: readonly number[]): number[] {
  let buckets: number[][] = Array.from({ length: FIRST_SIZE }, () => []);
  for (const [at, id] of ids.entries()) {
    buckets[bucketOf(id, buckets.length)]!.unshift(at);
    if ((at + 1) * FULL_DENOMINATOR <= buckets.length * FULL_NUMERATOR) continue;
    const grown: number[][] = Array.from({ length: buckets.length * 2 }, () => []);
    for (const old of buckets) for (const member of old) grown[bucketOf(ids[member]!, grown.length)]!.unshift(member);
    buckets = grown;
  }
  return buckets.flat();
}

function bucketOf(id: number, size: number): number {
  const folded = id ^ (id >>> 8);
  return ((folded ^ (folded >>> 4)) >>> 0) & (size - 1);
}
