import type { CurlPlan } from './client.ts';
import { ResponseStream } from './response.ts';
import { SOCKET_WAKE_NS } from './socket.ts';
import { initialSteps, type Steps, tunedSteps } from './stepped-bucket.ts';
import { streamSizes } from './stream-window.ts';
import { readNs } from './timing.ts';

/** What of the path shows in a prediction. */
export interface PredictionPath {
  /** Payload that the path carries (byte/s); Infinity: it is never the bound. */
  readonly payloadBytesPerSecond: number;
  /** What the receive queue holds while curl does not read (bytes); Infinity: all. */
  readonly queueBytes: number;
  /** From the call to the first byte of the answer (s). */
  readonly startSeconds: number;
  readonly roundTripSeconds: number;
  /** Payload of a segment (bytes). */
  readonly segmentBytes: number;
  /** Segments that a server sends before it is acknowledged. */
  readonly firstWindowSegments: number;
}

/** A path that is never the bound, and over which nothing arrives together. */
export const FAST_PATH: PredictionPath = {
  payloadBytesPerSecond: Number.POSITIVE_INFINITY,
  queueBytes: Number.POSITIVE_INFINITY,
  startSeconds: 0,
  roundTripSeconds: 0,
  segmentBytes: 1448,
  firstWindowSegments: 10,
};

/** Times of a whole transfer, from the call to its last byte (s). */
export interface Span {
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
}

/** What curl finds when it looks again: over HTTP/2 the server has sent no further than the window of the stream. */
export function queuedBytes(plan: CurlPlan, path: PredictionPath): number {
  if (!plan.http2) return path.queueBytes;
  // A window of tokens is empty as long as curl waits.
  if (plan.rules.stream === 'tokens') return 0;
  return Math.min(path.queueBytes, streamSizes(plan.rules, plan.limitBytesPerSecond, 0).runningBytes);
}

/** Payload that the path carries in the long run, with its window of what is under way (byte/s). */
export function sustainedBytesPerSecond({
  payloadBytesPerSecond,
  queueBytes,
  roundTripSeconds,
}: PredictionPath): number {
  return roundTripSeconds === 0
    ? payloadBytesPerSecond
    : Math.min(payloadBytesPerSecond, queueBytes / roundTripSeconds);
}

/**
 * Body bytes of the first read of a download, the fewest and the most.
 *
 * The first read asks for what the untuned limit allows, and returns what of the server's first window has arrived by
 * the time that curl runs; only then is the limiter told of the length.
 */
export function firstReadBytes(plan: CurlPlan, path: PredictionPath): readonly [number, number] {
  const { rules, limitBytesPerSecond, bufferBytes, sizeBytes, chunked, http2 } = plan;
  const { headerBytes } = new ResponseStream(sizeBytes, chunked && !http2);
  const tokens = initialSteps(rules, limitBytesPerSecond).tokensPerStep;
  const askedBytes =
    rules.family === 'average-window'
      ? Math.min(bufferBytes, fullVisitBytes(plan))
      : Math.min(bufferBytes, http2 ? bufferBytes : tokens);
  const sentBytes = path.firstWindowSegments * path.segmentBytes;
  const streamBytes = http2
    ? headerBytes + streamSizes(rules, limitBytesPerSecond, tokens).initialBytes
    : Number.POSITIVE_INFINITY;
  const mostBytes = Math.min(sentBytes, askedBytes, streamBytes);
  const arrivedSegments = 1 + Math.floor(((SOCKET_WAKE_NS / 1e9) * path.payloadBytesPerSecond) / path.segmentBytes);
  const body = (bytes: number): number => Math.min(sizeBytes, Math.max(0, Math.min(mostBytes, bytes) - headerBytes));
  // Whether the next segment is there as well is a matter of microseconds.
  return [body((arrivedSegments - 1) * path.segmentBytes), body((arrivedSegments + 1) * path.segmentBytes)];
}

/** How long a body takes over a connection that begins anew, without a limiter (s). */
export function rampSeconds(bytes: number, path: PredictionPath): number {
  const firstBytes = path.firstWindowSegments * path.segmentBytes;
  const rounds = Math.ceil(Math.log2(bytes / firstBytes + 1));
  return Math.max(0, rounds) * path.roundTripSeconds + bytes / sustainedBytesPerSecond(path);
}

