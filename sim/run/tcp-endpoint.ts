import type { TimerOwner, Values } from '../../models/model.ts';
import { MARK_COPY, MARK_DAMAGED, type PacketPool } from '../../models/packet.ts';
import { type ConnectionIdentity, TcpConnection } from '../../models/tcp/connection.ts';
import type { TcpEnvironment, TimerService } from '../../models/tcp/environment.ts';
import type { ReceivingApplication } from '../../models/tcp/receiver.ts';
import type { SendingApplication } from '../../models/tcp/sender.ts';
import { type TcpSettings, tcpSettings } from '../../models/tcp/settings.ts';
import type { Timers } from '../engine/timers.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import type { Endpoint } from './endpoint.ts';
import type { FlowMeter } from './flow-meter.ts';
import type { Port } from './port.ts';
import { RANK_FLOW } from './ranks.ts';
import { type ReturnEnd, type ReturnPath, returnPathOf } from './return-path.ts';

/** What the flows of a network are built into. */
export interface Wiring {
  readonly timers: Timers;
  readonly packets: PacketPool;
  /** Gives an endpoint its id, which its packets carry in `packets.flow`. */
  addEndpoint(endpoint: Endpoint): number;
}

/** The clock's timers for what belongs to a flow. */
export function timerService(timers: Timers): TimerService {
  return {
    newTimer: (owner) => timers.register(owner, RANK_FLOW),
    wakeAt(timer, timeNs) {
      if (timeNs === Number.POSITIVE_INFINITY) timers.cancel(timer);
      else timers.arm(timer, Math.max(timeNs, timers.nowNs));
    },
  };
}

/** One TCP connection in a network: its data takes the flow's path, its ACKs the way back, which only delays. */
export class TcpEndpoint implements Endpoint, TcpEnvironment, ReturnEnd {
  readonly flowName: string;
  readonly className: string;
  readonly path: readonly Port[];
  readonly priorities: readonly number[] | undefined;
  readonly packets: PacketPool;
  readonly connection: TcpConnection;
  readonly #timers: Timers;
  readonly #meter: FlowMeter;
  readonly #firstPort: Port;
  readonly #wayBack: ReturnPath;
  readonly #atSender: boolean;
  readonly #onAcked: ((nowNs: number) => void) | undefined;
  #closed = false;

  /** `onAcked`, if given, is called after each packet that came back. */
  constructor(
    wiring: Wiring,
    spec: FlowSpec,
    path: readonly Port[],
    meter: FlowMeter,
    opener: ConnectionIdentity['opener'],
    sending: SendingApplication,
    receiving: ReceivingApplication,
    onAcked?: (nowNs: number) => void,
  ) {
    this.flowName = spec.name;
    this.className = spec.className ?? '';
    this.path = path;
    this.priorities = spec.priorities;
    this.packets = wiring.packets;
    this.#timers = wiring.timers;
    this.#meter = meter;
    this.#firstPort = path[0]!;
    const returnDelayNs =
      (spec.source.values.returnDelay as number | undefined) ?? path.reduce((sum, port) => sum + port.delayNs, 0);
    this.#wayBack = returnPathOf(wiring.timers, wiring.packets, returnDelayNs);
    const settings = tcpSettingsOf(spec);
    this.#atSender = settings.limiterAtSender;
    this.#onAcked = onAcked;
    const identity = { flow: wiring.addEndpoint(this), priority: spec.priority, opener };
    this.#wayBack.lead(identity.flow, this);
    this.connection = new TcpConnection(this, settings, identity, sending, receiving);
  }

  /** Drops whatever is still under way: the connection is over. */
  close(): void {
    this.#closed = true;
  }

  // The connection's environment --------------------------------------------------------------------------------------

  sendData(packet: number, nowNs: number): void {
    if (this.#closed) {
      this.packets.free(packet);
      return;
    }
    if (this.packets.payloadBytes[packet]! > 0) this.#meter.sent(this.packets.sizeBytes[packet]!);
    this.#firstPort.arrive(packet, nowNs);
  }

  sendAck(packet: number, nowNs: number): void {
    this.#wayBack.send(packet, nowNs);
  }

  newTimer(owner: TimerOwner): number {
    return this.#timers.register(owner, RANK_FLOW);
  }

  wakeAt(timer: number, timeNs: number): void {
    if (timeNs === Number.POSITIVE_INFINITY || this.#closed) this.#timers.cancel(timer);
    else this.#timers.arm(timer, Math.max(timeNs, this.#timers.nowNs));
  }

  // The network's endpoint --------------------------------------------------------------------------------------------

  receive(packet: number, nowNs: number): void {
    if (this.packets.hasMark(packet, MARK_DAMAGED)) {
      if (this.packets.payloadBytes[packet]! > 0) this.#meter.dropped();
      this.packets.free(packet);
      return;
    }
    if (this.packets.payloadBytes[packet]! > 0) this.#meter.received(packet, nowNs);
    if (this.#closed) this.packets.free(packet);
    else this.connection.deliverData(packet, nowNs);
  }

  dropped(packet: number, nowNs: number): void {
    if (this.packets.payloadBytes[packet]! > 0) this.#meter.dropped();
    this.transmitted(packet, nowNs);
  }

  transmitted(packet: number, nowNs: number): void {
    if (!this.#atSender || this.#closed || this.packets.hop[packet] !== 0) return;
    // A copy was never the socket's own.
    if (this.packets.hasMark(packet, MARK_COPY)) return;
    this.connection.onSent(this.packets.sizeBytes[packet]!, nowNs);
  }

  returned(packet: number, nowNs: number): void {
    if (this.#closed) {
      this.packets.free(packet);
      return;
    }
    this.connection.deliverAck(packet, nowNs);
    this.#onAcked?.(nowNs);
  }
}

const settingsByValues = new Map<string, TcpSettings>();

/** The settings of the connections of a flow; flows that set the same share them. */
export function tcpSettingsOf(spec: FlowSpec): TcpSettings {
  const values = (spec.source.values.tcp as Values | undefined) ?? {};
  const key = JSON.stringify(values);
  let settings = settingsByValues.get(key);
  if (settings === undefined) {
    settings = tcpSettings(values);
    settingsByValues.set(key, settings);
  }
  return settings;
}
