import { extname } from 'node:path';
import type { PacketPool } from '../../models/packet.ts';
import { headersOf, SEGMENT_SYN, SEGMENT_SYN_ACK, type SegmentHeaders } from '../../models/tcp/headers.ts';
import type { PacketEvent, Tracer } from '../run/tracer.ts';
import type { HeaderFields } from '../scenario/packet-header.ts';
import type { FlowSpec, Scenario } from '../scenario/scenario.ts';
import { parseClassId } from '../units/class-id.ts';
import { isOpenLoop } from './configured-rate.ts';
import { type Frame, LONGEST_HEADERS_BYTES, TCP_ACK, TCP_PUSH, TCP_SYN, writeHeaders } from './packet-bytes.ts';
import { PcapFile } from './pcap-file.ts';

const TCP = 6;
const IP_HEADERS_BYTES = 34;
const PLAIN_TCP_BYTES = 20;
const LONGEST_TCP_BYTES = 40;
/** 10.1.0.0 and 10.2.0.0: where flows without addresses come from and go to, the number of the flow (from 1) in the last two bytes. */
const SENDERS = 0x0a010000;
const RECEIVERS = 0x0a020000;
/** First of the ports that clients have, one a connection; and what they are connected to. */
const FIRST_CLIENT_PORT = 40_000;
const CLIENT_PORTS = 20_000;
const HTTP_PORT = 80;
const TEST_PORT = 5001;

/** What all frames of a flow, or of one of its connections, have in common. */
interface Stream {
  readonly header: HeaderFields;
  readonly isOpen: boolean;
  readonly hops: number;
  /** Frames so far. */
  frames: number;
}

/**
 * Writes what departs from hops as pcap files, headers only: `path` has the packets as they leave the last hop of their
 * path; where a path has several, those that leave an earlier hop go to a file beside it, the hop's name put before the
 * extension. ACKs take no hops, so they are in none.
 */
export class PcapTracer implements Tracer {
  readonly path: string;
  readonly #last: PcapFile;
  /** By earlier hop. */
  readonly #earlier = new Map<string, PcapFile>();
  readonly #flows: ReadonlyMap<string, { readonly spec: FlowSpec; readonly number: number }>;
  /** By the id that a connection's packets carry. */
  readonly #streams: (Stream | undefined)[] = [];
  readonly #connections = new Map<string, number>();
  readonly #classIds = new Map<string, number>();
  #headers: SegmentHeaders | undefined;

  /** @throws the system's error where a file cannot be created, here, and when it cannot be written, below. */
  constructor(path: string, scenario: Scenario) {
    this.path = path;
    this.#flows = new Map(scenario.flows.map((spec, index) => [spec.name, { spec, number: index + 1 }]));
    this.#last = new PcapFile(path, LONGEST_HEADERS_BYTES);
    for (const [hop, beside] of earlierFiles(path, scenario)) {
      this.#earlier.set(hop, new PcapFile(beside, LONGEST_HEADERS_BYTES));
    }
  }

