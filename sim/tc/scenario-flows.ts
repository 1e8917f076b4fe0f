import type { FilterSpec } from '../scenario/classify.ts';
import { parseSelector } from '../scenario/filter-selector.ts';
import { seesIpv4 } from '../scenario/hop-filters.ts';
import { writeClassId } from '../units/class-id.ts';
import { parseRate, writeRate } from '../units/rate.ts';
import { minorOf } from './class-id.ts';
import { classesById, classLimit, leastQdiscRate, linkRateFor } from './device-rates.ts';
import { fieldsFor, fieldsThatReach, flowKeys, frameBytes } from './flow-fields.ts';
import { rootQdisc, type TcDevice, type TcFilter } from './model.ts';
import type { Mapping } from './scenario-qdisc.ts';

/** Offered above what the leaf can take, so that its limit shows. */
const OVERLOAD = 1.25;
/** Frame of a full Ethernet packet, as tc counts it. */
export const FRAME_BYTES = 1514;
const DURATIONS: readonly (readonly [seconds: number, text: string])[] = [
  [10, '10s'],
  [5, '5s'],
  [2, '2s'],
  [1, '1s'],
  [0.5, '500ms'],
  [0.2, '200ms'],
  [0.1, '100ms'],
  [0.05, '50ms'],
];
/** Packets that a first run may take, so that it is over in a second or two. */
const MOST_PACKETS = 300_000;
/** Packets of the slowest flow below which a longer run is worth it. */
const FEWEST_PACKETS = 50;

/** A flow of the document, with what is decided when all are known. */
export interface SuppliedFlow {
  readonly name: string;
  readonly keys: Mapping;
  readonly packetsPerSecond: number;
  /** Why it names its class itself. */
  readonly comment?: string;
}

/** Filters of a device as the scenario's checker will see them. */
export function filterSpecs(filters: readonly TcFilter[]): FilterSpec[] {
  return filters.map((filter) => ({
    parent: typeof filter.parent === 'number' ? filter.parent : 0,
    preference: filter.preference,
    seesIpv4: seesIpv4(filter.protocol),
    selector: parseSelector(filter.selector),
    target: filter.target ?? 0,
  }));
}

/** One flow for each leaf of the device's root qdisc, sent over `via`. */
export function leafFlows(
  device: TcDevice,
  egress: readonly TcFilter[],
  via: (target: number | undefined, filter: TcFilter | undefined) => readonly string[],
  prefix: string,
): SuppliedFlow[] {
  const specs = filterSpecs(egress);
  const leaves = leavesOf(device);
  if (leaves.length === 0) {
    const rate = Math.min(leastQdiscRate(device), linkRateFor(device));
    return [flow(`${prefix}all`, rate, FRAME_BYTES, via(undefined, undefined), {}, undefined)];
  }
  return leaves.map((leaf) => {
    const name = `${prefix}${writeClassId(leaf.id)}`;
    const fields = specs.length === 0 ? undefined : fieldsThatReach(specs, leaf.id);
    const filter = egress.find((candidate) => candidate.target === leaf.id);
    const path = via(leaf.id, fields === undefined ? undefined : filter);
    if (fields !== undefined) {
      return flow(
        name,
        leaf.rate,
        frameBytes(fields),
        path,
        flowKeys(fields),
        'its header fields let the filters choose the class',
      );
    }
    const comment =
      specs.length === 0 ? undefined : leaf.isDefault ? 'the default class' : 'no filter leads to this class';
    return flow(name, leaf.rate, FRAME_BYTES, path, { class: writeClassId(leaf.id) }, comment);
  });
}

/** A flow that one filter of ingress lets through. */
export function filteredFlow(name: string, filter: TcFilter, rate: number, via: readonly string[]): SuppliedFlow {
  const fields = fieldsFor(parseSelector(filter.selector));
  const keys = fields === undefined ? {} : flowKeys(fields);
  return flow(name, rate, fields === undefined ? FRAME_BYTES : frameBytes(fields), via, keys, undefined);
}

/** The longest of the usual durations with which a run stays short. */
export function durationFor(flows: readonly SuppliedFlow[]): string {
  const all = flows.reduce((sum, { packetsPerSecond }) => sum + packetsPerSecond, 0);
  const slowest = Math.min(...flows.map(({ packetsPerSecond }) => packetsPerSecond));
  if (slowest * 10 < FEWEST_PACKETS && all * 120 < MOST_PACKETS) return '120s';
  return (DURATIONS.find(([seconds]) => seconds * all <= MOST_PACKETS) ?? DURATIONS.at(-1)!)[1];
}

interface Leaf {
  readonly id: number;
  /** Most that it can send (bit/s). */
  readonly rate: number;
  readonly isDefault: boolean;
}

function leavesOf(device: TcDevice): Leaf[] {
  const root = rootQdisc(device);
  if (root?.kind === 'htb') {
    const inner = new Set(device.classes.map(({ parent }) => parent));
    const byId = classesById(device);
    const leaves = device.classes.filter(({ id }) => minorOf(id) !== 0 && !inner.has(id));
    return leaves.map((entry) => ({
      id: entry.id,
      rate: classLimit(byId, entry.id),
      isDefault: entry.id % 0x10000 === root.options.default,
    }));
  }
  if (root?.kind !== 'prio') return [];
  const bands = typeof root.options.bands === 'number' ? root.options.bands : 3;
  return Array.from({ length: bands }, (_, band) => {
    const id = root.handle * 0x10000 + band + 1;
    const { rate } = device.qdiscs.find((qdisc) => qdisc.parent === id)?.options ?? {};
    return { id, rate: typeof rate === 'string' ? parseRate(rate) : linkRateFor(device) / 4, isDefault: false };
  });
}

function flow(
  name: string,
  limit: number,
  sizeBytes: number,
  via: readonly string[],
  keys: Mapping,
  comment: string | undefined,
): SuppliedFlow {
  const rate = Math.max(8, Math.round((limit * OVERLOAD) / 1000) * 1000 || Math.round(limit * OVERLOAD));
  const own = { source: 'cbr', rate: writeRate(rate), size: `${sizeBytes}b`, via: [...via], ...keys };
  const supplied = { name, keys: own, packetsPerSecond: rate / (8 * sizeBytes) };
  return comment === undefined ? supplied : { ...supplied, comment };
}
