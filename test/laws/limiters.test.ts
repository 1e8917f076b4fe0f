import { describe, expect, it } from 'vitest';
import { SteppedBucket } from '../../models/curl/stepped-bucket.ts';
import { curlVersions, rulesOf } from '../../models/curl/versions.ts';
import type { Limiter, LimiterDeclaration, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { sampleValues } from './sample-values.ts';

/** How the laws are tried: a limiter that is new each time, and how coarse its waits are. */
interface Candidate {
  readonly name: string;
  create(): Limiter;
}

/** Values that are more awkward than a declaration's own. */
const more: Readonly<Record<string, Values>> = {
  leaky_bucket: { piece: 1448 },
  gcra: { tolerance: 7_000_001, piece: 9001 },
  fixed_window: { window: 333_333_333 },
  sliding_log: { window: 333_333_333 },
  sliding_counter: { window: 333_333_333 },
};

const registered: readonly Candidate[] = [...modelsOf('limiter').values()].map((model) => {
  const values = sampleValues(model, more[model.kind]);
  return { name: model.kind, create: () => (model as LimiterDeclaration).create(values) };
});

const stepped: readonly Candidate[] = curlVersions
  .map((version) => rulesOf(version))
  .filter((rules) => rules?.family === 'stepped-bucket')
  .flatMap((rules) =>
    [10, 32_768, 2_000_001].map((limit) => ({
      name: `curl ${rules?.version} at ${limit} bytes/s`,
      create: () => new SteppedBucket(rules!, limit),
    })),
  );

const candidates = [...registered, ...stepped];

/** A repeatable sequence of numbers from 0 to 1. */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Step {
  readonly timeNs: number;
  readonly takenBytes: number;
}

/** Reads through `limiter` as an application does that is now and then slow, or reads less than it may. */
function read(limiter: Limiter, seed: number, untilNs: number, onStep: (step: Step) => void): number {
  const random = pseudoRandom(seed);
  const startNs = 123_456_789;
  let nowNs = startNs;
  let totalBytes = 0;
  limiter.start(nowNs);
  while (nowNs < startNs + untilNs) {
    const allowedBytes = limiter.allowanceBytes(nowNs);
    const waitNs = limiter.waitNs(nowNs);
    expect(waitNs > 0, `at ${nowNs}: either a wait or an allowance`).toBe(allowedBytes === 0);
    if (waitNs > 0) {
      expect(Number.isInteger(waitNs)).toBe(true);
      nowNs += waitNs;
      continue;
    }
    const takenBytes = random() < 0.7 ? allowedBytes : Math.ceil(allowedBytes * random());
    limiter.consumed(takenBytes, nowNs);
    totalBytes += takenBytes;
    expect(totalBytes).toBeLessThanOrEqual(limiter.boundBytes(nowNs));
    onStep({ timeNs: nowNs, takenBytes });
    if (random() < 0.2) nowNs += Math.floor(random() * 80e6);
  }
  return totalBytes;
}

describe('laws of application limiters', () => {
  describe.each(candidates)('$name', ({ create }) => {
    it('never lets more through than its own bound, and waits only while nothing is allowed', () => {
      for (const seed of [1, 2, 3]) read(create(), seed, 5e9, () => {});
    });

    it('allows something once the wait is over', () => {
      const limiter = create();
      limiter.start(0);
      let nowNs = 0;
      for (let i = 0; i < 200; i++) {
        const waitNs = limiter.waitNs(nowNs);
        nowNs += waitNs;
        const allowedBytes = limiter.allowanceBytes(nowNs);
        expect(allowedBytes).toBeGreaterThan(0);
        limiter.consumed(allowedBytes, nowNs);
      }
    });

    it('gives a greedy reader its rate in the long run', () => {
      const limiter = create();
      limiter.start(0);
      let nowNs = 0;
      let totalBytes = 0;
      const endNs = 60e9;
      while (nowNs < endNs) {
        const allowedBytes = limiter.allowanceBytes(nowNs);
        limiter.consumed(allowedBytes, nowNs);
        totalBytes += allowedBytes;
        nowNs += limiter.waitNs(nowNs);
      }
      // A window's rest that is too small for a piece is lost: up to 16384 of 333333 bytes.
      const boundBytes = limiter.boundBytes(endNs);
      expect(totalBytes).toBeGreaterThan(0.9 * boundBytes - 100_000);
      expect(totalBytes).toBeLessThanOrEqual(boundBytes + 16_384);
    });

    it('does the same again with the same seed', () => {
      const steps = (): Step[] => {
        const list: Step[] = [];
        read(create(), 7, 2e9, (step) => list.push(step));
        return list;
      };
      expect(steps()).toEqual(steps());
    });
  });
});