/** What such a connection brings in a time (bytes). */
function rampBytes(seconds: number, path: PredictionPath): number {
  const { roundTripSeconds, firstWindowSegments, segmentBytes } = path;
  const atRate = Math.max(0, seconds - roundTripSeconds) * sustainedBytesPerSecond(path);
  if (roundTripSeconds === 0) return atRate;
  const rounds = Math.floor(seconds / roundTripSeconds);
  return Math.min(firstWindowSegments * segmentBytes * (2 ** Math.max(1, rounds) - 1), Math.max(atRate, segmentBytes));
}

/** How late a wait and the reads after it may be over (s). */
function lateSeconds(bytes: number, { bufferBytes, wakeupNs }: CurlPlan): number {
  const readBytes = Math.min(bytes, bufferBytes);
  return (wakeupNs + 1e6 + Math.ceil(bytes / Math.max(1, readBytes)) * readNs(readBytes)) / 1e9;
}

/** Largest visit that the rules of an average window allow when everything is there (bytes). */
export function fullVisitBytes({ rules, bufferBytes, limitBytesPerSecond }: CurlPlan): number {
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

/** Largest visit with what is queued before it, and what comes while it reads (bytes). */
export function fullestVisitBytes(plan: CurlPlan, path: PredictionPath): number {
  const largestBytes = Math.min(fullVisitBytes(plan), plan.sizeBytes);
  const reads = Math.min(plan.rules.visitReads, Math.ceil(largestBytes / plan.bufferBytes) + 1);
  const readingSeconds = (reads * readNs(plan.bufferBytes)) / 1e9;
  return Math.min(largestBytes, queuedBytes(plan, path) + readingSeconds * path.payloadBytesPerSecond);
}

/** A download that the first read takes whole. */
function freeSpan(plan: CurlPlan, path: PredictionPath): Span {
  const { startSeconds } = path;
  const readSeconds = (SOCKET_WAKE_NS + readNs(plan.sizeBytes)) / 1e9;
  const linkSeconds = (plan.sizeBytes + path.segmentBytes) / path.payloadBytesPerSecond;
  return { earliestSeconds: startSeconds, latestSeconds: startSeconds + linkSeconds + readSeconds };
}

/** A download without a limit. */
function unlimitedSpan({ sizeBytes }: CurlPlan, path: PredictionPath): Span {
  return {
    earliestSeconds: path.startSeconds + sizeBytes / sustainedBytesPerSecond(path),
    latestSeconds: path.startSeconds + rampSeconds(sizeBytes, path),
  };
}

/**
 * A download under an average window: it cannot be known how much the last visit takes.
 *
 * Not contained is what a window forgets that is moved within a visit, every 3 s at most: it is rare, as visits are short
 * beside the waits.
 */
function visitsSpan(plan: CurlPlan, path: PredictionPath): Span {
  const { sizeBytes, limitBytesPerSecond } = plan;
  const fullestBytes = fullestVisitBytes(plan, path);
  const linkSeconds = path.startSeconds + sizeBytes / sustainedBytesPerSecond(path);
  const dueSeconds = sizeBytes / limitBytesPerSecond;
  const visitSeconds = fullestBytes / limitBytesPerSecond;
  if (firstReadBytes(plan, path)[0] >= sizeBytes) return freeSpan(plan, path);
  return {
    earliestSeconds: Math.max(linkSeconds, dueSeconds - visitSeconds),
    latestSeconds:
      Math.max(path.startSeconds + rampSeconds(sizeBytes, path), dueSeconds) + lateSeconds(fullestBytes, plan),
  };
}

/** What may come in beyond the tokens: over HTTP/2, the window that was announced before there were any (bytes). */
function aheadBytes({ http2, rules, limitBytesPerSecond }: CurlPlan): number {
  if (!http2) return 0;
  return streamSizes(rules, limitBytesPerSecond, initialSteps(rules, limitBytesPerSecond).tokensPerStep).initialBytes;
}

/** A download in lumps; `firstBytes` come in the first read. */
function lumpsSpan(plan: CurlPlan, path: PredictionPath, steps: Steps, firstBytes: number): Span {
  const { sizeBytes } = plan;
  const { startSeconds } = path;
  const tokens = steps.tokensPerStep;
  const stepSeconds = steps.stepUs / 1e6;
  const linkSeconds = sizeBytes / sustainedBytesPerSecond(path);
  if (firstBytes >= sizeBytes) return freeSpan(plan, path);
  const waits = Math.max(Math.ceil(sizeBytes / tokens) - 1, firstBytes >= tokens ? 1 : 0);
  const fewestWaits = Math.max(0, Math.ceil((sizeBytes - aheadBytes(plan)) / tokens) - 1);
  const lastBytes = sizeBytes - waits * tokens;
  const queued = waits === 0 ? 0 : queuedBytes(plan, path);
  const tailSeconds = Math.max(0, lastBytes - queued) / sustainedBytesPerSecond(path);
  const debtSeconds = (Math.max(0, firstBytes - tokens) / tokens) * stepSeconds;
  // A step in which less comes than it allows: what is left of it may be forfeit.
  const carriedBytes = Math.max(1, Math.min(tokens, rampBytes(stepSeconds, path)));
  const mostWaits = Math.max(waits, Math.ceil(sizeBytes / carriedBytes) - 1);
  const lastLumpBytes = Math.max(0, Math.min(tokens, sizeBytes - mostWaits * carriedBytes));
  return {
    earliestSeconds:
      startSeconds + Math.max(fewestWaits * stepSeconds + (fewestWaits === waits ? tailSeconds : 0), linkSeconds),
    latestSeconds:
      startSeconds +
      mostWaits * stepSeconds +
      debtSeconds +
      rampSeconds(lastLumpBytes, path) +
      path.segmentBytes / path.payloadBytesPerSecond +
      lateSeconds(lastLumpBytes, plan),
  };
}

/** Between which times a download may end: each thing that cannot be known taken at its luckiest, and at its unluckiest. */
export function downloadSpan(plan: CurlPlan, path: PredictionPath): Span {
  const { rules, limitBytesPerSecond, sizeBytes } = plan;
  if (sizeBytes === 0) return freeSpan(plan, path);
  if (limitBytesPerSecond === 0) return unlimitedSpan(plan, path);
  if (rules.family === 'average-window') return visitsSpan(plan, path);
  const steps = stepsOf(plan);
  const [fewest, most] = firstReadBytes(plan, path).map((first) => lumpsSpan(plan, path, steps, first)) as [Span, Span];
  return {
    earliestSeconds: Math.min(fewest.earliestSeconds, most.earliestSeconds),
    latestSeconds: Math.max(fewest.latestSeconds, most.latestSeconds),
  };
}

/** Steps of a transfer under a stepped bucket, tuned where its release does so. */
export function stepsOf({ rules, limitBytesPerSecond, direction, chunked, sizeBytes }: CurlPlan): Steps {
  const plain = initialSteps(rules, limitBytesPerSecond);
  return direction === 'upload' || chunked ? plain : tunedSteps(rules, plain, sizeBytes);
}

/** What decides how long a transfer takes. */
export type Decider =
  /** There is no body. */
  | 'nothing'
  /** The path carries no more than the limit. */
  | 'path'
  /** The first read takes the whole body, before the limiter knows its length or has counted anything. */
  | 'first-read'
  /** It may be the first read, or else the limiter. */
  | 'first-read-or-limiter'
  | 'limiter';

/** What decides how long a transfer with a limit takes. */
export function deciderOf(plan: CurlPlan, path: PredictionPath): Decider {
  const { sizeBytes, limitBytesPerSecond, direction, rules } = plan;
  if (sizeBytes === 0) return 'nothing';
  if (sustainedBytesPerSecond(path) <= limitBytesPerSecond) return 'path';
  if (direction === 'upload') return 'limiter';
  // A lump that holds all of it is reason enough.
  if (rules.family === 'stepped-bucket' && sizeBytes <= stepsOf(plan).tokensPerStep) return 'limiter';
  const [fewest, most] = firstReadBytes(plan, path);
  if (fewest >= sizeBytes) return 'first-read';
  return most >= sizeBytes ? 'first-read-or-limiter' : 'limiter';
}
