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

/** The byte of an IPv4 header without options, or of the transport header behind it at 20; 0 for what a flow does not tell. */
export function headerByte(fields: HeaderFields, offset: number): number {
  const part = (value: number, first: number, width: number): number =>
    Math.floor(value / 2 ** (8 * (width - 1 - (offset - first)))) & 0xff;
  if (offset === 0) return 0x45;
  if (offset === 1) return fields.tos & 0xff;
  if (offset === 2 || offset === 3) return part(fields.lengthBytes, 2, 2);
  if (offset === 6) return 0x40;
  if (offset === 8) return 64;
  if (offset === 9) return fields.proto;
  if (offset >= 12 && offset < 16) return part(fields.src, 12, 4);
  if (offset >= 16 && offset < 20) return part(fields.dst, 16, 4);
  if (offset === 20 || offset === 21) return part(fields.sport, 20, 2);
  if (offset === 22 || offset === 23) return part(fields.dport, 22, 2);
  if (fields.proto === TCP && offset === 32) return 0x50;
  if (fields.proto === TCP && offset === 33) return TCP_FLAGS_ACK;
  return 0;
}
