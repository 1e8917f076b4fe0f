import { writeClassId } from '../units/class-id.ts';
import { majorOf, readClassId, readHandle } from './class-id.ts';
import { type CommandPlace, deviceName, type Verb } from './command-place.ts';
import { type TcDevice, TcFault, type TcOption, type TcQdisc, type TcTree } from './model.ts';
import { QDISC_OPTIONS, SIZE_TABLE_OPTIONS, UNKNOWN_QDISCS } from './option-tables.ts';
import { readOptions } from './options.ts';
import {
  checkHolder,
  describe,
  fullPlace,
  keepRemoved,
  removeQdisc,
  samePlace,
  samePlaceOrIngress,
} from './tree-edit.ts';
import type { Words } from './words.ts';

/** Carries out `tc qdisc …`. @returns what it did @throws TcFault */
export function qdiscCommand(tree: TcTree, verb: Exclude<Verb, 'show'>, words: Words, place: CommandPlace): string {
  let deviceText: string | undefined;
  let handle = 0;
  let parent: number | 'root' | 'ingress' | undefined;
  const skipped: string[] = [];
  let sizeTable: TcQdisc['sizeTable'];
  for (;;) {
    const word = words.peek();
    if (word === 'dev') {
      words.take();
      deviceText = words.value(word, 'a device');
    } else if (word === 'handle') {
      words.take();
      handle = readHandle(words.value(word, 'a handle'));
    } else if (word === 'root' || word === 'ingress' || word === 'clsact') {
      words.take();
      parent = word === 'root' ? 'root' : 'ingress';
      if (word === 'clsact') return clsact(tree, verb, deviceName(deviceText ?? devBehind(words), place), place);
    } else if (word === 'parent') {
      words.take();
      const id = readClassId(words.value(word, 'a class'));
      parent = id === 0xffffffff ? 'root' : id === 0xfffffff1 ? 'ingress' : id;
    } else if (word === 'stab') {
      words.take();
      sizeTable = readOptions(words, SIZE_TABLE_OPTIONS, true).options;
    } else if (/^(?:estimator|ingress_block|egress_block)$/.test(word)) {
      skipped.push(words.take(), words.take());
    } else break;
  }
  const kind = words.take();
  if (parent === 'ingress' && deviceText === undefined && kind === 'dev') deviceText = words.take();
  const device = tree.device(deviceName(deviceText, place));
  if (verb === 'delete') return deleteQdisc(device, parent, handle, place.line);
  if (parent === 'ingress') return ingress(device, verb, place);
  if (kind === '') throw new TcFault('the qdisc has no kind', 'for example: tc qdisc add dev eth0 root handle 1: htb');
  const unit = skipped.length > 0 ? [skipped.join(' ')] : [];
  return putQdisc(device, verb, kind, handle, parent, words, place, unit, sizeTable);
}

function devBehind(words: Words): string | undefined {
  return words.peek() === 'dev' ? words.peek(1) : undefined;
}

function clsact(tree: TcTree, verb: Verb, name: string, place: CommandPlace): string {
  const device = tree.device(name);
  return verb === 'delete' ? deleteQdisc(device, 'ingress', 0, place.line) : ingress(device, verb, place);
}

function ingress(device: TcDevice, verb: Verb, place: CommandPlace): string {
  if (device.qdiscs.some((qdisc) => qdisc.parent === 'ingress')) {
    if (verb === 'add') throw new TcFault(`${device.name} has an ingress qdisc already; tc refuses a second one`);
    return '';
  }
  const qdisc = {
    line: place.line,
    kind: 'ingress',
    handle: 0xffff,
    parent: 'ingress',
    options: {},
    unknown: [],
  } as const;
  device.qdiscs.push(qdisc);
  return `${device.name}: what arrives can be policed and redirected (ingress)`;
}

