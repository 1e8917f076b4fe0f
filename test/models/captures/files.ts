import { CaptureError, type CaptureProblem } from '../../../models/captures/capture-error.ts';
import { openCapture } from '../../../models/captures/open-capture.ts';
import type { ReadBytes } from '../../../models/model.ts';

/** What a test says of a packet: instant (s, ns) and length on the wire; captured bytes default to none. */
export interface TestPacket {
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly lengthBytes: number;
  readonly capturedBytes?: number;
}

/** Properties of a pcap to be made. */
export interface PcapOptions {
  readonly littleEndian?: boolean;
  /** Instants in ns in place of µs. */
  readonly nanoseconds?: boolean;
  /** Last word of the file header. */
  readonly network?: number;
}

/** Reads from memory, as if each name were a file. */
export function reading(files: Readonly<Record<string, Uint8Array | string>>): ReadBytes {
  const encoder = new TextEncoder();
  const contents = new Map(
    Object.entries(files).map(([name, content]) => [
      name,
      typeof content === 'string' ? encoder.encode(content) : content,
    ]),
  );
  return (name, offset, into) => {
    const bytes = contents.get(name);
    if (bytes === undefined) throw new Error(`cannot read ${name}: no such file`);
    const part = bytes.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  };
}

/** The bytes of a pcap. */
export function pcapOf(
  packets: readonly TestPacket[],
  { littleEndian = true, nanoseconds = true, network = 1 }: PcapOptions = {},
): Uint8Array {
  const captured = packets.reduce((sum, { capturedBytes = 0 }) => sum + capturedBytes, 0);
  const bytes = new Uint8Array(24 + 16 * packets.length + captured);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, littleEndian);
  view.setUint16(4, 2, littleEndian);
  view.setUint16(6, 4, littleEndian);
  view.setUint32(16, 262_144, littleEndian);
  view.setUint32(20, network, littleEndian);
  let at = 24;
  for (const { seconds, nanoseconds: ns, lengthBytes, capturedBytes = 0 } of packets) {
    view.setUint32(at, seconds, littleEndian);
    view.setUint32(at + 4, nanoseconds ? ns : Math.floor(ns / 1000), littleEndian);
    view.setUint32(at + 8, capturedBytes, littleEndian);
    view.setUint32(at + 12, lengthBytes, littleEndian);
    at += 16 + capturedBytes;
  }
  return bytes;
}

/** Every packet of a file: seconds, ns, and size as tc counts it. */
export function packetsOf(content: Uint8Array | string): [number, number, number][] {
  const records = openCapture('file', reading({ file: content }));
  const packets: [number, number, number][] = [];
  while (records.next()) packets.push([records.seconds, records.nanoseconds, records.sizeBytes]);
  return packets;
}

/** What is wrong with a file; undefined: nothing. */
export function problemOf(content: Uint8Array | string): CaptureProblem | undefined {
  try {
    packetsOf(content);
    return undefined;
  } catch (error) {
    if (error instanceof CaptureError) return error.problem;
    throw error;
  }
}

/** Where a file ends within its last packet; undefined: it does not. */
export function cutOffOf(content: Uint8Array): CaptureProblem | undefined {
  const records = openCapture('file', reading({ file: content }));
  while (records.next());
  return records.cutOff;
}
