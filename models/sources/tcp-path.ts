import type { Parameters } from '../model.ts';
import { tcpParameters } from '../tcp/declaration.ts';

/** Parameters that all sources on TCP share. */
export const pathParameters = {
  tcp: { type: { record: tcpParameters }, help: 'The two ends of the connection.' },
  returnDelay: {
    type: 'duration',
    minimum: 0,
    help: 'Delay of the way back, which ACKs and requests take; absent: the sum of the hops’ delays.',
  },
} as const satisfies Parameters;