  /** The files of earlier hops. */
  get besides(): readonly string[] {
    return [...this.#earlier.values()].map(({ path }) => path);
  }

  packet(
    event: PacketEvent,
    timeNs: number,
    hop: string,
    flow: string,
    className: string,
    packet: number,
    packets: PacketPool,
  ): void {
    if (event !== 'depart') return;
    const stream = this.#streamOf(flow, packets.flow[packet]!);
    const isLast = packets.hop[packet] === stream.hops - 1;
    const file = isLast ? this.#last : this.#earlier.get(hop)!;
    const classId = this.#classIdOf(className);
    const sizeBytes = packets.sizeBytes[packet]!;
    const segmentBytes = packets.gsoBytes[packet]! + packets.headerBytes[packet]!;
    // A super-packet is cut into the frames that the device sends.
    const whole = packets.gsoBytes[packet] === 0 ? 0 : Math.ceil(sizeBytes / segmentBytes) - 1;
    const tailBytes = sizeBytes - whole * segmentBytes;
    for (let segment = 0; segment < whole; segment++) {
      this.#write(file, stream, timeNs, packet, packets, classId, segmentBytes, segment);
    }
    this.#write(file, stream, timeNs, packet, packets, classId, tailBytes, whole);
  }

  /** Writes what is held back and closes the files. */
  close(): void {
    let failure: unknown;
    for (const file of [this.#last, ...this.#earlier.values()]) {
      try {
        file.close();
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  #write(
    file: PcapFile,
    stream: Stream,
    timeNs: number,
    packet: number,
    packets: PacketPool,
    classId: number,
    sizeBytes: number,
    segment: number,
  ): void {
    const { header } = stream;
    const number = stream.isOpen ? packets.sequence[packet]! + segment : stream.frames;
    stream.frames++;
    const tcp = stream.isOpen ? openTcp(packet, packets, segment, timeNs) : this.#tcpOf(packet, packets);
    const frame: Frame = { sizeBytes, header, ecn: packets.ecn[packet]!, classId, number, tcp };
    file.add(timeNs, writeHeaders(file.frame, frame), sizeBytes);
  }

  #tcpOf(packet: number, packets: PacketPool): Frame['tcp'] {
    const payloadBytes = packets.payloadBytes[packet]!;
    this.#headers ??= headersOf(packets);
    const headers = this.#headers;
    const kind = headers.kind(packet);
    const isSyn = payloadBytes === 0 && (kind === SEGMENT_SYN || kind === SEGMENT_SYN_ACK);
    const data = TCP_ACK | (payloadBytes > 0 && headers.isMarked(packet) ? TCP_PUSH : 0);
    const opening = kind === SEGMENT_SYN ? TCP_SYN : TCP_SYN | TCP_ACK;
    return {
      sequence: isSyn ? 0 : 1 + packets.sequence[packet]!,
      flags: isSyn ? opening : data,
      headerBytes: packets.sizeBytes[packet]! - payloadBytes - IP_HEADERS_BYTES,
      timestampMs: headers.timestampMs(packet),
      echoMs: headers.echoMs(packet),
    };
  }

  #streamOf(flow: string, id: number): Stream {
    const known = this.#streams[id];
    if (known !== undefined) return known;
    const { spec, number } = this.#flows.get(flow)!;
    const connection = this.#connections.get(flow) ?? 0;
    this.#connections.set(flow, connection + 1);
    const isOpen = isOpenLoop(spec);
    const stream = { header: headerOf(spec, number, connection), isOpen, hops: spec.via.length, frames: 0 };
    this.#streams[id] = stream;
    return stream;
  }

  #classIdOf(className: string): number {
    let classId = this.#classIds.get(className);
    if (classId === undefined) {
      classId = className.includes(':') ? parseClassId(className) : 0;
      this.#classIds.set(className, classId);
    }
    return classId;
  }
}

/** The files that are written beside `path`, by the hops whose packets they have. */
export function earlierFiles(path: string, { flows }: Scenario): ReadonlyMap<string, string> {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const hops = flows.flatMap(({ via }) => via.slice(0, -1));
  return new Map(hops.map((hop) => [hop, `${stem}-${hop}${extension}`]));
}

/** TCP header of a flow that knows no TCP: its packets follow each other in the sequence. */
function openTcp(packet: number, packets: PacketPool, segment: number, timeNs: number): Frame['tcp'] {
  const ownBytes = packets.headerBytes[packet]! - IP_HEADERS_BYTES;
  const fits = ownBytes >= PLAIN_TCP_BYTES && ownBytes <= LONGEST_TCP_BYTES && ownBytes % 4 === 0;
  return {
    sequence: 1 + packets.sequence[packet]! * packets.payloadBytes[packet]! + segment * packets.gsoBytes[packet]!,
    flags: TCP_ACK,
    headerBytes: fits ? ownBytes : PLAIN_TCP_BYTES,
    timestampMs: Math.floor(timeNs / 1e6),
    echoMs: 0,
  };
}

/** Fields of a flow's headers; what the scenario leaves out is made so that flows and connections differ. */
function headerOf(spec: FlowSpec, number: number, connection: number): HeaderFields {
  const { kind, values } = spec.source;
  const clientPort = FIRST_CLIENT_PORT + (connection % CLIENT_PORTS);
  const isHttp = kind === 'curl' || kind === 'download';
  const isUpload = values.direction === 'upload';
  const [sport, dport] = isHttp && !isUpload ? [HTTP_PORT, clientPort] : [clientPort, isHttp ? HTTP_PORT : TEST_PORT];
  const given = spec.header;
  return {
    proto: given?.proto || (isOpenLoop(spec) ? 17 : TCP),
    src: given?.src || SENDERS + number,
    dst: given?.dst || RECEIVERS + number,
    sport: given?.sport || sport!,
    dport: given?.dport || dport!,
    tos: given?.tos ?? 0,
    mark: 0,
    lengthBytes: 0,
  };
}
