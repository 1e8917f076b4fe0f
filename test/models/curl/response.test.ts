import { describe, expect, it } from 'vitest';
import { ResponseStream } from '../../../models/curl/response.ts';

describe('the answer of a server', () => {
  it('has a header whose length follows from the digits of the size', () => {
    // 233 and `5242880`, `500000`: 246, as the recorded first visits of 180224 bytes with 179978 of the body show.
    expect(new ResponseStream(5_242_880, false).headerBytes).toBe(246);
    expect(new ResponseStream(100, false).headerBytes).toBe(233 + 3 + 2);
  });

  it('has the body behind the header', () => {
    const response = new ResponseStream(1000, false);
    expect(response.totalBytes).toBe(response.headerBytes + 1000);
    expect(response.bodyBytes(response.headerBytes - 1)).toBe(0);
    expect(response.bodyBytes(response.headerBytes + 1)).toBe(1);
    expect(response.bodyBytes(response.totalBytes)).toBe(1000);
  });

  it('frames chunks of 32 KiB: length and line end before, line end behind, an empty chunk last', () => {
    const response = new ResponseStream(40_000, true);
    const first = response.headerBytes + '8000\r\n'.length;
    expect(response.bodyBytes(first)).toBe(0);
    expect(response.bodyBytes(first + 1)).toBe(1);
    expect(response.bodyBytes(first + 32_768)).toBe(32_768);
    const second = first + 32_768 + '\r\n1c40\r\n'.length;
    expect(response.bodyBytes(second)).toBe(32_768);
    expect(response.bodyBytes(second + 7232)).toBe(40_000);
    expect(response.totalBytes).toBe(second + 7232 + '\r\n0\r\n\r\n'.length);
    expect(response.bodyBytes(response.totalBytes)).toBe(40_000);
  });

  it('may be empty', () => {
    expect(new ResponseStream(0, true).bodyBytes(1000)).toBe(0);
    expect(new ResponseStream(0, false).totalBytes).toBe(new ResponseStream(0, false).headerBytes);
  });
});
