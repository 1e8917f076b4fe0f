import { type Mapping, mappingOf, textOf } from './document.ts';
import { rateOfText } from './quantity.ts';

/** Something on the way of a flow that lets no more than a rate pass. */
export interface Bound {
  readonly bitsPerSecond: number;
  /** `class 1:108`, `ceil of class 1:108`, `tbf of wan`, `the link of wan`. */
  readonly by: string;
  /** What of a packet it counts. */
  readonly level: 'accounted' | 'wire';
  readonly hop: string;
  /** The flows that have to get along with it. */
  readonly flows: readonly string[];
}

/** A class of the scenario as written, and the classes that lend to it. */
export interface WrittenClass {
  readonly name: string;
  readonly rate: number | undefined;
  /** The class's own; its rate where none is written. */
  readonly ceil: number | undefined;
  readonly parent: string | undefined;
}

/** Reads the classes of a hop. */
export function writtenClasses(hop: Mapping): Map<string, WrittenClass> {
  const classes = mappingOf(hop.classes);
  return new Map(
    Object.entries(classes).map(([name, spec]) => {
      const written = mappingOf(spec);
      const rate = rateOfText(textOf(written.rate) ?? '');
      const parent = textOf(written.parent);
      return [
        name,
        {
          name,
          rate,
          ceil: rateOfText(textOf(written.ceil) ?? '') ?? rate,
          parent: parent !== undefined && parent in classes ? parent : undefined,
        },
      ];
    }),
  );
}

/** A class and all that lend to it, the class first. */
export function lineOf(classes: ReadonlyMap<string, WrittenClass>, name: string): WrittenClass[] {
  const line: WrittenClass[] = [];
  for (let next = classes.get(name); next !== undefined && !line.includes(next); ) {
    line.push(next);
    next = next.parent === undefined ? undefined : classes.get(next.parent);
  }
  return line;
}

/** The class that a flow goes to; undefined where there is none, or only the hop's filters know. */
function classAt(hop: Mapping, classes: ReadonlyMap<string, WrittenClass>, flow: Mapping): string | undefined {
  const own = textOf(flow.class);
  if (own === 'direct' || isFiltered(hop, classes, flow)) return undefined;
  if (own !== undefined && classes.has(own)) return own;
  const other = textOf(hop.default)?.replace(/^(?:.*:)?(?:0x)?/, '');
  return other === undefined ? undefined : [...classes.keys()].find((name) => name.split(':')[1] === other);
}

/** Whether filters decide by what packets hold, so that the scenario's text does not tell the class. */
function isFiltered(hop: Mapping, classes: ReadonlyMap<string, WrittenClass>, flow: Mapping): boolean {
  const own = textOf(flow.class);
  return Array.isArray(hop.filters) && own !== 'direct' && (own === undefined || !classes.has(own));
}

/** What bounds the flows of a scenario, all variables filled in; the scenario is gone through once. */
export class Bounds {
  readonly #byFlow = new Map<string, Bound[]>();
  readonly #classOf = new Map<string, string>();
  readonly #unknown = new Set<string>();

  constructor(document: Mapping) {
    const flows = Object.entries(mappingOf(document.flows)).map(([name, spec]) => {
      const flow = mappingOf(spec);
      return { name, flow, via: Array.isArray(flow.via) ? flow.via.map(String) : [] };
    });
    for (const [hopName, spec] of Object.entries(mappingOf(document.hops))) {
      const crossing = flows.filter(({ via }) => via.includes(hopName));
      if (crossing.length > 0) this.#addHop(hopName, mappingOf(spec), crossing);
    }
  }

  /** All bounds on a flow's way, in the order of the hops. */
  of(flow: string): readonly Bound[] {
    return this.#byFlow.get(flow) ?? [];
  }

  /** The class that a flow goes to at a hop; undefined where there is none, or it is not known. */
  classOf(flow: string, hop: string): string | undefined {
    return this.#classOf.get(`${hop}\n${flow}`);
  }

