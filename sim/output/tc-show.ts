import {
  type BucketFigures,
  type ClassFigures,
  classFigures,
  htbRules,
  htbValues,
} from '../../models/linux/htb/class-figures.ts';
import { transmitSizeBytes } from '../../models/linux/tc.ts';
import type { NestedModel, Values } from '../../models/model.ts';
import type { ClassResult, HopResult, PointResult } from '../run/result.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { parseClassId, writeClassId } from '../units/class-id.ts';
import { printRateAsTc } from '../units/rate.ts';
import { printSizeAsTc } from '../units/size.ts';
import { classShowOrder } from './tc-class-order.ts';
import { type Counters, qdiscOptionsText, qdiscStatisticsText } from './tc-show-qdisc.ts';

/** First handle for qdiscs that the scenario leaves without one; the same rule as in `sim export tc`. */
const FIRST_FREE_HANDLE = 0x10;
/** First handle that the kernel gives by itself. */
const FIRST_AUTOMATIC_HANDLE = 0x8001;

/**
 * Prints the simulated state as `tc -s -d class show` and `tc -s -d qdisc show` of iproute2 6.1 print the real one.
 *
 * The figures follow the scenario's kernel and tc; qdiscs without a handle get the one that `sim export tc` gives them.
 */
export function tcShow(scenario: Scenario, point: PointResult): string {
  const parts = scenario.hops.flatMap((hop) => {
    const result = point.hops[hop.name];
    if (hop.shaper === undefined || result === undefined || hop.shaper.kind === 'police') return [];
    const shown = new ShownHop(hop, hop.shaper, result);
    return [
      `# ${hop.name}: tc -s -d class show`,
      shown.classes(),
      `# ${hop.name}: tc -s -d qdisc show`,
      shown.qdiscs(),
    ];
  });
  return parts.length === 0 ? '' : `${parts.map((part) => part.trimEnd()).join('\n')}\n`;
}

interface ShownQdisc {
  readonly model: NestedModel;
  readonly major: number;
  /** Class that holds it; absent: the root. */
  readonly parent?: number;
  readonly counters: Counters;
}

/** One device as tc shows it. */
export class ShownHop {
  readonly #hop: HopSpec;
  readonly #result: HopResult;
  readonly #qdiscs: ShownQdisc[] = [];
  readonly #taken = new Set<number>();
  #automatic = 0;

