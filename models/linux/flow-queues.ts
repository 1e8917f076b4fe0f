import type { PacketPool } from '../packet.ts';
import { NO_PACKET } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';

/** First-in first-out queues of many flows, chained through the pool's `next` column; heads and tails in typed arrays. */
export class FlowQueues {
  readonly backlogBytes: Float64Array;
  readonly #head: Int32Array;
  readonly #tail: Int32Array;
  readonly #packets: PacketPool;

  constructor(flows: number, packets: PacketPool) {
    this.backlogBytes = new Float64Array(flows);
    this.#head = new Int32Array(flows).fill(NO_PACKET);
    this.#tail = new Int32Array(flows).fill(NO_PACKET);
    this.#packets = packets;
  }

  /** The oldest packet of a flow, or NO_PACKET. */
  head(flow: number): number {
    return this.#head[flow]!;
  }

  /** Appends a packet. */
  push(flow: number, packet: number): void {
    const packets = this.#packets;
    packets.next[packet] = NO_PACKET;
    const tail = this.#tail[flow]!;
    if (tail === NO_PACKET) this.#head[flow] = packet;
    else packets.next[tail] = packet;
    this.#tail[flow] = packet;
    this.backlogBytes[flow]! += packets.sizeBytes[packet]!;
  }

  /** Takes the oldest packet, or NO_PACKET. */
  shift(flow: number): number {
    const packet = this.#head[flow]!;
    if (packet === NO_PACKET) return NO_PACKET;
    const next = this.#packets.next[packet]!;
    this.#head[flow] = next;
    if (next === NO_PACKET) this.#tail[flow] = NO_PACKET;
    this.backlogBytes[flow]! -= this.#packets.sizeBytes[packet]!;
    return packet;
  }

  /** Takes the newest packet; walks the queue. */
  pop(flow: number): number {
    const next = this.#packets.next;
    const newest = this.#tail[flow]!;
    if (newest === this.#head[flow]) return this.shift(flow);
    let before = this.#head[flow]!;
    while (next[before] !== newest) before = next[before]!;
    next[before] = NO_PACKET;
    this.#tail[flow] = before;
    this.backlogBytes[flow]! -= this.#packets.sizeBytes[newest]!;
    return newest;
  }

  /** Tells of the packets of a flow. */
  visit(flow: number, pass: RecurrencePass): void {
    this.#packets.visitChain(this.#head[flow]!, pass);
  }

  /** The flow with the most bytes; the first among equals. */
  fattest(): number {
    let fattest = 0;
    for (let flow = 1; flow < this.backlogBytes.length; flow++) {
      if (this.backlogBytes[flow]! > this.backlogBytes[fattest]!) fattest = flow;
    }
    return fattest;
  }
}
