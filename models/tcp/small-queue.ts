import type { CongestionWindow } from './congestion.ts';
import { MSS_BYTES } from './headers.ts';
import type { TcpSettings } from './settings.ts';

/**
 * TCP small queues: what one socket has waiting on its own host is kept short, so that a limiter there is never overfilled
 * by one connection. A limiter in a router is out of its sight (net/ipv4/tcp_output.c: tcp_small_queue_check).
 */
export class SmallQueue {
  readonly #mostBytes: number;
  readonly #window: CongestionWindow;
  #waitingBytes = 0;
  #throttled = false;

  constructor(settings: TcpSettings, window: CongestionWindow) {
    this.#mostBytes = settings.localQueueBytes;
    this.#window = window;
  }

  /** A packet goes into the host's queue. */
  enter(sizeBytes: number): void {
    this.#waitingBytes += sizeBytes;
  }

  /** A packet has left it; returns whether the socket was waiting for that. */
  leave(sizeBytes: number): boolean {
    this.#waitingBytes -= sizeBytes;
    const waited = this.#throttled;
    this.#throttled = false;
    return waited;
  }

  /** Whether two bursts of `burstSegments`, or a millisecond's worth, wait already. */
  isFull(burstSegments: number): boolean {
    let limit = Math.max(2 * burstSegments * MSS_BYTES, this.#window.pacingBytesPerSecond / 1024);
    if (!this.#window.paced) limit = Math.min(limit, this.#mostBytes);
    this.#throttled = this.#waitingBytes > limit;
    return this.#throttled;
  }
}
