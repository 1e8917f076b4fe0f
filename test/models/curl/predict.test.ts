import { describe, expect, it } from 'vitest';
import type { CurlPlan } from '../../../models/curl/client.ts';
import { FAST_PATH, type PredictionPath } from '../../../models/curl/outcome.ts';
import { predictTransfer } from '../../../models/curl/predict.ts';
import { receiveBufferBytes, rulesOf } from '../../../models/curl/versions.ts';

function predict(
  version: string,
  more: Partial<CurlPlan> & { readonly client?: 'tool' | 'lib' } = {},
  path: Partial<PredictionPath> = {},
): Record<string, number> {
  const { client = 'lib', ...plan } = more;
  const limitBytesPerSecond = plan.limitBytesPerSecond ?? 2_000_000;
  const full: CurlPlan = {
    rules: rulesOf(version)!,
    limitBytesPerSecond,
    bufferBytes: receiveBufferBytes(client, limitBytesPerSecond),
    direction: 'download',
    sizeBytes: 5_242_880,
    chunked: false,
    http2: false,
    repeat: 1,
    pauseNs: 0,
    reuse: false,
    wakeupNs: 0,
    ...plan,
  };
  return Object.fromEntries(predictTransfer(full, { ...FAST_PATH, ...path }).map((line) => [line.label, line.value]));
}

describe('prediction', () => {
  it('counts the lumps of a bucket: the last one is free', () => {
    expect(predict('pr19384')).toMatchObject({ step: 1, lump: 2_000_000, lumps: 3, 'last lump': 1_242_880, finish: 2 });
    expect(predict('8.18.0')).toMatchObject({ step: 0.5, lump: 1_000_000, lumps: 6, finish: 2.5 });
    expect(predict('8.22.0')).toMatchObject({ step: 1.309, lump: 2_618_000, lumps: 3, finish: 2.618 });
    // 2.5 s instead of 2.62144: 4.8576 % too fast.
    expect(predict('8.18.0').deviation).toBeCloseTo(4.8576, 10);
  });

  it('tunes neither uploads nor answers without a length', () => {
    expect(predict('8.22.0', { chunked: true }).finish).toBe(2);
    expect(predict('8.22.0', { direction: 'upload' }).finish).toBe(2);
  });

  it('adds a step for an upload whose last byte uses up the tokens', () => {
    const upload = { direction: 'upload', limitBytesPerSecond: 16_384, sizeBytes: 65_536 } as const;
    expect(predict('8.22.0', upload).finish).toBe(4);
    expect(predict('8.6.0', upload).finish).toBe(4);
  });

  it('adds what of the last lump the receive queue does not hold', () => {
    const path = { payloadBytesPerSecond: 5_000_000, queueBytes: 242_880 };
    expect(predict('pr19384', {}, path).finish).toBe(2 + 1_000_000 / 5_000_000);
  });

  it.each([
    ['8.6.0', 'lib', 180_224],
    ['8.6.0', 'tool', 1_126_400],
    ['8.7.0', 'lib', 16_384],
    ['8.17.0', 'lib', 180_224],
    ['8.17.0', 'tool', 512_000],
    ['7.60.0', 'tool', 102_400],
  ] as const)('of %s (%s) knows its largest visit: %i bytes', (version, client, visit) => {
    expect(predict(version, { client }).visit).toBe(visit);
  });

  it('of an average window is (size - last visit) / limit, with visits no larger than the receive queue', () => {
    // 29 visits of 180224 bytes leave 16384.
    expect(predict('8.6.0')).toMatchObject({ visits: 30, 'last visit': 16_384, finish: 2.613248 });
    const path = { payloadBytesPerSecond: Number.POSITIVE_INFINITY, queueBytes: 62_000 };
    expect(predict('8.6.0', {}, path)).toMatchObject({ visit: 62_000, visits: 85 });
  });

  it('over HTTP/2 has the windows of the stream, and nothing of the last lump queued before', () => {
    const path = { payloadBytesPerSecond: 5_000_000, queueBytes: 242_880 };
    expect(predict('pr19384', {}, path)).not.toHaveProperty('stream window');
    expect(predict('pr19384', { http2: true }, path)).toMatchObject({
      'first window': 65_536,
      'stream window': 2_000_000,
      finish: 2 + 1_242_880 / 5_000_000,
    });
    // Tuned to the length, but announced before it is known.
    const small = { http2: true, limitBytesPerSecond: 20_000, sizeBytes: 105_000 };
    expect(predict('8.22.0', small)).toMatchObject({ 'first window': 20_000, 'stream window': 20_780 });
    // An average window lets the server send so far ahead, whatever the receive queue could hold.
    expect(predict('8.6.0', { ...small, client: 'tool' })).toMatchObject({ 'stream window': 32_768, visit: 20_000 });
  });

  it('says when the path is slower than the limiter', () => {
    const path = { payloadBytesPerSecond: 1_000_000, queueBytes: 100_000 };
    expect(predict('8.6.0', {}, path).finish).toBe(5.24288);
    expect(predict('8.6.0', { limitBytesPerSecond: 0 }, path)).toEqual({
      finish: 5.24288,
      rate: expect.closeTo(8_000_000, 6),
    });
  });

  it('names no rate for what nothing delays', () => {
    expect(predict('pr19384', { sizeBytes: 1000 })).not.toHaveProperty('rate');
  });
});
