import type { ClientHost, TransferClient } from '../curl/socket.ts';
import { LimitedClient } from '../generic/limited-client.ts';
import type { NestedModel, Values } from '../model.ts';
import { type LimiterBuilder, type TransferSource, transferParameters } from './transfers.ts';

/** A download by an application that keeps a textbook limiter. */
export const downloadSource: TransferSource = {
  kind: 'download',
  role: 'source',
  summary: 'A download by an application that limits itself with a textbook limiter, over TCP and HTTP/1.1.',
  parameters: {
    limiter: { type: { model: 'limiter' }, help: 'What the application asks before each read.', required: true },
    ...transferParameters,
  },
  counters: {},
  createClient(values: Values, host: ClientHost, buildLimiter: LimiterBuilder): TransferClient {
    const plan = {
      sizeBytes: values.size as number,
      repeat: values.repeat as number,
      pauseNs: values.pause as number,
      wakeupNs: values.wakeup as number,
    };
    return new LimitedClient(plan, buildLimiter(values.limiter as NestedModel), host);
  },
  limitBitsPerSecond: (values) => (values.limiter as NestedModel).values.rate as number,
};
