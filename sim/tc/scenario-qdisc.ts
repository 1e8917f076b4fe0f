import type { ModelDeclaration, Parameters } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { writeClassId } from '../units/class-id.ts';
import { parseDuration } from '../units/duration.ts';
import { parseRate } from '../units/rate.ts';
import { majorOf, minorOf } from './class-id.ts';
import { classesById, classLimit, linkRateFor } from './device-rates.ts';
import { camelCase } from './export-options.ts';
import { netemHopName } from './hop-names.ts';
import type { TcDevice, TcOption, TcQdisc } from './model.ts';

/** Packets that netem holds unless it is told otherwise. */
const NETEM_LIMIT_PACKETS = 1000;
const FULL_PACKET_BYTES = 1514;

/** A mapping of a scenario document. */
export type Mapping = Record<string, unknown>;

/** Something to say beside a place of the document. */
export interface Remark {
  readonly path: readonly string[];
  readonly text: string;
  readonly line: number;
  /** Whether it is a loss (something was not imported) or an explanation. */
  readonly lost: boolean;
  /** What to do about a loss; absent: nothing but to know it. */
  readonly hint?: string;
}

/** What netem does, as a link of its own in front. */
export interface NetemLink {
  /** Class that it stands in; absent: the whole device. */
  readonly classId?: number;
  readonly link: Mapping;
  readonly line: number;
}

/** Turns the qdiscs of a device into the mapping of a hop and what must stand in front of it. */
export class QdiscTranslator {
  readonly remarks: Remark[] = [];
  /** Script lines by dotted path. */
  readonly lines = new Map<string, number>();
  readonly netems: NetemLink[] = [];
  readonly #device: TcDevice;
  readonly #made: ReadonlySet<string> | undefined;

  /** @param made names of hops: netem is a link where its hop is among them; absent: where a link does the same */
  constructor(device: TcDevice, made?: ReadonlySet<string>) {
    this.#device = device;
    this.#made = made;
  }

  /** The hop's own mapping for the root qdisc, or undefined where nothing shapes. */
  root(qdisc: TcQdisc, path: readonly string[]): Mapping | undefined {
    const model = this.#qdisc(qdisc, path, undefined);
    if (model === undefined) return undefined;
    const { kind, ...values } = model;
    const length = this.#device.txQueueLength;
    const known = modelsOf('shaper').get(kind as string)?.parameters ?? {};
    return {
      shaper: kind,
      ...(length === undefined || !('txQueueLen' in known) ? {} : { txQueueLen: length }),
      ...values,
    };
  }

