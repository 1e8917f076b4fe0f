import { type HeaderFields, headerWord, parseAddress, parseProtocol } from './packet-header.ts';

/** A comparison of 32 bits of a packet: equal to `value` under `mask`. */
interface HeaderKey {
  /** From the IP header, or from the transport header (`at nexthdr+…`). */
  readonly offset: number;
  readonly value: number;
  readonly mask: number;
}

/** What a filter looks at; all parts must hold. */
export interface FilterSelector {
  readonly keys: readonly HeaderKey[];
  readonly ranges: readonly { readonly field: 'sport' | 'dport'; readonly from: number; readonly to: number }[];
  readonly mark?: { readonly value: number; readonly mask: number };
  /** `fw` without a handle: the mark itself names the class. */
  readonly classFromMark?: boolean;
}

/** Thrown for a selector that is not understood; the parts are what a message to the user is made of. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly expected: string;
  readonly received: string;
  readonly hint: string;

  constructor(expected: string, received: string, hint: string) {
    super(`expected ${expected} but received ${received}`);
    this.expected = expected;
    this.received = received;
    this.hint = hint;
  }
}

const KINDS = 'u32 match …, fw, matchall or flower …';
/** Offset of the transport header, as IP options are not simulated. */
const TRANSPORT = 20;
const ALL_ONES = 0xffffffff;

/**
 * Reads a selector in tc's words: `u32 match ip dport 22 0xffff`, `fw 6/0xff`, `matchall`, `flower ip_proto tcp dst_port 80`.
 *
 * @throws SelectorError
 */
export function parseSelector(text: string): FilterSelector {
  const words = text.trim().split(/\s+/);
  const { selector, next } = readSelector(words, 0);
  if (next < words.length) {
    throw new SelectorError('the end of the selector', JSON.stringify(words[next]), `selectors are ${KINDS}`);
  }
  return selector;
}

/** Reads the selector that begins at `words[at]` with its kind; `next` is the first word behind it. @throws SelectorError */
export function readSelector(words: readonly string[], at: number): { selector: FilterSelector; next: number } {
  const kind = words[at] ?? '';
  const reader = new SelectorReader(words, at + 1);
  if (kind === 'u32') return reader.u32();
  if (kind === 'fw') return reader.firewallMark();
  if (kind === 'matchall') return { selector: { keys: [], ranges: [] }, next: at + 1 };
  if (kind === 'flower') return reader.flower();
  throw new SelectorError(KINDS, JSON.stringify(kind), 'other kinds of filters are not interpreted');
}

/** Whether a packet with these header fields is matched. */
export function matches(selector: FilterSelector, fields: HeaderFields): boolean {
  const { mark } = selector;
  if (mark !== undefined && ((fields.mark & mark.mask) ^ (mark.value & mark.mask)) !== 0) return false;
  if (selector.ranges.some(({ field, from, to }) => fields[field] < from || fields[field] > to)) return false;
  return selector.keys.every(({ offset, value, mask }) => ((headerWord(fields, offset) ^ value) & mask) === 0);
}

class SelectorReader {
  readonly #words: readonly string[];
  #at: number;
  readonly #keys: HeaderKey[] = [];
  readonly #ranges: { field: 'sport' | 'dport'; from: number; to: number }[] = [];
  #mark: { value: number; mask: number } | undefined;

  constructor(words: readonly string[], at: number) {
    this.#words = words;
    this.#at = at;
  }

