import type { PacketPool } from '../../models/packet.ts';

/** What happens to a packet at a hop: arrival, loss or drop, dequeue, delivery behind the link. */
export type PacketEvent = 'arrive' | 'drop' | 'depart' | 'deliver';

/** Is told of every packet event, in order of time. */
export interface Tracer {
  /** `timeNs` counts from the start of the simulation; `packet` is one of `packets`, and only until this returns. */
  packet(
    event: PacketEvent,
    timeNs: number,
    hop: string,
    flow: string,
    className: string,
    packet: number,
    packets: PacketPool,
  ): void;
}
