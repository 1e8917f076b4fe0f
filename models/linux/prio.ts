import type {
  ClassProbe,
  ClassReport,
  NestedModel,
  ParameterProblem,
  Qdisc,
  QdiscBuilder,
  QdiscReport,
  ShaperDeclaration,
  Surroundings,
  Values,
} from '../model.ts';
import { ACCEPTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { type RecurrencePass, visitPart } from '../recurrence.ts';
import { formatClassId, MINOR_MASK, parseClassId } from './class-id.ts';
import { handleMajorOf, handleParameter, NO_HANDLE } from './handle.ts';
import { kernelParameter, versionProblems } from './kernel-parameters.ts';
import { BaseQdisc, buildChild, deviceParameters, qdiscCounters, txQueueLenOf } from './qdisc-base.ts';

/** Bands of the 16 values of a packet's priority, unless set (include/net/sch_generic.h: sch_default_prio2band). */
export const DEFAULT_PRIOMAP: readonly number[] = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/** The part of a priority that the map looks at. */
export const PRIORITY_MASK = 15;
/** The mode of a class that may send, as {@link ClassProbe} counts them. */
const CAN_SEND = 2;
const DEFAULT_BANDS = 3;
const MOST_BANDS = 16;

/** What a prio qdisc is set to. */
export interface PrioSettings {
  readonly handleMajor: number;
  readonly priomap: readonly number[];
  /** The child of each band. */
  readonly bands: readonly NestedModel[];
}

/** What the bands hold and have sent; bands have no tokens and may always send. */
class BandProbe implements ClassProbe {
  readonly names: readonly string[];
  readonly sentPackets: Float64Array;
  readonly sentBytes: Float64Array;
  readonly #children: readonly Qdisc[];

  constructor(names: readonly string[], children: readonly Qdisc[]) {
    this.names = names;
    this.sentPackets = new Float64Array(names.length);
    this.sentBytes = new Float64Array(names.length);
    this.#children = children;
  }

  tokensNs(): number {
    return Number.NaN;
  }

  ctokensNs(): number {
    return Number.NaN;
  }

  mode(): number {
    return CAN_SEND;
  }

  backlogBytes(index: number): number {
    return this.#children[index]!.backlogBytes;
  }

  backlogPackets(index: number): number {
    return this.#children[index]!.lengthPackets;
  }

  departedPackets(index: number): number {
    return this.sentPackets[index]!;
  }

  departedBytes(index: number): number {
    return this.sentBytes[index]!;
  }
}

/** Strict priority among bands, each a class with a qdisc of its own. Source of the rules: net/sched/sch_prio.c. */
export class Prio extends BaseQdisc {
  readonly canBypass = false;
  readonly #handleMajor: number;
  readonly #priomap: readonly number[];
  readonly #children: readonly Qdisc[];
  readonly probe: BandProbe;

  constructor(settings: PrioSettings, values: Values, surroundings: Surroundings, build: QdiscBuilder) {
    super(surroundings);
    this.#handleMajor = settings.handleMajor;
    this.#priomap = settings.priomap;
    const shownMajor = settings.handleMajor === NO_HANDLE ? 1 : settings.handleMajor;
    const names = settings.bands.map((_, band) => formatClassId(shownMajor * 0x10000 + band + 1));
    this.#children = settings.bands.map((model) => buildChild(this, values, model, surroundings, build));
    this.probe = new BandProbe(names, this.#children);
  }

  enqueue(packet: number, nowNs: number): number {
    const sizeBytes = this.packets.sizeBytes[packet]!;
    const result = this.#children[this.#bandOf(packet)]!.enqueue(packet, nowNs);
    if (result === ACCEPTED) {
      this.lengthPackets++;
      this.backlogBytes += sizeBytes;
    } else {
      this.droppedPackets++;
    }
    return result;
  }

  #bandOf(packet: number): number {
    const priority = this.packets.priority[packet]!;
    const major = priority >>> 16;
    let band: number;
    if (major === this.#handleMajor) band = (priority & MINOR_MASK) - 1;
    else band = this.#priomap[major === 0 ? priority & PRIORITY_MASK : 0]!;
    return band >= 0 && band < this.#children.length ? band : this.#priomap[0]!;
  }

  protected take(nowNs: number): number {
    const children = this.#children;
    for (let band = 0; band < children.length; band++) {
      const packet = children[band]!.dequeue(nowNs);
      if (packet !== NO_PACKET) {
        this.release(packet);
        this.departed(packet);
        this.probe.sentPackets[band]! += this.packets.segments[packet]!;
        this.probe.sentBytes[band]! += this.packets.sizeBytes[packet]!;
        return packet;
      }
    }
    return NO_PACKET;
  }

  override dequeue(nowNs: number): number {
    return this.take(nowNs);
  }

  override peek(nowNs: number): number {
    for (const child of this.#children) {
      const packet = child.peek(nowNs);
      if (packet !== NO_PACKET) return packet;
    }
    return NO_PACKET;
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    for (const child of this.#children) {
      visitPart(child, pass);
      if (pass.done) return;
    }
    pass.counts(this.probe.sentPackets);
    pass.counts(this.probe.sentBytes);
  }

  classOf(packet: number): string {
    return this.probe.names[this.#bandOf(packet)]!;
  }

  override report(nowNs: number): QdiscReport {
    const children: Record<string, QdiscReport> = {};
    const classes: Record<string, ClassReport> = {};
    this.#children.forEach((child, band) => {
      const name = this.probe.names[band]!;
      const report = child.report(nowNs);
      children[name] = report;
      classes[name] = { counters: report.counters };
    });
    return { ...super.report(nowNs), classes, children };
  }
}

type PrioClasses = Readonly<Record<string, { readonly qdisc?: NestedModel }>>;

function prioSettings(values: Values): PrioSettings {
  const classes = Object.entries((values.classes as PrioClasses | undefined) ?? {});
  const given = new Map(classes.map(([name, { qdisc }]) => [parseClassId(name)! & MINOR_MASK, qdisc]));
  const named = handleMajorOf(values);
  const firstClass = classes[0]?.[0];
  const leaf: NestedModel = { kind: 'pfifo', values: { limit: txQueueLenOf(values) } };
  return {
    handleMajor: named === NO_HANDLE && firstClass !== undefined ? parseClassId(firstClass)! >>> 16 : named,
    priomap: priomapOf(values),
    bands: Array.from({ length: values.bands as number }, (_, band) => given.get(band + 1) ?? leaf),
  };
}

/** The map as set; what is left out stays as it is by default. */
function priomapOf(values: Values): readonly number[] {
  const set = (values.priomap as readonly number[] | undefined) ?? [];
  return DEFAULT_PRIOMAP.map((band, priority) => set[priority] ?? band);
}

function check(values: Values): ParameterProblem[] {
  const problems = versionProblems(values);
  const bands = values.bands as number;
  const set = (values.priomap as readonly number[] | undefined) ?? [];
  if (set.length > DEFAULT_PRIOMAP.length) {
    problems.push({
      path: ['priomap'],
      expected: 'at most 16 bands, one for each priority',
      received: `${set.length}`,
    });
  }
  const map = priomapOf(values);
  const priority = map.findIndex((band) => band < 0 || band >= bands);
  if (priority >= 0) {
    problems.push({
      path: ['priomap'],
      expected: `bands from 0 to ${bands - 1}`,
      received: `${map[priority]} for priority ${priority}`,
      hint:
        set[priority] === undefined
          ? 'the default map needs 3 bands; set a priomap of 16 entries'
          : 'bands count from 0',
    });
  }
  const handle = handleMajorOf(values);
  const majors = new Set<number>(handle === NO_HANDLE ? [] : [handle]);
  for (const name of Object.keys((values.classes as PrioClasses | undefined) ?? {})) {
    const id = parseClassId(name);
    const minor = (id ?? 0) & MINOR_MASK;
    if (id === undefined || minor < 1 || minor > bands) {
      problems.push({
        path: ['classes', name],
        expected: `a minor number from 1 to ${bands.toString(16)}`,
        received: `"${name}"`,
        hint: 'band n is the class with the minor number n + 1, in hexadecimal',
      });
    } else if (!majors.has(id >>> 16) && majors.size > 0) {
      problems.push({
        path: ['classes', name],
        expected: `the major number ${[...majors][0]!.toString(16)}`,
        received: `"${name}"`,
      });
    } else {
      majors.add(id >>> 16);
    }
  }
  return problems;
}

/** `prio`: the lowest band that has something goes first, every time. */
export const prio: ShaperDeclaration = {
  kind: 'prio',
  role: 'shaper',
  summary: 'Strict priority among bands, each with a qdisc of its own (sch_prio).',
  parameters: {
    bands: { type: 'integer', help: 'Number of bands.', default: DEFAULT_BANDS, minimum: 2, maximum: MOST_BANDS },
    priomap: {
      type: { listOf: 'integer' },
      help: 'Band of each priority 0 to 15; default 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1.',
    },
    classes: {
      type: {
        mapOf: {
          qdisc: { type: { model: 'shaper' }, help: "Qdisc of the band; default pfifo of the device's length." },
        },
        key: 'class-id',
      },
      help: 'Qdiscs of bands: "1:1" is band 0; a flow whose `class` names one goes there.',
    },
    handle: handleParameter,
    kernel: kernelParameter,
    ...deviceParameters,
  },
  counters: qdiscCounters,
  check,
  create: (values, surroundings, build) => new Prio(prioSettings(values), values, surroundings, build),
};
