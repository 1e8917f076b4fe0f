import { writeClassId } from '../units/class-id.ts';
import { majorOf, minorOf } from './class-id.ts';
import { findQdisc, rootQdisc, type TcDevice, TcFault, type TcMessage, type TcQdisc, type TcTree } from './model.ts';
import { UNKNOWN_QDISCS } from './option-tables.ts';

/** Qdiscs that hold one child, whatever the class is called. */
const SINGLE_CHILD = new Set(['tbf', 'netem', 'red']);

/** Handles that the kernel chooses begin here. */
const FIRST_OWN_HANDLE = 0x8001;

/** Whether the qdisc stands where `place` says; a qdisc that holds one child holds it whatever the minor number. */
export function samePlace(device: TcDevice, qdisc: TcQdisc, place: number | 'root'): boolean {
  if (typeof qdisc.parent !== 'number' || typeof place !== 'number') return qdisc.parent === place;
  if (qdisc.parent === fullPlace(device, place)) return true;
  const holder = findQdisc(device, majorOf(qdisc.parent));
  return holder !== undefined && SINGLE_CHILD.has(holder.kind) && majorOf(place) === holder.handle;
}

/** A class id with its major number, which defaults to that of the root qdisc. */
export function fullPlace(device: TcDevice, place: number | 'root' | 'ingress'): number | 'root' | 'ingress' {
  if (typeof place !== 'number' || majorOf(place) !== 0) return place;
  return (rootQdisc(device)?.handle ?? 0) * 0x10000 + place;
}

/** Checks that a qdisc can be put there. @throws TcFault */
export function checkHolder(device: TcDevice, place: number): void {
  const id = fullPlace(device, place) as number;
  const holder = findQdisc(device, majorOf(id));
  if (holder === undefined) throw noSuchQdisc(device, majorOf(id));
  const minor = minorOf(id);
  if (holder.kind === 'htb' && !device.classes.some((candidate) => candidate.id === id)) {
    throw new TcFault(
      `${device.name} has no class ${writeClassId(id)}`,
      'a class must be added before a qdisc is put below it',
    );
  }
  const bands = Number(holder.options.bands ?? 3);
  if (holder.kind === 'prio' && (minor < 1 || minor > bands)) {
    throw new TcFault(
      `the prio qdisc ${writeClassId(holder.handle * 0x10000)} has no band ${writeClassId(id)}`,
      `its bands are :1 to :${bands.toString(16)}`,
    );
  }
  if (!['htb', 'prio'].includes(holder.kind) && !SINGLE_CHILD.has(holder.kind)) {
    throw new TcFault(`a ${holder.kind} qdisc cannot hold another one`);
  }
}

/** Says that a handle leads nowhere, and what there is instead. */
export function noSuchQdisc(device: TcDevice, handle: number): TcFault {
  const refused = device.refused.get(handle);
  if (refused !== undefined) {
    return new TcFault(
      `left out, as it belongs to the ${refused} ${handle.toString(16)}:, which cannot be simulated`,
      UNKNOWN_QDISCS[refused] ?? 'htb with the same rates is the closest',
    );
  }
  const root = rootQdisc(device);
  if (root === undefined)
    return new TcFault(`${device.name} has no qdisc ${handle.toString(16)}:`, 'add a root qdisc first');
  const name = root.handle === 0 ? 'has no handle of its own' : `is ${root.handle.toString(16)}:`;
  return new TcFault(
    `${device.name} has no qdisc ${handle.toString(16)}:`,
    `its root ${name}; give it "handle ${handle.toString(16)}:"`,
  );
}

/** Keeps what is about to be removed from the root or the ingress, for a script that clears up after itself. */
export function keepRemoved(device: TcDevice, qdisc: TcQdisc, line: number): void {
  const side = qdisc.parent;
  if (typeof side === 'number') return;
  const isThere = (parent: unknown): boolean => (parent === 'ingress' || parent === 'egress') === (side === 'ingress');
  device.removed.set(side, {
    line,
    qdiscs: device.qdiscs.filter(({ parent }) => isThere(parent)),
    classes: side === 'root' ? [...device.classes] : [],
    filters: device.filters.filter(({ parent }) => isThere(parent)),
  });
}

/** Gives classful qdiscs without a handle the one that the kernel would (net/sched/sch_api.c: qdisc_alloc_handle). */
export function nameHandles(device: TcDevice): void {
  let next = FIRST_OWN_HANDLE;
  for (const [i, qdisc] of device.qdiscs.entries()) {
    if (qdisc.handle !== 0 || qdisc.kind !== 'prio') continue;
    while (findQdisc(device, next) !== undefined) next++;
    device.qdiscs[i] = { ...qdisc, handle: next };
  }
}

/** Puts back what was removed last, where nothing at all is left; tells so. */
export function restoreRemoved(tree: TcTree, messages: TcMessage[]): void {
  const devices = [...tree.devices.values()];
  if (devices.some(({ qdiscs }) => qdiscs.length > 0)) return;
  for (const device of devices) {
    for (const { line, qdiscs, classes, filters } of device.removed.values()) {
      device.qdiscs.push(...qdiscs);
      device.classes.push(...classes);
      device.filters.push(...filters);
      const text = `${device.name} is cleared here in the end: the scenario is what stood before`;
      messages.push({ line, severity: 'warning', text });
    }
  }
}

/** As {@link samePlace}, for ingress too. */
export function samePlaceOrIngress(device: TcDevice, qdisc: TcQdisc, parent: number | 'root' | 'ingress'): boolean {
  return parent === 'ingress' ? qdisc.parent === 'ingress' : samePlace(device, qdisc, parent);
}

/** Removes a qdisc with its classes, its filters and the qdiscs inside. */
export function removeQdisc(device: TcDevice, qdisc: TcQdisc): void {
  device.qdiscs.splice(device.qdiscs.indexOf(qdisc), 1);
  if (qdisc.parent === 'ingress') {
    remove(device.filters, (filter) => filter.parent === 'ingress' || filter.parent === 'egress');
    return;
  }
  const inside = (id: unknown): boolean => typeof id === 'number' && qdisc.handle !== 0 && majorOf(id) === qdisc.handle;
  remove(device.classes, (candidate) => inside(candidate.id));
  remove(device.filters, (filter) => inside(filter.parent));
  for (const child of device.qdiscs.filter((candidate) => inside(candidate.parent))) {
    if (device.qdiscs.includes(child)) removeQdisc(device, child);
  }
}

/** Removes the unwanted items of a list in place. */
export function remove<T>(list: T[], unwanted: (item: T) => boolean): void {
  for (let i = list.length - 1; i >= 0; i--) if (unwanted(list[i]!)) list.splice(i, 1);
}

/** Options as a sentence lists them, with a colon before; empty for none. */
export function describe(options: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(options).map(([name, value]) =>
    value === true ? name : `${name} ${name === 'default' ? `0x${Number(value).toString(16)}` : written(value)}`,
  );
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function written(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value);
  return Object.entries(value).flat().join(' ');
}
