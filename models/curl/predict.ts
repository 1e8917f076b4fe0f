import type { CurlPlan } from './client.ts';
import { initialSteps, tunedSteps } from './stepped-bucket.ts';
import { streamSizes } from './stream-window.ts';
import { type CurlRules, UPLOAD_BUFFER_BYTES } from './versions.ts';

/** One line of the arithmetic from a limit to a finish. */
export interface PredictionLine {
  readonly label: string;
  readonly value: number;
  readonly unit: 'B' | 'B/s' | 'bit/s' | 's' | '%' | 'steps' | 'visits';
  /** The rule that gave the value, and where curl keeps it. */
  readonly rule: string;
}

/** What of the path shows in a prediction. */
export interface PredictionPath {
  /** Payload that the path carries (byte/s); Infinity: it is never the bound. */
  readonly payloadBytesPerSecond: number;
  /** What the receive queue holds while curl does not read (bytes); Infinity: all. */
  readonly queueBytes: number;
}

/** A path that is never the bound. */
export const FAST_PATH: PredictionPath = {
  payloadBytesPerSecond: Number.POSITIVE_INFINITY,
  queueBytes: Number.POSITIVE_INFINITY,
};

/**
 * The arithmetic of one transfer without simulating it: lumps or visits, and the finish that they give.
 *
 * The finish counts from the first byte of the answer; connecting and requesting come on top of it.
 */
export function predictTransfer(plan: CurlPlan, path: PredictionPath = FAST_PATH): PredictionLine[] {
  if (plan.limitBytesPerSecond === 0) return predictUnlimited(plan, path);
  return plan.rules.family === 'average-window' ? predictVisits(plan, path) : predictLumps(plan, path);
}

function limitLine(plan: CurlPlan): PredictionLine {
  return {
    label: 'limit',
    value: plan.limitBytesPerSecond,
    unit: 'B/s',
    rule: 'bytes of the body a second, before it is decoded; headers are free (CURLOPT_MAX_RECV_SPEED_LARGE, _SEND_)',
  };
}

/** What the server of an HTTP/2 download may send ahead of the reader; no line over HTTP/1.1. */
function windowLines({ http2, rules, limitBytesPerSecond }: CurlPlan, tokensPerStep: number): PredictionLine[] {
  if (!http2) return [];
  // Announced before the length of the answer is known.
  const firstTokens = initialSteps(rules, limitBytesPerSecond).tokensPerStep;
  const { initialBytes } = streamSizes(rules, limitBytesPerSecond, firstTokens);
  const { runningBytes } = streamSizes(rules, limitBytesPerSecond, tokensPerStep);
  const source = `lib/http2.c, ${rules.version}`;
  return [
    { label: 'first window', value: initialBytes, unit: 'B', rule: `what the server may send at first (${source})` },
    { label: 'stream window', value: runningBytes, unit: 'B', rule: `how far it may send ahead then (${source})` },
  ];
}

/** What curl finds when it looks again: over HTTP/2 the server has sent no further than the window of the stream. */
function queuedBytes(plan: CurlPlan, path: PredictionPath): number {
  if (!plan.http2) return path.queueBytes;
  // A window of tokens is empty as long as curl waits.
  if (plan.rules.stream === 'tokens') return 0;
  return Math.min(path.queueBytes, streamSizes(plan.rules, plan.limitBytesPerSecond, 0).runningBytes);
}

function finishLines(plan: CurlPlan, path: PredictionPath, seconds: number, rule: string): PredictionLine[] {
  const linkSeconds = plan.sizeBytes / path.payloadBytesPerSecond;
  const finishSeconds = Math.max(seconds, linkSeconds);
  const finish: PredictionLine = {
    label: 'finish',
    value: finishSeconds,
    unit: 's',
    rule: finishSeconds > seconds ? 'size / payload rate of the path: the path is slower than the limiter' : rule,
  };
  // A limiter that never makes the transfer wait, on a path that is never the bound: there is no rate to state.
  if (finishSeconds === 0) return [finish];
  const bitsPerSecond = (8 * plan.sizeBytes) / finishSeconds;
  const rate: PredictionLine = { label: 'rate', value: bitsPerSecond, unit: 'bit/s', rule: '8 * size / finish' };
  if (plan.limitBytesPerSecond === 0) return [finish, rate];
  const percent = 100 * (bitsPerSecond / (8 * plan.limitBytesPerSecond) - 1);
  return [finish, rate, { label: 'deviation', value: percent, unit: '%', rule: 'rate / limit - 1' }];
}

function predictUnlimited(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  return finishLines(plan, path, 0, 'without a limit nothing waits');
}

/** Largest visit that the rules allow when everything is there (bytes). */
function largestVisitBytes(rules: CurlRules, bufferBytes: number, limitBytesPerSecond: number): number {
  const everyRead = rules.visitReads * bufferBytes;
  const read = Math.min(bufferBytes, limitBytesPerSecond);
  if (rules.visit === 'first-data') return read;
  if (rules.visit === 'limit-per-visit') return Math.min(everyRead, limitBytesPerSecond);
  if (rules.visit === 'quarter-limit') {
    const quarter = Math.max(1, Math.trunc(limitBytesPerSecond / 4));
    return Math.min(rules.visitReads * read, Math.ceil(quarter / read) * read);
  }
  return everyRead;
}

