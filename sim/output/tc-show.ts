import {
  type BucketFigures,
  type ClassFigures,
  classFigures,
  type HtbValues,
  htbRules,
  htbValues,
} from '../../models/linux/htb/class-figures.ts';
import { kernelVersionOf, tcVersionOf } from '../../models/linux/kernel-parameters.ts';
import { transmitSizeBytes } from '../../models/linux/tc.ts';
import { invariant, type NestedModel, type Values } from '../../models/model.ts';
import type { ClassResult, HopResult, PointResult } from '../run/result.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { parseClassId, writeClassId } from '../units/class-id.ts';
import { printSizeAsTc } from '../units/size.ts';
import { classShowOrder, qdiscShowOrder } from './tc-class-order.ts';
import { rateText, type TcFormat, tcFormat } from './tc-format.ts';
import { policeFilterText } from './tc-show-police.ts';
import { type Counters, qdiscOptionLines, qdiscOptionsText, qdiscStatisticsText } from './tc-show-qdisc.ts';

/** First handle for qdiscs that the scenario leaves without one; the same rule as in `sim export tc`. */
const FIRST_FREE_HANDLE = 0x10;
/** First handle that the kernel gives by itself. */
const FIRST_AUTOMATIC_HANDLE = 0x8001;

/**
 * Prints the simulated state as `tc -s -d class show` and `tc -s -d qdisc show` print the real one, a policer as
 * `tc -s -d filter show`.
 *
 * Qdiscs without a handle get the one that `sim export tc` gives them.
 *
 * @param version of tc in whose format it is, one that {@link tcFormat} knows; absent: that of each hop
 */
export function tcShow(scenario: Scenario, point: PointResult, version?: string): string {
  const nowNs = scenario.clockStartNs + scenario.durationNs;
  const parts = scenario.hops.flatMap((hop) => {
    const result = point.hops[hop.name];
    if (hop.shaper === undefined || result === undefined) return [];
    const on = hop.device === undefined ? '' : ` dev ${hop.device.name}`;
    const { values } = hop.shaper;
    const format = tcFormat(version ?? tcVersionOf(values), kernelVersionOf(values));
    invariant(format !== undefined, `tc ${version} is checked`);
    if (hop.shaper.kind === 'police') {
      const where = values.ingress === true ? 'ingress' : 'egress';
      const counters = (result.counters ?? {}) as Counters;
      const filter = policeFilterText(format, { values, counters, nowNs, installedNs: scenario.durationNs });
      return [`# ${hop.name}: tc -s -d filter show${on} ${where}`, filter];
    }
    const shown = new ShownHop(hop, hop.shaper, result, { format, nowNs, durationNs: scenario.durationNs });
    return [
      `# ${hop.name}: tc -s -d class show${on}`,
      shown.classes(),
      `# ${hop.name}: tc -s -d qdisc show${on}`,
      shown.qdiscs(),
    ];
  });
  return parts.length === 0 ? '' : `${parts.map((part) => part.replace(/\n+$/, '')).join('\n')}\n`;
}

interface ShownQdisc {
  readonly model: NestedModel;
  readonly major: number;
  /** Class that holds it; absent: the root. */
  readonly parent?: number;
  readonly counters: Counters;
  readonly result: Omit<HopResult, 'link'> | undefined;
}

/** Where a qdisc stands: the class that holds it (absent: the root), what it did, and the handle that it would have. */
interface QdiscPlace {
  readonly parent?: number;
  readonly result: Omit<HopResult, 'link'> | undefined;
  readonly wanted?: number;
}

/** In which words, and when. */
interface Showing {
  readonly format: TcFormat;
  readonly nowNs: number;
  readonly durationNs: number;
}

/** One device as tc shows it. */
class ShownHop {
  readonly #hop: HopSpec;
  readonly #showing: Showing;
  readonly #qdiscs: ShownQdisc[] = [];
  readonly #taken = new Set<number>();
  #automatic = 0;

  constructor(hop: HopSpec, shaper: NestedModel, result: HopResult, showing: Showing) {
    this.#hop = hop;
    this.#showing = showing;
    collectMajors(shaper.values, this.#taken);
    this.#collect(shaper, { result });
    if (!showing.format.hashedQdiscs) return;
    const [root, ...below] = this.#qdiscs;
    const ordered = qdiscShowOrder(below.map(({ major }) => major)).map((at) => below[at]!);
    this.#qdiscs.splice(0, this.#qdiscs.length, root!, ...ordered);
  }

  /** `tc -s -d class show`: the root's classes, and those that the qdiscs inside show of themselves. */
  classes(): string {
    const blocks = this.#qdiscs.flatMap((qdisc) => {
      if (qdisc.model.kind === 'htb') return this.#htbClasses(qdisc);
      return [...this.#innerClasses(qdisc)];
    });
    return `${blocks.join('\n')}\n`;
  }

