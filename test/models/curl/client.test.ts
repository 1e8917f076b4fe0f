import { describe, expect, it } from 'vitest';
import { CurlClient, type CurlPlan } from '../../../models/curl/client.ts';
import { receiveBufferBytes, rulesOf } from '../../../models/curl/versions.ts';
import { ReceiveQueue, type RunRecord, testBed } from './receive-queue.ts';

/** A download of the library over 700 Mbit with a large receive buffer, unless told otherwise. */
function run(version: string, more: Partial<CurlPlan> = {}, linkMbit = 700, untilNs?: number): RunRecord {
  const limitBytesPerSecond = more.limitBytesPerSecond ?? 1_000_000;
  const plan: CurlPlan = {
    rules: rulesOf(version)!,
    limitBytesPerSecond,
    bufferBytes: receiveBufferBytes('lib', limitBytesPerSecond),
    direction: 'download',
    sizeBytes: 1_000_000,
    chunked: false,
    http2: false,
    repeat: 1,
    pauseNs: 0,
    reuse: false,
    wakeupNs: 0,
    ...more,
  };
  const path = new ReceiveQueue(testBed(linkMbit, 6_291_456));
  return path.run(new CurlClient(plan, path), untilNs);
}

function secondsOf(record: RunRecord): number[] {
  return record.transfers.map(({ startNs, endNs }) => (endNs - startNs) / 1e9);
}

/** Sizes of the visits, without the first and the last. */
function steadyVisits(record: RunRecord): Set<number> {
  return new Set(record.visits.slice(4, -1).map((visit) => visit.bytes));
}

describe('read visits', () => {
  it.each([
    ['7.87.0', 16_384],
    ['8.6.0', 180_224], // 11 reads
    ['8.15.0', 16_384], // the first read ends it
    ['8.17.0', 180_224], // 11 reads are less than a quarter of the limit
  ] as const)('of %s take %i bytes', (version, bytes) => {
    const record = run(version, { limitBytesPerSecond: 2_000_000, sizeBytes: 8_000_000 }, 700);
    expect(steadyVisits(record)).toEqual(new Set([bytes]));
  });

  it('of 8.17.0 end with the read that passes a quarter of the limit', () => {
    const record = run('8.17.0', { limitBytesPerSecond: 400_000, sizeBytes: 2_000_000 });
    // 100000 bytes are passed by the seventh read of 16384.
    expect(steadyVisits(record)).toEqual(new Set([7 * 16_384]));
  });

  it('of 8.6.0 take no more than a second of the limit', () => {
    const record = run('8.6.0', { limitBytesPerSecond: 20_000, sizeBytes: 200_000 });
    expect(steadyVisits(record)).toEqual(new Set([20_000]));
  });
});

describe('downloads', () => {
  it('without a limit run at the speed of the link', () => {
    const [seconds] = secondsOf(run('8.6.0', { limitBytesPerSecond: 0 }, 20));
    // 691 segments of 1514 bytes at 20 Mbit/s, less the burst of 32 kB that goes at once; 2.5 ms of work before.
    expect(seconds).toBeCloseTo(0.0025 + (691 * 1514 * 8 - 32_000 * 8) / 20e6, 2);
  });

  it('are never waited for after the last byte', () => {
    const record = run('pr19384', { sizeBytes: 3_000_000 });
    const [seconds] = secondsOf(record);
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(2.02);
  });

  it('of 8.19.0 come in one step and a rest where the length is known, in steps of a second where it is not', () => {
    // 995904 bytes at once, 4096 after 995 ms.
    expect(secondsOf(run('8.19.0'))[0]).toBeCloseTo(1.0, 1);
    expect(secondsOf(run('8.19.0', { chunked: true, sizeBytes: 999_999 }))[0]).toBeLessThan(0.03);
    // The last byte uses up the tokens, and the chunk that ends the answer is not read without.
    expect(secondsOf(run('8.19.0', { chunked: true }))[0]).toBeCloseTo(1, 1);
  });

  it('end later by the lateness of the timers, once where a grid sets the pace', () => {
    const [exact] = secondsOf(run('pr19384', { sizeBytes: 3_000_000 }));
    const [late] = secondsOf(run('pr19384', { sizeBytes: 3_000_000, wakeupNs: 15e6 }));
    expect(late! - exact!).toBeCloseTo(0.015, 3);
  });

  it('of 8.16.0 below 4 bytes a second hang, those of 8.17.0 do not', () => {
    const slow = { limitBytesPerSecond: 3, sizeBytes: 10 };
    expect(run('8.16.0', slow, 700, 60e9).transfers).toHaveLength(0);
    expect(run('8.17.0', slow, 700, 60e9).transfers).toHaveLength(1);
  });

  it('of nothing end with the header', () => {
    for (const version of ['8.6.0', '8.19.0']) expect(secondsOf(run(version, { sizeBytes: 0 }))[0]).toBeLessThan(0.01);
  });
});

