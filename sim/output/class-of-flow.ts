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
 * The most that a class can get (bit/s): its own rate or what its lender can get, held to its ceil; undefined where the
 * class knows no rate.
 *
 * @param line the class and all that lend to it, the class first
 */
export function mostOfClass(line: readonly ClassRates[]): number | undefined {
  return line.reduceRight<number | undefined>((lent, { rate, ceil }) => {
    if (rate === undefined) return undefined;
    return Math.min(ceil ?? rate, Math.max(rate, lent ?? 0));
  }, undefined);
}

/** The classes of a hop by id, to find those of a flow without a search. */
export class HopClasses {
  readonly #hop: string;
  readonly #byId = new Map<number, NamedClass>();
  readonly #default: NamedClass | undefined;

  /** @param hop with or without classes */
  constructor(hop: HopSpec) {
    this.#hop = hop.name;
    const classes = (hop.shaper?.values.classes ?? {}) as Readonly<Record<string, ClassRates>>;
    for (const [name, values] of Object.entries(classes)) this.#byId.set(classIdOf(name), { name, values });
    this.#default = this.#byId.get(defaultClass(hop.shaper?.values.default, classes));
  }

  /**
   * The leaf that a flow goes to and all that lend to it, the leaf first; empty where the hop has no classes, or the
   * flow passes them by.
   */
  lineOf(flow: FlowSpec): readonly NamedClass[] {
    return this.#upFrom(this.leafOf(flow));
  }

  /** The class of that name and all that lend to it, the class first; empty where there is none. */
  lineOfClass(name: string): readonly NamedClass[] {
    return this.#upFrom(this.#byId.get(classIdOf(name)));
  }

  #upFrom(first: NamedClass | undefined): readonly NamedClass[] {
    const line: NamedClass[] = [];
    for (let next = first; next !== undefined && line.length <= this.#byId.size; ) {
      line.push(next);
      next = next.values.parent === undefined ? undefined : this.#byId.get(next.values.parent);
    }
    return line;
  }

  /** The leaf that a flow goes to; undefined as above. */
  leafOf(flow: FlowSpec): NamedClass | undefined {
    if (flow.className === 'direct') return undefined;
    const priority = flow.priorities?.[flow.via.indexOf(this.#hop)] ?? flow.priority;
    return this.#byId.get(priority) ?? this.#default;
  }
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
