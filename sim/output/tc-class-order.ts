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

/** Buckets of a device's table of qdiscs, as bits of their number, and the multiplier of the hash. */
const QDISC_HASH_BITS = 4;
const HASH_MULTIPLIER = 0x61c88647;

/**
 * The order in which the kernel lists the qdiscs below the root, since 4.9: by the buckets of their handles, the newest
 * first in its bucket (net/sched/sch_api.c: qdisc_hash_add; include/linux/hash.h: hash_32).
 *
 * @param majors upper 16 bits of the handles, in the order in which they were added
 * @returns positions in `majors`
 */
export function qdiscShowOrder(majors: readonly number[]): number[] {
  const bucketOfMajor = (major: number): number =>
    Math.imul(major * 0x10000, HASH_MULTIPLIER) >>> (32 - QDISC_HASH_BITS);
  return majors
    .map((major, at) => ({ at, bucket: bucketOfMajor(major) }))
    .sort((a, b) => a.bucket - b.bucket || b.at - a.at)
    .map(({ at }) => at);
}
