import { parseClassId, writeClassId } from '../units/class-id.ts';
import { UnitError } from '../units/unit-error.ts';
import { type ClassTable, rootHandleOf } from './class-table.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import type { Message } from './problem.ts';

/** The word for HTB's direct queue. */
export const DIRECT = 'direct';

/**
 * Finds the priority (skb priority, u32) that a flow's `class` gives its packets, given the classes of the shaped hops
 * on its path.
 */
export function priorityOf(className: string, tables: readonly ClassTable[]): number | Message {
  const [first] = tables;
  if (className === DIRECT) return first === undefined ? messages.noClasses(className) : rootHandleOf(first);
  let classId: number;
  try {
    classId = parseClassId(className);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    return { expected: `${error.expected}, or ${DIRECT}`, received: error.received, hint: error.hint };
  }
  if (tables.length === 0) return messages.noClasses(className);
  const major = Math.floor(classId / 65536);
  const minor = classId % 65536;
  for (const table of tables) {
    if (table.names.has(classId)) {
      const children = table.inner.get(classId);
      if (children === undefined) return classId;
      return messages.innerClass(className, children);
    }
    // Qdiscs such as prio have classes that no scenario lists, below their handle.
    if (minor !== 0 && (table.handles.has(major) || !table.declaresClasses)) return classId;
  }
  const leaves = tables.flatMap((table) => [...table.names].filter(([id]) => !table.inner.has(id)));
  const names = leaves.map(([, name]) => name);
  return messages.unknownClass(className, names, nearestName(writeClassId(classId), names));
}
