import type { PacketSource } from '../../models/model.ts';
import { MARK_DAMAGED, type PacketPool } from '../../models/packet.ts';
import type { RecurrencePass, Recurrent } from '../../models/recurrence.ts';
import { segmentsOf } from '../../models/sources/sizes.ts';
import type { TimerHandler, Timers } from '../engine/timers.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import type { Endpoint, NetworkFlow } from './endpoint.ts';
import type { FlowMeter } from './flow-meter.ts';
import type { Port } from './port.ts';
import { RANK_FLOW } from './ranks.ts';
import type { FlowResult } from './result.ts';
import type { Wiring } from './tcp-endpoint.ts';

/** A flow that sends at instants of its own choosing and does not listen: CBR, Poisson, on-off, traces. */
export class OpenFlow implements NetworkFlow, Endpoint, TimerHandler, Recurrent {
  readonly flowName: string;
  readonly className: string;
  readonly path: readonly Port[];
  readonly priorities: readonly number[] | undefined;
  #index = 0;
  readonly #spec: FlowSpec;
  readonly #source: PacketSource;
  readonly #first: Port;
  readonly #timers: Timers;
  readonly #packets: PacketPool;
  readonly #meter: FlowMeter;
  #timer = 0;
  #startNs = 0;
  #stopNs = 0;
  #count = 0;
  #sent = 0;

  constructor(wiring: Wiring, spec: FlowSpec, source: PacketSource, path: readonly Port[], meter: FlowMeter) {
    const { timers } = wiring;
    this.flowName = spec.name;
    this.className = spec.className ?? '';
    this.path = path;
    this.priorities = spec.priorities;
    this.#index = wiring.addEndpoint(this);
    this.#spec = spec;
    this.#source = source;
    this.#first = path[0]!;
    this.#timers = timers;
    this.#packets = wiring.packets;
    this.#meter = meter;
    this.#timer = timers.register(this, RANK_FLOW);
    this.#startNs = timers.nowNs + spec.startNs;
    this.#stopNs = spec.stopNs === undefined ? Number.POSITIVE_INFINITY : timers.nowNs + spec.stopNs;
    this.#count = spec.count ?? Number.POSITIVE_INFINITY;
  }

  start(): void {
    this.#arm();
  }

  onTimer(_timer: number, nowNs: number): void {
    const { sizeBytes, gsoBytes } = this.#source;
    const spec = this.#spec;
    const payloadBytes = sizeBytes > spec.headersBytes ? sizeBytes - spec.headersBytes : 0;
    const packets = this.#packets;
    const packet = packets.fill(this.#index, sizeBytes, payloadBytes, spec.priority, this.#sent, nowNs);
    if (spec.ecn !== 0) packets.ecn[packet] = spec.ecn;
    if (gsoBytes !== 0) {
      const segments = segmentsOf(sizeBytes, gsoBytes, spec.headersBytes);
      packets.gsoBytes[packet] = gsoBytes;
      packets.segments[packet] = segments;
      packets.headerBytes[packet] = spec.headersBytes;
      packets.payloadBytes[packet] = Math.max(0, sizeBytes - segments * spec.headersBytes);
    }
    this.#sent++;
    this.#meter.sent(sizeBytes);
    this.#first.arrive(packet, nowNs);
    this.#arm();
  }

  receive(packet: number, nowNs: number): void {
    if (this.#packets.hasMark(packet, MARK_DAMAGED)) this.#meter.dropped();
    else this.#meter.received(packet, nowNs);
    this.#packets.free(packet);
  }

  dropped(): void {
    this.#meter.dropped();
  }

  transmitted(): void {}

  warm(): void {
    this.#meter.warm();
  }

  result(): FlowResult {
    const { warning } = this.#source;
    return warning === undefined ? this.#meter.result() : { ...this.#meter.result(), warning };
  }

  /** Whether a repeating state can be found: it sends without end, and its source repeats. */
  get recurs(): boolean {
    return (
      this.#source.visit !== undefined &&
      this.#count === Number.POSITIVE_INFINITY &&
      this.#stopNs === Number.POSITIVE_INFINITY
    );
  }

  /** The timer of its packets. */
  get beat(): number {
    return this.#timer;
  }

  visit(pass: RecurrencePass): void {
    this.#source.visit?.(pass);
    this.#sent = pass.counter(this.#sent);
    this.#meter.visit(pass);
  }

  #arm(): void {
    if (this.#sent >= this.#count) return;
    const dueNs = this.#startNs + this.#source.next();
    if (dueNs < this.#stopNs) this.#timers.arm(this.#timer, dueNs);
  }
}
