/** Header of nginx's answer without the digits of the length, in Content-Length and (hexadecimal) in the ETag (bytes). */
const HEADER_WITHOUT_DIGITS_BYTES = 233;
/** Header of a chunked answer: Transfer-Encoding in place of Content-Length and ETag (bytes). */
const CHUNKED_HEADER_BYTES = 176;
/** Body in one chunk: nginx passes on a buffer of its output at a time (bytes). */
const CHUNK_BYTES = 32768;
/** The chunk of length 0 that ends the body: `0`, and two line ends (bytes). */
const LAST_CHUNK_BYTES = 5;

function chunkFrameBytes(chunkBytes: number): number {
  return chunkBytes.toString(16).length + 4;
}

/**
 * The bytes of an HTTP/1.1 answer: what the server sends for a body, and how much of the body is in a part of it.
 *
 * Lengths are those of nginx's answers for a file.
 */
export class ResponseStream {
  readonly headerBytes: number;
  /** Header, framing and body. */
  readonly totalBytes: number;
  readonly #sizeBytes: number;
  readonly #chunked: boolean;

  constructor(sizeBytes: number, chunked: boolean) {
    this.#sizeBytes = sizeBytes;
    this.#chunked = chunked;
    const digits = sizeBytes.toString(10).length + sizeBytes.toString(16).length;
    this.headerBytes = chunked ? CHUNKED_HEADER_BYTES : HEADER_WITHOUT_DIGITS_BYTES + digits;
    this.totalBytes = this.headerBytes + sizeBytes + (chunked ? this.#framingBytes() : 0);
  }

  /** Body bytes among the first `streamBytes` of the answer. */
  bodyBytes(streamBytes: number): number {
    const afterHeader = Math.max(0, streamBytes - this.headerBytes);
    if (!this.#chunked) return Math.min(afterHeader, this.#sizeBytes);
    const frame = chunkFrameBytes(CHUNK_BYTES);
    const fullChunks = Math.trunc(this.#sizeBytes / CHUNK_BYTES);
    const whole = Math.min(fullChunks, Math.trunc(afterHeader / (CHUNK_BYTES + frame)));
    const rest = afterHeader - whole * (CHUNK_BYTES + frame);
    const chunk = Math.min(CHUNK_BYTES, this.#sizeBytes - whole * CHUNK_BYTES);
    if (chunk === 0) return whole * CHUNK_BYTES;
    // A chunk's own line end (2 bytes) stands behind it, the rest of its frame before it.
    return whole * CHUNK_BYTES + Math.min(chunk, Math.max(0, rest - (chunkFrameBytes(chunk) - 2)));
  }

  #framingBytes(): number {
    const rest = this.#sizeBytes % CHUNK_BYTES;
    const fullChunks = Math.trunc(this.#sizeBytes / CHUNK_BYTES);
    return fullChunks * chunkFrameBytes(CHUNK_BYTES) + (rest > 0 ? chunkFrameBytes(rest) : 0) + LAST_CHUNK_BYTES;
  }
}
