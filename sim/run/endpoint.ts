import type { Port } from './port.ts';
import type { FlowResult } from './result.ts';

/** Where packets of one id (`packets.flow`) come from and go to: a flow, or one connection of a flow. */
export interface Endpoint {
  /** Of the flow, for traces. */
  readonly flowName: string;
  /** As the scenario writes it, for traces of hops that have no classes. */
  readonly className: string;
  /** The ports that its packets cross. */
  readonly path: readonly Port[];
  /** Priorities of its packets at these ports, where filters choose them. */
  readonly priorities: readonly number[] | undefined;
  /** Takes a packet behind the last hop, and frees it. */
  receive(packet: number, nowNs: number): void;
  /** Told of a packet that was dropped or lost; the network frees it. */
  dropped(packet: number, nowNs: number): void;
  /** Told that a packet has left the device of a hop. */
  transmitted(packet: number, nowNs: number): void;
}

/** A flow as the network sees it. */
export interface NetworkFlow {
  /** Arms what starts the flow. */
  start(): void;
  /** The warm-up is over. */
  warm(): void;
  result(): FlowResult;
}