  u32(): { selector: FilterSelector; next: number } {
    // The table in which filters stand that name none.
    if (this.#words[this.#at] === 'ht' && /^800::?$/.test(this.#words[this.#at + 1] ?? '')) this.#at += 2;
    while (this.#words[this.#at] === 'match') {
      this.#at++;
      this.#u32Match();
    }
    if (this.#keys.length === 0 && this.#mark === undefined) {
      const hint = 'hash tables (ht, link, divisor, hashkey) are not interpreted; give each match a filter of its own';
      throw new SelectorError('match …', JSON.stringify(this.#words[this.#at] ?? ''), hint);
    }
    return this.#done();
  }

  firewallMark(): { selector: FilterSelector; next: number } {
    const text = this.#words[this.#at] ?? '';
    const match = /^(0x[\da-f]{1,8}|\d{1,10})(?:\/(0x[\da-f]{1,8}|\d{1,10}))?$/i.exec(text);
    if (match === null) return { selector: { keys: [], ranges: [], classFromMark: true }, next: this.#at };
    this.#at++;
    this.#mark = { value: Number(match[1]) >>> 0, mask: match[2] === undefined ? ALL_ONES : Number(match[2]) >>> 0 };
    return this.#done();
  }

  flower(): { selector: FilterSelector; next: number } {
    for (; this.#at < this.#words.length; ) {
      const name = this.#words[this.#at]!;
      if (name === 'ip_proto') {
        this.#at++;
        this.#key(9, 1, this.#protocol(), 0xff);
      } else if (name === 'src_ip' || name === 'dst_ip') {
        this.#at++;
        this.#address(name === 'src_ip' ? 12 : 16);
      } else if (name === 'src_port' || name === 'dst_port') {
        this.#at++;
        this.#portRange(name === 'src_port' ? 'sport' : 'dport');
      } else if (name === 'ip_tos') {
        this.#at++;
        const [value, mask] = this.#take().split('/');
        this.#key(1, 1, this.#number(value!, 0xff, 16), mask === undefined ? 0xff : this.#number(mask, 0xff, 16));
      } else if (name === 'skip_hw' || name === 'skip_sw') this.#at++;
      else break;
    }
    return this.#done();
  }

  #done(): { selector: FilterSelector; next: number } {
    const selector = { keys: this.#keys, ranges: this.#ranges };
    return { selector: this.#mark === undefined ? selector : { ...selector, mark: this.#mark }, next: this.#at };
  }

  #u32Match(): void {
    const layer = this.#take();
    if (layer === 'u8' || layer === 'u16' || layer === 'u32') {
      const width = Number(layer.slice(1)) / 8;
      const largest = 2 ** (8 * width) - 1;
      const value = this.#number(this.#take(), largest, layer === 'u32' ? 16 : 0);
      const mask = this.#number(this.#take(), largest, 16);
      const offset = this.#offset(width);
      this.#key(offset, width, value, mask);
    } else if (layer === 'mark') {
      const value = this.#number(this.#take(), ALL_ONES);
      this.#mark = { value, mask: this.#number(this.#take(), ALL_ONES, 16) };
    } else if (layer === 'ip') this.#ipMatch(this.#take());
    else if (layer === 'tcp' || layer === 'udp') {
      const field = this.#take();
      if (field !== 'src' && field !== 'dst') throw this.#fault('src or dst', field);
      this.#valueAndMask(TRANSPORT + (field === 'src' ? 0 : 2), 2);
    } else if (layer === 'icmp') {
      const field = this.#take();
      if (field !== 'type' && field !== 'code') throw this.#fault('type or code', field);
      this.#valueAndMask(TRANSPORT + (field === 'type' ? 0 : 1), 1);
    } else throw this.#fault('u8, u16, u32, ip, tcp, udp, icmp or mark', layer);
  }

  #ipMatch(field: string): void {
    if (field === 'src' || field === 'dst') this.#address(field === 'src' ? 12 : 16);
    else if (field === 'sport' || field === 'dport') this.#valueAndMask(TRANSPORT + (field === 'sport' ? 0 : 2), 2);
    else if (field === 'protocol') this.#key(9, 1, this.#protocol(), this.#number(this.#take(), 0xff, 16));
    else if (field === 'tos' || field === 'dsfield' || field === 'ds_field' || field === 'precedence')
      this.#valueAndMask(1, 1);
    else if (field === 'ihl') this.#valueAndMask(0, 1);
    else if (field === 'icmp_type') this.#valueAndMask(TRANSPORT, 1);
    else if (field === 'icmp_code') this.#valueAndMask(TRANSPORT + 1, 1);
    else if (field === 'df') this.#key(6, 1, 0x40, 0x40);
    else if (field === 'mf') this.#key(6, 1, 0x20, 0x20);
    else if (field === 'nofrag') this.#key(6, 2, 0, 0x3fff);
    else if (field === 'firstfrag') this.#key(6, 2, 0x2000, 0x3fff);
    else throw this.#fault('src, dst, sport, dport, protocol, tos, dsfield, ihl or icmp_type', field);
  }

  #valueAndMask(offset: number, width: number): void {
    const largest = 2 ** (8 * width) - 1;
    const value = this.#number(this.#take(), largest);
    this.#key(offset, width, value, this.#number(this.#take(), largest, 16));
  }

  /** `at OFFSET` or `at nexthdr+OFFSET`; 0 without it. */
  #offset(width: number): number {
    if (this.#words[this.#at] !== 'at') return 0;
    this.#at++;
    const text = this.#take();
    const match = /^(nexthdr\+)?(0x[\da-f]{1,4}|\d{1,4})$/i.exec(text);
    if (/^-\d+$/.test(text)) {
      const hint = 'flows have no Ethernet addresses; give the flow its class by name';
      throw new SelectorError('an offset within the IP packet', JSON.stringify(text), hint);
    }
    if (match === null) throw this.#fault('an offset in bytes', text);
    const offset = Number(match[2]);
    if (offset % width !== 0) throw this.#fault(`an offset that is a multiple of ${width}`, text);
    return match[1] === undefined ? offset : TRANSPORT + offset;
  }

  #address(offset: number): void {
    const text = this.#take();
    if (text === 'any' || text === 'all' || text === 'default') {
      this.#keys.push({ offset, value: 0, mask: 0 });
      return;
    }
    const [host, length] = text.split('/');
    const address = parseAddress(host!);
    let mask = length === undefined ? ALL_ONES : undefined;
    if (length !== undefined && /^\d{1,2}$/.test(length) && Number(length) <= 32)
      mask = ALL_ONES - (2 ** (32 - Number(length)) - 1);
    else if (length?.includes('.')) mask = parseAddress(length);
    if (address === undefined || mask === undefined) throw this.#fault('an IPv4 address such as 10.0.0.0/8', text);
    this.#keys.push({ offset, value: address, mask });
  }

  #protocol(): number {
    const text = this.#take();
    const protocol = parseProtocol(text);
    if (protocol === undefined) throw this.#fault('a protocol such as tcp or 17', text);
    return protocol;
  }

