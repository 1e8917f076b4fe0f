import type { TimerOwner } from '../../../models/model.ts';
import { PacketPool } from '../../../models/packet.ts';
import { BlockWriter, LumpReader, type ReadingPlan, type WritingPlan } from '../../../models/tcp/application.ts';
import { type ConnectionIdentity, TcpConnection } from '../../../models/tcp/connection.ts';
import type { TcpEnvironment } from '../../../models/tcp/environment.ts';
import { headersOf } from '../../../models/tcp/headers.ts';
import { tcpSettings } from '../../../models/tcp/settings.ts';
import { Timers } from '../../../sim/engine/timers.ts';

const MS = 1e6;
const SENDER_TO_RECEIVER = 0;

/** What was put on the path, as seen where it left. */
export interface Sighting {
  readonly milliseconds: number;
  /** Data: the first byte's offset; ACKs: the next byte expected. */
  readonly sequence: number;
  readonly payloadBytes: number;
  readonly windowBytes: number;
}

/** Settings of a {@link Bed}. */
export interface BedOptions {
  readonly tcp?: Readonly<Record<string, unknown>>;
  readonly writing?: Partial<WritingPlan>;
  readonly reading?: ReadingPlan;
  readonly opener?: ConnectionIdentity['opener'];
  readonly roundTripMs?: number;
  /** Data packets that are lost, by order of sending, from 1. */
  readonly lose?: readonly number[];
  /** How much later others arrive (ms), by order of sending. */
  readonly late?: Readonly<Record<number, number>>;
}

/** A connection over a path that only delays, without a bottleneck: what TCP does by itself. */
export class Bed implements TcpEnvironment {
  readonly packets = new PacketPool();
  readonly connection: TcpConnection;
  readonly writer: BlockWriter;
  readonly data: Sighting[] = [];
  readonly acks: Sighting[] = [];
  readonly #timers = new Timers(0);
  readonly #halfNs: number;
  readonly #lose: ReadonlySet<number>;
  readonly #late: Readonly<Record<number, number>>;

  constructor(options: BedOptions = {}) {
    this.#halfNs = ((options.roundTripMs ?? 100) / 2) * MS;
    this.#lose = new Set(options.lose);
    this.#late = options.late ?? {};
    this.writer = new BlockWriter(this, {
      blockBytes: Number.POSITIVE_INFINITY,
      blocks: 1,
      idleNs: 0,
      ...options.writing,
    });
    const reader = new LumpReader(this, options.reading ?? { periodNs: 0, lumpBytes: 0 });
    const settings = tcpSettings({ rcvbufMax: 6291456, ...options.tcp });
    const identity = { flow: 0, priority: 0, opener: options.opener ?? 'sender' };
    this.connection = new TcpConnection(this, settings, identity, this.writer, reader);
    this.writer.sender = this.connection.sender;
    reader.receiver = this.connection.receiver;
    this.connection.open(0);
  }

  /** Bytes that the receiving application has read. */
  get readBytes(): number {
    return this.connection.receiver.readBytes;
  }

  /** Runs until `milliseconds` after the SYN. */
  runTo(milliseconds: number): void {
    this.#timers.runUntil(milliseconds * MS);
  }

  /** Data segments sent in [fromMs, toMs). */
  sentBetween(fromMs: number, toMs: number): readonly Sighting[] {
    return this.data.filter(({ milliseconds }) => milliseconds >= fromMs && milliseconds < toMs);
  }

  sendData(packet: number, nowNs: number): void {
    if (this.packets.payloadBytes[packet]! > 0) {
      this.data.push(this.#sight(packet, nowNs));
      if (this.#lose.has(this.data.length)) {
        this.packets.free(packet);
        return;
      }
    }
    const isData = this.packets.payloadBytes[packet]! > 0;
    this.#travel(SENDER_TO_RECEIVER, packet, nowNs + (isData ? (this.#late[this.data.length] ?? 0) * MS : 0));
  }

  sendAck(packet: number, nowNs: number): void {
    this.acks.push(this.#sight(packet, nowNs));
    this.#travel(1, packet, nowNs);
  }

  newTimer(owner: TimerOwner): number {
    return this.#timers.register(owner, 1);
  }

  wakeAt(timer: number, timeNs: number): void {
    if (timeNs === Number.POSITIVE_INFINITY) this.#timers.cancel(timer);
    else this.#timers.arm(timer, Math.max(timeNs, this.#timers.nowNs));
  }

  #travel(direction: number, packet: number, nowNs: number): void {
    const { connection } = this;
    const arrival = {
      onTimer: (_timer: number, atNs: number) => {
        if (direction === SENDER_TO_RECEIVER) connection.deliverData(packet, atNs);
        else connection.deliverAck(packet, atNs);
      },
    };
    this.#timers.arm(this.#timers.register(arrival, 0), nowNs + this.#halfNs);
  }

  #sight(packet: number, nowNs: number): Sighting {
    return {
      milliseconds: nowNs / MS,
      sequence: this.packets.sequence[packet]!,
      payloadBytes: this.packets.payloadBytes[packet]!,
      windowBytes: headersOf(this.packets).windowBytes(packet),
    };
  }
}