  /** A qdisc as `{ kind, … }`; netem that is no more than a link is taken out and what it holds takes its place. */
  #qdisc(qdisc: TcQdisc, path: readonly string[], holder: number | undefined): Mapping | undefined {
    if (qdisc.kind === 'netem' && this.#isLink(qdisc, holder)) {
      this.#netem(qdisc, path, holder);
      const child = this.#childOf(qdisc);
      return child === undefined ? undefined : this.#qdisc(child, path, holder);
    }
    const declaration = modelsOf('shaper').get(qdisc.kind);
    this.lines.set(path.join('.'), qdisc.line);
    if (declaration === undefined) {
      this.#lose(path, `${qdisc.kind} is taken for a plain queue`, qdisc.line);
      return { kind: 'pfifo' };
    }
    for (const part of qdisc.unknown) this.#lose(path, `${qdisc.kind}: ${part}`, qdisc.line);
    if (qdisc.kind === 'htb' && !this.#device.classes.some(({ id }) => majorOf(id) === qdisc.handle)) {
      this.#lose(path, 'htb without a class shapes nothing: its direct queue is all that it is', qdisc.line);
      return { kind: 'pfifo' };
    }
    const values = this.#values(qdisc.options, declaration.parameters, path, qdisc.line);
    const framing = this.#framing(qdisc, path);
    if (qdisc.kind === 'tbf') Object.assign(values, framing);
    if (qdisc.kind === 'htb') this.#htb(qdisc, values, framing, path);
    else if (qdisc.kind === 'prio') this.#prio(qdisc, values, path);
    else this.#single(qdisc, values, declaration, path, holder);
    return { kind: qdisc.kind, ...values };
  }

  /**
   * What a size table (stab) adds to each packet, as the options of a class or tbf that price the same.
   *
   * Source: net/sched/sch_api.c: __qdisc_calculate_pkt_len; iproute2 tc/tc_core.c: tc_calc_size_table, whose steps of
   * 4 bytes divide the 48 of a cell.
   */
  #framing({ kind, sizeTable, options, parent, handle, line }: TcQdisc, path: readonly string[]): Mapping {
    if (sizeTable === undefined) return {};
    const { overhead = 0, mpu = 0, linklayer = 'ethernet' } = sizeTable;
    const text = `stab ${Object.entries(sizeTable).flat().join(' ')}`;
    const classes = kind === 'htb' ? this.#device.classes.filter(({ id }) => majorOf(id) === handle) : [];
    const own = [options, ...classes.map((entry) => entry.options)].some(
      (given) => isPriced(given.overhead) || isPriced(given.mpu) || isPriced(given.linklayer),
    );
    if (!/^(?:htb|tbf)$/.test(kind)) {
      const effect = `${text}: without a rate nothing is priced, and only the counters differ`;
      this.remarks.push({ path, text: effect, line, lost: false });
      return {};
    }
    if (parent !== 'root' || own || Number(overhead) < 0) {
      const why = parent !== 'root' ? 'not at the root' : own ? 'beside an overhead of its own' : 'an overhead below 0';
      this.#lose(path, `${text} (${why})`, line);
      return {};
    }
    const where = kind === 'htb' ? 'each class prices packets so' : 'packets are priced so';
    this.remarks.push({ path, text: `${text}: ${where}; counters leave it out`, line, lost: false });
    return {
      ...(overhead === 0 ? {} : { overhead: `${String(overhead)}b` }),
      ...(mpu === 0 ? {} : { mpu: `${String(mpu)}b` }),
      ...(linklayer === 'ethernet' ? {} : { linklayer }),
    };
  }

  #isLink(qdisc: TcQdisc, holder: number | undefined): boolean {
    if (this.#made !== undefined) return this.#made.has(netemHopName(this.#device.name, holder));
    return isLink(qdisc) && this.#holdsAll(qdisc, holder);
  }

  /** Whether the limit of a netem is above what is under way at once: a link in its place would lose nothing either. */
  #holdsAll(qdisc: TcQdisc, holder: number | undefined): boolean {
    const { delay, limit = NETEM_LIMIT_PACKETS, rate } = qdisc.options;
    if (typeof delay !== 'string') return true;
    const inside = rate ?? this.#childOf(qdisc)?.options.rate;
    const isClass = holder !== undefined && this.#device.classes.some(({ id }) => id === holder);
    const bitsPerSecond =
      typeof inside === 'string'
        ? parseRate(inside)
        : isClass
          ? classLimit(classesById(this.#device), holder)
          : linkRateFor(this.#device);
    return (bitsPerSecond * parseDuration(delay)) / 1e9 <= Number(limit) * 8 * FULL_PACKET_BYTES;
  }

  #htb(qdisc: TcQdisc, values: Mapping, framing: Mapping, path: readonly string[]): void {
    const id = (minor: number): number => qdisc.handle * 0x10000 + minor;
    const { default: minor } = values;
    if (typeof minor === 'number') {
      delete values.default;
      // Minor 0 is tc's own default: the direct queue, which a scenario has by leaving the key out.
      if (this.#device.classes.some((entry) => entry.id === id(minor))) values.default = writeClassId(id(minor));
      else if (minor !== 0) {
        const text = `default ${minor.toString(16)}: there is no class ${writeClassId(id(minor))}, so that packets without a class pass unshaped`;
        this.#lose(path, text, qdisc.line, this.#nearDefault(qdisc, minor));
      }
    }
    const classes: Mapping = {};
    const declared = htbClassParameters();
    for (const entry of this.#device.classes) {
      if (majorOf(entry.id) !== qdisc.handle) continue;
      const name = writeClassId(entry.id);
      const classPath = [...path, 'classes', name];
      this.lines.set(classPath.join('.'), entry.line);
      const own = { ...this.#values(entry.options, declared, classPath, entry.line), ...framing };
      for (const part of entry.unknown) this.#lose(classPath, `class ${name}: ${part}`, entry.line);
      if (entry.parent !== undefined) own.parent = writeClassId(entry.parent);
      this.#leafQueue(entry.id, own, classPath);
      const { parent, ...rest } = own;
      classes[name] = parent === undefined ? rest : { parent, ...rest };
    }
    values.classes = classes;
  }

  /** Which class the owner may have meant: class ids are hexadecimal, also where they look decimal. */
  #nearDefault(qdisc: TcQdisc, minor: number): string {
    const minors = this.#device.classes.filter(({ id }) => majorOf(id) === qdisc.handle).map(({ id }) => minorOf(id));
    const decimal = minors.find(
      (other) => String(other) === minor.toString(16) || other.toString(16) === String(minor),
    );
    if (decimal !== undefined) {
      const name = writeClassId(qdisc.handle * 0x10000 + decimal);
      return `there is ${name}, and both are hexadecimal: write default ${decimal.toString(16)} for it`;
    }
    const leaves = this.#device.classes.filter(({ id }) => majorOf(id) === qdisc.handle && isLeaf(this.#device, id));
    return `add it, or take one that is there: ${
      leaves
        .slice(0, 8)
        .map(({ id }) => writeClassId(id))
        .join(', ') || 'there is none'
    }`;
  }

  /** What waits in a leaf: a plain queue without a handle is the leaf's own limit. */
  #leafQueue(id: number, own: Mapping, path: readonly string[]): void {
    const child = this.#device.qdiscs.find((qdisc) => qdisc.parent === id);
    if (child === undefined) return;
    const { limit } = child.options;
    if (child.kind === 'pfifo' && child.handle === 0 && typeof limit === 'number') own.limit = limit;
    else {
      const model = this.#qdisc(child, [...path, 'qdisc'], id);
      if (model !== undefined) own.qdisc = model;
    }
  }

  #prio(qdisc: TcQdisc, values: Mapping, path: readonly string[]): void {
    if (qdisc.handle !== 0) values.handle = writeClassId(qdisc.handle * 0x10000);
    const classes: Mapping = {};
    for (const child of this.#device.qdiscs) {
      if (typeof child.parent !== 'number' || majorOf(child.parent) !== qdisc.handle) continue;
      const name = writeClassId(child.parent);
      const model = this.#qdisc(child, [...path, 'classes', name, 'qdisc'], child.parent);
      if (model !== undefined) classes[name] = { qdisc: model };
    }
    if (Object.keys(classes).length > 0) values.classes = classes;
  }

  #single(
    qdisc: TcQdisc,
    values: Mapping,
    declaration: ModelDeclaration,
    path: readonly string[],
    holder: number | undefined,
  ): void {
    const isNamed = this.#device.filters.some((filter) => filter.parent === qdisc.handle * 0x10000);
    if ('handle' in declaration.parameters && qdisc.handle !== 0 && isNamed) {
      values.handle = writeClassId(qdisc.handle * 0x10000);
    }
    const child = this.#childOf(qdisc);
    if (child === undefined) return;
    if ('qdisc' in declaration.parameters) {
      const model = this.#qdisc(child, [...path, 'qdisc'], holder);
      if (model !== undefined) values.qdisc = model;
    } else this.#lose(path, `the ${child.kind} inside ${qdisc.kind}`, child.line);
  }

  #childOf(qdisc: TcQdisc): TcQdisc | undefined {
    return this.#device.qdiscs.find(
      ({ parent }) => typeof parent === 'number' && qdisc.handle !== 0 && majorOf(parent) === qdisc.handle,
    );
  }

  #netem(qdisc: TcQdisc, path: readonly string[], holder: number | undefined): void {
    const { delay, loss, rate, limit } = qdisc.options;
    const link: Mapping = {};
    // The rate of netem counts nothing beyond the packet.
    if (rate !== undefined) Object.assign(link, { rate, overhead: '0b' });
    if (delay !== undefined) link.delay = delay;
    if (loss !== undefined && loss !== '0%') link.loss = loss;
    if (limit !== undefined) link.queue = `${limit as number}p`;
    for (const part of qdisc.unknown) this.#lose(path, `netem: ${part}`, qdisc.line);
    this.netems.push(holder === undefined ? { link, line: qdisc.line } : { link, line: qdisc.line, classId: holder });
  }

  /** Options under the names of the model's parameters. */
  #values(
    options: Readonly<Record<string, TcOption>>,
    parameters: Parameters,
    path: readonly string[],
    line: number,
  ): Mapping {
    const values: Mapping = {};
    for (const [name, value] of Object.entries(options)) {
      const key = camelCase(name);
      const parameter = parameters[key];
      this.lines.set([...path, key].join('.'), line);
      if (parameter === undefined)
        this.#lose(path, `${words(name)} ${value === true ? '' : String(value)}`.trim(), line);
      else if (parameter.type === 'boolean') values[key] = value !== 0;
      // tc counts the period of sfq in whole seconds.
      else if (parameter.type === 'duration' && typeof value === 'number') values[key] = `${value}s`;
      else values[key] = Array.isArray(value) ? [...value] : value;
    }
    return values;
  }

  #lose(path: readonly string[], text: string, line: number, hint?: string): void {
    this.remarks.push({ path, text, line, lost: true, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Whether an option adds to the price of a packet: shown classes have it as nothing. */
function isPriced(value: TcOption | undefined): boolean {
  return value !== undefined && value !== 'ethernet' && !/^0+b?$/.test(String(value));
}

/** Whether nothing hangs below an HTB class, so that packets can wait in it. */
function isLeaf(device: TcDevice, id: number): boolean {
  return minorOf(id) !== 0 && !device.classes.some((entry) => entry.parent === id);
}

/** What of netem a link does as well. */
const LINK_OPTIONS = new Set(['delay', 'loss', 'rate', 'limit']);

function isLink({ options }: TcQdisc): boolean {
  return Object.entries(options).every(
    ([name, value]) => LINK_OPTIONS.has(name) || value === '0us' || value === '0%' || value === 0,
  );
}

function htbClassParameters(): Parameters {
  const type = modelsOf('shaper').get('htb')?.parameters.classes?.type;
  return typeof type === 'object' && 'mapOf' in type ? type.mapOf : {};
}

const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
