import {
  type ClassFigures,
  classFigures,
  type HtbClassValues,
  type HtbValues,
} from '../../models/linux/htb/class-figures.ts';
import type { ClassResult, PointResult } from '../run/result.ts';
import type { HopSpec } from '../scenario/scenario.ts';

/** A class of an HTB with its place in the tree. */
export interface TreeClass {
  readonly name: string;
  readonly given: HtbClassValues;
  readonly figures: ClassFigures;
  readonly parent: TreeClass | undefined;
  readonly children: TreeClass[];
}

/** The classes of an HTB, lenders before borrowers. */
export function treeOf(values: HtbValues): readonly TreeClass[] {
  const figures = Object.keys(values.classes).map((name) => classFigures(values, name));
  const byId = new Map(figures.map((entry) => [entry.id, entry]));
  const done = new Map<number, TreeClass>();
  const place = (entry: ClassFigures): TreeClass => {
    const known = done.get(entry.id);
    if (known !== undefined) return known;
    const above = byId.get(entry.parentId);
    const parent = above === undefined ? undefined : place(above);
    const made: TreeClass = {
      name: entry.name,
      given: values.classes[entry.name]!,
      figures: entry,
      parent,
      children: [],
    };
    parent?.children.push(made);
    done.set(entry.id, made);
    return made;
  };
  for (const entry of figures) place(entry);
  return [...done.values()];
}

/** The class without parent that a class hangs below. */
export function rootOf(entry: TreeClass): TreeClass {
  return entry.parent === undefined ? entry : rootOf(entry.parent);
}

/** What a class gets for sure: its rate, which it cannot use above its ceil (bit/s). */
export function promisedTo({ given: { rate, ceil = rate } }: TreeClass): number {
  return Math.min(rate, ceil);
}

/** The most that a class can get (bit/s). */
export function mostOf({ given: { rate, ceil = rate }, parent }: TreeClass): number {
  return Math.min(ceil, Math.max(rate, parent === undefined ? 0 : mostOf(parent)));
}

/** What a class of a hop did. */
export function resultOf(point: PointResult, hop: HopSpec, name: string): ClassResult | undefined {
  return point.hops[hop.name]?.classes[name];
}

/** Whether more was asked of a leaf than it could send. */
export function isPressed(result: ClassResult | undefined): boolean {
  return result !== undefined && (result.droppedPackets > 0 || result.backlogPackets > 1);
}
