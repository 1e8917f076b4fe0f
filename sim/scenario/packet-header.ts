/** Header fields of a flow as filters see them; what a scenario leaves out is 0, the protocol is the source's. */
export interface HeaderFields {
  /** IP protocol number: 6 TCP, 17 UDP. */
  readonly proto: number;
  /** IPv4 addresses as u32. */
  readonly src: number;
  readonly dst: number;
  readonly sport: number;
  readonly dport: number;
  readonly tos: number;
  /** Firewall mark (skb->mark, u32). */
  readonly mark: number;
  /** Total length of the IP packet (bytes), 0 if it varies. */
  readonly lengthBytes: number;
}

/** Protocols by the names that tc and /etc/protocols give them. */
const PROTOCOLS: Readonly<Record<string, number>> = {
  icmp: 1,
  igmp: 2,
  tcp: 6,
  udp: 17,
  gre: 47,
  esp: 50,
  ah: 51,
  ospf: 89,
  sctp: 132,
};
const TCP = 6;
const DO_NOT_FRAGMENT = 0x4000;
const TIME_TO_LIVE = 64;
/** Flags of a segment that carries data: ACK. */
const TCP_FLAGS_ACK = 0x10;

/** Reads a protocol by name or number; undefined if it is neither. */
export function parseProtocol(text: string): number | undefined {
  const named = PROTOCOLS[text.toLowerCase()];
  if (named !== undefined && Object.hasOwn(PROTOCOLS, text.toLowerCase())) return named;
  const value = /^(?:\d{1,3}|0x[\da-f]{1,2})$/i.test(text) ? Number(text) : Number.NaN;
  return value <= 255 ? value : undefined;
}

/** Writes a protocol by its name, where it has one. */
export function formatProtocol(protocol: number): string {
  return Object.keys(PROTOCOLS).find((name) => PROTOCOLS[name] === protocol) ?? String(protocol);
}

/** Reads an IPv4 address (`192.168.1.10`, or tc's short `10.1` for 10.1.0.0) → u32; undefined if it is none. */
export function parseAddress(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length > 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((address, part, i) => address + Number(part) * 2 ** (24 - 8 * i), 0);
}

/** Writes a u32 as an IPv4 address. */
export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}

/**
 * The 32-bit word (signed) at an offset that is a multiple of 4 in an IPv4 header without options, or in the transport
 * header behind it at 20; 0 for what a flow does not tell.
 */
export function headerWord(fields: HeaderFields, offset: number): number {
  switch (offset) {
    case 0:
      return 0x45000000 | ((fields.tos & 0xff) << 16) | (fields.lengthBytes & 0xffff);
    case 4:
      return DO_NOT_FRAGMENT;
    case 8:
      return (TIME_TO_LIVE << 24) | ((fields.proto & 0xff) << 16);
    case 12:
      return fields.src | 0;
    case 16:
      return fields.dst | 0;
    case 20:
      return (fields.sport << 16) | fields.dport;
    case 32:
      // Data offset of five words and the flags of a segment that carries data.
      return fields.proto === TCP ? (0x50 << 24) | (TCP_FLAGS_ACK << 16) : 0;
    default:
      return 0;
  }
}