  /** `tc -s -d qdisc show`. */
  qdiscs(): string {
    const { format, nowNs } = this.#showing;
    return this.#qdiscs
      .flatMap(({ model, major, parent, counters }) => {
        const root = format.rootReferences ? 'root refcnt 2' : 'root';
        const place = parent === undefined ? root : `parent ${writeClassId(parent)}`;
        const values = { ...inherited(this.#hop.shaper!.values), ...model.values };
        const state = { kind: model.kind, values, counters, nowNs };
        return [
          `qdisc ${model.kind} ${handle(major)} ${place} ${qdiscOptionsText(format, state)}`,
          ...qdiscOptionLines(state),
          ...this.#statistics(counters, format.fakeRates ? 0 : undefined),
          ...qdiscStatisticsText(format, state),
        ];
      })
      .concat('')
      .join('\n');
  }

  #htbClasses({ model, result }: ShownQdisc): string[] {
    const values = htbValues({ ...inherited(this.#hop.shaper!.values), ...model.values });
    const names = Object.keys(values.classes);
    const ordered = classShowOrder(names.map(parseClassId)).map((at) => names[at]!);
    const parents = new Set(names.map((name) => classFigures(values, name).parentId));
    return ordered.map((name) => {
      const figures = classFigures(values, name);
      return this.#htbClass(values, figures, !parents.has(figures.id), result?.classes[name]);
    });
  }

  /** Classes that qdiscs with one child, or bands, show; only bands have statistics. */
  #innerClasses({ model, major, result }: ShownQdisc): string[] {
    const line = (minor: number): string => {
      const id = major * 0x10000 + minor;
      const holder = this.#qdiscs.find(({ parent }) => parent === id);
      const leaf =
        holder === undefined ? '' : `leaf ${handle(holder.major).slice(0, -1)}${this.#showing.format.behindLeaf}`;
      return `class ${model.kind} ${writeClassId(id)} parent ${handle(major)} ${leaf}`;
    };
    if (model.kind === 'tbf' || model.kind === 'red') return [`${line(1)}\n`];
    if (model.kind === 'netem') return model.values.qdisc === undefined ? [] : [`${line(1)}\n`];
    if (model.kind !== 'prio') return [];
    const children = Object.values(result?.children ?? {});
    return children.map((child, band) => {
      const rate = this.#showing.format.fakeRates ? 0 : undefined;
      return [line(band + 1), ...this.#statistics((child.counters ?? {}) as Counters, rate)].join('\n');
    });
  }

  #htbClass(values: HtbValues, figures: ClassFigures, isLeaf: boolean, result: ClassResult | undefined): string {
    const { format, durationNs } = this.#showing;
    const own = values.classes[figures.name]!;
    const { kernel, tc } = htbRules(values);
    const folded = tc.foldsOverhead ? own.overhead : 0;
    const mpu = format.overheadOfMpu
      ? `mpu ${printSizeAsTc(own.mpu % 256)} overhead ${printSizeAsTc(folded % 256)}`
      : `mpu ${printSizeAsTc(own.mpu)}`;
    const bucket = ({ bytesPerSecond, netlinkTicks, table }: BucketFigures): string => {
      const burst = transmitSizeBytes(format.rules, bytesPerSecond, netlinkTicks, kernel.netlinkTickNs);
      return `burst ${printSizeAsTc(burst)}/${2 ** (table?.cellLog ?? 0)}${format.behindCell}${mpu}`;
    };
    const holder = this.#qdiscs.find(({ parent }) => parent === figures.id);
    const leaf = holder === undefined ? '' : `leaf ${handle(holder.major).slice(0, -1)}${format.behindLeaf}`;
    const parts = [
      ...(isLeaf ? [`prio ${figures.priority} quantum ${figures.quantumBytes}`] : []),
      `rate ${rateText(format, figures.rate.bytesPerSecond * 8)}`,
      ...(format.linklayer && own.overhead > folded ? [`overhead ${own.overhead}`] : []),
      `ceil ${rateText(format, figures.ceil.bytesPerSecond * 8)}`,
      ...(format.linklayer ? [`linklayer ${own.linklayer === 'ethernet' ? 'ethernet' : 'atm'}`] : []),
      bucket(figures.rate),
      `c${bucket(figures.ceil)}`,
      `level ${result?.level ?? 0} `,
    ];
    const place = figures.parentId === 0 ? 'root' : `parent ${writeClassId(figures.parentId)}`;
    const counters = countersOf(result);
    const { lended = 0, borrowed = 0, giants = 0, tokensShown = 0, ctokensShown = 0 } = counters;
    return [
      `class htb ${writeClassId(figures.id)} ${place} ${leaf}${parts.join(' ')}`,
      ...this.#statistics(counters, format.classRates ? durationNs : undefined),
      ` lended: ${lended} borrowed: ${borrowed} giants: ${giants}`,
      ` tokens: ${tokensShown} ctokens: ${ctokensShown}`,
      '',
    ].join('\n');
  }

  /**
   * The lines that every qdisc and class has with -s.
   *
   * @param estimatedNs how long an estimator has watched; absent: there is none
   */
  #statistics(counters: Counters, estimatedNs: number | undefined): string[] {
    const { format } = this.#showing;
    const { sentBytes = 0, sentPackets = 0, droppedPackets = 0, ecnMark = 0, lost, overlimits = 0 } = counters;
    const { backlogBytes = 0, backlogPackets = 0, requeues = 0 } = counters;
    // netem counts what it marks as dropped.
    const dropped = droppedPackets + (lost === undefined ? 0 : ecnMark);
    const rates =
      estimatedNs === undefined
        ? ''
        : `rate ${rateText(format, estimate(sentBytes, estimatedNs, BYTES) * 8)} ${estimate(sentPackets, estimatedNs, PACKETS)}pps `;
    return [
      ` Sent ${sentBytes} bytes ${sentPackets} pkt (dropped ${dropped}, overlimits ${overlimits} requeues ${requeues}) `,
      ` ${rates}backlog ${printSizeAsTc(backlogBytes)} ${backlogPackets}p requeues ${requeues}${format.behindRequeues}`,
    ];
  }

  /** Lists a qdisc and those inside of it, each with its handle. */
  #collect(model: NestedModel, { parent, result, wanted }: QdiscPlace): void {
    const major = this.#major(model, wanted);
    const counters = (result?.counters ?? {}) as Counters;
    this.#qdiscs.push({ model, major, counters, result, ...(parent === undefined ? {} : { parent }) });
    const classes = (model.values.classes ?? {}) as Readonly<Record<string, { qdisc?: NestedModel; limit?: number }>>;
    for (const [name, { qdisc, limit }] of Object.entries(classes)) {
      const id = major * 0x10000 + (parseClassId(name) % 0x10000);
      const child = result?.children?.[name];
      if (qdisc !== undefined)
        this.#collect(qdisc, {
          parent: id,
          result: child,
          ...(model.kind === 'htb' ? { wanted: id % 0x10000 } : {}),
        });
      else if (limit !== undefined) {
        const own = countersOf(result?.classes[name]);
        const queue = { kind: 'pfifo', values: { limit } };
        this.#qdiscs.push({
          model: queue,
          major: this.#automaticMajor(),
          parent: id,
          counters: own,
          result: undefined,
        });
      }
    }
    const child = model.values.qdisc as NestedModel | undefined;
    const inner = Object.values(result?.children ?? {})[0];
    if (child !== undefined) this.#collect(child, { parent: major * 0x10000 + 1, result: inner });
  }

  /** The handle that `sim export tc` gives; the kernel's own for what it leaves without. */
  #major({ values }: NestedModel, wanted: number | undefined): number {
    const first = Object.keys((values.classes ?? {}) as object)[0];
    if (first !== undefined) return Math.floor(parseClassId(first) / 0x10000);
    if (typeof values.handle === 'number') return Math.floor(values.handle / 0x10000);
    if (values.qdisc === undefined && wanted === undefined) return this.#automaticMajor();
    let major = wanted ?? FIRST_FREE_HANDLE;
    while (this.#taken.has(major)) major++;
    this.#taken.add(major);
    return major;
  }

  #automaticMajor(): number {
    return FIRST_AUTOMATIC_HANDLE + this.#automatic++;
  }
}

