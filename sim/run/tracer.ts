/** What happens to a packet at a hop: arrival, loss or drop, dequeue, delivery behind the link. */
export type PacketEvent = 'arrive' | 'drop' | 'depart' | 'deliver';

/** Is told of every packet event, in order of time; `timeNs` counts from the start of the simulation. */
export interface Tracer {
  packet(event: PacketEvent, timeNs: number, hop: string, flow: string, className: string, packet: number): void;
}
