import { CurlClient, type CurlPlan } from '../curl/client.ts';
import type { ClientHost, TransferClient } from '../curl/socket.ts';
import { curlVersions, receiveBufferBytes, rulesOf } from '../curl/versions.ts';
import type { ParameterProblem, Values } from '../model.ts';
import { invariant } from '../model.ts';
import { type TransferSource, transferParameters } from './transfers.ts';

/** Reads the checked values of `source: curl` as what one curl does. */
export function curlPlan(values: Values): CurlPlan {
  const rules = rulesOf(values.version as string);
  invariant(rules !== undefined, `no curl ${values.version}`);
  const limitBytesPerSecond = (values.limit as number | undefined) ?? 0;
  const client = values.client as 'tool' | 'lib';
  return {
    rules,
    limitBytesPerSecond,
    bufferBytes: (values.buffer as number | undefined) ?? receiveBufferBytes(client, limitBytesPerSecond),
    direction: values.direction as 'download' | 'upload',
    sizeBytes: values.size as number,
    chunked: values.length === 'chunked',
    repeat: values.repeat as number,
    pauseNs: values.pause as number,
    reuse: values.reuse as boolean,
    wakeupNs: values.wakeup as number,
  };
}

/** curl with `--limit-rate`, over TCP. */
export const curlSource: TransferSource = {
  kind: 'curl',
  role: 'source',
  summary: 'curl with --limit-rate, in any release from 7.60.0, over TCP and HTTP/1.1.',
  parameters: {
    version: {
      type: { choice: curlVersions },
      help: 'Release of curl; pr19384 is the revision of the rewrite before it was merged.',
      required: true,
    },
    limit: {
      type: 'curl-limit',
      help: 'As --limit-rate takes it: bytes a second, k = 1024; absent: unlimited.',
      minimum: 1,
    },
    client: {
      type: { choice: ['tool', 'lib'] },
      help: 'The command, or an application on the defaults of libcurl: they differ in the receive buffer.',
      default: 'tool',
    },
    buffer: {
      type: 'size',
      help: 'Receive buffer; default 16 KiB for lib, and 100 KiB or the smaller limit for tool.',
      minimum: 1024,
      maximum: 10 * 1024 * 1024,
    },
    direction: { type: { choice: ['download', 'upload'] }, help: 'GET or PUT.', default: 'download' },
    length: {
      type: { choice: ['known', 'chunked'] },
      help: 'Whether the answer tells its length; newer releases tune their steps to it.',
      default: 'known',
    },
    reuse: {
      type: 'boolean',
      help: 'Repeated transfers share one handle and one connection; otherwise each is a new curl.',
      default: false,
    },
    ...transferParameters,
  },
  counters: {},
  check(values): ParameterProblem[] {
    if (values.direction !== 'upload' || values.length !== 'chunked') return [];
    return [
      {
        path: ['length'],
        expected: 'known for an upload',
        received: 'chunked',
        hint: 'it describes the answer to a download',
      },
    ];
  },
  createClient: (values: Values, host: ClientHost): TransferClient => new CurlClient(curlPlan(values), host),
  limitBitsPerSecond: (values) => 8 * ((values.limit as number | undefined) ?? 0),
};