/** An estimator's units: shift of a count over its period, and of its average. */
interface EstimatorUnits {
  readonly countShift: number;
  readonly averageShift: number;
  readonly rounding: number;
}

const BYTES: EstimatorUnits = { countShift: 3, averageShift: 5, rounding: 0xf };
const PACKETS: EstimatorUnits = { countShift: 8, averageShift: 10, rounding: 0x1ff };
const ESTIMATOR_PERIOD_NS = 4e9;
const ESTIMATOR_WEIGHT = 4;

/**
 * What an estimator of HTB's own shows after `watchedNs`, of a count that has grown evenly: every 4 s a quarter of the new
 * rate (net/core/gen_estimator.c: est_timer, 2.6.24 to 3.10).
 */
function estimate(count: number, watchedNs: number, { countShift, averageShift, rounding }: EstimatorUnits): number {
  if (watchedNs === 0) return 0;
  const periods = Math.floor(watchedNs / ESTIMATOR_PERIOD_NS);
  const rate = Math.floor((count * ESTIMATOR_PERIOD_NS) / watchedNs) * 2 ** countShift;
  let average = 0;
  for (let period = 0; period < periods; period++) {
    average += Math.floor(rate / ESTIMATOR_WEIGHT) - Math.floor(average / ESTIMATOR_WEIGHT);
  }
  return Math.floor((average + rounding) / 2 ** averageShift);
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
