import type { ClientHost, TransferClient } from '../curl/socket.ts';
import type { Limiter, ModelDeclaration, NestedModel, Parameters, Values } from '../model.ts';
import { pathParameters } from './tcp-path.ts';

/** Builds the limiter of an application by its kind. */
export type LimiterBuilder = (model: NestedModel) => Limiter;

/** A source that moves bodies of known size over TCP connections of its own, and listens to them. */
export interface TransferSource extends ModelDeclaration {
  readonly role: 'source';
  /** One of the `parallel` clients; each opens its own connections. */
  createClient(values: Values, host: ClientHost, buildLimiter: LimiterBuilder): TransferClient;
  /** The rate that the application means to keep (bit/s); 0: none. */
  limitBitsPerSecond(values: Values): number;
}

/** Parameters that all transfer sources share. */
export const transferParameters = {
  size: { type: 'size', help: 'Body of a transfer.', required: true, minimum: 0 },
  repeat: { type: 'integer', help: 'Transfers, one after the other.', default: 1, minimum: 1, maximum: 10000 },
  parallel: {
    type: 'integer',
    help: 'Clients that do so at the same time, each with its own limiter and connection.',
    default: 1,
    minimum: 1,
    maximum: 1000,
  },
  pause: {
    type: 'duration',
    help: 'Between the end of a transfer and the start of the next.',
    default: '0s',
    minimum: 0,
  },
  wakeup: {
    type: 'duration',
    help: 'How late a timer of the application fires: 0.1 ms on an idle Linux, 2 ms on a busy one, up to 15.6 ms where a tick drives it.',
    default: '2ms',
    minimum: 0,
  },
  ...pathParameters,
} as const satisfies Parameters;