describe('downloads over HTTP/2', () => {
  const over = { http2: true, limitBytesPerSecond: 2_000_000, sizeBytes: 5_242_880 } as const;

  it('of a bucket begin each lump at line speed: the window lets nothing be queued while curl waits', () => {
    const [queued] = secondsOf(run('pr19384', { ...over, http2: false }, 50));
    const [windowed] = secondsOf(run('pr19384', over, 50));
    // All of the last 1242880 bytes come over the link: 858.3 segments of 1514 bytes, but for the link's burst.
    expect(windowed).toBeCloseTo(2 + (858.3 * 1514 * 8 - 32_000 * 8) / 50e6, 2);
    expect(windowed! - queued!).toBeGreaterThan(0.15);
  });

  it('of an average window are not held back: the windows hold a second or more', () => {
    for (const version of ['8.6.0', '8.17.0']) {
      const [plain] = secondsOf(run(version, { ...over, http2: false }));
      expect(secondsOf(run(version, over))[0]).toBeCloseTo(plain!, 1);
    }
  });

  it('end with all bytes in every generation, at small limits too', () => {
    for (const version of ['7.60.0', '8.6.0', '8.10.0', '8.17.0', '8.18.0', '8.19.0', '8.22.0', 'pr19384']) {
      for (const limitBytesPerSecond of [1000, 20_000, 70_000]) {
        const { transfers, visits } = run(version, { ...over, limitBytesPerSecond, sizeBytes: 100_000 });
        expect(transfers).toHaveLength(1);
        expect(visits.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(100_000);
      }
    }
  });

  it('without a limit have no window', () => {
    const [seconds] = secondsOf(run('8.22.0', { ...over, limitBytesPerSecond: 0 }, 50));
    expect(seconds).toBeCloseTo(secondsOf(run('8.22.0', { ...over, limitBytesPerSecond: 0, http2: false }, 50))[0]!, 3);
  });

  it('overdraw a bucket smaller than the first window of 8 KiB, and wait until steps have paid for it', () => {
    // 8192 bytes come at once where 1000 are allowed: 7192 of debt, which the eighth step turns into a surplus.
    const [first, second] = run('8.22.0', {
      ...over,
      limitBytesPerSecond: 1000,
      sizeBytes: 20_000,
      chunked: true,
    }).visits;
    expect(first!.bytes).toBe(8192);
    expect((second!.timeNs - first!.timeNs) / 1e9).toBeCloseTo(8, 1);
  });
});

describe('uploads', () => {
  const upload = { direction: 'upload', limitBytesPerSecond: 16_384, sizeBytes: 65_536 } as const;

  it.each(['8.6.0', '8.17.0', '8.18.0', '8.22.0', 'pr19384'])(
    'with %s whose last byte uses up the tokens wait once more before the answer',
    (version) => {
      expect(secondsOf(run(version, upload))[0]).toBeCloseTo(4, 1);
    },
  );

  it('with an average window take size / limit to the millisecond', () => {
    const [seconds] = secondsOf(run('8.17.0', { ...upload, limitBytesPerSecond: 2_000_000, sizeBytes: 5_242_880 }));
    expect(seconds).toBeCloseTo(2.621, 3);
  });

  it('are not tuned: in steps of a second, or halves of it with 8.18.0', () => {
    const plan = { ...upload, limitBytesPerSecond: 100_000, sizeBytes: 262_144 };
    expect(secondsOf(run('8.22.0', plan))[0]).toBeCloseTo(2, 1);
    expect(secondsOf(run('8.18.0', plan))[0]).toBeCloseTo(2.5, 1);
  });

  it('go in pieces of 64 KiB, which releases from 8.7.0 on cut to a second of the limit', () => {
    const pieces = (version: string): number[] => run(version, upload).visits.map((visit) => visit.bytes);
    expect(pieces('8.6.0')).toEqual([65_536]);
    expect(pieces('8.7.0')).toEqual([16_384, 16_384, 16_384, 16_384]);
  });
});

describe('several transfers', () => {
  it('follow each other, with a pause between them', () => {
    const { transfers } = run('8.22.0', { repeat: 3, pauseNs: 5e9, sizeBytes: 100_000 });
    expect(transfers).toHaveLength(3);
    expect(transfers[1]!.startNs - transfers[0]!.endNs).toBe(5e9);
    expect(secondsOf({ transfers, visits: [] })[2]).toBeCloseTo(secondsOf({ transfers, visits: [] })[0]!, 6);
  });

  it('on one handle escape the limit up to 7.65.3: the window starts at the count of the one before', () => {
    const reused = { repeat: 2, reuse: true };
    const [first, second] = secondsOf(run('7.65.3', reused));
    expect(first).toBeGreaterThan(0.9);
    expect(second).toBeLessThan(0.05);
    expect(secondsOf(run('7.66.0', reused))[1]).toBeGreaterThan(0.9);
  });
});