function putQdisc(
  device: TcDevice,
  verb: Verb,
  kind: string,
  handle: number,
  given: number | 'root' | undefined,
  words: Words,
  place: CommandPlace,
  before: readonly string[],
  sizeTable: TcQdisc['sizeTable'],
): string {
  if (kind === 'dsmark' && given === 'root') {
    device.transparent.add(handle);
    device.refused.set(handle, kind);
    place.warn('dsmark only marks: what it holds is read as the root', UNKNOWN_QDISCS.dsmark!);
    return '';
  }
  const parent = typeof given === 'number' && device.transparent.has(majorOf(given)) ? 'root' : given;
  const above = typeof parent === 'number' ? device.refused.get(majorOf(parent)) : undefined;
  if (above !== undefined && handle !== 0) device.refused.set(handle, above);
  const rules = Object.hasOwn(QDISC_OPTIONS, kind) ? QDISC_OPTIONS[kind] : undefined;
  if (rules === undefined) {
    if (handle !== 0) device.refused.set(handle, kind);
    const hint = Object.hasOwn(UNKNOWN_QDISCS, kind)
      ? UNKNOWN_QDISCS[kind]
      : `known are ${Object.keys(QDISC_OPTIONS).join(', ')}`;
    throw new TcFault(`a qdisc of kind "${kind}" cannot be simulated`, hint);
  }
  const reading = readOptions(words, rules);
  const { options } = reading;
  const unknown = [...before, ...reading.unknown];
  checkQdisc(kind, options);
  const there = device.qdiscs.find((qdisc) =>
    parent === undefined ? qdisc.handle === handle : samePlace(device, qdisc, parent),
  );
  if (verb === 'change' && (there === undefined || there.kind !== kind)) {
    throw new TcFault(
      `there is no ${kind} to change${there === undefined ? '' : ` (it is a ${there.kind})`}`,
      'use add or replace',
    );
  }
  if (verb !== 'add' && there?.kind === 'htb' && kind === 'htb' && (handle === 0 || handle === there.handle)) {
    throw new TcFault(
      'an htb that is there cannot be changed; the kernel refuses it',
      'delete the root and set it up again, or change its classes',
    );
  }
  if (verb === 'add' && there !== undefined && parent !== undefined) {
    const where = parent === 'root' ? `at the root of ${device.name}` : `at this class`;
    throw new TcFault(
      `there is a ${there.kind} ${where} already; tc refuses a second one`,
      'use replace, or delete it first',
    );
  }
  if (parent === undefined && there === undefined)
    throw new TcFault('the qdisc has no place', 'say root or parent CLASS');
  const where = parent ?? there!.parent;
  if (typeof where === 'number') checkHolder(device, where);
  if (handle !== 0 && verb !== 'change' && device.qdiscs.some((qdisc) => qdisc.handle === handle && qdisc !== there)) {
    throw new TcFault(`the handle ${handle.toString(16)}: is taken`, 'each qdisc of a device needs its own handle');
  }
  const next: TcQdisc = {
    line: place.line,
    kind,
    handle: handle || (there?.handle ?? 0),
    parent: fullPlace(device, where),
    options,
    unknown,
    ...(sizeTable === undefined ? {} : { sizeTable }),
  };
  if (there === undefined) device.qdiscs.push(next);
  else if (there.kind === kind && (handle === 0 || handle === there.handle)) {
    device.qdiscs[device.qdiscs.indexOf(there)] = { ...next, options: { ...keptOf(there), ...options } };
  } else {
    removeQdisc(device, there);
    device.qdiscs.push(next);
  }
  const at =
    typeof where === 'number' ? `below ${writeClassId(next.parent as number)}` : `at the root of ${device.name}`;
  return `${kind} ${at}${describe(options)}`;
}

/** Options that a change leaves as they are: a kind whose options come in one structure keeps none of those. */
function keptOf({ kind, options }: TcQdisc): Readonly<Record<string, TcOption>> {
  if (/^(?:tbf|red|prio)$/.test(kind)) return {};
  if (kind !== 'netem') return options;
  // net/sched/sch_netem.c, netem_change: one structure sets delay, loss, duplicates, gap and limit anew; without them
  // correlations and reorder are idle.
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => /^(?:rate|packetOverhead|cell|corrupt|slot)/.test(name)),
  );
}

function checkQdisc(kind: string, options: Readonly<Record<string, unknown>>): void {
  if (kind === 'tbf') {
    for (const name of ['rate', 'burst']) {
      if (options[name] === undefined)
        throw new TcFault(`tbf: "${name}" is required`, 'for example: tbf rate 1mbit burst 10k latency 50ms');
    }
    if (options.limit === undefined && options.latency === undefined) {
      throw new TcFault('tbf: one of "limit" and "latency" is required', 'for example: latency 50ms');
    }
    if (options.peakrate !== undefined && options.mtu === undefined) {
      throw new TcFault('tbf: "peakrate" wants "minburst" (or "mtu") beside it', 'for example: minburst 1540');
    }
  }
  if (kind === 'red') {
    for (const name of ['limit', 'avpkt']) {
      if (options[name] === undefined)
        throw new TcFault(`red: "${name}" is required`, 'for example: red limit 60k avpkt 1000');
    }
  }
}

function deleteQdisc(
  device: TcDevice,
  parent: number | 'root' | 'ingress' | undefined,
  handle: number,
  line: number,
): string {
  const found = device.qdiscs.find((qdisc) =>
    parent === undefined ? qdisc.handle === handle && handle !== 0 : samePlaceOrIngress(device, qdisc, parent),
  );
  if (found === undefined) return '';
  keepRemoved(device, found, line);
  removeQdisc(device, found);
  return `the ${found.kind} of line ${found.line} and all below it are gone`;
}