function visitRule(rules: CurlRules): string {
  const source = `lib/transfer.c, ${rules.version}`;
  if (rules.visit === 'first-data') return `one read of the buffer, at most a second's worth (${source})`;
  if (rules.visit === 'limit-per-visit') return `11 reads of the buffer, at most a second's worth (${source})`;
  if (rules.visit === 'quarter-limit')
    return `reads of the buffer up to a quarter of the limit, at most 11 (${source})`;
  return `${rules.visitReads === 1 ? 'one read' : `${rules.visitReads} reads`} of the buffer (${source})`;
}

function predictVisits(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  const { rules, sizeBytes, limitBytesPerSecond, bufferBytes } = plan;
  if (plan.direction === 'upload') {
    return [
      limitLine(plan),
      {
        label: 'send',
        value: rules.capsSends ? Math.min(UPLOAD_BUFFER_BYTES, limitBytesPerSecond) : UPLOAD_BUFFER_BYTES,
        unit: 'B',
        rule: `one send, then the wait for it (lib/transfer.c, ${rules.version})`,
      },
      ...finishLines(
        plan,
        path,
        Math.trunc((1000 * sizeBytes) / limitBytesPerSecond) / 1000,
        'size / limit: the wait after the last send passes before the answer is read',
      ),
    ];
  }
  const queueBytes = queuedBytes(plan, path);
  const visitBytes = Math.min(largestVisitBytes(rules, bufferBytes, limitBytesPerSecond), queueBytes);
  const visits = Math.ceil(sizeBytes / visitBytes);
  const beforeLastBytes = Math.max(0, visits - 1) * visitBytes;
  return [
    limitLine(plan),
    { label: 'buffer', value: bufferBytes, unit: 'B', rule: 'CURLOPT_BUFFERSIZE' },
    {
      label: 'visit',
      value: visitBytes,
      unit: 'B',
      rule: queueBytes === visitBytes ? 'what the receive queue holds' : visitRule(rules),
    },
    { label: 'wait', value: visitBytes / limitBytesPerSecond, unit: 's', rule: 'visit / limit' },
    { label: 'visits', value: visits, unit: 'visits', rule: 'size / visit, rounded up' },
    { label: 'last visit', value: sizeBytes - beforeLastBytes, unit: 'B', rule: 'it is never waited for' },
    ...windowLines(plan, limitBytesPerSecond),
    ...finishLines(
      plan,
      path,
      beforeLastBytes / limitBytesPerSecond,
      '(size - last visit) / limit (lib/progress.c: Curl_pgrsLimitWaitTime)',
    ),
  ];
}

function predictLumps(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  const { rules, sizeBytes, limitBytesPerSecond } = plan;
  const isUpload = plan.direction === 'upload';
  const plain = initialSteps(rules, limitBytesPerSecond);
  const steps = isUpload || plan.chunked ? plain : tunedSteps(rules, plain, sizeBytes);
  const stepSeconds = steps.stepUs / 1e6;
  const lumps = Math.ceil(sizeBytes / steps.tokensPerStep);
  const lastBytes = sizeBytes - Math.max(0, lumps - 1) * steps.tokensPerStep;
  const readAtOnceBytes = isUpload || lumps <= 1 ? 0 : Math.min(lastBytes, queuedBytes(plan, path));
  const lineSeconds = (lastBytes - readAtOnceBytes) / path.payloadBytesPerSecond;
  const waitsForAnswer = isUpload && lastBytes === steps.tokensPerStep;
  const waits = Math.max(0, lumps - 1) + (waitsForAnswer ? 1 : 0);
  return [
    limitLine(plan),
    { label: 'step', value: stepSeconds, unit: 's', rule: stepRule(rules, steps !== plain) },
    {
      label: 'lump',
      value: steps.tokensPerStep,
      unit: 'B',
      rule: 'tokens of a step, spent at line speed; one step is there at the start (lib/ratelimit.c)',
    },
    { label: 'lumps', value: lumps, unit: 'steps', rule: 'size / lump, rounded up' },
    { label: 'last lump', value: lastBytes, unit: 'B', rule: 'it is never waited for' },
    ...windowLines(plan, steps.tokensPerStep),
    ...finishLines(
      plan,
      path,
      waits * stepSeconds + lineSeconds,
      waitsForAnswer
        ? 'lumps * step: the last byte used up the tokens, and the answer is not read without'
        : '(lumps - 1) * step, and at line speed what of the last lump the receive queue did not hold by then',
    ),
  ];
}

function stepRule(rules: CurlRules, isTuned: boolean): string {
  if (isTuned) return `tuned to the known length, so that the last lump is small (lib/ratelimit.c, ${rules.version})`;
  if (rules.steps === 'half-second')
    return 'half a second from 32768 bytes/s on, else a second (lib/ratelimit.c, 8.18.0)';
  if (rules.steps === 'second') return 'a second, always (pull request 19384, before it was merged)';
  return `a second: the length is not known, or too small or too even to tune to (lib/ratelimit.c, ${rules.version})`;
}
