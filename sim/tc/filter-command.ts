import { readSelector, SelectorError } from '../scenario/filter-selector.ts';
import { seesIpv4 } from '../scenario/hop-filters.ts';
import { majorOf, readClassId } from './class-id.ts';
import { type HashPart, readHashPart } from './hash-tables.ts';
import { type TcAction, TcFault, type TcFilter, type TcOption } from './model.ts';
import { POLICE_OPTIONS } from './option-tables.ts';
import { readOptions } from './options.ts';
import { readInteger, readTime, Words } from './words.ts';

/** Filter kinds that Linux knows and a scenario does not. */
const UNKNOWN_KINDS = new Set(['basic', 'bpf', 'cgroup', 'flow', 'route', 'rsvp', 'rsvp6', 'tcindex']);
const CONTROLS = new Set(['drop', 'shot', 'pass', 'ok', 'pipe', 'continue', 'reclassify', 'trap', 'conform-exceed']);

/** Handle of the ingress qdisc, `ffff:`, and the two sides of clsact, `ffff:fff2` and `ffff:fff3`. */
const INGRESS_HANDLE = 0xffff0000;
const CLSACT_INGRESS = 0xfffffff2;
const CLSACT_EGRESS = 0xfffffff3;

/** Place and identity of a filter: the words before its kind. */
export interface FilterHead {
  device?: string;
  parent?: number | 'ingress' | 'egress';
  preference: number;
  protocol: string;
  handle?: string;
  /** How the average rate of a policer behind it is measured. */
  estimator?: { readonly interval: string; readonly average: string };
}

/**
 * Reads `tc filter VERB` up to and including the kind.
 *
 * @throws TcFault
 */
export function readFilterHead(words: Words): FilterHead {
  const head: FilterHead = { preference: 0, protocol: 'all' };
  while (!words.done) {
    const word = words.peek();
    if (word === 'dev') {
      words.take();
      head.device = words.value(word, 'a device');
    } else if (word === 'root') {
      words.take();
      head.parent = 0xffffffff;
    } else if (word === 'ingress' || word === 'egress') {
      words.take();
      head.parent = word;
    } else if (word === 'parent') {
      words.take();
      head.parent = readClassId(words.value(word, 'a handle or class'));
    } else if (word === 'handle') {
      words.take();
      head.handle = words.value(word, 'a handle');
    } else if (word === 'estimator') {
      words.take();
      const interval = readTime(words.value(word, 'an interval'));
      head.estimator = { interval, average: readTime(words.value(word, 'the time of the average')) };
    } else if (word === 'prio' || word === 'pref' || word === 'preference' || word === 'priority') {
      words.take();
      head.preference = readInteger(words.value(word, 'a preference'));
    } else if (word.length >= 3 && 'protocol'.startsWith(word)) {
      words.take();
      head.protocol = words.value(word, 'a protocol');
    } else if (word === 'chain') {
      words.take();
      if (readInteger(words.value(word, 'a chain')) !== 0) {
        throw new TcFault('filters of other chains than 0 are not interpreted', 'put the filter into chain 0');
      }
    } else break;
  }
  if (head.parent === CLSACT_INGRESS || head.parent === INGRESS_HANDLE) head.parent = 'ingress';
  else if (head.parent === CLSACT_EGRESS) head.parent = 'egress';
  return head;
}

/**
 * Reads the kind of a filter and what follows it.
 *
 * @param ownMajor major number of the qdisc that a class id without one belongs to
 * @throws TcFault for what tc refuses or a scenario cannot say
 */
