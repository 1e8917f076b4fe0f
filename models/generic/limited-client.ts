import { ResponseStream } from '../curl/response.ts';
import type { ClientConnection, ClientHost, TransferClient } from '../curl/socket.ts';
import { SOCKET_WAKE_NS } from '../curl/socket.ts';
import type { Limiter } from '../model.ts';

/** What one application downloads. */
export interface DownloadPlan {
  /** Body of each transfer (bytes). */
  readonly sizeBytes: number;
  /** Transfers, one after the other, each on a connection of its own. */
  readonly repeat: number;
  /** Between the end of one transfer and the start of the next (ns). */
  readonly pauseNs: number;
  /** How late a timer fires (ns). */
  readonly wakeupNs: number;
}

/** Request line and header (bytes). */
const REQUEST_BYTES = 100;

const IDLE = 0;
const CONNECTING = 1;
const READING = 2;
const WAITING = 3;

/**
 * An application that downloads and asks a {@link Limiter} before each read: it reads what it may, and otherwise sleeps for
 * as long as the limiter says, without looking at the socket. The answer's header is not limited.
 */
export class LimitedClient implements TransferClient {
  readonly #plan: DownloadPlan;
  readonly #limiter: Limiter;
  readonly #host: ClientHost;
  readonly #response: ResponseStream;
  #connection: ClientConnection | undefined;
  #state = IDLE;
  #polling = false;
  #remaining: number;
  #startNs = 0;
  #answerBytes = 0;

  constructor(plan: DownloadPlan, limiter: Limiter, host: ClientHost) {
    this.#plan = plan;
    this.#limiter = limiter;
    this.#host = host;
    this.#response = new ResponseStream(plan.sizeBytes, false);
    this.#remaining = plan.repeat;
  }

  get current(): { readonly startNs: number; readonly bytes: number } | undefined {
    if (this.#state === IDLE) return undefined;
    return { startNs: this.#startNs, bytes: this.#response.bodyBytes(this.#answerBytes) };
  }

  start(nowNs: number): void {
    this.#remaining--;
    this.#startNs = nowNs;
    this.#answerBytes = 0;
    this.#limiter.start(nowNs);
    this.#state = CONNECTING;
    this.#host.connect(nowNs);
  }

  onConnected(connection: ClientConnection, nowNs: number): void {
    this.#connection = connection;
    this.#host.wakeAt(nowNs + SOCKET_WAKE_NS);
  }

  onReadable(nowNs: number): void {
    if (!this.#polling) return;
    this.#polling = false;
    this.#host.wakeAt(nowNs + SOCKET_WAKE_NS);
  }

  onWritable(_nowNs: number): void {}

  onTimer(nowNs: number): void {
    if (this.#state === IDLE) {
      this.start(nowNs);
      return;
    }
    if (this.#state === CONNECTING) {
      const responseBytes = this.#response.totalBytes;
      this.#connection?.request({ headerBytes: REQUEST_BYTES, bodyBytes: 0, responseBytes }, nowNs);
    }
    this.#state = READING;
    this.#read(nowNs);
  }

  #read(nowNs: number): void {
    let movedBytes = 0;
    for (;;) {
      const headerBytes = Math.max(0, this.#response.headerBytes - this.#answerBytes);
      const askedBytes = headerBytes > 0 ? headerBytes : this.#limiter.allowanceBytes(nowNs);
      if (askedBytes === 0) {
        this.#state = WAITING;
        this.#host.wakeAt(nowNs + this.#limiter.waitNs(nowNs) + this.#plan.wakeupNs);
        break;
      }
      const gotBytes = this.#connection?.read(askedBytes, nowNs) ?? 0;
      if (gotBytes === 0) {
        this.#polling = true;
        break;
      }
      this.#answerBytes += gotBytes;
      if (headerBytes === 0) {
        this.#limiter.consumed(gotBytes, nowNs);
        movedBytes += gotBytes;
      }
      if (this.#answerBytes === this.#response.totalBytes) break;
    }
    if (movedBytes > 0) this.#host.moved(movedBytes, nowNs);
    if (this.#answerBytes === this.#response.totalBytes) this.#finish(nowNs);
  }

  #finish(nowNs: number): void {
    this.#state = IDLE;
    this.#host.finished({ startNs: this.#startNs, endNs: nowNs, bytes: this.#plan.sizeBytes });
    if (this.#remaining === 0) return;
    this.#connection = undefined;
    if (this.#plan.pauseNs === 0) this.start(nowNs);
    else this.#host.wakeAt(nowNs + this.#plan.pauseNs);
  }
}
