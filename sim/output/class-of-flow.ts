import type { FlowSpec, HopSpec } from '../scenario/scenario.ts';

/** What of a class, in any shaper with classes, decides where a flow goes and what it may get. */
export interface ClassRates {
  readonly rate?: number;
  readonly ceil?: number;
  readonly parent?: number;
}

/** A class by name. */
export interface NamedClass {
  readonly name: string;
  readonly values: ClassRates;
}

/**
 * The leaf that a flow goes to at a hop and all that lend to it, the leaf first; empty where the hop has no classes, or
 * the flow passes them by.
 */
export function classesOfFlow(hop: HopSpec, flow: FlowSpec): readonly NamedClass[] {
  const classes = hop.shaper?.values.classes as Readonly<Record<string, ClassRates>> | undefined;
  if (classes === undefined || flow.className === 'direct') return [];
  const byId = new Map(Object.entries(classes).map(([name, values]) => [classIdOf(name), { name, values }]));
  const line: NamedClass[] = [];
  let next = byId.get(flow.priority) ?? byId.get(defaultClass(hop.shaper!.values.default, classes));
  while (next !== undefined && line.length <= byId.size) {
    line.push(next);
    next = next.values.parent === undefined ? undefined : byId.get(next.values.parent);
  }
  return line;
}

/** The default class's id: its minor is the scenario's, its major that of the other classes. */
function defaultClass(value: unknown, classes: Readonly<Record<string, unknown>>): number {
  const first = Object.keys(classes)[0];
  if (typeof value !== 'number' || first === undefined) return -1;
  return Math.floor(classIdOf(first) / 0x10000) * 0x10000 + (value % 0x10000);
}

function classIdOf(name: string): number {
  const [major = '', minor = ''] = name.split(':');
  return Number.parseInt(major || '0', 16) * 0x10000 + Number.parseInt(minor || '0', 16);
}
