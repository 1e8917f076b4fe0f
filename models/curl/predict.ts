import type { CurlPlan } from './client.ts';
import {
  deciderOf,
  downloadSpan,
  FAST_PATH,
  firstReadBytes,
  fullVisitBytes,
  type PredictionPath,
  queuedBytes,
  type Span,
  stepsOf,
  sustainedBytesPerSecond,
} from './outcome.ts';
import { initialSteps } from './stepped-bucket.ts';
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

/**
 * The arithmetic of one transfer without simulating it: lumps or visits, and the finish that they give.
 *
 * The finish counts from the call to the last byte, as curl does.
 */
export function predictTransfer(plan: CurlPlan, path: PredictionPath = FAST_PATH): PredictionLine[] {
  if (plan.limitBytesPerSecond === 0) return predictUnlimited(plan, path);
  if (plan.sizeBytes === 0)
    return [limitLine(plan), ...finishLines(plan, path, path.startSeconds, 'there is no body to wait for')];
  if (deciderOf(plan, path) === 'path') return predictPath(plan, path);
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

/** Spans narrower than this share of their length are told as one time. */
const ONE_TIME = 0.02;
/** As are those within the resolution of curl's waits (s). */
const WAIT_SECONDS = 0.001;

/**
 * The times of a whole transfer as curl counts it, from the call to its last byte.
 *
 * The limiter of an upload ends it at an instant; a download may be luckier or less lucky.
 */
export function predictSpan(plan: CurlPlan, path: PredictionPath): Span {
  if (plan.direction === 'download') return downloadSpan(plan, path);
  const seconds = Math.max(uploadSeconds(plan, path), path.startSeconds + plan.sizeBytes / path.payloadBytesPerSecond);
  return { earliestSeconds: seconds, latestSeconds: seconds };
}

function uploadSeconds(plan: CurlPlan, path: PredictionPath): number {
  const { sizeBytes, limitBytesPerSecond, rules } = plan;
  if (limitBytesPerSecond === 0 || sizeBytes === 0) return path.startSeconds;
  // An average is taken from the call on, so that connecting is credit.
  if (rules.family === 'average-window')
    return Math.max(path.startSeconds, Math.trunc((1000 * sizeBytes) / limitBytesPerSecond) / 1000);
  const { stepUs, tokensPerStep } = stepsOf(plan);
  // With the last token spent, the answer has to wait for the next.
  return path.startSeconds + (Math.floor(sizeBytes / tokensPerStep) * stepUs) / 1e6;
}

function startLines({ startSeconds }: PredictionPath): PredictionLine[] {
  const rule = 'work on both sides, and a round trip each for the connection and the request';
  return startSeconds === 0 ? [] : [{ label: 'start', value: startSeconds, unit: 's', rule }];
}

/** The finish, put between the earliest and the latest that are possible, and the rate that it gives. */
function finishLines(plan: CurlPlan, path: PredictionPath, seconds: number, rule: string): PredictionLine[] {
  const span = predictSpan(plan, path);
  const linkSeconds = path.startSeconds + plan.sizeBytes / path.payloadBytesPerSecond;
  const finishSeconds = Math.min(Math.max(seconds, span.earliestSeconds), span.latestSeconds);
  const isLink = finishSeconds > seconds && finishSeconds <= linkSeconds && linkSeconds > path.startSeconds;
  const isFirstRead = plan.limitBytesPerSecond > 0 && deciderOf(plan, path) === 'first-read';
  const firstReadRule = "start, and the first read, which takes the whole body out of the server's first window";
  const finish: PredictionLine = {
    label: 'finish',
    value: finishSeconds,
    unit: 's',
    rule: isFirstRead
      ? firstReadRule
      : isLink
        ? 'start + size / payload rate of the path: the path is slower than the limiter'
        : rule,
  };
  // A limiter that never makes the transfer wait, on a path that is never the bound: there is no rate to state.
  if (finishSeconds === 0) return [finish];
  if (plan.sizeBytes === 0) return [...startLines(path), finish];
  const rated = (time: number): number => (8 * plan.sizeBytes) / time;
  const bitsPerSecond = rated(finishSeconds);
  const lines: PredictionLine[] = [
    ...startLines(path),
    finish,
    ...spanLines(span),
    { label: 'rate', value: bitsPerSecond, unit: 'bit/s', rule: '8 * size / finish' },
  ];
  if (plan.limitBytesPerSecond === 0) return lines;
  const percent = 100 * (bitsPerSecond / (8 * plan.limitBytesPerSecond) - 1);
  return [...lines, { label: 'deviation', value: percent, unit: '%', rule: 'rate / limit - 1' }];
}

/** Whether a transfer may end at times that differ so much that one does not stand for all. */
export function isUncertain({ earliestSeconds, latestSeconds }: Span): boolean {
  return latestSeconds > Math.max(earliestSeconds * (1 + ONE_TIME), earliestSeconds + WAIT_SECONDS);
}

function spanLines(span: Span): PredictionLine[] {
  if (!isUncertain(span)) return [];
  const { earliestSeconds, latestSeconds } = span;
  return [
    {
      label: 'earliest',
      value: earliestSeconds,
      unit: 's',
      rule: 'the last read or visit takes all that may be there',
    },
    {
      label: 'latest',
      value: latestSeconds,
      unit: 's',
      rule: 'nothing of it is there early: TCP begins with its first window, timers fire late',
    },
  ];
}

/** Lumps and visits that the path never fills are not worth a line. */
function predictPath(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  const payload: PredictionLine = {
    label: 'payload',
    value: 8 * sustainedBytesPerSecond(path),
    unit: 'bit/s',
    rule: 'what the path carries of it in full segments, no more than the limit',
  };
  const { tokensPerStep } = stepsOf(plan);
  return [
    limitLine(plan),
    payload,
    ...windowLines(plan, plan.rules.family === 'average-window' ? plan.limitBytesPerSecond : tokensPerStep),
    ...finishLines(plan, path, path.startSeconds, 'start + size / payload rate of the path'),
  ];
}

function predictUnlimited(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  return finishLines(plan, path, path.startSeconds, 'without a limit nothing waits');
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
        uploadSeconds(plan, path),
        'size / limit: the wait after the last send passes before the answer is read',
      ),
    ];
  }
  const queueBytes = queuedBytes(plan, path);
  const visitBytes = Math.min(fullVisitBytes(plan), queueBytes);
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
  const steps = stepsOf(plan);
  const isTuned = steps.stepUs !== plain.stepUs;
  const stepSeconds = steps.stepUs / 1e6;
  const lumps = Math.ceil(sizeBytes / steps.tokensPerStep);
  const lastBytes = sizeBytes - Math.max(0, lumps - 1) * steps.tokensPerStep;
  const readAtOnceBytes = isUpload || lumps <= 1 ? 0 : Math.min(lastBytes, queuedBytes(plan, path));
  const lineSeconds = (lastBytes - readAtOnceBytes) / path.payloadBytesPerSecond;
  const waitsForAnswer = isUpload && lastBytes === steps.tokensPerStep;
  const waits = Math.max(0, lumps - 1) + (waitsForAnswer ? 1 : 0);
  return [
    limitLine(plan),
    { label: 'step', value: stepSeconds, unit: 's', rule: stepRule(rules, isTuned) },
    {
      label: 'lump',
      value: steps.tokensPerStep,
      unit: 'B',
      rule: 'tokens of a step, spent at line speed; one step is there at the start (lib/ratelimit.c)',
    },
    ...firstReadLines(plan, path),
    ...(deciderOf(plan, path) === 'first-read' ? [] : lumpLines(lumps, lastBytes)),
    ...windowLines(plan, steps.tokensPerStep),
    ...finishLines(
      plan,
      path,
      path.startSeconds + waits * stepSeconds + lineSeconds,
      waitsForAnswer
        ? 'lumps * step: the last byte used up the tokens, and the answer is not read without'
        : '(lumps - 1) * step, and at line speed what of the last lump the receive queue did not hold by then',
    ),
  ];
}

