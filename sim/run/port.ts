import { kernelOf } from '../../models/linux/kernel-parameters.ts';
import type { Qdisc, Surroundings, TimerOwner } from '../../models/model.ts';
import { NO_PACKET, type PacketPool } from '../../models/packet.ts';
import type { RecurrencePass, Recurrent } from '../../models/recurrence.ts';
import { randomStream } from '../engine/random.ts';
import type { TimerHandler, Timers } from '../engine/timers.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import { OpportunityLink, type OpportunityOwner } from './opportunity-link.ts';
import type { PortMeter } from './port-meter.ts';
import { RANK_ARRIVAL, RANK_DEVICE, RANK_MODEL, RANK_WATCHDOG } from './ranks.ts';

const BIT_NS_PER_BYTE_SECOND = 8e9;
const NO_TIMER = -1;

/** What a port needs of the network around it. */
export interface PortOwner {
  /** Takes a packet at the end of the link, `delay` after its transmission ended. */
  deliver(packet: number, nowNs: number): void;
  /** Takes a packet that was dropped or lost, for the last look before it is freed. */
  dropped(packet: number, nowNs: number): void;
  /** Told when the device is done with a packet of a flow (it left the sender's host, if this is that). */
  transmitted(packet: number, nowNs: number): void;
}

/**
 * The device behind a qdisc: drives it with events and sends what it gives over a link.
 *
 * Dequeue is tried after each arrival, when the device gets free and when a watchdog expires. The device is busy for
 * ceil((size + overhead per segment) * 8e9 / rate) ns after a dequeue; rate 0: never, the qdisc is then drained at once.
 * A device that follows a trace is always busy, but for the instants of its {@link OpportunityLink}.
 */
export class Port implements Surroundings, TimerHandler, Recurrent, OpportunityOwner {
  readonly packets: PacketPool;
  readonly startNs: number;
  readonly exactTimers: boolean;
  /** Set once, right after the construction: the qdisc needs the port as its surroundings. */
  root!: Qdisc;

  readonly name: string;
  readonly #timers: Timers;
  readonly #owner: PortOwner;
  readonly #meter: PortMeter;
  readonly #random: () => number;
  #device = 0;
  #delivery = 0;
  #rateBitsPerSecond = 0;
  #overheadBytes = 0;
  readonly delayNs: number;
  #resolutionNs = 0;
  #latencyNs = 0;
  readonly #shaped: boolean;
  /** By timer; undefined: a watchdog. */
  readonly #timerOwners: (TimerOwner | undefined)[] = [];
  #loss = 0;
  readonly #lossRandom: () => number;
  readonly #drops: ReadonlySet<number> | undefined;
  readonly #lossy: boolean;
  readonly #followsTrace: boolean;
  readonly #tellsTransmitted: boolean;
  /** The kernel of the time does not count the headers of a super-packet's further segments. */
  readonly #hidesHeaders: boolean;
  readonly #deliversAtOnce: boolean;
  #dataArrivals = 0;
  #busy = false;
  /** The packet that the device is sending. */
  #onWire = NO_PACKET;
  #lastSize = -1;
  #lastTransmissionNs = 0;
  /** Packets on their way through the link, with a delay, first in first out: chained in the pool. */
  #flightHead = NO_PACKET;
  #flightTail = NO_PACKET;

