import { CurlClient, type CurlPlan } from '../curl/client.ts';
import type { ClientHost, TransferClient } from '../curl/socket.ts';
import { SETUP_NS } from '../curl/timing.ts';
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
    http2: values.http === '2',
    repeat: values.repeat as number,
    pauseNs: values.pause as number,
    reuse: values.reuse as boolean,
    wakeupNs: values.wakeup as number,
  };
}

/**
 * What is wrong with a limit that the release's own command would refuse, and end with 2.
 *
 * Source: curl, src/tool_getparam.c: GetSizeParameter; an application hands over a number, however it came by it.
 */
function limitProblem(values: Values, written: Values): ParameterProblem | undefined {
  const { version, client, limit } = values;
  const text = String(written.limit);
  if (client !== 'tool' || limit === undefined || rulesOf(version as string)?.readsFractions !== false)
    return undefined;
  if (!/[.tp]/i.test(text)) return undefined;
  return {
    path: ['limit'],
    expected: `a whole number of bytes a second, alone or with b, k, m or g, as curl ${version} reads it`,
    received: JSON.stringify(text),
    hint: `fractions, t and p came with 8.19.0; for ${version} write ${limit}`,
  };
}

/** curl with `--limit-rate`, over TCP. */
export const curlSource: TransferSource = {
  kind: 'curl',
  role: 'source',
  summary: `curl with --limit-rate, in any release from 7.60.0, over TCP and HTTP/1.1 or HTTP/2. Each transfer begins with ${SETUP_NS / 1e6} ms of work on both sides, which its time contains.`,
  parameters: {
    version: {
      type: { choice: curlVersions },
      help: 'Release of curl; pr19384 is the revision of the rewrite before it was merged.',
      required: true,
    },
    limit: {
      type: 'curl-limit',
      help: 'As --limit-rate of the version takes it: bytes a second, k = 1024, fractions from 8.19.0; 0 or absent: unlimited.',
      minimum: 0,
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
    http: {
      type: { choice: ['1.1', '2'] },
      help: 'Version of HTTP; with 2 the server of a limited download sends no further ahead than the window of its stream.',
      default: '1.1',
    },
    reuse: {
      type: 'boolean',
      help: 'Repeated transfers share one handle and one connection; otherwise each is a new curl.',
      default: false,
    },
    ...transferParameters,
  },
  counters: {},
  check(values, written = values): ParameterProblem[] {
    const problem = limitProblem(values, written);
    const problems = problem === undefined ? [] : [problem];
    if (values.direction === 'upload' && values.length === 'chunked') {
      problems.push({
        path: ['length'],
        expected: 'known for an upload',
        received: 'chunked',
        hint: 'it describes the answer to a download',
      });
    }
    if (values.direction === 'upload' && values.http === '2') {
      problems.push({
        path: ['http'],
        expected: '1.1 for an upload',
        received: '2',
        hint: 'the windows of HTTP/2 are known for downloads only',
      });
    }
    return problems;
  },
  createClient: (values: Values, host: ClientHost): TransferClient => new CurlClient(curlPlan(values), host),
  limitBitsPerSecond: (values) => 8 * ((values.limit as number | undefined) ?? 0),
};
