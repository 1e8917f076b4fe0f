import { describe, expect, it } from 'vitest';
import { StreamWindow, streamSizes } from '../../../models/curl/stream-window.ts';
import { rulesOf } from '../../../models/curl/versions.ts';

it.each([
  // 1.5 s' worth, rounded up to 16 KiB, at most 10 MiB.
  ['8.6.0', 100_000, 163_840, 163_840],
  ['8.9.1', 100_000_000, 10_485_760, 10_485_760],
  ['8.10.0', 100_000, 65_536, 100_000],
  ['8.17.0', 3_000_000_000, 65_536, 10_485_760],
  ['8.18.0', 100_000, 50_000, 50_000],
  ['8.19.0', 1000, 8192, 1000],
  ['8.22.0', 2_000_000, 65_536, 2_000_000],
] as const)(
  '%s at %i bytes/s opens an HTTP/2 stream with %i bytes, then %i',
  (version, limit, initialBytes, runningBytes) => {
    const tokens = version === '8.18.0' ? limit / 2 : limit;
    expect(streamSizes(rulesOf(version)!, limit, tokens)).toEqual({ initialBytes, runningBytes });
  },
);

describe('the window of a stream', () => {
  const windowOf = (version: string, limit: number) => new StreamWindow(rulesOf(version)!, limit, limit);

  it('of 8.6.0 is given back when half of it was read', () => {
    const window = windowOf('8.6.0', 100_000);
    expect(window.onReceive(81_919, 0)).toBe(0);
    expect(window.onReceive(1, 0)).toBe(81_920);
    expect(window.onReceive(81_919, 0)).toBe(0);
  });

  it('of 8.10.0 grows to a second of the limit with the first bytes', () => {
    const window = windowOf('8.10.0', 100_000);
    // 65536 are out, 100000 shall be, and the 1000 that were read may be sent again.
    expect(window.onReceive(1000, 0)).toBe(34_464 + 1000);
    expect(window.onReceive(49_999, 0)).toBe(0);
    expect(window.onReceive(1, 0)).toBe(50_000);
  });

  it('of 8.10.0 shrinks to a smaller second by giving nothing back at first', () => {
    const window = windowOf('8.10.0', 20_000);
    // 45536 bytes are not given back; half of 20000 is, once as much more was read.
    expect(window.onReceive(55_535, 0)).toBe(0);
    expect(window.onReceive(1, 0)).toBe(10_000);
  });

  it('of 8.18.0 and later is what the bucket holds, and never taken back', () => {
    const window = windowOf('8.22.0', 2_000_000);
    expect(window.onReceive(16_384, 1_983_616)).toBe(1_983_616 - (65_536 - 16_384));
    expect(window.onReceive(1_000_000, 983_616)).toBe(0);
    expect(window.onReceive(983_616, 0)).toBe(0);
    expect(window.onReceive(0, 2_000_000)).toBe(2_000_000);
    expect(window.onReceive(0, 1_000_000)).toBe(0);
  });
});