export function readFilterBody(words: Words, head: FilterHead, line: number, ownMajor: number): TcFilter {
  const kind = words.take();
  const isIpv6 = words.peek() === 'match' && words.peek(1) === 'ip6';
  if (!seesIpv4(head.protocol) || isIpv6) {
    const what = isIpv6 ? 'IPv6' : `protocol ${head.protocol}`;
    throw new TcFault(
      `the filter for ${what} is left out, as flows are IPv4`,
      'give its class to a flow by name',
      'warning',
    );
  }
  if (kind === '') throw new TcFault('the filter has no kind', 'for example: u32 match ip dport 22 0xffff flowid 1:10');
  if (UNKNOWN_KINDS.has(kind))
    throw new TcFault(`filters of kind ${kind} are not interpreted`, 'u32, fw, matchall and flower are');
  const hash = kind === 'u32' ? readHashPart(words.rest()) : { rest: words.rest() };
  const { selector, tail, early } =
    kind === 'u32' && isWithoutMatch(hash)
      ? { selector: 'u32', tail: hash.rest, early: [] }
      : selectorOf(kind, hash.rest, head.handle);
  const reader = new TailReader(tail, ownMajor, head.estimator);
  for (const part of early) reader.read(part);
  reader.read(tail);
  const { actions, unknown, target } = reader;
  return {
    line,
    parent: head.parent ?? 0xffffffff,
    preference: head.preference,
    protocol: head.protocol,
    kind,
    selector,
    actions,
    unknown,
    ...(target === undefined ? {} : { target }),
    ...('entryOf' in hash ? { entryOf: hash.entryOf } : {}),
    ...('link' in hash ? { link: hash.link } : {}),
  };
}

/** Whether a u32 filter stands in a hash table or links to one and matches all that comes there. */
function isWithoutMatch({ entryOf, link, rest }: HashPart): boolean {
  return (entryOf !== undefined || link !== undefined) && !rest.includes('match');
}

/** The hash table that `u32 divisor N` makes: its number and its buckets; undefined for any other filter. @throws TcFault */
export function readNewTable(words: Words, head: FilterHead): { table: number; divisor: number } | undefined {
  if (words.peek() !== 'u32') return undefined;
  const given = words.ahead().slice(1);
  // `u32` alone makes the table that is there anyway.
  if (given.length === 0) return { table: 0x800, divisor: 1 };
  if (!given.includes('divisor') || given.includes('match')) return undefined;
  const { divisor = 1 } = readHashPart(given);
  const match = /^(?:0x)?([\da-f]{1,3}):?/i.exec(head.handle ?? '');
  if (match === null) throw new TcFault('u32: the hash table has no handle', 'for example: handle 2: u32 divisor 256');
  return { table: Number.parseInt(match[1]!, 16), divisor };
}

/** Takes the selector out of the words; what stands before it (`flowid` first is allowed) comes back as `early`. */
function selectorOf(
  kind: string,
  rest: readonly string[],
  handle: string | undefined,
): { selector: string; tail: string[]; early: string[][] } {
  const early: string[][] = [];
  let words = [...rest];
  while (words[0] === 'classid' || words[0] === 'flowid') early.push(words.splice(0, 2));
  if (kind === 'fw') words = [...(handle === undefined ? [] : [handle]), ...words];
  try {
    const { next } = readSelector([kind, ...words], 0);
    return { selector: [kind, ...words.slice(0, next - 1)].join(' '), tail: words.slice(next - 1), early };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new TcFault(`${kind}: ${error.message}`, error.hint);
  }
}

class TailReader {
  readonly actions: TcAction[] = [];
  readonly unknown: string[] = [];
  target: number | undefined;
  readonly #ownMajor: number;
  readonly #estimator: FilterHead['estimator'];
  #tail: readonly string[];

  constructor(tail: readonly string[], ownMajor: number, estimator: FilterHead['estimator']) {
    this.#tail = tail;
    this.#ownMajor = ownMajor;
    this.#estimator = estimator;
  }

  read(tail: readonly string[]): void {
    this.#tail = tail;
    while (this.#tail.length > 0) {
      const [word, ...behind] = this.#tail as [string, ...string[]];
      this.#tail = behind;
      if (word === 'flowid' || word === 'classid') this.#class();
      else if (word === 'action') continue;
      else if (word === 'police') this.#police();
      else if (word === 'mirred') this.#mirred();
      else if (word === 'drop' || word === 'shot') this.actions.push({ kind: 'drop' });
      else if (word === 'pass' || word === 'ok') this.actions.push({ kind: 'pass' });
      else if (word === 'gact' || word === 'continue' || word === 'pipe') continue;
      else this.#collect(word);
    }
  }

