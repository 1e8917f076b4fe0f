import type { CurlRules } from './versions.ts';

/** Largest window that curl asks for (bytes). */
const LARGEST_BYTES = 10 * 1024 * 1024;
/** Windows of one and a half seconds are rounded up to so many bytes. */
const GRANULE_BYTES = 16384;
/** Window of a stream of which nothing is known yet (bytes). */
const USUAL_BYTES = 65536;
const SMALLEST_BYTES = 8192;

/** Sizes of the window of an HTTP/2 stream: announced at its start, and kept up while it runs (bytes). */
export interface StreamSizes {
  readonly initialBytes: number;
  readonly runningBytes: number;
}

/**
 * The sizes of the window of a limited HTTP/2 download.
 *
 * Source: curl, lib/http2.c: 1.5 seconds' worth to 8.9.1; one second's worth after the response starts to 8.17.0; then the
 * tokens at hand, a step's worth at most.
 */
export function streamSizes(rules: CurlRules, limitBytesPerSecond: number, tokensPerStep: number): StreamSizes {
  if (rules.stream === 'tokens') {
    const initialBytes = tokensPerStep < USUAL_BYTES ? Math.max(SMALLEST_BYTES, tokensPerStep) : USUAL_BYTES;
    return { initialBytes, runningBytes: tokensPerStep };
  }
  if (rules.stream === 'second') {
    return {
      initialBytes: USUAL_BYTES,
      runningBytes: limitBytesPerSecond < 2 ** 31 ? limitBytesPerSecond : LARGEST_BYTES,
    };
  }
  const aheadBytes = Math.ceil((limitBytesPerSecond * 3) / 2 / GRANULE_BYTES) * GRANULE_BYTES;
  const windowBytes = Math.min(LARGEST_BYTES, aheadBytes);
  return { initialBytes: windowBytes, runningBytes: windowBytes };
}

/**
 * The receiver's side of the flow control of an HTTP/2 stream: what the server may still send, and when it is told of more.
 *
 * Up to 8.17.0 the library under curl does so by itself, whenever half of the window has been read. From 8.18.0 on curl
 * raises the window to the tokens at hand after each receive, and never lowers it. Source: curl, lib/http2.c.
 */
export class StreamWindow {
  readonly sizes: StreamSizes;
  readonly #followsTokens: boolean;
  /** What the server may still send (bytes). */
  #leftBytes: number;
  /** Read, and not yet given back to the server; below 0 after the window has shrunk (bytes). */
  #owedBytes = 0;
  #windowBytes: number;

  constructor(rules: CurlRules, limitBytesPerSecond: number, tokensPerStep: number) {
    this.sizes = streamSizes(rules, limitBytesPerSecond, tokensPerStep);
    this.#followsTokens = rules.stream === 'tokens';
    this.#windowBytes = this.sizes.initialBytes;
    this.#leftBytes = this.sizes.initialBytes;
  }

  /**
   * Takes note of a receive of `bodyBytes`, which may be none, with `tokens` left after it. Returns by how much the server may
   * send more (bytes); 0: it is told nothing.
   */
  onReceive(bodyBytes: number, tokens: number): number {
    this.#leftBytes -= bodyBytes;
    const grantBytes = this.#followsTokens ? Math.max(0, tokens - this.#leftBytes) : this.#giveBack(bodyBytes);
    this.#leftBytes += grantBytes;
    return grantBytes;
  }

  #giveBack(bodyBytes: number): number {
    // The window takes its lasting size with the first bytes; what it grows by is given at once.
    this.#owedBytes += bodyBytes + this.sizes.runningBytes - this.#windowBytes;
    const grew = this.sizes.runningBytes > this.#windowBytes;
    this.#windowBytes = this.sizes.runningBytes;
    if (this.#owedBytes <= 0 || (!grew && 2 * this.#owedBytes < this.#windowBytes)) return 0;
    const grantBytes = this.#owedBytes;
    this.#owedBytes = 0;
    return grantBytes;
  }
}