  /**
   * `tellsTransmitted`: the owner wants to know when packets leave the device. `deliversAtOnce`: nothing behind the link
   * reacts to a packet, so that without a delay the end of the transmission is the delivery.
   */
  constructor(
    spec: HopSpec,
    seed: number,
    timers: Timers,
    packets: PacketPool,
    owner: PortOwner,
    meter: PortMeter,
    behaviour: { readonly tellsTransmitted: boolean; readonly deliversAtOnce: boolean },
  ) {
    this.name = spec.name;
    this.packets = packets;
    this.startNs = timers.nowNs;
    this.exactTimers = spec.timer.resolutionNs <= 1 && spec.timer.latencyNs === 0;
    this.#timers = timers;
    this.#owner = owner;
    this.#meter = meter;
    this.#tellsTransmitted = behaviour.tellsTransmitted;
    this.#deliversAtOnce = behaviour.deliversAtOnce && spec.link.delayNs === 0;
    this.#delivery = this.#deliversAtOnce ? NO_TIMER : timers.register(this, RANK_ARRIVAL);
    this.#random = randomStream(seed, `hop/${spec.name}`).uint32;
    this.#device = timers.register(this, RANK_DEVICE);
    this.#rateBitsPerSecond = spec.link.rateBitsPerSecond;
    this.#overheadBytes = spec.link.overheadBytes;
    this.delayNs = spec.link.delayNs;
    this.#resolutionNs = spec.timer.resolutionNs;
    this.#latencyNs = spec.timer.latencyNs;
    this.#shaped = spec.shaper !== undefined;
    this.#hidesHeaders = spec.shaper !== undefined && !kernelOf(spec.shaper.values).countsSegmentHeaders;
    this.#loss = spec.link.loss;
    this.#lossRandom = randomStream(seed, `link/${spec.name}`).uniform;
    this.#drops = spec.link.drop.length > 0 ? new Set(spec.link.drop) : undefined;
    this.#lossy = this.#loss > 0 || this.#drops !== undefined;
    const { opportunitiesNs } = spec.link;
    this.#followsTrace = opportunitiesNs !== undefined;
    if (opportunitiesNs !== undefined) {
      // It takes packets when it can send, never when they come.
      this.#busy = true;
      new OpportunityLink(opportunitiesNs, timers, packets, this);
    }
  }

  // Surroundings of the qdisc -------------------------------------------------------------------------------------

  newWatchdog(): number {
    return this.#timers.register(this, RANK_WATCHDOG);
  }

  newTimer(owner: TimerOwner): number {
    const timer = this.#timers.register(this, RANK_MODEL);
    this.#timerOwners[timer] = owner;
    return timer;
  }

