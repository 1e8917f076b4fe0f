import { describe, expect, it } from 'vitest';
import { initialSteps, SteppedBucket, tunedSteps } from '../../../models/curl/stepped-bucket.ts';
import { rulesOf } from '../../../models/curl/versions.ts';

const MS = 1_000_000;

function bucketOf(version: string, limit: number, sizeBytes?: number): SteppedBucket {
  const bucket = new SteppedBucket(rulesOf(version)!, limit);
  bucket.start(0, sizeBytes);
  return bucket;
}

describe('steps', () => {
  it.each([
    ['pr19384', 2_000_000, 1_000_000, 2_000_000],
    ['8.18.0', 2_000_000, 500_000, 1_000_000],
    ['8.18.0', 32_768, 500_000, 16_384],
    ['8.18.0', 32_767, 1_000_000, 32_767],
    ['8.19.0', 2_000_000, 1_000_000, 2_000_000],
  ] as const)('%s at %i bytes/s: every %i µs %i bytes', (version, limit, stepUs, tokensPerStep) => {
    expect(initialSteps(rulesOf(version)!, limit)).toMatchObject({ stepUs, tokensPerStep });
  });

  it.each([
    // 5238784 bytes of 5 MiB take 2619 ms: 619 ms over two steps, 309 each.
    [2_000_000, 5_242_880, 1_309_000, 2_618_000],
    // All but 4096 bytes take 522 ms: one step.
    [2_000_000, 1_048_576, 522_000, 1_044_480],
    // 99 bytes of 100 take 9900 ms: 900 over nine steps.
    [10, 100, 1_100_000, 11],
    [1024, 8192, 1_131_000, 1158],
    // 96 ms; a single byte is left.
    [1024, 100, 96_000, 99],
    // 1.98 ms is too little, 2000 ms are even: untouched.
    [50_000, 100, 1_000_000, 50_000],
    [1000, 2020, 1_000_000, 1000],
  ] as const)('are tuned, at %i bytes/s for %i bytes, to %i µs and %i bytes', (limit, size, stepUs, tokensPerStep) => {
    const rules = rulesOf('8.19.0')!;
    expect(tunedSteps(rules, initialSteps(rules, limit), size)).toMatchObject({ stepUs, tokensPerStep });
  });

  it('save up one step, or from 8.21.0 on 32 KiB', () => {
    expect(initialSteps(rulesOf('8.20.0')!, 2000).burstTokens).toBe(2000);
    expect(initialSteps(rulesOf('8.21.0')!, 2000).burstTokens).toBe(32_768);
    const rules = rulesOf('8.21.0')!;
    // 40 000 less 400 take 19.8 s: 800 ms over 19 steps, 42 each; 2 tokens more in 2000, 1376 in 32768.
    const tuned = tunedSteps(rules, initialSteps(rules, 2000), 40_000);
    expect(tuned).toEqual({ stepUs: 1_042_000, tokensPerStep: 2084, burstTokens: 34_144 });
  });
});

describe('stepped bucket', () => {
  it('gives a whole step at once, and the next on the grid', () => {
    const bucket = bucketOf('pr19384', 1000);
    expect(bucket.allowanceBytes(0)).toBe(1000);
    bucket.consumed(1000, 300 * MS);
    expect(bucket.waitMs(300 * MS)).toBe(700);
    expect(bucket.allowanceBytes(999.999 * MS)).toBe(0);
    expect(bucket.allowanceBytes(1000 * MS)).toBe(1000);
  });

  it('keeps to the grid however late it is asked', () => {
    const bucket = bucketOf('pr19384', 1000);
    bucket.consumed(1000, 0);
    bucket.consumed(1000, 1015 * MS);
    expect(bucket.waitMs(1015 * MS)).toBe(985);
  });

  it('loses what is more than a step', () => {
    expect(bucketOf('8.20.0', 2000).allowanceBytes(5500 * MS)).toBe(2000);
    expect(bucketOf('8.21.0', 2000).allowanceBytes(5500 * MS)).toBe(12_000);
    expect(bucketOf('8.21.0', 2000).allowanceBytes(60_000 * MS)).toBe(32_768);
  });

  it('waits for a debt by whole steps, later in proportion', () => {
    const debtor = (version: string): SteppedBucket => {
      const bucket = bucketOf(version, 1000);
      bucket.consumed(1500, 0);
      return bucket;
    };
    expect(debtor('pr19384').waitMs(0)).toBe(1000);
    expect(debtor('8.19.0').waitMs(0)).toBe(1500);
  });

  it('is tuned anew by each start from 8.20.0 on; 8.19.0 tunes what is tuned', () => {
    const twice = (version: string): number => {
      const bucket = bucketOf(version, 1000, 2500);
      bucket.start(0, 2500);
      return bucket.steps.tokensPerStep;
    };
    // 2475 bytes take 2475 ms: 237 ms more for each of two steps. Again, at 1237 bytes: 2000 ms, nothing to add.
    expect(twice('8.19.0')).toBe(1237);
    expect(twice('8.20.0')).toBe(1237);
    const other = (version: string): number => {
      const bucket = bucketOf(version, 1000, 2500);
      bucket.start(0, 4000);
      return bucket.steps.tokensPerStep;
    };
    // From 1237 bytes a step: 3960 bytes take 3201 ms, 67 more for each of three. From 1000: 3960 ms, 320 more.
    expect(other('8.19.0')).toBe(1237 + 82);
    expect(other('8.20.0')).toBe(1320);
  });

  it('does not limit without a limit', () => {
    const bucket = bucketOf('8.18.0', 0);
    expect(bucket.allowanceBytes(0)).toBe(Number.POSITIVE_INFINITY);
    expect(bucket.waitMs(0)).toBe(0);
  });
});