  /** Whether a flow goes to a class that the scenario's text does not tell. */
  isUnknown(flow: string): boolean {
    return this.#unknown.has(flow);
  }

  #add(flow: string, bound: Bound): void {
    const bounds = this.#byFlow.get(flow) ?? [];
    bounds.push(bound);
    this.#byFlow.set(flow, bounds);
  }

  #addHop(hopName: string, hop: Mapping, crossing: readonly { name: string; flow: Mapping }[]): void {
    const classes = writtenClasses(hop);
    const names = crossing.map(({ name }) => name);
    if (classes.size > 0) this.#addClasses(hopName, hop, classes, crossing);
    const everyone = (text: string | undefined, by: string, level: Bound['level']): void => {
      const bitsPerSecond = rateOfText(text ?? '') ?? 0;
      if (bitsPerSecond <= 0) return;
      for (const name of names) this.#add(name, { bitsPerSecond, by, level, hop: hopName, flows: names });
    };
    if (classes.size === 0)
      everyone(textOf(hop.rate), `${textOf(hop.shaper) ?? 'the shaper'} of ${hopName}`, 'accounted');
    everyone(textOf(mappingOf(hop.link).rate), `the link of ${hopName}`, 'wire');
  }

  #addClasses(
    hopName: string,
    hop: Mapping,
    classes: ReadonlyMap<string, WrittenClass>,
    crossing: readonly { name: string; flow: Mapping }[],
  ): void {
    const users = new Map<string, string[]>([...classes.keys()].map((name) => [name, []]));
    const leaves = new Map<string, string>();
    for (const { name, flow } of crossing) {
      const leaf = classAt(hop, classes, flow);
      if (leaf !== undefined) {
        leaves.set(name, leaf);
        this.#classOf.set(`${hopName}\n${name}`, leaf);
      } else if (isFiltered(hop, classes, flow)) this.#unknown.add(name);
      const line = leaf !== undefined ? lineOf(classes, leaf).map((c) => c.name) : [];
      for (const used of isFiltered(hop, classes, flow) ? classes.keys() : line) users.get(used)?.push(name);
    }
    for (const [name, leafName] of leaves) {
      const inner = rateOfText(textOf(mappingOf(mappingOf(mappingOf(hop.classes)[leafName]).qdisc).rate) ?? '');
      for (const bound of lineBounds(classes, leafName, inner)) {
        this.#add(name, { ...bound, level: 'accounted', hop: hopName, flows: users.get(bound.class) ?? [] });
      }
    }
  }
}

/** A leaf's bounds: its rate without a lender, else its ceil and the ceils of those who lend, unless its rate is more. */
function lineBounds(
  classes: ReadonlyMap<string, WrittenClass>,
  leafName: string,
  inner: number | undefined,
): { bitsPerSecond: number; by: string; class: string }[] {
  const [leaf, ...lenders] = lineOf(classes, leafName);
  const bounds: { bitsPerSecond: number; by: string; class: string }[] = [];
  if (inner !== undefined && inner > 0) {
    bounds.push({ bitsPerSecond: inner, by: `the qdisc of class ${leafName}`, class: leafName });
  }
  const rate = leaf?.rate ?? 0;
  if (leaf === undefined || rate === 0) return bounds;
  const own = lenders.length === 0 ? rate : Math.max(rate, leaf.ceil ?? rate);
  bounds.push({
    bitsPerSecond: own,
    by: own === rate ? `class ${leafName}` : `ceil of class ${leafName}`,
    class: leafName,
  });
  for (const { name, ceil } of lenders) {
    // Nobody is asked for what is within the class's own rate.
    if (ceil !== undefined && ceil > rate)
      bounds.push({ bitsPerSecond: ceil, by: `ceil of class ${name}`, class: name });
  }
  const least = Math.min(...lenders.map(({ ceil }) => ceil ?? Number.POSITIVE_INFINITY));
  if (least <= rate && own > rate) {
    bounds.push({ bitsPerSecond: rate, by: `class ${leafName}`, class: leafName });
  }
  return bounds;
}
