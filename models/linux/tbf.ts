import type { Qdisc, QdiscBuilder, QdiscReport, Surroundings, Values } from '../model.ts';
import { ACCEPTED, DROPPED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { type RecurrencePass, visitPart } from '../recurrence.ts';
import { BaseQdisc, buildChild } from './qdisc-base.ts';
import type { TbfSettings } from './tbf-settings.ts';

/** Memory that the kernel books for a packet beyond its length (bytes), as for packets fresh from a source. */
const SKB_OVERHEAD_BYTES = 768;

/** The class that holds the child, as in tc. */
const CHILD_CLASS = '1:1';

/**
 * The token bucket filter: a packet leaves when the bucket (and the peak rate's small bucket) holds its whole cost.
 *
 * Tokens are time, in ticks of the kernel's clock. Source of the rules: net/sched/sch_tbf.c, 2.6.24 to 6.18. What
 * kernels before 2.6.30 did by taking the head and putting it back is done by peeking here, which is the same for FIFOs.
 */
export class Tbf extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: TbfSettings;
  readonly #child: Qdisc;
  readonly #watchdog: number;
  readonly #tickNs: number;
  #tokens: number;
  #peakTokens: number;
  #checkpoint: number;

  constructor(settings: TbfSettings, values: Values, surroundings: Surroundings, build: QdiscBuilder) {
    super(surroundings, settings.sentAtEnqueue);
    this.#settings = settings;
    this.#tickNs = settings.tickNs;
    this.#tokens = settings.bufferTicks;
    this.#peakTokens = settings.peak?.bufferTicks ?? 0;
    this.#checkpoint = Math.floor(surroundings.startNs / settings.tickNs);
    this.#watchdog = surroundings.newWatchdog();
    this.#child = buildChild(this, values, settings.child, surroundings, build);
  }

  enqueue(packet: number, nowNs: number): number {
    const packets = this.packets;
    const sizeBytes = packets.sizeBytes[packet]!;
    const { maxSizeBytes } = this.#settings;
    if (sizeBytes > maxSizeBytes) {
      const splits =
        this.#settings.segments &&
        packets.gsoBytes[packet]! > 0 &&
        packets.headerBytes[packet]! + packets.gsoBytes[packet]! <= maxSizeBytes;
      return splits ? this.#enqueueSegments(packet, nowNs) : this.refuse(packet, nowNs);
    }
    const segments = packets.segments[packet]!;
    const result = this.#child.enqueue(packet, nowNs);
    if (result !== ACCEPTED) {
      this.droppedPackets++;
      return result;
    }
    return this.acceptCounted(1, sizeBytes, segments);
  }

  /** Cuts a super-packet that exceeds the bucket into its segments (tbf_segment). */
  #enqueueSegments(parent: number, nowNs: number): number {
    const packets = this.packets;
    const parentBytes = packets.sizeBytes[parent]!;
    const count = packets.segments[parent]!;
    const headerBytes = packets.headerBytes[parent]!;
    const gsoBytes = packets.gsoBytes[parent]!;
    // Each segment has its own header in the super-packet's length.
    let payloadBytes = parentBytes - count * headerBytes;
    let goodputBytes = packets.payloadBytes[parent]!;
    let accepted = 0;
    let acceptedBytes = 0;
    while (payloadBytes > 0) {
      const segmentPayload = Math.min(gsoBytes, payloadBytes);
      payloadBytes -= segmentPayload;
      const segmentGoodput = Math.min(segmentPayload, goodputBytes);
      goodputBytes -= segmentGoodput;
      const segment = packets.copyOf(parent);
      packets.sizeBytes[segment] = headerBytes + segmentPayload;
      packets.payloadBytes[segment] = segmentGoodput;
      packets.truesizeBytes[segment] = headerBytes + segmentPayload + SKB_OVERHEAD_BYTES;
      packets.segments[segment] = 1;
      packets.gsoBytes[segment] = 0;
      if (this.#child.enqueue(segment, nowNs) === ACCEPTED) {
        accepted++;
        acceptedBytes += headerBytes + segmentPayload;
      } else {
        this.droppedPackets++;
      }
    }
    packets.free(parent);
    if (accepted === 0) return DROPPED;
    this.acceptCounted(accepted, acceptedBytes, accepted);
    this.tellParent(1 - accepted, parentBytes - acceptedBytes);
    return ACCEPTED;
  }

  protected take(nowNs: number): number {
    const head = this.#child.peek(nowNs);
    if (head === NO_PACKET) return NO_PACKET;
    const { bufferTicks, cost, peak } = this.#settings;
    const sizeBytes = this.packets.sizeBytes[head]!;
    const now = Math.floor(nowNs / this.#tickNs);
    const elapsed = Math.min(now - this.#checkpoint, bufferTicks);
    let peakTokens = 0;
    if (peak !== undefined) {
      peakTokens = Math.min(elapsed + this.#peakTokens, peak.bufferTicks) - peak.cost.ticks(sizeBytes);
    }
    const tokens = Math.min(elapsed + this.#tokens, bufferTicks) - cost.ticks(sizeBytes);
    if (tokens >= 0 && peakTokens >= 0) {
      const packet = this.#child.dequeue(nowNs);
      if (packet === NO_PACKET) return NO_PACKET;
      this.#checkpoint = now;
      this.#tokens = tokens;
      this.#peakTokens = peakTokens;
      this.release(packet);
      this.departed(packet);
      return packet;
    }
    this.overlimits++;
    this.surroundings.wakeAt(this.#watchdog, (now + Math.max(-tokens, -peakTokens)) * this.#tickNs);
    return NO_PACKET;
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    pass.plain(this.#tokens);
    pass.plain(this.#peakTokens);
    this.#checkpoint = pass.since(this.#checkpoint, this.#tickNs, this.#settings.bufferTicks);
    visitPart(this.#child, pass);
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const settings = this.#settings;
    return {
      tokens: this.#tokens,
      ptokens: this.#peakTokens,
      checkpoint: this.#checkpoint,
      buffer: settings.bufferTicks,
      mtu: settings.peak?.bufferTicks ?? 0,
      maxSize: settings.maxSizeBytes,
      requeues: settings.requeues ? this.overlimits : 0,
    };
  }

  protected override reportChildren(nowNs: number): Readonly<Record<string, QdiscReport>> {
    return { [CHILD_CLASS]: this.#child.report(nowNs) };
  }
}
