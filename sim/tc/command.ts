import { writeClassId } from '../units/class-id.ts';
import { classCommand } from './class-command.ts';
import { majorOf } from './class-id.ts';
import { type CommandPlace, deviceName, type Verb } from './command-place.ts';
import { readFilterBody, readFilterHead, readNewTable } from './filter-command.ts';
import { findQdisc, rootQdisc, type TcDevice, TcFault, type TcFilter, type TcTree } from './model.ts';
import { qdiscCommand } from './qdisc-command.ts';
import { noSuchQdisc, remove } from './tree-edit.ts';
import { abbreviates, readInteger, type Words } from './words.ts';

const VERBS: readonly (readonly [string, Verb])[] = [
  ['add', 'add'],
  ['change', 'change'],
  ['replace', 'replace'],
  ['link', 'replace'],
  ['delete', 'delete'],
  ['show', 'show'],
  ['list', 'show'],
  ['ls', 'show'],
  ['lst', 'show'],
  ['get', 'show'],
  ['help', 'show'],
  ['monitor', 'show'],
];
/**
 * Carries out one tc command on the tree; the words begin with the object (`qdisc`, `class`, `filter`).
 *
 * @returns what it did, for the user; '' when there is nothing to say
 * @throws TcFault where tc or the kernel would refuse it, or a scenario cannot say it
 */
export function applyCommand(tree: TcTree, words: Words, place: CommandPlace): string {
  const object = words.take();
  if (object === '') throw new TcFault('tc is given no object', 'tc qdisc, tc class or tc filter');
  const verb = readVerb(words);
  if (verb === 'show') return '';
  if (abbreviates(object, 'qdisc')) return qdiscCommand(tree, verb, words, place);
  if (abbreviates(object, 'class')) return classCommand(tree, verb, words, place);
  if (abbreviates(object, 'filter')) return filterCommand(tree, verb, words, place);
  if (abbreviates(object, 'monitor') || object === 'exec') return '';
  throw new TcFault(`tc ${object} is not interpreted`, 'tc qdisc, tc class and tc filter are');
}

function readVerb(words: Words): Verb {
  const word = words.take();
  if (word === '') return 'show';
  const verb = VERBS.find(([name]) => abbreviates(word, name));
  if (verb === undefined) throw new TcFault(`"${word}" is no command of tc`, 'add, change, replace, del or show');
  return verb[1];
}

function filterCommand(tree: TcTree, verb: Exclude<Verb, 'show'>, words: Words, place: CommandPlace): string {
  const head = readFilterHead(words);
  const device = tree.device(deviceName(head.device, place));
  const root = rootQdisc(device);
  let parent = head.parent;
  if (parent === undefined || parent === 0xffffffff) parent = (root?.handle ?? 0) * 0x10000;
  else if (typeof parent === 'number' && majorOf(parent) === 0) parent += (root?.handle ?? 0) * 0x10000;
  if (verb === 'delete') {
    const before = device.filters.length;
    remove(
      device.filters,
      (filter) => filter.parent === parent && (head.preference === 0 || filter.preference === head.preference),
    );
    return before === device.filters.length ? '' : `${before - device.filters.length} filters are gone`;
  }
  const holder =
    typeof parent === 'number'
      ? findQdisc(device, majorOf(parent))
      : device.qdiscs.find((qdisc) => qdisc.parent === 'ingress');
  if (holder === undefined) {
    if (typeof parent === 'number') throw noSuchQdisc(device, majorOf(parent));
    throw new TcFault(`${device.name} has no ingress qdisc`, `add it first: tc qdisc add dev ${device.name} ingress`);
  }
  const table = readNewTable(words, head);
  if (table !== undefined) {
    device.tables.set(table.table, table.divisor);
    return `hash table ${table.table.toString(16)}: with ${table.divisor} buckets`;
  }
  const filter = readFilterBody(words, { ...head, parent }, place.line, holder.handle);
  if (
    filter.target === undefined &&
    filter.actions.length === 0 &&
    filter.selector !== 'fw' &&
    filter.link === undefined
  ) {
    throw new TcFault('the filter sends to no class', 'say flowid CLASS, for example flowid 1:10');
  }
  checkPreference(device, filter);
  device.filters.push({ ...filter, preference: filter.preference || automaticPreference(device, parent) });
  const target = filter.target === undefined ? '' : ` to ${writeClassId(filter.target)}`;
  const acts = filter.actions
    .map((action) => (action.kind === 'redirect' ? `redirect to ${action.device}` : action.kind))
    .join(', ');
  const link = filter.link === undefined ? '' : ` on to the hash table ${filter.link.table.toString(16)}:`;
  return `filter "${filter.selector}"${target}${link}${acts === '' ? '' : `: ${acts}`}`;
}

/**
 * Refuses a filter whose preference holds filters of another kind or protocol.
 *
 * Source of the rule: net/sched/cls_api.c, tcf_chain_tp_find and tc_new_tfilter.
 */
function checkPreference(device: TcDevice, { parent, preference, protocol, kind }: TcFilter): void {
  const there = device.filters.find((filter) => filter.parent === parent && filter.preference === preference);
  if (preference === 0 || there === undefined || (there.kind === kind && sameProtocol(there.protocol, protocol)))
    return;
  const what = there.kind === kind ? `protocol ${there.protocol}` : `kind ${there.kind}`;
  throw new TcFault(
    `the filters of prio ${preference} are of ${what} (line ${there.line}); the kernel refuses another beside them`,
    'give it a prio of its own',
  );
}

function sameProtocol(a: string, b: string): boolean {
  const number = (name: string): string =>
    ({ ip: '2048', ipv4: '2048', '0x0800': '2048', '0x800': '2048', all: '3' })[name] ?? name;
  return number(a) === number(b);
}

/** The kernel counts down from 49152 (0xc000) for filters without a preference. */
function automaticPreference(device: TcDevice, parent: TcFilter['parent']): number {
  const lowest = Math.min(
    49153,
    ...device.filters.filter((filter) => filter.parent === parent).map((filter) => filter.preference),
  );
  return Math.max(0, lowest - 1);
}

/** Sets what `ip link set dev NAME txqueuelen N` sets. @throws TcFault */
export function setQueueLength(tree: TcTree, device: string, text: string): string {
  tree.device(device).txQueueLength = readInteger(text);
  return `${device}: queues hold ${readInteger(text)} packets unless they say otherwise`;
}
