import { type FilterSelector, matches } from './filter-selector.ts';
import type { HeaderFields } from './packet-header.ts';

/** A filter of a hop, checked. */
export interface FilterSpec {
  /** Qdisc (minor 0) or class (u32) that it is attached to; 0: the hop's root qdisc. */
  readonly parent: number;
  /** Lower ones are asked first; equal ones in the order of the file. */
  readonly preference: number;
  /** Whether packets of IPv4 are looked at (`protocol ip` or `all`). */
  readonly seesIpv4: boolean;
  readonly selector: FilterSelector;
  /** Class that it sends to (u32); 0 only where the selector takes the class from the mark. */
  readonly target: number;
}

/** More steps than a tree of HTB has levels. */
const DEEPEST = 16;

/**
 * Finds the class that the filters of a hop choose, as the kernel's classifying qdiscs do: first the filters of the
 * root, then those of an inner class that they led to (net/sched/sch_htb.c: htb_classify).
 *
 * @returns class id (u32), or 0 if no filter matches
 */
export function classify(filters: readonly FilterSpec[], fields: HeaderFields): number {
  const asked = inOrder(filters);
  const isRoot = (parent: number): boolean => parent % 0x10000 === 0;
  let found = 0;
  for (let step = 0; step < DEEPEST; step++) {
    const hit = asked.find(
      (filter) =>
        (found === 0 ? isRoot(filter.parent) : filter.parent === found) &&
        filter.seesIpv4 &&
        matches(filter.selector, fields) &&
        (filter.selector.classFromMark !== true || fields.mark !== 0),
    );
    if (hit === undefined) return found;
    found = hit.selector.classFromMark === true ? fields.mark : hit.target;
    if (isRoot(found)) return found;
  }
  return found;
}

/** Lists that were put in order before: each flow of a scenario asks the same one. */
const ordered = new WeakMap<readonly FilterSpec[], readonly FilterSpec[]>();

function inOrder(filters: readonly FilterSpec[]): readonly FilterSpec[] {
  let sorted = ordered.get(filters);
  if (sorted === undefined) {
    sorted = [...filters].sort((a, b) => a.preference - b.preference);
    ordered.set(filters, sorted);
  }
  return sorted;
}