  #portRange(field: 'sport' | 'dport'): void {
    const text = this.#take();
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
    const from = Number(match?.[1]);
    const to = Number(match?.[2] ?? match?.[1]);
    if (match === null || from > 0xffff || to > 0xffff || from > to)
      throw this.#fault('a port such as 80 or 8000-8010', text);
    this.#ranges.push({ field, from, to });
  }

  /** Adds a comparison of `width` bytes, placed in the aligned 32-bit word that holds them. */
  #key(offset: number, width: number, value: number, mask: number): void {
    const shift = 2 ** (8 * (4 - width - (offset % 4)));
    this.#keys.push({ offset: offset - (offset % 4), value: value * shift, mask: mask * shift });
  }

  #number(text: string, largest: number, base: 0 | 16 = 0): number {
    const hexadecimal = /^(?:0x)?[\da-f]{1,8}$/i.test(text) && (base === 16 || /^0x/i.test(text));
    const value = hexadecimal ? Number.parseInt(text, 16) : /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= largest))
      throw this.#fault(`a number from 0 to ${largest === ALL_ONES ? '0xffffffff' : largest}`, text);
    return value;
  }

  #take(): string {
    return this.#words[this.#at++] ?? '';
  }

  #fault(expected: string, received: string): SelectorError {
    const hint = 'for example: u32 match ip dport 22 0xffff, u32 match u8 0x10 0xff at 1';
    return new SelectorError(expected, received === '' ? 'the end of the selector' : JSON.stringify(received), hint);
  }
}
