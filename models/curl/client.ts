import { AverageWindow } from './average-window.ts';
import { ResponseStream } from './response.ts';
import type { ClientConnection, ClientHost, TransferClient } from './socket.ts';
import { SOCKET_WAKE_NS } from './socket.ts';
import { SteppedBucket } from './stepped-bucket.ts';
import { StreamWindow } from './stream-window.ts';
import { readNs, SETUP_NS } from './timing.ts';
import type { CurlRules } from './versions.ts';
import { UPLOAD_BUFFER_BYTES } from './versions.ts';

/** What one curl does. */
export interface CurlPlan {
  readonly rules: CurlRules;
  /** 0: unlimited. */
  readonly limitBytesPerSecond: number;
  /** Largest read of a download (bytes). */
  readonly bufferBytes: number;
  readonly direction: 'download' | 'upload';
  /** Body of each transfer (bytes). */
  readonly sizeBytes: number;
  /** A chunked answer does not tell its length. */
  readonly chunked: boolean;
  /** Over HTTP/2, the server sends as far as the window of the stream lets it; lengths of HTTP/1.1 are kept. */
  readonly http2: boolean;
  /** Transfers, one after the other. */
  readonly repeat: number;
  /** Between the end of one transfer and the start of the next (ns). */
  readonly pauseNs: number;
  /** All transfers on one handle and one connection; otherwise each is a new curl. */
  readonly reuse: boolean;
  /** How late a timer fires (ns). */
  readonly wakeupNs: number;
}

/** Request line and header of a small request (bytes). */
const REQUEST_BYTES = 100;
/** Longest poll of the easy interface (ms). Source: curl, lib/easy.c. */
const LONGEST_POLL_MS = 1000;

const IDLE = 0;
const STARTING = 1;
const CONNECTING = 2;
/** curl's PERFORMING. */
const MOVING = 3;
/** Within a visit: what a read returned is being passed on. */
const READING = 4;
/** curl's RATELIMITING: no socket is polled, only time. */
const WAITING = 5;

/**
 * curl's loop around a socket: connect, request, and then visits of the socket between the waits of the limiter. A visit is a
 * few reads, each of which takes a moment; more may arrive between them.
 *
 * Waits are whole milliseconds and end `wakeupNs` late; the last byte is never waited for. The loop is curl's easy
 * interface over its multi state machine. Source: curl, lib/multi.c: multi_runsingle; lib/transfer.c; lib/easy.c.
 */
export class CurlClient implements TransferClient {
  readonly #plan: CurlPlan;
  readonly #host: ClientHost;
  readonly #response: ResponseStream;
  readonly #window: AverageWindow;
  #bucket: SteppedBucket;
  #bucketStarted = false;
  #connection: ClientConnection | undefined;
  /** Of a limited download over HTTP/2. */
  #stream: StreamWindow | undefined;
  #state = IDLE;
  /** The socket will wake the client, or has done so and the client is about to run. */
  #polling = false;
  #remaining: number;
  #startNs = 0;
  /** Bytes of the answer that were read. */
  #answerBytes = 0;
  /** Body bytes that the limiter has counted. */
  #movedBytes = 0;
  /** Reads, bytes and body bytes of the visit under way. */
  #visitReads = 0;
  #visitBytes = 0;
  #visitBodyBytes = 0;
  /** Body bytes that were read from the application and not yet taken by the socket (uploads). */
  #pendingBytes = 0;