  wakeAt(timer: number, timeNs: number): void {
    let dueNs = timeNs;
    if (this.#timerOwners[timer] === undefined) {
      if (this.#resolutionNs > 1) dueNs = Math.ceil(dueNs / this.#resolutionNs) * this.#resolutionNs;
      dueNs += this.#latencyNs;
    }
    const nowNs = this.#timers.nowNs;
    this.#timers.arm(timer, Math.max(dueNs, nowNs));
  }

  drop(packet: number, nowNs: number): void {
    if (this.#hidesHeaders) this.packets.sizeBytes[packet]! += this.#furtherHeaders(packet);
    this.#meter.dropped(packet, nowNs);
    this.#owner.dropped(packet, nowNs);
    this.packets.free(packet);
  }

  randomUint32(): number {
    return this.#random();
  }

  // Events ----------------------------------------------------------------------------------------------------------

  /** Takes a packet from a flow or from the hop before. */
  arrive(packet: number, nowNs: number): void {
    this.#meter.arrived(packet, nowNs);
    if (this.#lossy && !this.#shaped && this.#isLost(packet)) {
      this.#lose(packet, nowNs);
      return;
    }
    if (this.#hidesHeaders) this.packets.sizeBytes[packet]! -= this.#furtherHeaders(packet);
    const root = this.root;
    if (!this.#busy && root.canBypass && root.lengthPackets === 0) {
      root.onBypass?.(packet);
      this.#send(packet, nowNs);
      if (!this.#busy) this.#attempt(nowNs);
      return;
    }
    root.enqueue(packet, nowNs);
    if (!this.#busy) this.#attempt(nowNs);
    this.#meter.changed(nowNs);
  }

  onTimer(timer: number, nowNs: number): void {
    if (timer === this.#device) {
      this.#busy = false;
      const packet = this.#onWire;
      this.#onWire = NO_PACKET;
      this.#leave(packet, nowNs);
      this.#attempt(nowNs);
      this.#meter.changed(nowNs);
    } else if (timer === this.#delivery) {
      this.#land(nowNs);
    } else {
      const owner = this.#timerOwners[timer];
      if (owner !== undefined) owner.onTimer(timer, nowNs);
      else if (!this.#busy) this.#attempt(nowNs);
      this.#meter.changed(nowNs);
    }
  }

  // Opportunities of a link that follows a trace -----------------------------------------------------------------------

  takeForOpportunity(nowNs: number): number {
    const packet = this.root.dequeue(nowNs);
    if (packet === NO_PACKET) return packet;
    if (this.#hidesHeaders) this.packets.sizeBytes[packet]! += this.#furtherHeaders(packet);
    this.#meter.departed(packet, nowNs, 0);
    return packet;
  }

  leaveByOpportunity(packet: number, nowNs: number): void {
    this.#leave(packet, nowNs);
  }

  opportunityEnded(usedBytes: number, nowNs: number): void {
    this.#meter.opportunity(usedBytes);
    this.#meter.changed(nowNs);
  }

  /** Whether a repeating state can be found: nothing random, nothing that counts packets to lose, a qdisc that tells its state. */
  get recurs(): boolean {
    return !this.#lossy && !this.#followsTrace && this.root.visit !== undefined && this.#timerOwners.length === 0;
  }

  visit(pass: RecurrencePass): void {
    pass.plain(this.#busy ? 1 : 0);
    this.root.visit?.(pass);
    if (this.#onWire !== NO_PACKET) {
      this.packets.next[this.#onWire] = NO_PACKET;
      this.packets.visitChain(this.#onWire, pass);
    }
    this.packets.visitChain(this.#flightHead, pass);
    this.#meter.visit(pass);
  }

  /** Dequeues until the device is busy or nothing may leave. */
  #attempt(nowNs: number): void {
    const root = this.root;
    while (!this.#busy) {
      const packet = root.dequeue(nowNs);
      if (packet === NO_PACKET) return;
      this.#send(packet, nowNs);
    }
  }

  #send(packet: number, nowNs: number): void {
    if (this.#hidesHeaders) this.packets.sizeBytes[packet]! += this.#furtherHeaders(packet);
    if (this.#rateBitsPerSecond === 0) {
      this.#meter.departed(packet, nowNs, 0);
      this.#leave(packet, nowNs);
      return;
    }
    const wireBytes = this.packets.sizeBytes[packet]! + this.#overheadBytes * this.packets.segments[packet]!;
    if (wireBytes !== this.#lastSize) {
      this.#lastSize = wireBytes;
      this.#lastTransmissionNs = Math.ceil((wireBytes * BIT_NS_PER_BYTE_SECOND) / this.#rateBitsPerSecond);
    }
    this.#meter.departed(packet, nowNs, this.#lastTransmissionNs);
    this.#busy = true;
    this.#onWire = packet;
    this.#timers.arm(this.#device, nowNs + this.#lastTransmissionNs);
  }

  /** Headers of the segments after the first (bytes). */
  #furtherHeaders(packet: number): number {
    return (this.packets.segments[packet]! - 1) * this.packets.headerBytes[packet]!;
  }

  /** The transmission has ended: the packet goes down the line. */
  #leave(packet: number, nowNs: number): void {
    if (this.#tellsTransmitted) this.#owner.transmitted(packet, nowNs);
    if (this.#lossy && this.#shaped && this.#isLost(packet)) {
      this.#lose(packet, nowNs);
      return;
    }
    if (this.#deliversAtOnce) {
      this.#meter.delivered(packet, nowNs);
      this.#owner.deliver(packet, nowNs);
      return;
    }
    const dueNs = nowNs + this.delayNs;
    this.packets.stampNs[packet] = dueNs;
    this.packets.next[packet] = NO_PACKET;
    if (this.#flightTail === NO_PACKET) {
      this.#flightHead = packet;
      this.#timers.arm(this.#delivery, dueNs);
    } else {
      this.packets.next[this.#flightTail] = packet;
    }
    this.#flightTail = packet;
  }

  #land(nowNs: number): void {
    const packets = this.packets;
    let packet = this.#flightHead;
    // All of one instant in one event; a delivery never adds to this link's flight at the same instant it lands.
    while (packet !== NO_PACKET && packets.stampNs[packet]! <= nowNs) {
      const next = packets.next[packet]!;
      this.#flightHead = next;
      if (next === NO_PACKET) this.#flightTail = NO_PACKET;
      this.#meter.delivered(packet, nowNs);
      this.#owner.deliver(packet, nowNs);
      packet = this.#flightHead;
    }
    if (packet !== NO_PACKET) this.#timers.arm(this.#delivery, packets.stampNs[packet]!);
  }

  #isLost(packet: number): boolean {
    if (this.packets.payloadBytes[packet]! === 0) return false;
    this.#dataArrivals++;
    if (this.#drops?.has(this.#dataArrivals)) return true;
    return this.#loss > 0 && this.#lossRandom() < this.#loss;
  }

  #lose(packet: number, nowNs: number): void {
    this.#meter.lost(packet, nowNs);
    this.#owner.dropped(packet, nowNs);
    this.packets.free(packet);
  }
}
