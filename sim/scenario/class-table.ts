import type { ModelDeclaration, NestedModel, Values } from '../../models/model.ts';
import { parseClassId } from '../units/class-id.ts';

/** The classes of a hop, as flows and expectations may name them. */
export interface ClassTable {
  /** Names as written by id (u32); empty where the shaper declares no classes. */
  readonly names: ReadonlyMap<number, string>;
  /** Ids of classes that have children. */
  readonly inner: ReadonlyMap<number, readonly string[]>;
  /** Major numbers of handles of this qdisc and those nested in it, whose classes are not listed. */
  readonly handles: ReadonlySet<number>;
  /** Whether the shaper has a parameter `classes` at all. */
  readonly declaresClasses: boolean;
}

/** Lists the classes of a checked shaper: a parameter that maps class ids, whose records may name a `parent`. */
export function classTableOf(declaration: ModelDeclaration, shaper: NestedModel): ClassTable {
  const names = new Map<number, string>();
  const inner = new Map<number, string[]>();
  let declaresClasses = false;
  for (const [parameterName, { type }] of Object.entries(declaration.parameters)) {
    if (typeof type === 'string' || !('mapOf' in type) || type.key !== 'class-id') continue;
    declaresClasses = true;
    const classes = (shaper.values[parameterName] ?? {}) as Readonly<Record<string, Values>>;
    for (const [name, values] of Object.entries(classes)) {
      names.set(parseClassId(name), name);
      if (typeof values.parent !== 'number') continue;
      const children = inner.get(values.parent) ?? [];
      inner.set(values.parent, [...children, name]);
    }
  }
  const handles = new Set<number>();
  collectHandles(shaper.values, handles);
  return { names, inner, handles, declaresClasses };
}

/** The handle (u32) of a hop's root qdisc: of its classes, of its own, or 1:. */
export function rootHandleOf(table: ClassTable): number {
  const [first] = table.names.keys();
  const [handle = 1] = table.handles;
  return (first === undefined ? handle : Math.floor(first / 65536)) * 65536;
}

function collectHandles(values: Values, handles: Set<number>): void {
  if (typeof values.handle === 'number') handles.add(Math.floor(values.handle / 65536));
  for (const value of Object.values(values)) {
    if (typeof value === 'object' && value !== null) collectHandles(value as Values, handles);
  }
}