  #class(): void {
    const text = this.#tail[0];
    if (text === undefined) throw new TcFault('"flowid" wants a class behind it');
    this.#tail = this.#tail.slice(1);
    const id = readClassId(text);
    this.target = majorOf(id) === 0 ? this.#ownMajor * 0x10000 + id : id;
  }

  #police(): void {
    const words = [...this.#tail];
    const stop = words.findIndex((word) => word === 'action' || word === 'flowid' || word === 'classid');
    const own = stop < 0 ? words : words.slice(0, stop);
    this.#tail = stop < 0 ? [] : words.slice(stop);
    const cursor = new Words(own);
    const options: Record<string, TcOption> = {};
    let exceed = 'reclassify';
    let conform: string | undefined;
    while (!cursor.done) {
      const reading = readOptions(cursor, POLICE_OPTIONS, true);
      Object.assign(options, reading.options);
      this.unknown.push(...reading.unknown);
      if (cursor.done) break;
      const word = cursor.take();
      if (word === 'conform-exceed' || word === 'action') {
        const [beyond, within] = cursor.value(word, 'an action').split('/');
        exceed = verdict(beyond!);
        if (within !== undefined && verdict(within) !== 'ok') conform = verdict(within);
      } else if (CONTROLS.has(word)) exceed = verdict(word);
      else if (word === 'index') {
        this.unknown.push(`police ${word} ${cursor.take()}`);
      } else this.unknown.push(`police ${word}`);
    }
    const bounds = [options.rate, options.pkts_rate, options.avrate, options.mtu];
    if (bounds.every((bound) => bound === undefined)) {
      throw new TcFault('police: no rate is given', 'for example: police rate 10mbit burst 100k drop');
    }
    if (options.rate !== undefined && options.burst === undefined) {
      throw new TcFault('police: "burst" is required', 'take about rate × round-trip time, for example burst 100k');
    }
    if (options.avrate !== undefined && this.#estimator === undefined) {
      throw new TcFault('police: avrate needs an estimator', 'write before the kind of the filter: estimator 250ms 1s');
    }
    if (options.avrate !== undefined && this.#estimator !== undefined) options.estimator = this.#estimator;
    this.actions.push({ kind: 'police', options, exceed, ...(conform === undefined ? {} : { conform }) });
  }

  #mirred(): void {
    const words = this.#tail;
    const at = words.indexOf('dev');
    const device = at < 0 ? undefined : words[at + 1];
    if (device === undefined)
      throw new TcFault('mirred: no device is given', 'for example: mirred egress redirect dev ifb0');
    const redirects = words.slice(0, at).includes('redirect');
    const last = this.actions.at(-1);
    const stops = last?.kind === 'police' && last.conform !== 'pipe';
    if (redirects && stops) {
      // net/sched/act_api.c, tcf_action_exec: only pipe goes on to the next action.
      const exceed = last.exceed === 'pipe' ? 'drop' : last.exceed;
      this.unknown.push(
        `mirred ${words.slice(0, at + 2).join(' ')}: a packet that conforms to the policer before it ends there (${last.conform ?? 'ok'}) and is not redirected; to redirect it, let it go on with conform-exceed ${exceed}/pipe`,
      );
    } else if (redirects) this.actions.push({ kind: 'redirect', device });
    else this.unknown.push(`mirred ${words.slice(0, at + 2).join(' ')}`);
    this.#tail = words.slice(at + 2);
  }

  #collect(word: string): void {
    const parts = [word];
    const known = new Set(['flowid', 'classid', 'action', 'police', 'mirred', 'drop', 'pass', 'ok']);
    while (this.#tail.length > 0 && !known.has(this.#tail[0]!)) {
      parts.push(this.#tail[0]!);
      this.#tail = this.#tail.slice(1);
    }
    this.unknown.push(parts.join(' '));
  }
}

/** What a policer does with a packet, under the name that scenarios use. @throws TcFault */
function verdict(word: string): string {
  const name = { shot: 'drop', pass: 'ok' }[word] ?? word;
  if (['ok', 'drop', 'pipe', 'reclassify', 'continue'].includes(name)) return name;
  throw new TcFault(`police: "${word}" is no action`, 'drop, ok, pipe, reclassify or continue');
}