  constructor(hop: HopSpec, shaper: NestedModel, result: HopResult) {
    this.#hop = hop;
    this.#result = result;
    collectMajors(shaper.values, this.#taken);
    this.#collect(shaper, undefined, result);
  }

  /** `tc -s -d class show`. */
  classes(): string {
    const { shaper } = this.#hop;
    if (shaper?.kind !== 'htb') return '';
    const values = htbValues(shaper.values);
    const names = Object.keys(values.classes);
    const ordered = classShowOrder(names.map(parseClassId)).map((at) => names[at]!);
    const parents = new Set(names.map((name) => classFigures(values, name).parentId));
    const blocks = ordered.map((name) => {
      const figures = classFigures(values, name);
      return this.#class(figures, !parents.has(figures.id), this.#result.classes[name]);
    });
    const inner = this.#qdiscs.filter(({ model }) => model.kind === 'tbf');
    for (const { major } of inner)
      blocks.push(`class tbf ${writeClassId(major * 0x10000 + 1)} parent ${handle(major)} \n`);
    return `${blocks.join('\n')}\n`;
  }

  /** `tc -s -d qdisc show`. */
  qdiscs(): string {
    return this.#qdiscs
      .map(({ model, major, parent, counters }) => {
        const place = parent === undefined ? 'root refcnt 2' : `parent ${writeClassId(parent)}`;
        const values = { ...inherited(this.#hop.shaper!.values), ...model.values };
        return [
          `qdisc ${model.kind} ${handle(major)} ${place} ${qdiscOptionsText(model.kind, values, counters)}`,
          ...statistics(counters),
          ...qdiscStatisticsText(model.kind, counters),
        ].join('\n');
      })
      .concat('')
      .join('\n');
  }

  #class(figures: ClassFigures, isLeaf: boolean, result: ClassResult | undefined): string {
    const values = htbValues(this.#hop.shaper!.values);
    const own = values.classes[figures.name]!;
    const { kernel, tc } = htbRules(values);
    const bucket = ({ bytesPerSecond, netlinkTicks, table }: BucketFigures): string => {
      const burst = transmitSizeBytes(tc, bytesPerSecond, netlinkTicks, kernel.netlinkTickNs);
      return `burst ${printSizeAsTc(burst)}/${2 ** (table?.cellLog ?? 0)} mpu ${printSizeAsTc(own.mpu)}`;
    };
    const holder = this.#qdiscs.find(({ parent }) => parent === figures.id);
    const parts = [
      `class htb ${writeClassId(figures.id)}`,
      figures.parentId === 0 ? 'root' : `parent ${writeClassId(figures.parentId)}`,
      ...(holder === undefined ? [] : [`leaf ${handle(holder.major)}`]),
      ...(isLeaf ? [`prio ${figures.priority} quantum ${figures.quantumBytes}`] : []),
      `rate ${printRateAsTc(figures.rate.bytesPerSecond * 8)}`,
      ...(own.overhead > 0 ? [`overhead ${own.overhead}`] : []),
      `ceil ${printRateAsTc(figures.ceil.bytesPerSecond * 8)}`,
      `linklayer ${own.linklayer === 'ethernet' ? 'ethernet' : 'atm'}`,
      bucket(figures.rate),
      `c${bucket(figures.ceil)}`,
      `level ${result?.level ?? 0} `,
    ];
    const counters = countersOf(result);
    const { lended = 0, borrowed = 0, giants = 0, tokensShown = 0, ctokensShown = 0 } = counters;
    return [
      parts.join(' '),
      ...statistics(counters),
      ` lended: ${lended} borrowed: ${borrowed} giants: ${giants}`,
      ` tokens: ${tokensShown} ctokens: ${ctokensShown}`,
      '',
    ].join('\n');
  }

  /** Lists a qdisc and those inside of it, each with its handle. */
  #collect(model: NestedModel, parent: number | undefined, result: Omit<HopResult, 'link'> | undefined): void {
    const major = this.#major(model, parent);
    const counters = (result?.counters ?? {}) as Counters;
    this.#qdiscs.push(parent === undefined ? { model, major, counters } : { model, major, parent, counters });
    const classes = (model.values.classes ?? {}) as Readonly<Record<string, { qdisc?: NestedModel; limit?: number }>>;
    for (const [name, { qdisc, limit }] of Object.entries(classes)) {
      const id = parseClassId(name);
      if (qdisc !== undefined) this.#collect(qdisc, id, result?.children?.[name]);
      else if (limit !== undefined) {
        // A queue without a handle of its own gets one from the kernel.
        const automatic = FIRST_AUTOMATIC_HANDLE + this.#automatic++;
        const queue = { kind: 'pfifo', values: { limit } };
        this.#qdiscs.push({ model: queue, major: automatic, parent: id, counters: countersOf(result?.classes[name]) });
      }
    }
    const child = model.values.qdisc as NestedModel | undefined;
    const inner = Object.values(result?.children ?? {})[0];
    if (child !== undefined) this.#collect(child, major * 0x10000 + 1, inner);
  }

  #major({ values }: NestedModel, parent: number | undefined): number {
    const first = Object.keys((values.classes ?? {}) as object)[0];
    if (first !== undefined) return Math.floor(parseClassId(first) / 0x10000);
    if (typeof values.handle === 'number') return Math.floor(values.handle / 0x10000);
    let major = parent === undefined ? 1 : parent % 0x10000 || FIRST_FREE_HANDLE;
    while (this.#taken.has(major)) major++;
    this.#taken.add(major);
    return major;
  }
}

/** The lines that every qdisc and class has with -s. */
function statistics(counters: Counters): string[] {
  const { sentBytes = 0, sentPackets = 0, droppedPackets = 0, overlimits = 0, requeues = 0 } = counters;
  const { backlogBytes = 0, backlogPackets = 0 } = counters;
  return [
    ` Sent ${sentBytes} bytes ${sentPackets} pkt (dropped ${droppedPackets}, overlimits ${overlimits} requeues ${requeues}) `,
    ` backlog ${printSizeAsTc(backlogBytes)} ${backlogPackets}p requeues ${requeues}`,
  ];
}

function countersOf(result: ClassResult | undefined): Counters {
  const entries = Object.entries(result ?? {}).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(entries) as Counters;
}

/** Kernel, tc and device of a hop, which the qdiscs inside share. */
function inherited(values: Values): Values {
  const names = ['kernel', 'tc', 'hz', 'txQueueLen', 'deviceMtu'];
  return Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
}

function collectMajors(values: Values, taken: Set<number>): void {
  if (typeof values.handle === 'number') taken.add(Math.floor(values.handle / 0x10000));
  for (const name of Object.keys((values.classes ?? {}) as object)) taken.add(Math.floor(parseClassId(name) / 0x10000));
  for (const value of Object.values(values)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) collectMajors(value as Values, taken);
  }
}

function handle(major: number): string {
  return writeClassId(major * 0x10000);
}