function lumpLines(lumps: number, lastBytes: number): PredictionLine[] {
  return [
    { label: 'lumps', value: lumps, unit: 'steps', rule: 'size / lump, rounded up' },
    { label: 'last lump', value: lastBytes, unit: 'B', rule: 'it is never waited for' },
  ];
}

/** What comes before the tuning; of interest where it may be more than the first lump, or all. */
function firstReadLines(plan: CurlPlan, path: PredictionPath): PredictionLine[] {
  if (plan.direction === 'upload' || plan.rules.steps !== 'tuned' || plan.chunked) return [];
  const most = firstReadBytes(plan, path)[1];
  if (most < stepsOf(plan).tokensPerStep) return [];
  const rule =
    "of the body, at most: the server's first window as far as it has come, taken before the steps are tuned";
  return [{ label: 'first read', value: most, unit: 'B', rule }];
}

function stepRule(rules: CurlRules, isTuned: boolean): string {
  if (isTuned) return `tuned to the known length, so that the last lump is small (lib/ratelimit.c, ${rules.version})`;
  if (rules.steps === 'half-second')
    return 'half a second from 32768 bytes/s on, else a second (lib/ratelimit.c, 8.18.0)';
  if (rules.steps === 'second') return 'a second, always (pull request 19384, before it was merged)';
  return `a second: the length is not known, or too small or too even to tune to (lib/ratelimit.c, ${rules.version})`;
}