  constructor(plan: CurlPlan, host: ClientHost) {
    this.#plan = plan;
    this.#host = host;
    this.#response = new ResponseStream(
      plan.direction === 'download' ? plan.sizeBytes : 0,
      plan.direction === 'download' && plan.chunked && !plan.http2,
    );
    this.#window = new AverageWindow(plan.limitBytesPerSecond);
    this.#bucket = new SteppedBucket(plan.rules, plan.limitBytesPerSecond);
    this.#remaining = plan.repeat;
  }

  get current(): { readonly startNs: number; readonly bytes: number } | undefined {
    return this.#state === IDLE ? undefined : { startNs: this.#startNs, bytes: this.#movedBytes };
  }

  start(nowNs: number): void {
    this.#remaining--;
    this.#startNs = nowNs;
    this.#window.start(nowNs, this.#plan.rules.keepsOldCount ? this.#movedBytes : 0);
    this.#bucketStarted = false;
    this.#answerBytes = 0;
    this.#movedBytes = 0;
    this.#pendingBytes = 0;
    this.#state = STARTING;
    this.#host.wakeAt(nowNs + SETUP_NS);
  }

  onConnected(connection: ClientConnection, nowNs: number): void {
    this.#connection = connection;
    this.#host.wakeAt(nowNs + SOCKET_WAKE_NS);
  }

  onReadable(nowNs: number): void {
    this.#onSocket(nowNs);
  }

  onWritable(nowNs: number): void {
    this.#onSocket(nowNs);
  }

  onTimer(nowNs: number): void {
    if (this.#state === IDLE) this.start(nowNs);
    else if (this.#state === STARTING && this.#connection === undefined) {
      this.#state = CONNECTING;
      this.#host.connect(nowNs);
    } else if (this.#state < MOVING) this.#request(nowNs);
    else if (this.#state === READING) this.#continueVisit(nowNs);
    else this.#perform(nowNs);
  }

  #onSocket(nowNs: number): void {
    if (!this.#polling || !this.#isReady()) return;
    this.#polling = false;
    this.#host.wakeAt(nowNs + SOCKET_WAKE_NS);
  }

  #request(nowNs: number): void {
    const bodyBytes = this.#plan.direction === 'upload' ? this.#plan.sizeBytes : 0;
    const responseBytes = this.#response.totalBytes;
    const stream = this.#openStream();
    const window = stream === undefined ? {} : { windowBytes: this.#response.headerBytes + stream.sizes.initialBytes };
    this.#connection?.request({ headerBytes: REQUEST_BYTES, bodyBytes, responseBytes, ...window }, nowNs);
    this.#stream = stream;
    this.#state = MOVING;
    this.#perform(nowNs);
  }

  #openStream(): StreamWindow | undefined {
    const { http2, direction, limitBytesPerSecond, rules } = this.#plan;
    if (!http2 || direction === 'upload' || limitBytesPerSecond === 0) return undefined;
    return new StreamWindow(rules, limitBytesPerSecond, this.#bucket.steps.tokensPerStep);
  }

  /** Calls of curl_multi_perform, until something has to be waited for. */
  #perform(nowNs: number): void {
    if (this.#state === WAITING) {
      if (this.#mustWait(nowNs)) return;
      this.#state = MOVING;
      this.#window.rebase(this.#movedBytes, nowNs);
      if (!this.#plan.rules.resumesAtOnce && !this.#isReady()) {
        this.#poll();
        return;
      }
    }
    while (!this.#mustWait(nowNs)) {
      const isSending = this.#isSending();
      const movedSomething = isSending ? this.#send(nowNs) : this.#beginVisit(nowNs);
      if (movedSomething && !isSending) return;
      if (this.#plan.rules.checksAfterVisit && this.#mustWait(nowNs)) return;
      // Ready, allowed, and yet nothing moved: such a release turns in its loop for ever, and so the transfer hangs.
      if (!movedSomething || !this.#isReady()) {
        this.#poll();
        return;
      }
    }
  }

  /** Whether the limiter makes the transfer wait; if so, the wait has been arranged. */
  #mustWait(nowNs: number): boolean {
    const waitMs =
      this.#plan.rules.family === 'average-window'
        ? this.#window.waitMs(this.#movedBytes, nowNs)
        : this.#bucket.waitMs(nowNs);
    if (waitMs === 0) return false;
    // On entry only: the wait was worked out from the old window, and passes in the new one too.
    if (this.#state === MOVING) this.#window.rebase(this.#movedBytes, nowNs);
    this.#state = WAITING;
    this.#polling = false;
    this.#host.wakeAt(nowNs + Math.min(waitMs, LONGEST_POLL_MS) * 1e6 + this.#plan.wakeupNs);
    return true;
  }

  #poll(): void {
    this.#polling = !this.#isReady();
    this.#host.wakeAt(Number.POSITIVE_INFINITY);
  }

  #isReady(): boolean {
    const connection = this.#connection;
    if (connection === undefined) return false;
    return this.#isSending() ? connection.sendSpaceBytes > 0 : connection.queuedBytes > 0;
  }

  #isSending(): boolean {
    return this.#plan.direction === 'upload' && this.#movedBytes < this.#plan.sizeBytes;
  }

  #isComplete(): boolean {
    return this.#answerBytes === this.#response.totalBytes;
  }

  /** Starts a visit of the socket with its first read; whether that returned something. */
  #beginVisit(nowNs: number): boolean {
    this.#visitReads = 0;
    this.#visitBytes = 0;
    this.#visitBodyBytes = 0;
    return this.#read(nowNs);
  }

  /** One read of a visit; the visit goes on when what it returned has been passed on. False: nothing to read, or no more. */
  #read(nowNs: number): boolean {
    const { rules, limitBytesPerSecond } = this.#plan;
    const visitCapBytes = limitBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : limitBytesPerSecond;
    if (this.#visitReads === rules.visitReads) return false;
    if (rules.visit === 'first-data' && this.#visitBytes > 0 && limitBytesPerSecond > 0) return false;
    if (rules.visit === 'quarter-limit' && (this.#visitBytes > 0 || rules.judgesQuarterFirst)) {
      if (this.#visitBytes >= Math.trunc(visitCapBytes / 4)) return false;
    }
    const askedBytes = this.#readBytes(visitCapBytes, nowNs);
    const gotBytes = askedBytes === 0 ? 0 : (this.#connection?.read(askedBytes, nowNs) ?? 0);
    if (gotBytes === 0) {
      this.#moveStreamWindow(0, nowNs);
      return false;
    }
    this.#visitReads++;
    this.#visitBytes += gotBytes;
    this.#count(gotBytes, nowNs);
    this.#state = READING;
    this.#host.wakeAt(nowNs + readNs(gotBytes));
    return true;
  }

  #continueVisit(nowNs: number): void {
    const isComplete = this.#isComplete();
    if (!isComplete && this.#read(nowNs)) return;
    this.#state = MOVING;
    if (this.#visitBodyBytes > 0) this.#host.moved(this.#visitBodyBytes, nowNs);
    if (isComplete) this.#finish(nowNs);
    else if (this.#plan.rules.checksAfterVisit && this.#mustWait(nowNs)) return;
    else if (this.#isReady()) this.#perform(nowNs);
    else this.#poll();
  }

  /** What the next read of a visit asks for. */
  #readBytes(visitCapBytes: number, nowNs: number): number {
    const { rules, bufferBytes, direction } = this.#plan;
    if (rules.visit === 'until-empty' || direction === 'upload') return bufferBytes;
    if (rules.visit === 'tokens') {
      const allowedBytes = this.#bucket.allowanceBytes(nowNs);
      // What has come over a stream was let in by its window, and is taken whole.
      return this.#stream !== undefined && allowedBytes > 0 ? bufferBytes : Math.min(bufferBytes, allowedBytes);
    }
    if (rules.visit === 'limit-per-visit') return Math.min(bufferBytes, visitCapBytes - this.#visitBytes);
    return Math.min(bufferBytes, visitCapBytes);
  }

  /** Counts bytes of the answer; starts the bucket with its first byte, or, where it is tuned, with that of the body. */
  #count(answerBytes: number, nowNs: number): void {
    const { rules, direction } = this.#plan;
    this.#answerBytes += answerBytes;
    if (direction === 'upload') return;
    const bodyBytes = this.#response.bodyBytes(this.#answerBytes) - this.#movedBytes;
    this.#movedBytes += bodyBytes;
    this.#visitBodyBytes += bodyBytes;
    if (rules.family === 'stepped-bucket') this.#consume(bodyBytes, nowNs);
    this.#moveStreamWindow(bodyBytes, nowNs);
  }

  #consume(bodyBytes: number, nowNs: number): void {
    const { rules, chunked, sizeBytes } = this.#plan;
    if (!this.#bucketStarted && (rules.steps !== 'tuned' || bodyBytes > 0)) {
      this.#bucket.start(nowNs, chunked ? undefined : sizeBytes);
      this.#bucketStarted = true;
    }
    this.#bucket.consumed(bodyBytes, nowNs);
  }

  /** After a receive over HTTP/2, tells the server of a window that has grown. */
  #moveStreamWindow(bodyBytes: number, nowNs: number): void {
    if (this.#stream === undefined || this.#isComplete()) return;
    const grantBytes = this.#stream.onReceive(bodyBytes, this.#bucket.allowanceBytes(nowNs));
    if (grantBytes > 0) this.#connection?.grant(grantBytes, nowNs);
  }

  /** One send of a body. */
  #send(nowNs: number): boolean {
    const { rules, limitBytesPerSecond, sizeBytes } = this.#plan;
    const isBucket = rules.family === 'stepped-bucket';
    if (isBucket && !this.#bucketStarted) {
      this.#bucket.start(nowNs);
      this.#bucketStarted = true;
    }
    if (this.#pendingBytes === 0) {
      const allowedBytes = isBucket ? this.#bucket.allowanceBytes(nowNs) : Number.POSITIVE_INFINITY;
      this.#pendingBytes = Math.min(UPLOAD_BUFFER_BYTES, allowedBytes, sizeBytes - this.#movedBytes);
    }
    const isCapped = rules.capsSends && limitBytesPerSecond > 0;
    const offeredBytes = isCapped ? Math.min(this.#pendingBytes, limitBytesPerSecond) : this.#pendingBytes;
    const takenBytes = this.#connection?.write(offeredBytes, nowNs) ?? 0;
    if (takenBytes === 0) return false;
    this.#pendingBytes -= takenBytes;
    this.#movedBytes += takenBytes;
    if (isBucket) this.#bucket.consumed(takenBytes, nowNs);
    this.#host.moved(takenBytes, nowNs);
    return true;
  }

  #finish(nowNs: number): void {
    const { limitBytesPerSecond, pauseNs, reuse, rules, sizeBytes } = this.#plan;
    this.#state = IDLE;
    this.#polling = false;
    this.#host.finished({ startNs: this.#startNs, endNs: nowNs, bytes: sizeBytes });
    if (this.#remaining === 0) {
      this.#host.wakeAt(Number.POSITIVE_INFINITY);
      return;
    }
    if (!reuse) {
      this.#connection = undefined;
      this.#movedBytes = 0;
      this.#bucket = new SteppedBucket(rules, limitBytesPerSecond);
    }
    if (pauseNs === 0) this.start(nowNs);
    else this.#host.wakeAt(nowNs + pauseNs);
  }
}
