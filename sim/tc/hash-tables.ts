import { type TcDevice, TcFault, type TcFilter, type TcMessage } from './model.ts';
import { readInteger } from './words.ts';

/** The table in which filters stand that name none. */
const ROOT_TABLE = 0x800;
/** Longer chains of tables than u32 follows (net/sched/cls_u32.c: TC_U32_MAXDEPTH). */
const DEEPEST = 8;
/** Most filters that the tables of one device may come to. */
const MOST_FILTERS = 20_000;
const ALL_ONES = 0xffffffff;

/** What a u32 filter says of hash tables. */
export interface HashPart {
  /** Table and bucket in which it stands; absent: the root table. */
  readonly entryOf?: { readonly table: number; readonly bucket: number };
  /** Table in which what it matches is looked up, and the bits that choose the bucket. */
  readonly link?: { readonly table: number; readonly mask: number; readonly offset: number };
  /** Number of buckets of the table that it makes. */
  readonly divisor?: number;
  /** The words that are left. */
  readonly rest: readonly string[];
}

/** Takes `ht`, `link`, `hashkey`, `divisor` and `offset` out of the words of a u32 filter. @throws TcFault */
export function readHashPart(words: readonly string[]): HashPart {
  const rest: string[] = [];
  let entryOf: HashPart['entryOf'];
  let table: number | undefined;
  let hash = { mask: 0, offset: 0 };
  let divisor: number | undefined;
  for (let i = 0; i < words.length; ) {
    const word = words[i]!;
    const value = words[i + 1] ?? '';
    if (word === 'ht') {
      entryOf = readTableId(value);
      i += 2;
    } else if (word === 'link') {
      table = readTableId(value).table;
      i += 2;
    } else if (word === 'divisor') {
      divisor = readInteger(value);
      i += 2;
    } else if (word === 'hashkey') {
      hash = readHashKey(words.slice(i + 1, i + 5));
      i += 5;
    } else if (word === 'offset') i = skipOffset(words, i + 1);
    else if (word === 'sample' || word === 'order')
      throw new TcFault(`u32: "${word}" is not interpreted`, 'name the bucket: ht TABLE:BUCKET:');
    else {
      rest.push(word);
      i++;
    }
  }
  if (divisor !== undefined && (divisor > 256 || (divisor & (divisor - 1)) !== 0 || divisor === 0))
    throw new TcFault(`u32: a divisor of ${divisor} is refused`, 'the number of buckets is a power of 2 up to 256');
  return {
    rest,
    ...(entryOf === undefined || entryOf.table === ROOT_TABLE ? {} : { entryOf }),
    ...(table === undefined ? {} : { link: { table, ...hash } }),
    ...(divisor === undefined ? {} : { divisor }),
  };
}

/** `2:`, `2:3f:`, `800::`; all hexadecimal. */
function readTableId(text: string): { table: number; bucket: number } {
  const match = /^(?:0x)?([\da-f]{1,3})(?::(?:0x)?([\da-f]{0,2})(?::(?:0x)?[\da-f]*)?)?$/i.exec(text);
  if (match === null) throw new TcFault(`"${text}" is no hash table of u32`, 'tables are hexadecimal: 2: or 2:3f:');
  return { table: Number.parseInt(match[1]!, 16), bucket: Number.parseInt(match[2] || '0', 16) };
}

/** `mask 0x000000ff at 16`. */
function readHashKey(words: readonly string[]): { mask: number; offset: number } {
  const [maskWord, mask = '', atWord, at = ''] = words;
  const offset = /^\d{1,3}$/.test(at) ? Number(at) : Number.NaN;
  if (maskWord !== 'mask' || atWord !== 'at' || !(offset % 4 === 0))
    throw new TcFault('u32: hashkey is not read', 'for example: hashkey mask 0x000000ff at 16');
  return { mask: readInteger(mask, 16), offset };
}

/** Moves behind `offset at 0 mask 0x0f00 shift 6`: the start of the transport header, as `nexthdr+` finds it anyway. */
function skipOffset(words: readonly string[], from: number): number {
  let at = from;
  while (/^(?:plus|at|mask|shift)$/.test(words[at] ?? '')) at += 2;
  if (words[at] === 'eat')
    throw new TcFault('u32: "offset … eat" is not interpreted', 'match the transport header with nexthdr+');
  return at;
}

/** Puts the filters of each hash table in the place of those that link to it, with the bucket as a match of its own. */
export function flattenTables(device: TcDevice, messages: TcMessage[]): void {
  if (
    device.tables.size === 0 &&
    !device.filters.some(({ entryOf, link }) => entryOf !== undefined || link !== undefined)
  )
    return;
  const used = new Set<number>();
  const expand = (filter: TcFilter, depth: number): TcFilter[] => {
    const { link } = filter;
    if (link === undefined) return [filter];
    used.add(link.table);
    const entries = device.filters.filter(
      ({ entryOf, parent }) => entryOf?.table === link.table && parent === filter.parent,
    );
    if (entries.length === 0)
      say(messages, filter.line, `the hash table ${link.table.toString(16)}: is empty: this filter finds nothing`);
    if (depth >= DEEPEST) return [];
    return entries
      .flatMap((entry) => joined(filter, entry, device.tables.get(link.table) ?? 1))
      .flatMap((one) => expand(one, depth + 1));
  };
  const flat: TcFilter[] = [];
  for (const filter of device.filters) {
    if (filter.entryOf !== undefined) continue;
    for (const one of expand(filter, 0)) flat.push(one);
    if (flat.length > MOST_FILTERS) {
      say(
        messages,
        filter.line,
        `the hash tables come to more than ${MOST_FILTERS} filters; the rest is left out`,
        'error',
      );
      break;
    }
  }
  for (const { entryOf, line } of device.filters) {
    if (entryOf === undefined || used.has(entryOf.table)) continue;
    used.add(entryOf.table);
    say(messages, line, `nothing links to the hash table ${entryOf.table.toString(16)}: its filters are never asked`);
  }
  device.filters.splice(0, device.filters.length, ...flat);
}

/** The filter that an entry of a table and the link to it make together; none where the bucket is never looked up. */
function joined(link: TcFilter, entry: TcFilter, divisor: number): TcFilter[] {
  const { mask, offset } = link.link!;
  const { bucket } = entry.entryOf!;
  // net/sched/cls_u32.c: u32_hash_fold: the bits of the mask, moved down by its lowest one, and of those the divisor's.
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  const bits = ((((mask >>> shift) & (divisor - 1)) << shift) & ALL_ONES) >>> 0;
  const value = (bucket << shift) >>> 0;
  if (bucket >>> 0 !== (value & bits) >>> shift) return [];
  const hash = bits === 0 ? [] : [`match u32 ${hex(value)} ${hex(bits)} at ${offset}`];
  const matches = [link.selector, entry.selector]
    .map((selector) => selector.replace(/^u32\s*/, ''))
    .filter((text) => text !== '');
  const { link: _, entryOf: __, ...own } = entry;
  const next = entry.link === undefined ? {} : { link: entry.link };
  return [
    {
      ...own,
      ...next,
      preference: link.preference,
      protocol: link.protocol,
      selector: ['u32', ...(matches.length + hash.length === 0 ? ['match u32 0 0'] : [...matches, ...hash])].join(' '),
    },
  ];
}

const hex = (value: number): string => `0x${value.toString(16).padStart(8, '0')}`;

function say(messages: TcMessage[], line: number, text: string, severity: TcMessage['severity'] = 'warning'): void {
  messages.push({ line, severity, text });
}
