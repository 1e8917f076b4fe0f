import type { KernelRules } from '../../models/linux/kernels.ts';
import { possibleSizes, segmentsOf } from '../../models/sources/sizes.ts';
import { HEADER_BYTES, MSS_BYTES } from '../../models/tcp/headers.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import { isOpenLoop } from './configured-rate.ts';
import type { ExplanationLine } from './explanation.ts';
import { fixed } from './figures.ts';

/** A full TCP segment as tc counts it (bytes). */
export const FULL_SEGMENT_BYTES = MSS_BYTES + HEADER_BYTES;

/** A packet whose price is explained; one of several segments is a super-packet that the network card cuts. */
export interface ExplainedPacket {
  /** As tc counts it, with the headers of all segments. */
  readonly sizeBytes: number;
  readonly segments: number;
  /** Payload of a full segment; 0: an ordinary packet. */
  readonly gsoBytes: number;
  /** Of one segment. */
  readonly headersBytes: number;
}

/** An ordinary packet. */
export function plainPacket(sizeBytes: number): ExplainedPacket {
  return { sizeBytes, segments: 1, gsoBytes: 0, headersBytes: 0 };
}

/** The packets that flows send, each kind once, by size. */
export function packetsOf(flows: readonly FlowSpec[]): ExplainedPacket[] {
  const byKey = new Map(flows.flatMap(ofFlow).map((packet) => [JSON.stringify(packet), packet]));
  return [...byKey.values()].sort((a, b) => a.sizeBytes - b.sizeBytes || a.segments - b.segments);
}

function ofFlow(flow: FlowSpec): ExplainedPacket[] {
  const { values } = flow.source;
  if (!isOpenLoop(flow) || !('size' in values)) return [plainPacket(FULL_SEGMENT_BYTES)];
  const gsoBytes = (values.gso as number | undefined) ?? 0;
  const headersBytes = flow.headersBytes;
  return possibleSizes(values).map((sizeBytes) =>
    gsoBytes === 0
      ? plainPacket(sizeBytes)
      : { sizeBytes, segments: segmentsOf(sizeBytes, gsoBytes, headersBytes), gsoBytes, headersBytes },
  );
}

/** Headline of the steps of a packet: `packets of 1,514 B`. */
export function packetTitle({ sizeBytes, segments, gsoBytes }: ExplainedPacket): string {
  if (gsoBytes === 0) return `packets of ${fixed(sizeBytes, 0)} B`;
  const payload = `${fixed(gsoBytes, 0)} B of payload`;
  const cut = segments === 1 ? `one segment of at most ${payload}` : `${segments} segments of ${payload}`;
  return `super-packets of ${fixed(sizeBytes, 0)} B, ${cut}`;
}

/** The length that a kernel charges a packet for, before any framing (bytes). */
export function chargedBytes({ sizeBytes, segments, headersBytes }: ExplainedPacket, kernel: KernelRules): number {
  return kernel.countsSegmentHeaders ? sizeBytes : sizeBytes - (segments - 1) * headersBytes;
}

/** Explains a length that is charged without the headers of all segments but one; nothing where it is the packet's. */
export function lengthLines(packet: ExplainedPacket, kernel: KernelRules): ExplanationLine[] {
  const { sizeBytes, segments, headersBytes } = packet;
  const charged = chargedBytes(packet, kernel);
  if (charged === sizeBytes) return [];
  const rule = `${sizeBytes} B - ${segments - 1} × ${headersBytes} B: kernel ${kernel.version} counts the headers of one segment`;
  return [{ label: 'charged', value: `${fixed(charged, 0)} B`, rule }];
}
