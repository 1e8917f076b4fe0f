import { writeClassId } from '../units/class-id.ts';
import { parseSize } from '../units/size.ts';
import { majorOf, minorOf, readClassId, readHandle } from './class-id.ts';
import {
  type TcClass,
  type TcDevice,
  TcFault,
  type TcMessage,
  type TcOption,
  type TcQdisc,
  type TcTree,
} from './model.ts';
import { HTB_CLASS_OPTIONS, QDISC_OPTIONS, SIZE_TABLE_OPTIONS, UNKNOWN_QDISCS } from './option-tables.ts';
import { readOptions } from './options.ts';
import { Words } from './words.ts';

/** Longer than any chain of parents that HTB allows. */
const LONGEST_CHAIN = 16;
/** Name of the device where the output does not say it (`tc qdisc show dev eth0` leaves it out). */
export const UNNAMED_DEVICE = 'eth0';

/** Whether a word looks like a class id or handle. */
export function isClassName(word: string): boolean {
  return /^[\da-f]*:[\da-f]*$/i.test(word);
}

/** Puts a qdisc or class as it is shown into the tree; on the device of `place` where it names none. @throws TcFault */
export function putShown(
  tree: TcTree,
  object: 'qdisc' | 'class',
  kind: string,
  given: readonly string[],
  place: { readonly device: string; readonly line: number },
  messages: TcMessage[],
): void {
  const words = new Words(given);
  const id = words.take();
  const { line } = place;
  let { device } = place;
  let parent: number | 'root' | 'ingress' | undefined;
  for (;;) {
    const word = words.peek();
    if (word === 'dev') {
      words.take();
      device = words.value(word, 'a device');
    } else if (word === 'root') {
      words.take();
      parent = 'root';
    } else if (word === 'parent') {
      words.take();
      const at = readClassId(words.value(word, 'a class'));
      parent = at === 0xfffffff1 ? 'ingress' : at;
    } else break;
  }
  if (object === 'qdisc') shownQdisc(tree.device(device), kind, readHandle(id), parent, words, line, messages);
  else shownClass(tree.device(device), kind, readClassId(id), parent, words, line, messages);
}

function shownQdisc(
  device: TcDevice,
  kind: string,
  handle: number,
  parent: number | 'root' | 'ingress' | undefined,
  words: Words,
  line: number,
  messages: TcMessage[],
): void {
  if (kind === 'noqueue' || (handle === 0 && parent === 'root' && kind !== 'htb')) return;
  const isIngress = kind === 'ingress' || kind === 'clsact';
  const rules = QDISC_OPTIONS[kind];
  if (rules === undefined || !Object.hasOwn(QDISC_OPTIONS, kind)) {
    throw new TcFault(`a qdisc of kind "${kind}" cannot be simulated`, UNKNOWN_QDISCS[kind]);
  }
  const defaultText = kind === 'htb' ? defaultOf(words) : undefined;
  // An htb has no such options of its own, so that they are those of its size table.
  const { options: all, unknown } = readOptions(words, kind === 'htb' ? [...rules, ...SIZE_TABLE_OPTIONS] : rules);
  const isOfTable = (name: string): boolean => kind === 'htb' && SIZE_TABLE_OPTIONS.some(([[key]]) => key === name);
  const table = Object.entries(all).filter(([name]) => isOfTable(name));
  const options = Object.fromEntries(Object.entries(all).filter(([name]) => !isOfTable(name)));
  if (defaultText !== undefined) options.default = defaultText;
  else if (kind === 'htb') delete options.default;
  addQdisc(
    device,
    {
      line,
      kind: isIngress ? 'ingress' : kind,
      handle,
      parent: isIngress ? 'ingress' : (parent ?? 'root'),
      options,
      unknown,
      ...(table.length === 0 ? {} : { sizeTable: Object.fromEntries(table) }),
    },
    messages,
  );
}

/** `default 0x20`, `default 20` (which may be either number); as an option that {@link settleDefault} decides on. */
function defaultOf(words: Words): string | undefined {
  for (let ahead = 0; words.peek(ahead) !== ''; ahead++) {
    if (words.peek(ahead) === 'default') return words.peek(ahead + 1);
  }
  return undefined;
}

/**
 * The buckets of a tbf as they were given: what is shown is priced as a packet is, with the overhead, in cells for ATM.
 *
 * Source: net/sched/sch_tbf.c: tbf_change, whose buffer is psched_l2t_ns of the burst.
 */
function withoutFraming(options: TcQdisc['options']): TcQdisc['options'] {
  const overhead = typeof options.overhead === 'string' ? parseSize(options.overhead) : 0;
  const isAtm = options.linklayer === 'atm' || options.linklayer === 'adsl';
  if (overhead === 0 && !isAtm) return options;
  const given = (shown: number): number => Math.max(1, (isAtm ? Math.round(shown / 53) * 48 : shown) - overhead);
  const entries = Object.entries(options);
  return Object.fromEntries(
    entries.map(([name, value]) =>
      /^(?:burst|mtu)$/.test(name) && typeof value === 'string' ? [name, `${given(parseSize(value))}b`] : [name, value],
    ),
  );
}

/** Adds a qdisc that was shown. */
export function addQdisc(device: TcDevice, qdisc: TcQdisc, messages: TcMessage[]): void {
  if (device.qdiscs.some((there) => there.parent === qdisc.parent && there.handle === qdisc.handle)) return;
  // Where ecn is off nothing is shown, but a command without it has it on.
  const hasNoEcn = qdisc.kind === 'fq_codel' && qdisc.options.ecn === undefined;
  const given = qdisc.kind === 'tbf' ? { ...qdisc, options: withoutFraming(qdisc.options) } : qdisc;
  device.qdiscs.push(hasNoEcn ? { ...given, options: { ...given.options, ecn: 0 } } : given);
  messages.push({
    line: qdisc.line,
    severity: 'info',
    text: `${qdisc.kind} ${qdisc.handle.toString(16)}: of ${device.name}`,
  });
}

