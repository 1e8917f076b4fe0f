import type { PacketPool } from '../../models/packet.ts';
import type { RecurrencePass } from '../../models/recurrence.ts';
import { LogHistogram } from './histogram.ts';
import type { FlowResult, Series } from './result.ts';
import { WindowedRate } from './series.ts';
import { type RunWindow, throughputWindows } from './window.ts';

/** Bytes that the levels of {@link FlowResult} add to a packet behind its last link. */
export interface FramingBytes {
  readonly fcsBytes: number;
  readonly overheadBytes: number;
}

/** Counts what a flow sends, loses and receives. */
export class FlowMeter {
  sentPackets = 0;
  sentBytes = 0;
  droppedPackets = 0;
  receivedPackets = 0;
  receivedBytes = 0;
  #receivedSegments = 0;
  #receivedPayloadBytes = 0;
  /** The counts at the end of the warm-up. */
  #warm = { sentBytes: 0, packets: 0, bytes: 0, segments: 0, payloadBytes: 0 };
  /** Delays of the packets received since then. */
  #delays = new LogHistogram();
  readonly #window: RunWindow;
  readonly #packets: PacketPool;
  readonly #framing: FramingBytes;
  readonly #throughput: readonly { readonly name: string; readonly rate: WindowedRate }[];
  readonly #detailed: boolean;

  constructor(window: RunWindow, packets: PacketPool, framing: FramingBytes, buckets: number) {
    this.#window = window;
    this.#packets = packets;
    this.#framing = framing;
    this.#detailed = buckets > 0;
    const durationNs = window.endNs - window.startNs;
    this.#throughput = this.#detailed
      ? throughputWindows(durationNs).map(({ name, windowNs }) => ({
          name,
          rate: new WindowedRate(window.startNs, durationNs, windowNs, buckets),
        }))
      : [];
  }

  /** The warm-up is over: what was counted so far does not count for the rates. */
  warm(): void {
    this.#warm = {
      sentBytes: this.sentBytes,
      packets: this.receivedPackets,
      bytes: this.receivedBytes,
      segments: this.#receivedSegments,
      payloadBytes: this.#receivedPayloadBytes,
    };
    this.#delays = new LogHistogram();
  }

  /** Tells of its counts. */
  visit(pass: RecurrencePass): void {
    this.sentPackets = pass.counter(this.sentPackets);
    this.sentBytes = pass.counter(this.sentBytes);
    this.droppedPackets = pass.counter(this.droppedPackets);
    this.receivedPackets = pass.counter(this.receivedPackets);
    this.receivedBytes = pass.counter(this.receivedBytes);
    this.#receivedSegments = pass.counter(this.#receivedSegments);
    this.#receivedPayloadBytes = pass.counter(this.#receivedPayloadBytes);
    this.#delays.visit(pass);
  }

  sent(sizeBytes: number): void {
    this.sentPackets++;
    this.sentBytes += sizeBytes;
  }

  dropped(): void {
    this.droppedPackets++;
  }

  /** A packet has reached the end of the path. */
  received(packet: number, nowNs: number): void {
    const packets = this.#packets;
    const sizeBytes = packets.sizeBytes[packet]!;
    this.receivedPackets++;
    this.receivedBytes += sizeBytes;
    this.#receivedSegments += packets.segments[packet]!;
    this.#receivedPayloadBytes += packets.payloadBytes[packet]!;
    this.#delays.add(nowNs - packets.sentNs[packet]!);
    if (this.#detailed) for (const { rate } of this.#throughput) rate.add(nowNs, sizeBytes);
  }

  /** The flow's figures; `goodputBytes`: payload at the application in the window, where it is not that of the packets. */
  result(goodputBytes?: number): FlowResult {
    const { warmNs, endNs } = this.#window;
    const warm = this.#warm;
    const seconds = (endNs - warmNs) / 1e9;
    const rate = (bytes: number): number => (bytes * 8) / seconds;
    const bytes = this.receivedBytes - warm.bytes;
    const segments = this.#receivedSegments - warm.segments;
    const delays = this.#delays;
    const throughput: Record<string, Series> = {};
    for (const { name, rate: windowed } of this.#throughput) throughput[name] = windowed.finish(endNs, 8);
    return {
      sentPackets: this.sentPackets,
      sentBytes: this.sentBytes,
      droppedPackets: this.droppedPackets,
      receivedPackets: this.receivedPackets,
      receivedBytes: this.receivedBytes,
      packetsPerSecond: (this.receivedPackets - warm.packets) / seconds,
      bitsPerSecond: {
        offered: rate(this.sentBytes - warm.sentBytes),
        goodput: rate(goodputBytes ?? this.#receivedPayloadBytes - warm.payloadBytes),
        accounted: rate(bytes),
        frame: rate(bytes + segments * this.#framing.fcsBytes),
        wire: rate(bytes + segments * this.#framing.overheadBytes),
      },
      delaySeconds: {
        min: delays.min / 1e9,
        mean: delays.mean / 1e9,
        p50: delays.quantile(0.5) / 1e9,
        p95: delays.quantile(0.95) / 1e9,
        p99: delays.quantile(0.99) / 1e9,
        max: delays.max / 1e9,
      },
      ...(this.#detailed ? { series: { throughput, delay: delays.toSeconds() } } : {}),
    };
  }
}
