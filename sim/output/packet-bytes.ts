import type { HeaderFields } from '../scenario/packet-header.ts';

const ETHERNET_BYTES = 14;
const IPV4_BYTES = 20;
const UDP_BYTES = 8;
const TCP_BYTES = 20;
const ETHERTYPE_IPV4 = 0x0800;
/** IEEE's EtherType for local experiments: a frame too short for the headers that it would have. */
const ETHERTYPE_EXPERIMENTAL = 0x88b5;
const TCP = 6;
const UDP = 17;
const LONGEST_IP_PACKET = 0xffff;

export const TCP_SYN = 0x02;
export const TCP_PUSH = 0x08;
export const TCP_ACK = 0x10;

/** Option kinds of TCP: end, padding, segment size, window scale, SACK permitted, timestamps. */
const NOP = 1;
const MSS = 2;
const WINDOW_SCALE = 3;
const SACK_PERMITTED = 4;
const TIMESTAMPS = 8;
const ETHERNET_MSS = 1460;
/** What a window is shifted by, and is shown with: a full one. */
const SHIFT = 10;

/** The longest headers that are written (Ethernet, IPv4, a SYN of TCP). */
export const LONGEST_HEADERS_BYTES = ETHERNET_BYTES + IPV4_BYTES + 40;

/** What a frame of a flow is made of. */
export interface Frame {
  /** The whole frame, as tc counts it. */
  readonly sizeBytes: number;
  readonly header: HeaderFields;
  readonly ecn: number;
  /** Class id (u32), shown in the source's Ethernet address; 0: none. */
  readonly classId: number;
  /** Number of the packet (IP identification). */
  readonly number: number;
  /** TCP only. */
  readonly tcp: {
    readonly sequence: number;
    readonly flags: number;
    /** Whole header: 20, or more with options. */
    readonly headerBytes: number;
    readonly timestampMs: number;
    readonly echoMs: number;
  };
}

/** Writes the headers of a frame to `into` and returns their length; the payload, which is not written, is zeros. */
export function writeHeaders(into: DataView, frame: Frame): number {
  const { sizeBytes, header } = frame;
  const headersBytes = ETHERNET_BYTES + IPV4_BYTES + transportBytes(frame);
  const isShort = sizeBytes < headersBytes;
  writeEthernet(into, frame.classId, isShort ? ETHERTYPE_EXPERIMENTAL : ETHERTYPE_IPV4);
  if (isShort) return Math.min(ETHERNET_BYTES, sizeBytes);
  writeIpv4(into, frame);
  if (header.proto === TCP) writeTcp(into, frame);
  else if (header.proto === UDP) writeUdp(into, frame);
  return headersBytes;
}

function transportBytes({ header, tcp }: Frame): number {
  if (header.proto === TCP) return tcp.headerBytes;
  return header.proto === UDP ? UDP_BYTES : 0;
}

/** Locally administered addresses; the class is readable in the sender's, as class ids are hexadecimal: 1:10 is 02:00:00:01:00:10. */
function writeEthernet(into: DataView, classId: number, etherType: number): void {
  into.setUint16(0, 0x0200);
  into.setUint32(2, 1);
  into.setUint16(6, 0x0200);
  into.setUint32(8, classId);
  into.setUint16(12, etherType);
}

function writeIpv4(into: DataView, { sizeBytes, header, ecn, number }: Frame): void {
  const at = ETHERNET_BYTES;
  const lengthBytes = sizeBytes - ETHERNET_BYTES;
  into.setUint8(at, 0x45);
  into.setUint8(at + 1, (header.tos & 0xfc) | ecn);
  // 0 where the length does not fit, as captures of sending hosts have it.
  into.setUint16(at + 2, lengthBytes > LONGEST_IP_PACKET ? 0 : lengthBytes);
  into.setUint16(at + 4, number % 0x10000);
  into.setUint16(at + 6, 0x4000);
  into.setUint8(at + 8, 64);
  into.setUint8(at + 9, header.proto);
  into.setUint16(at + 10, 0);
  into.setUint32(at + 12, header.src);
  into.setUint32(at + 16, header.dst);
  into.setUint16(at + 10, ~folded(sumOf(into, at, IPV4_BYTES)) & 0xffff);
}

/** Without checksum, which UDP over IPv4 allows. */
function writeUdp(into: DataView, { sizeBytes, header }: Frame): void {
  const at = ETHERNET_BYTES + IPV4_BYTES;
  const lengthBytes = sizeBytes - at;
  into.setUint16(at, header.sport);
  into.setUint16(at + 2, header.dport);
  into.setUint16(at + 4, lengthBytes + IPV4_BYTES > LONGEST_IP_PACKET ? 0 : lengthBytes);
  into.setUint16(at + 6, 0);
}

function writeTcp(into: DataView, { sizeBytes, header, tcp }: Frame): void {
  const at = ETHERNET_BYTES + IPV4_BYTES;
  const isSyn = (tcp.flags & TCP_SYN) !== 0;
  into.setUint16(at, header.sport);
  into.setUint16(at + 2, header.dport);
  into.setUint32(at + 4, tcp.sequence % 2 ** 32);
  into.setUint32(at + 8, (tcp.flags & TCP_ACK) === 0 ? 0 : 1);
  into.setUint8(at + 12, tcp.headerBytes * 4);
  into.setUint8(at + 13, tcp.flags);
  into.setUint16(at + 14, 0xffff);
  into.setUint16(at + 16, 0);
  into.setUint16(at + 18, 0);
  writeOptions(into, at + TCP_BYTES, tcp, isSyn);
  const segmentBytes = sizeBytes - at;
  const pseudoHeader = sumOf(into, ETHERNET_BYTES + 12, 8) + TCP + (segmentBytes % 0x10000);
  into.setUint16(at + 16, ~folded(pseudoHeader + sumOf(into, at, tcp.headerBytes)) & 0xffff);
}

/** Timestamps where there is room, and what a SYN offers; the rest is padding. */
function writeOptions(
  into: DataView,
  start: number,
  { headerBytes, timestampMs, echoMs }: Frame['tcp'],
  isSyn: boolean,
): void {
  const end = start + headerBytes - TCP_BYTES;
  let at = start;
  if (isSyn && end - at >= 20) {
    into.setUint16(at, (MSS << 8) | 4);
    into.setUint16(at + 2, ETHERNET_MSS);
    into.setUint16(at + 4, (SACK_PERMITTED << 8) | 2);
    into.setUint16(at + 6, (TIMESTAMPS << 8) | 10);
    into.setUint32(at + 8, timestampMs % 2 ** 32);
    into.setUint32(at + 12, echoMs % 2 ** 32);
    into.setUint32(at + 16, (NOP << 24) | (WINDOW_SCALE << 16) | (3 << 8) | SHIFT);
    at += 20;
  } else if (end - at >= 12) {
    into.setUint32(at, (NOP << 24) | (NOP << 16) | (TIMESTAMPS << 8) | 10);
    into.setUint32(at + 4, timestampMs % 2 ** 32);
    into.setUint32(at + 8, echoMs % 2 ** 32);
    at += 12;
  }
  for (; at < end; at++) into.setUint8(at, NOP);
}

/** Sum of 16-bit words; `length` is even. */
function sumOf(view: DataView, start: number, length: number): number {
  let sum = 0;
  for (let at = start; at < start + length; at += 2) sum += view.getUint16(at);
  return sum;
}

function folded(sum: number): number {
  let rest = sum;
  while (rest > 0xffff) rest = (rest & 0xffff) + (rest >>> 16);
  return rest;
}