function shownClass(
  device: TcDevice,
  kind: string,
  id: number,
  parent: number | 'root' | 'ingress' | undefined,
  words: Words,
  line: number,
  messages: TcMessage[],
): void {
  // Classes that tbf, prio, fq_codel and the like show of themselves set nothing.
  if (kind !== 'htb') return;
  const { options, unknown } = readOptions(words, HTB_CLASS_OPTIONS);
  if (options.rate === undefined) throw new TcFault(`the class has no rate`, 'the output of tc class show holds one');
  addClass(
    device,
    { line, id, options, unknown, ...(typeof parent === 'number' && minorOf(parent) !== 0 ? { parent } : {}) },
    messages,
  );
}

/** Adds a class that was shown, and the root qdisc that it implies where none was shown. */
export function addClass(device: TcDevice, entry: TcClass, messages: TcMessage[]): void {
  if (device.classes.some((there) => there.id === entry.id)) return;
  device.classes.push({ ...entry, options: withLeastBuckets(entry.options) });
  const isInner = device.classes.some((there) => there.parent === entry.id);
  // An inner class is shown without priority and quantum; a leaf that shows none has an old tc.
  const text = `class ${majorOf(entry.id).toString(16)}:${minorOf(entry.id).toString(16)}${isInner ? ' (inner)' : ''}`;
  messages.push({ line: entry.line, severity: 'info', text });
}

/** An empty bucket is what a burst of a byte comes to at a high rate; a command with 0 would have the default. */
function withLeastBuckets(options: TcClass['options']): TcClass['options'] {
  const entries = Object.entries(options);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, /burst$/.test(name) && value === '0b' ? '1b' : value]),
  );
}

/**
 * Completes what was shown: the root qdisc where only classes were shown, and which number `default` is where the
 * version of tc leaves that open (hexadecimal without 0x up to 4.x, decimal in some, in JSON too).
 */
export function settleShown(tree: TcTree, messages: TcMessage[]): void {
  for (const device of tree.devices.values()) {
    const first = device.classes[0];
    if (first !== undefined && !device.qdiscs.some((qdisc) => qdisc.handle === majorOf(first.id))) {
      device.qdiscs.unshift({
        line: first.line,
        kind: 'htb',
        handle: majorOf(first.id),
        parent: 'root',
        options: {},
        unknown: [],
      });
      messages.push({
        line: first.line,
        severity: 'warning',
        text: 'classes without their qdisc: default class and r2q are not known',
        hint: 'import the output of tc qdisc show together with that of tc class show',
      });
    }
    for (const [i, qdisc] of device.qdiscs.entries()) {
      const shown = qdisc.options.default;
      if (qdisc.kind !== 'htb' || shown === undefined) continue;
      const options = { ...qdisc.options, default: settleDefault(device, qdisc, shown, messages) };
      device.qdiscs[i] = { ...qdisc, options };
    }
    settleParents(device, messages);
    device.classes.sort((a, b) => depth(device, a) - depth(device, b));
  }
}

/** Takes away parents that are not shown, and those that lead in a circle, which only damaged output has. */
function settleParents(device: TcDevice, messages: TcMessage[]): void {
  for (const [i, entry] of device.classes.entries()) {
    const { parent, ...orphan } = entry;
    if (parent === undefined) continue;
    const isShown = device.classes.some((candidate) => candidate.id === parent);
    if (isShown && depth(device, entry) < LONGEST_CHAIN) continue;
    device.classes[i] = orphan;
    const text = isShown
      ? 'the parents of this class lead in a circle'
      : `the parent ${writeClassId(parent)} of this class is not shown`;
    messages.push({ line: entry.line, severity: 'warning', text: `${text}; it is taken for one without parent` });
  }
}

function settleDefault(device: TcDevice, qdisc: TcQdisc, shown: TcOption, messages: TcMessage[]): number {
  const exists = (minor: number): boolean =>
    device.classes.some((entry) => entry.id === qdisc.handle * 0x10000 + minor);
  const text = String(shown);
  const hexadecimal = /^(?:0x)?[\da-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) : 0;
  if (typeof shown === 'string' && (/^0x/i.test(text) || !/^\d+$/.test(text))) return hexadecimal;
  const decimal = Number.parseInt(text, 10);
  if (decimal === hexadecimal) return decimal;
  // JSON holds the number itself, text the hexadecimal digits; versions that differ are known by the class that exists.
  const [likely, other] = typeof shown === 'number' ? [decimal, hexadecimal] : [hexadecimal, decimal];
  const minor = !exists(likely) && exists(other) ? other : likely;
  messages.push({
    line: qdisc.line,
    severity: exists(minor) && !exists(minor === likely ? other : likely) ? 'info' : 'warning',
    text: `default ${text} is taken for the class :${minor.toString(16)}; versions of tc print it in decimal or in hexadecimal`,
  });
  return minor;
}

function depth(device: TcDevice, entry: TcClass): number {
  let steps = 0;
  for (let above: TcClass | undefined = entry; above?.parent !== undefined && steps < LONGEST_CHAIN; steps++) {
    const { parent }: TcClass = above;
    above = device.classes.find((candidate) => candidate.id === parent);
  }
  return steps;
}
