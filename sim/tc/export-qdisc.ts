import type { NestedModel, Parameters, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { parseClassId, writeClassId } from '../units/class-id.ts';
import { majorOf } from './class-id.ts';
import { writeHandle, writeOptions, writePercent } from './export-options.ts';
import { writeNetemWords } from './netem-options.ts';
import { HTB_CLASS_OPTIONS, QDISC_OPTIONS } from './option-tables.ts';

/** Parameters that stand beside tc's own in a hop, and are kept in comments. */
const BESIDE_TC = ['kernel', 'tc', 'hz', 'txQueueLen', 'hysteresis', 'deviceMtu'];
/** Parameters that tc has no plain option for. */
const WRITTEN_APART: Readonly<Record<string, readonly string[]>> = {
  htb: ['default', 'directQlen'],
  netem: ['lossState', 'lossGemodel', 'slot'],
};
/** First handle that is given to a qdisc without one of its own. */
const FIRST_FREE_HANDLE = 0x10;

/** Writes the commands that set up the qdiscs of one device. */
export class QdiscWriter {
  readonly commands: string[] = [];
  /** What tc has no words for. */
  readonly left: string[] = [];
  /** Handles that the scenario does not name. */
  readonly madeHandles: string[] = [];
  readonly #device: string;
  readonly #taken = new Set<number>();

  constructor(device: string) {
    this.#device = device;
  }

  /**
   * Writes the root qdisc and all below it.
   *
   * @param isInNetem where the hop's own qdisc stands in a netem that is the root
   * @returns the major number of the hop's own qdisc, 0 for none
   */
  root(model: NestedModel, isInNetem: boolean): number {
    collectMajors(model.values, this.#taken);
    const { kind, values } = model;
    const { qdisc, ...own } = values;
    if (!isInNetem || qdisc === undefined) return this.#qdisc(model, 'root', BESIDE_TC, undefined);
    const major = this.#freeHandle(FIRST_FREE_HANDLE);
    this.#netem({ kind, values: own }, major);
    return this.#qdisc(qdisc as NestedModel, `parent ${writeClassId(major * 0x10000 + 1)}`, BESIDE_TC, undefined);
  }

  /** A netem that is not the hop's own qdisc but its link. */
  #netem({ kind, values }: NestedModel, major: number): void {
    const { words } = writeOptions(
      values,
      modelsOf('shaper').get(kind)?.parameters ?? {},
      QDISC_OPTIONS[kind] ?? [],
      [],
    );
    this.commands.push(
      [`tc qdisc add dev ${this.#device} root handle ${writeHandle(major)} ${kind}`, ...words].join(' '),
    );
  }

  #qdisc(model: NestedModel, place: string, beside: readonly string[], wanted: number | undefined): number {
    const { kind, values } = model;
    const parameters = modelsOf('shaper').get(kind)?.parameters ?? {};
    const rules = QDISC_OPTIONS[kind];
    if (rules === undefined) {
      this.left.push(`${kind}, which tc does not know`);
      return 0;
    }
    const major = this.#handleOf(model, wanted);
    const handle = major === 0 ? '' : ` handle ${writeHandle(major)}`;
    const handled = [...beside, 'handle', 'classes', 'qdisc', ...(WRITTEN_APART[kind] ?? [])];
    const { words, left } = writeOptions(values, parameters, kind === 'htb' ? rules.slice(1, 2) : rules, handled);
    this.left.push(...left.map((name) => `${name} of ${kind}`));
    const own =
      kind === 'htb'
        ? [...htbDefault(values), ...words, ...directLength(values)]
        : [...words, ...(kind === 'netem' ? writeNetemWords(values, writePercent) : [])];
    this.commands.push([`tc qdisc add dev ${this.#device} ${place}${handle} ${kind}`, ...own].join(' '));
    if (kind === 'htb') this.#classes(values, major);
    else if (kind === 'prio') this.#bands(values, major);
    else if (values.qdisc !== undefined)
      this.#qdisc(values.qdisc as NestedModel, `parent ${writeClassId(major * 0x10000 + 1)}`, [], undefined);
    return major;
  }

  /** The handle of a qdisc: its own, that of its classes, or a free one where something must name it. */
  #handleOf({ kind, values }: NestedModel, wanted: number | undefined): number {
    const first = Object.keys((values.classes ?? {}) as object)[0];
    if (kind === 'htb' && first !== undefined) return majorOf(parseClassId(first));
    if (typeof values.handle === 'number') return majorOf(values.handle);
    const isNamed = values.qdisc !== undefined || first !== undefined;
    if (!isNamed && wanted === undefined) return 0;
    if (first === undefined) return this.#freeHandle(wanted ?? FIRST_FREE_HANDLE);
    const major = majorOf(parseClassId(first));
    this.#taken.add(major);
    this.madeHandles.push(writeHandle(major));
    return major;
  }

  /** The first handle from there on that nobody has. */
  #freeHandle(wanted: number): number {
    let major = wanted;
    while (this.#taken.has(major)) major++;
    this.#taken.add(major);
    this.madeHandles.push(writeHandle(major));
    return major;
  }

  #classes(values: Values, major: number): void {
    const classes = values.classes as Readonly<Record<string, Values>>;
    const parameters = htbClassParameters();
    for (const name of parentsFirst(classes)) {
      const own = classes[name]!;
      const parent =
        typeof own.parent === 'number' && own.parent % 0x10000 !== 0 ? writeClassId(own.parent) : writeHandle(major);
      const { words, left } = writeOptions(own, parameters, HTB_CLASS_OPTIONS, ['parent', 'limit', 'qdisc']);
      this.left.push(...left.map((key) => `${key} of class ${name}`));
      const id = writeClassId(parseClassId(name));
      this.commands.push(`tc class add dev ${this.#device} parent ${parent} classid ${id} htb ${words.join(' ')}`);
    }
    for (const [name, own] of Object.entries(classes)) {
      const id = writeClassId(parseClassId(name));
      if (own.qdisc !== undefined)
        this.#qdisc(own.qdisc as NestedModel, `parent ${id}`, [], parseClassId(name) % 0x10000);
      else if (own.limit !== undefined) {
        this.commands.push(`tc qdisc add dev ${this.#device} parent ${id} pfifo limit ${own.limit as number}`);
      }
    }
  }

  #bands(values: Values, major: number): void {
    const classes = (values.classes ?? {}) as Readonly<Record<string, { qdisc?: NestedModel }>>;
    for (const [name, { qdisc }] of Object.entries(classes)) {
      const id = writeClassId(major * 0x10000 + (parseClassId(name) % 0x10000));
      if (qdisc !== undefined) this.#qdisc(qdisc, `parent ${id}`, [], undefined);
    }
  }
}

