import { writeClassId } from '../units/class-id.ts';
import { majorOf, minorOf, readClassId } from './class-id.ts';
import { type CommandPlace, deviceName, type Verb } from './command-place.ts';
import { findQdisc, rootQdisc, type TcClass, type TcDevice, TcFault, type TcTree } from './model.ts';
import { HTB_CLASS_OPTIONS, UNKNOWN_QDISCS } from './option-tables.ts';
import { readOptions } from './options.ts';
import { describe, noSuchQdisc, removeQdisc } from './tree-edit.ts';
import type { Words } from './words.ts';

/** Carries out `tc class …`. @returns what it did @throws TcFault */
export function classCommand(tree: TcTree, verb: Exclude<Verb, 'show'>, words: Words, place: CommandPlace): string {
  let deviceText: string | undefined;
  let id: number | undefined;
  let parent: number | undefined;
  for (;;) {
    const word = words.peek();
    if (word === 'dev') {
      words.take();
      deviceText = words.value(word, 'a device');
    } else if (word === 'classid' || word === 'handle') {
      words.take();
      id = readClassId(words.value(word, 'a class id'));
    } else if (word === 'parent') {
      words.take();
      parent = readClassId(words.value(word, 'a class or qdisc'));
    } else if (word === 'root') {
      words.take();
      parent = 0xffffffff;
    } else if (word === 'estimator' || word === 'est') {
      words.take();
      words.take();
      words.take();
    } else break;
  }
  const device = tree.device(deviceName(deviceText, place));
  if (id === undefined) throw new TcFault('the class has no classid', 'for example: classid 1:10');
  const handle =
    majorOf(id) ||
    (parent === undefined || parent === 0xffffffff ? 0 : majorOf(parent)) ||
    (rootQdisc(device)?.handle ?? 0);
  if (parent !== undefined && parent !== 0xffffffff && majorOf(parent) !== 0 && majorOf(parent) !== handle) {
    throw new TcFault(
      `the class ${writeClassId(id)} and its parent ${writeClassId(parent)} belong to different qdiscs`,
    );
  }
  const fullId = handle * 0x10000 + minorOf(id);
  const there = device.classes.find((candidate) => candidate.id === fullId);
  if (verb === 'delete') return deleteClass(device, fullId, there);
  const kind = words.take();
  if (HTB_CLASS_OPTIONS.some(([names]) => names.includes(kind)))
    throw new TcFault(
      `the class has no kind: "htb" is missing before "${kind}"`,
      'for example: classid 1:10 htb rate 1mbit',
    );
  if (kind !== '' && kind !== 'htb')
    throw new TcFault(`classes of kind "${kind}" cannot be simulated`, UNKNOWN_QDISCS[kind] ?? 'htb can');
  const qdisc = findQdisc(device, handle);
  if (qdisc === undefined) throw noSuchQdisc(device, handle);
  if (kind === '') throw new TcFault('the class has no kind');
  if (qdisc.kind === 'ingress')
    throw new TcFault(
      'what arrives cannot be shaped: ingress takes no classes',
      'redirect it to an ifb and shape there: action mirred egress redirect dev ifb0',
    );
  if (qdisc.kind !== 'htb')
    throw new TcFault(`the qdisc ${writeClassId(handle * 0x10000)} is a ${qdisc.kind}, which takes no htb classes`);
  if (minorOf(id) === 0) throw new TcFault('a class needs a minor number other than 0', 'for example: classid 1:10');
  return putClass(device, verb, fullId, there, parent, handle, words, place);
}

function putClass(
  device: TcDevice,
  verb: Verb,
  id: number,
  there: TcClass | undefined,
  parentText: number | undefined,
  handle: number,
  words: Words,
  place: CommandPlace,
): string {
  const { line } = place;
  if (verb === 'add' && there !== undefined)
    throw new TcFault(`there is a class ${writeClassId(id)} already (line ${there.line})`, 'use change or replace');
  if (verb === 'change' && there === undefined)
    throw new TcFault(`there is no class ${writeClassId(id)} to change`, 'use add or replace');
  const { options, unknown } = readOptions(words, HTB_CLASS_OPTIONS);
  if (options.rate === undefined || /^0+(?:\.0*)?\D*$/.test(String(options.rate)))
    throw new TcFault('"rate" is required', 'for example: htb rate 1mbit ceil 2mbit');
  let parent: number | undefined;
  if (there !== undefined) parent = there.parent;
  else if (parentText !== undefined && parentText !== 0xffffffff && minorOf(parentText) !== 0) {
    parent = handle * 0x10000 + minorOf(parentText);
  }
  const above = device.classes.find((candidate) => candidate.id === parent);
  if (parent !== undefined && above === undefined) {
    // net/sched/sch_htb.c, htb_change_class: a parent that is not found is none.
    place.warn(
      `there is no class ${writeClassId(parent)}: the kernel makes ${writeClassId(id)} a class without parent`,
      'a class must be added before its children; nothing is borrowed from a parent that is not there',
    );
    parent = undefined;
  }
  const next: TcClass = { line, id, options, unknown, ...(parent === undefined ? {} : { parent }) };
  if (there === undefined) device.classes.push(next);
  else device.classes[device.classes.indexOf(there)] = next;
  const holding = above === undefined ? undefined : device.qdiscs.find((qdisc) => qdisc.parent === above.id);
  if (holding !== undefined) removeQdisc(device, holding);
  return `class ${writeClassId(id)} ${parent === undefined ? 'at the top' : `below ${writeClassId(parent)}`}${describe(options)}`;
}

function deleteClass(device: TcDevice, id: number, there: TcClass | undefined): string {
  if (there === undefined) throw new TcFault(`there is no class ${writeClassId(id)} to delete`);
  if (device.classes.some((candidate) => candidate.parent === id)) {
    throw new TcFault(`the class ${writeClassId(id)} has classes below it; the kernel refuses to delete it`);
  }
  device.classes.splice(device.classes.indexOf(there), 1);
  const child = device.qdiscs.find((qdisc) => qdisc.parent === id);
  if (child !== undefined) removeQdisc(device, child);
  return `the class ${writeClassId(id)} is gone`;
}
