import { classify, type FilterSpec } from '../scenario/classify.ts';
import { type FilterSelector, matches } from '../scenario/filter-selector.ts';
import { formatAddress, formatProtocol, type HeaderFields } from '../scenario/packet-header.ts';

const UDP = 17;
/** What a constant-rate flow has where nothing is said. */
const PLAIN: HeaderFields = { proto: UDP, src: 0, dst: 0, sport: 0, dport: 0, tos: 0, mark: 0, lengthBytes: 1500 };
const ETHERNET_HEADER_BYTES = 14;

/**
 * Finds header fields with which a packet is sent to `target`, trying the filters that lead there in turn.
 *
 * @returns the fields; undefined if no filter leads there or others always come first
 */
export function fieldsThatReach(filters: readonly FilterSpec[], target: number): HeaderFields | undefined {
  if (classify(filters, PLAIN) === target) return PLAIN;
  for (const filter of filters) {
    if (filter.target !== target || !filter.seesIpv4) continue;
    const fields = fieldsFor(filter.selector, PLAIN);
    if (fields === undefined) continue;
    if (classify(filters, fields) === target) return fields;
    // A filter of an inner class is only asked for what the filters above it let through.
    for (const above of filters.filter((candidate) => candidate.target === filter.parent)) {
      const both = fieldsFor(above.selector, fields);
      if (both !== undefined && classify(filters, both) === target) return both;
    }
  }
  return undefined;
}

/** Finds header fields that a selector matches, changing as little of `base` as possible. */
export function fieldsFor(selector: FilterSelector, base: HeaderFields = PLAIN): HeaderFields | undefined {
  const fields = { ...base };
  for (const { offset, value, mask } of selector.keys) {
    const set = (old: number, shift: number, bits: number): number => {
      const part = (word: number): number => Math.floor(word / 2 ** shift) % 2 ** bits;
      const [wanted, under] = [part(value), part(mask)];
      return (((old & ~under) | (wanted & under)) >>> 0) % 2 ** bits;
    };
    if (offset === 0) {
      fields.tos = set(fields.tos, 16, 8);
      const length = set(fields.lengthBytes, 0, 16);
      if (length !== fields.lengthBytes) fields.lengthBytes = shortestLength(length, mask % 0x10000);
    } else if (offset === 8) fields.proto = set(fields.proto, 16, 8);
    else if (offset === 12) fields.src = set(fields.src, 0, 32);
    else if (offset === 16) fields.dst = set(fields.dst, 0, 32);
    else if (offset === 20) {
      fields.sport = set(fields.sport, 16, 16);
      fields.dport = set(fields.dport, 0, 16);
    }
  }
  for (const { field, from, to } of selector.ranges) {
    if (fields[field] < from || fields[field] > to) fields[field] = from;
  }
  if (selector.mark !== undefined) {
    const { value, mask } = selector.mark;
    fields.mark = ((fields.mark & ~mask) | (value & mask)) >>> 0;
  }
  return matches(selector, fields) ? fields : undefined;
}

/** A length that an IP packet with headers can have, where the mask leaves the lower bits open. */
function shortestLength(length: number, mask: number): number {
  const fewest = 52;
  return length < fewest && (fewest & mask) === (length & mask) ? fewest : length;
}

/** Header fields as a flow of a scenario says them, leaving out what it has anyway. */
export function flowKeys(fields: HeaderFields): Record<string, unknown> {
  const keys: Record<string, unknown> = {};
  if (fields.proto !== UDP) keys.proto = formatProtocol(fields.proto);
  if (fields.src !== 0) keys.src = formatAddress(fields.src);
  if (fields.dst !== 0) keys.dst = formatAddress(fields.dst);
  if (fields.sport !== 0) keys.sport = fields.sport;
  if (fields.dport !== 0) keys.dport = fields.dport;
  if (fields.tos !== 0) keys.tos = fields.tos;
  if (fields.mark !== 0) keys.mark = fields.mark;
  return keys;
}

/** Size of a frame (bytes, as tc counts it) whose IP packet has the length of `fields`. */
export function frameBytes(fields: HeaderFields): number {
  return Math.max(fields.lengthBytes, 28) + ETHERNET_HEADER_BYTES;
}
