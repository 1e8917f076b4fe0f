import { BaseQdisc, qdiscCounters } from '../linux/qdisc-base.ts';
import type { ShaperDeclaration, Surroundings, Values } from '../model.ts';
import { NO_PACKET, PacketQueue } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';
import { type MeterKind, meterKinds, rateParameter } from './kinds.ts';
import type { Meter } from './meter.ts';
import { quotaBytes } from './window-meters.ts';

/** How many packets or bytes a shaper holds. */
interface Room {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * A queue of packets behind a {@link Meter}: it shapes, so that packets wait until they conform, or it polices, so that those
 * that do not conform on arrival are dropped.
 */
class MeteredQueue extends BaseQdisc {
  readonly canBypass = false;
  readonly #meter: Meter;
  readonly #polices: boolean;
  readonly #room: Room;
  readonly #queue: PacketQueue;
  readonly #watchdog: number;

  constructor(meter: Meter, polices: boolean, room: Room, surroundings: Surroundings) {
    super(surroundings);
    this.#meter = meter;
    this.#polices = polices;
    this.#room = room;
    this.#queue = new PacketQueue(surroundings.packets);
    this.#watchdog = surroundings.newWatchdog();
  }

  enqueue(packet: number, nowNs: number): number {
    const sizeBytes = this.packets.sizeBytes[packet]!;
    if (this.lengthPackets >= this.#room.packets || this.backlogBytes + sizeBytes > this.#room.bytes) {
      return this.refuse(packet, nowNs);
    }
    if (sizeBytes > this.#meter.largestBytes) return this.refuse(packet, nowNs);
    if (this.#polices) {
      if (this.#meter.conformsAt(sizeBytes, nowNs) > nowNs) {
        this.overlimits++;
        return this.refuse(packet, nowNs);
      }
      this.#meter.spend(sizeBytes, nowNs);
    }
    this.#queue.push(packet);
    return this.accept(packet);
  }

  visit(pass: RecurrencePass): void {
    this.visitBase(pass);
    this.#meter.visit(pass);
    this.#queue.visit(pass);
  }

  protected take(nowNs: number): number {
    const packet = this.#queue.head;
    if (packet === NO_PACKET) return NO_PACKET;
    if (!this.#polices) {
      const sizeBytes = this.packets.sizeBytes[packet]!;
      const conformsNs = this.#meter.conformsAt(sizeBytes, nowNs);
      if (conformsNs > nowNs) {
        this.overlimits++;
        this.surroundings.wakeAt(this.#watchdog, conformsNs);
        return NO_PACKET;
      }
      this.#meter.spend(sizeBytes, nowNs);
    }
    this.#queue.shift();
    this.release(packet);
    this.departed(packet);
    return packet;
  }
}

function roomOf(values: Values): Room {
  const limit = values.limit as { packets: number } | { bytes: number } | { ns: number };
  if ('packets' in limit) return { packets: limit.packets, bytes: Number.POSITIVE_INFINITY };
  const bytes = 'bytes' in limit ? limit.bytes : quotaBytes(values.rate as number, limit.ns);
  return { packets: Number.POSITIVE_INFINITY, bytes };
}

function declare(kind: MeterKind): ShaperDeclaration {
  return {
    kind: kind.kind,
    role: 'shaper',
    summary: `${kind.summary}.`,
    parameters: {
      rate: rateParameter,
      ...kind.parameters,
      limit: {
        type: 'queue',
        help: 'What the queue holds: packets (1000p), bytes, or a time at the rate (40ms).',
        default: '1000p',
      },
      mode: {
        type: { choice: ['shape', 'police'] },
        help: 'shape: packets wait until they conform. police: packets that do not conform on arrival are dropped.',
        default: 'shape',
      },
    },
    counters: qdiscCounters,
    create: (values, surroundings) =>
      new MeteredQueue(
        kind.createMeter(values, surroundings.startNs),
        values.mode === 'police',
        roomOf(values),
        surroundings,
      ),
  };
}

/** The textbook limiters as shapers and policers of packets. */
export const genericShapers: readonly ShaperDeclaration[] = meterKinds.map(declare);
