import { FAST_PATH, type PredictionPath } from '../../models/curl/outcome.ts';
import { SOCKET_WAKE_NS } from '../../models/curl/socket.ts';
import { SETUP_NS } from '../../models/curl/timing.ts';
import type { Values } from '../../models/model.ts';
import { MSS_BYTES } from '../../models/tcp/headers.ts';
import { tcpSettings } from '../../models/tcp/settings.ts';
import type { FlowSpec, Scenario } from '../scenario/scenario.ts';
import type { ConfiguredRate } from './configured-rate.ts';
import { FULL_SEGMENT_BYTES } from './explained-packet.ts';

/** Round-trip time of a flow without queues (ns). */
export function roundTripNs({ hops }: Scenario, { via, source }: FlowSpec): number {
  const forwardNs = hops.filter(({ name }) => via.includes(name)).reduce((sum, { link }) => sum + link.delayNs, 0);
  const { returnDelay } = source.values;
  return forwardNs + (typeof returnDelay === 'number' ? returnDelay : forwardNs);
}

/**
 * Payload that full segments of a flow get through (byte/s): of the slowest link, or of what a shaper allows; Infinity
 * where nothing bounds it.
 */
export function payloadBytesPerSecond(
  { hops }: Scenario,
  { via }: FlowSpec,
  bound: ConfiguredRate | undefined,
): number {
  const payloads = hops
    .filter(({ name, link }) => via.includes(name) && link.rateBitsPerSecond > 0)
    .map(({ link }) => (link.rateBitsPerSecond / 8) * (MSS_BYTES / (FULL_SEGMENT_BYTES + link.overheadBytes)));
  if (bound?.level === 'accounted') payloads.push((bound.bitsPerSecond / 8) * (MSS_BYTES / FULL_SEGMENT_BYTES));
  return Math.min(FAST_PATH.payloadBytesPerSecond, ...payloads);
}

/** What of a flow's path shows in a transfer: the slowest link or shaper, round trips, and the receive queue once it has grown. */
export function pathOf(scenario: Scenario, flow: FlowSpec, bound: ConfiguredRate | undefined): PredictionPath {
  const tcp = tcpSettings((flow.source.values.tcp as Values | undefined) ?? {});
  const bufferBytes = tcp.rcvbufFixedBytes > 0 ? tcp.rcvbufFixedBytes : tcp.rcvbufMaxBytes;
  const roundTrip = roundTripNs(scenario, flow);
  return {
    payloadBytesPerSecond: payloadBytesPerSecond(scenario, flow, bound),
    queueBytes: Math.trunc((bufferBytes * tcp.scalingRatio) / 256),
    // curl wakes for the connection and for the answer.
    startSeconds: (SETUP_NS + 2 * roundTrip + 2 * SOCKET_WAKE_NS) / 1e9,
    roundTripSeconds: roundTrip / 1e9,
    segmentBytes: MSS_BYTES,
    firstWindowSegments: tcp.initialWindow,
  };
}
