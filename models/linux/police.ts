import type { NestedModel, Qdisc, QdiscBuilder, QdiscReport, Surroundings, Values } from '../model.ts';
import { ACCEPTED } from '../model.ts';
import { NO_PACKET } from '../packet.ts';
import { type RecurrencePass, visitPart } from '../recurrence.ts';
import type { PoliceSettings } from './police-settings.ts';
import { BaseQdisc, buildChild, ETHERNET_HEADER_BYTES } from './qdisc-base.ts';
import { RateEstimator } from './rate-estimator.ts';

/**
 * What becomes of a packet: `drop` ends it, `ok`, `pipe` and `continue` let it go on at once.
 *
 * `reclassify`, which tc sets where nothing is said, starts the classification anew; the policer's filter matches again
 * each time, until the kernel gives up and drops. Source: net/sched/cls_api.c: tcf_classify, 6.12; sch_api.c:
 * tc_classify, 2.6.24.
 */
export type Verdict = 'ok' | 'drop' | 'pipe' | 'reclassify' | 'continue';

/** The class that holds what is behind the policer, as in tc. */
const CHILD_CLASS = '1:1';

/**
 * The policer: drops (or lets go) what exceeds a bucket; nothing waits. Stands before a qdisc, by default the device's
 * own FIFO. Source of the rules: net/sched/act_police.c, 2.6.24 and 6.12.
 */
export class Police extends BaseQdisc {
  readonly canBypass = false;
  readonly #settings: PoliceSettings;
  readonly #child: Qdisc;
  #tokens: number;
  #peakTokens: number;
  #packetTokens = 0;
  #checkpoint: number;
  #exceeded = 0;
  #ok = 0;
  #shot = 0;
  #other = 0;
  readonly #estimator: RateEstimator | undefined;
  /** All that came, whatever became of it; what is classified again comes again. */
  #policedBytes = 0;
  #policedPackets = 0;
  #lastUseNs = 0;