function htbDefault(values: Values): string[] {
  return typeof values.default === 'number' ? ['default', (values.default % 0x10000).toString(16)] : [];
}

function directLength(values: Values): string[] {
  return typeof values.directQlen === 'number' ? ['direct_qlen', String(values.directQlen)] : [];
}

function htbClassParameters(): Parameters {
  const type = modelsOf('shaper').get('htb')?.parameters.classes?.type;
  return typeof type === 'object' && 'mapOf' in type ? type.mapOf : {};
}

/** Names of classes so that each comes behind its parent. */
function parentsFirst(classes: Readonly<Record<string, Values>>): string[] {
  const ordered: string[] = [];
  const done = new Set<number>();
  let waiting = Object.keys(classes);
  while (waiting.length > 0) {
    const ready = waiting.filter((name) => {
      const { parent } = classes[name]!;
      return typeof parent !== 'number' || parent % 0x10000 === 0 || done.has(parent);
    });
    if (ready.length === 0) break;
    for (const name of ready) done.add(parseClassId(name));
    ordered.push(...ready);
    waiting = waiting.filter((name) => !ready.includes(name));
  }
  return ordered;
}

/** Handles in use: of classes and of qdiscs. */
function collectMajors(values: Values, taken: Set<number>): void {
  if (typeof values.handle === 'number') taken.add(majorOf(values.handle));
  for (const name of Object.keys((values.classes ?? {}) as object)) taken.add(majorOf(parseClassId(name)));
  for (const value of Object.values(values)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) collectMajors(value as Values, taken);
  }
}
