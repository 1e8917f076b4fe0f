import { ACCEPTED, DROPPED, type Qdisc, type QdiscReport, type Surroundings } from '../model.ts';
import { type PacketPool, PacketQueue } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';

/**
 * The queue of a plain link: first in first out, the newcomer is dropped when it does not fit.
 *
 * The limit counts what waits, not the packet being sent; an idle link takes a packet whatever the limit.
 */
export class TailDropQueue implements Qdisc {
  readonly canBypass = true;
  #droppedPackets = 0;
  readonly #limitPackets: number;
  readonly #limitBytes: number;
  readonly #queue: PacketQueue;
  readonly #packets: PacketPool;
  readonly #surroundings: Surroundings;

  /** Limits in packets and bytes; Infinity for none. */
  constructor(limitPackets: number, limitBytes: number, surroundings: Surroundings) {
    this.#limitPackets = limitPackets;
    this.#limitBytes = limitBytes;
    this.#surroundings = surroundings;
    this.#packets = surroundings.packets;
    this.#queue = new PacketQueue(surroundings.packets);
  }

  get lengthPackets(): number {
    return this.#queue.lengthPackets;
  }

  get backlogBytes(): number {
    return this.#queue.backlogBytes;
  }

  enqueue(packet: number, nowNs: number): number {
    const queue = this.#queue;
    const fits =
      queue.lengthPackets < this.#limitPackets &&
      queue.backlogBytes + this.#packets.sizeBytes[packet]! <= this.#limitBytes;
    if (!fits) {
      this.#droppedPackets++;
      this.#surroundings.drop(packet, nowNs);
      return DROPPED;
    }
    queue.push(packet);
    return ACCEPTED;
  }

  dequeue(): number {
    return this.#queue.shift();
  }

  peek(): number {
    return this.#queue.head;
  }

  visit(pass: RecurrencePass): void {
    this.#droppedPackets = pass.counter(this.#droppedPackets);
    this.#queue.visit(pass);
  }

  report(): QdiscReport {
    return {
      counters: {
        dropped: this.#droppedPackets,
        backlogPackets: this.#queue.lengthPackets,
        backlogBytes: this.#queue.backlogBytes,
      },
      classes: {},
      children: {},
    };
  }
}