  constructor(
    settings: PoliceSettings,
    child: NestedModel,
    values: Values,
    surroundings: Surroundings,
    build: QdiscBuilder,
  ) {
    super(surroundings, settings.sentAtEnqueue);
    this.#settings = settings;
    this.#tokens = settings.main?.bufferTicks ?? 0;
    this.#peakTokens = settings.peak?.bufferTicks ?? 0;
    this.#checkpoint = Math.floor(surroundings.startNs / settings.tickNs);
    const { average } = settings;
    this.#estimator =
      average === undefined ? undefined : new RateEstimator(average.estimator, () => this.#policedBytes, surroundings);
    this.#child = buildChild(this, values, child, surroundings, build);
  }

  enqueue(packet: number, nowNs: number): number {
    this.#lastUseNs = nowNs;
    let verdict = this.#judge(packet, nowNs);
    for (let again = this.#settings.reclassifications; again > 0 && verdict === 'reclassify'; again--)
      verdict = this.#judge(packet, nowNs);
    if (verdict === 'drop') this.#shot++;
    else if (verdict === 'ok') this.#ok++;
    else this.#other++;
    if (verdict === 'drop' || verdict === 'reclassify') return this.refuse(packet, nowNs);
    const sizeBytes = this.packets.sizeBytes[packet]!;
    const segments = this.packets.segments[packet]!;
    const result = this.#child.enqueue(packet, nowNs);
    if (result === ACCEPTED) this.acceptCounted(1, sizeBytes, segments);
    else this.droppedPackets++;
    return result;
  }

  /** One run of the action, which counts the packet each time. */
  #judge(packet: number, nowNs: number): Verdict {
    const settings = this.#settings;
    this.#policedBytes += this.#lengthOf(packet);
    this.#policedPackets += this.packets.segments[packet]!;
    const { average } = settings;
    const isTooFast = average !== undefined && this.#estimator!.bytesPerSecond >= average.bytesPerSecond;
    if (!isTooFast && this.#fitsMtu(packet)) {
      if (settings.main === undefined && settings.packetRate === undefined) return settings.conform;
      if (this.#conforms(packet, nowNs)) return settings.conform;
    }
    this.#exceeded++;
    return settings.exceed;
  }

  #fitsMtu(packet: number): boolean {
    const packets = this.packets;
    const { mtuBytes, ingress, mtuBySegment } = this.#settings;
    const gsoBytes = packets.gsoBytes[packet]!;
    if (mtuBySegment && gsoBytes > 0) return packets.headerBytes[packet]! + gsoBytes <= mtuBytes;
    const macBytes = ingress && mtuBySegment ? ETHERNET_HEADER_BYTES : 0;
    return this.#lengthOf(packet) + macBytes <= mtuBytes;
  }

  /** What the policer takes for the length: on ingress the Ethernet header is gone and segments have no headers yet. */
  #lengthOf(packet: number): number {
    const packets = this.packets;
    const sizeBytes = packets.sizeBytes[packet]!;
    if (!this.#settings.ingress) return sizeBytes;
    return sizeBytes - ETHERNET_HEADER_BYTES - (packets.segments[packet]! - 1) * packets.headerBytes[packet]!;
  }

  #conforms(packet: number, nowNs: number): boolean {
    const { main, peak, packetRate, tickNs } = this.#settings;
    const now = Math.floor(nowNs / tickNs);
    const elapsed = now - this.#checkpoint;
    let tokens = 0;
    let peakTokens = 0;
    let packetTokens = 0;
    if (main !== undefined) {
      const sizeBytes = this.#lengthOf(packet);
      const bounded = Math.min(elapsed, main.bufferTicks);
      if (peak !== undefined) {
        peakTokens = Math.min(bounded + this.#peakTokens, peak.bufferTicks) - peak.cost.ticks(sizeBytes);
      }
      tokens = Math.min(bounded + this.#tokens, main.bufferTicks) - main.cost.ticks(sizeBytes);
    } else if (packetRate !== undefined) {
      const bounded = Math.min(elapsed, packetRate.bufferTicks);
      packetTokens = Math.min(bounded + this.#packetTokens, packetRate.bufferTicks) - packetRate.costTicks;
    }
    if (tokens < 0 || peakTokens < 0 || packetTokens < 0) return false;
    this.#checkpoint = now;
    this.#tokens = tokens;
    this.#peakTokens = peakTokens;
    this.#packetTokens = packetTokens;
    return true;
  }

  protected take(nowNs: number): number {
    const packet = this.#child.dequeue(nowNs);
    if (packet === NO_PACKET) return NO_PACKET;
    this.release(packet);
    this.departed(packet);
    return packet;
  }

  override dequeue(nowNs: number): number {
    return this.take(nowNs);
  }

  override peek(nowNs: number): number {
    return this.#child.peek(nowNs);
  }

  visit(pass: RecurrencePass): void {
    const { main, packetRate, tickNs } = this.#settings;
    this.visitBase(pass);
    pass.plain(this.#tokens);
    pass.plain(this.#peakTokens);
    pass.plain(this.#packetTokens);
    const staleTicks = (main ?? packetRate)?.bufferTicks ?? 0;
    this.#checkpoint = pass.since(this.#checkpoint, tickNs, staleTicks);
    this.#exceeded = pass.counter(this.#exceeded);
    this.#ok = pass.counter(this.#ok);
    this.#shot = pass.counter(this.#shot);
    this.#other = pass.counter(this.#other);
    this.#policedBytes = pass.counter(this.#policedBytes);
    this.#policedPackets = pass.counter(this.#policedPackets);
    this.#lastUseNs = pass.instant(this.#lastUseNs);
    visitPart(this.#child, pass);
  }

  protected override ownCounters(): Readonly<Record<string, number>> {
    const settings = this.#settings;
    return {
      exceeded: this.#exceeded,
      ok: this.#ok,
      shot: this.#shot,
      other: this.#other,
      policedBytes: this.#policedBytes,
      policedPackets: this.#policedPackets,
      lastUseNs: this.#lastUseNs,
      averageRate: this.#estimator?.bytesPerSecond ?? 0,
      tokens: this.#tokens,
      ptokens: this.#peakTokens,
      packetTokens: this.#packetTokens,
      checkpoint: this.#checkpoint,
      burst: settings.main?.bufferTicks ?? 0,
      mtu: settings.mtuBytes,
      mtuTokens: settings.peak?.bufferTicks ?? 0,
    };
  }

  protected override reportChildren(nowNs: number): Readonly<Record<string, QdiscReport>> {
    return { [CHILD_CLASS]: this.#child.report(nowNs) };
  }
}
