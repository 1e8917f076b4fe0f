import { afterEach, describe, expect, it, vi } from 'vitest';
import { TcpReceiver } from '../../../models/tcp/receiver.ts';
import type { FlowResult } from '../../../sim/run/result.ts';
import { runTransfer } from '../../golden/curl-bed.ts';

/** A download of curl over 50 Mbit/s with a round trip of 2 ms, unless told otherwise. */
function run(flow: Readonly<Record<string, unknown>>): FlowResult {
  const hop = { link: { rate: '50mbit', delay: '1ms', queue: '40ms' } };
  return runTransfer({ flow: { source: 'curl', version: '8.22.0', ...flow }, hop });
}

afterEach(() => vi.restoreAllMocks());

describe('several transfers', () => {
  it('at the same time keep a limit each: three take three times as much', () => {
    const { transfers } = run({ limit: 1_000_000, size: '2MiB', parallel: 3 });
    expect(transfers).toHaveLength(3);
    for (const transfer of transfers!) {
      // 2097152 bytes are two steps of 1.046 s, and what is left of 4096 bytes.
      expect(transfer.seconds).toBeGreaterThan(2.09);
      expect(transfer.seconds).toBeLessThan(2.12);
    }
  });

  it('one after the other begin a limit each, on one handle as well', () => {
    for (const reuse of [false, true]) {
      const { transfers } = run({ limit: 1_000_000, size: '2MiB', repeat: 3, reuse });
      for (const transfer of transfers!) expect(transfer.seconds).toBeCloseTo(2.1, 1);
    }
  });
});

describe('a stop', () => {
  it.each(['download', 'upload'])('cuts the %s under way', (direction) => {
    const { transfer, sentPackets } = run({ limit: 10_000, size: '100KiB', direction, stop: '5s' });
    // Five seconds of 10000 bytes, and the lump that is there at the start; 102400 bytes would take 10.
    expect(transfer).toMatchObject({ completed: false, seconds: 5 });
    expect(transfer!.bytes).toBeGreaterThanOrEqual(40_000);
    expect(transfer!.bytes).toBeLessThanOrEqual(61_000);
    const whole = run({ limit: 10_000, size: '100KiB', direction });
    expect(whole.transfer!.completed).toBe(true);
    expect(sentPackets).toBeLessThanOrEqual(whole.sentPackets);
  });

  it('lets no further transfer begin, also not in a pause', () => {
    // Two steps of a second: each transfer takes 2 s and the pause 1 s.
    const flow = { version: 'pr19384', limit: 10_000, size: '29000b', repeat: 10, pause: '1s' };
    const cut = run({ ...flow, stop: '4s' }).transfers!;
    expect(cut.map(({ completed }) => completed)).toEqual([true, false]);
    expect(cut[1]!.seconds).toBeLessThan(1);
    const { transfer, transfers } = run({ ...flow, stop: '2500ms' });
    expect(transfers).toBeUndefined();
    expect(transfer!.completed).toBe(true);
  });
});

describe('over HTTP/2', () => {
  const download = { limit: 2_000_000, size: '5MiB' } as const;

  it.each([
    // What comes after the last wait comes over the link: 1514 bytes for 1448, at 50 Mbit/s.
    ['pr19384', 2 + (1_242_880 * 1514 * 8) / 1448 / 50e6],
    ['8.18.0', 2.5 + (242_880 * 1514 * 8) / 1448 / 50e6],
    ['8.22.0', 2.618 + (6880 * 1514 * 8) / 1448 / 50e6],
  ])('%s reads its last lump at the speed of the link', (version, seconds) => {
    // A connection, a request and a window are each a round trip of 2 ms; timers are 2 ms late.
    const { transfer } = run({ ...download, version, http: 2 });
    expect(transfer!.seconds).toBeGreaterThan(seconds + 0.006);
    expect(transfer!.seconds).toBeLessThan(seconds + 0.02);
  });

  it('nothing is queued while a bucket is empty, where HTTP/1.1 fills the buffer', () => {
    const largestQueue = (http: string): number => {
      const queued = vi.spyOn(TcpReceiver.prototype, 'queuedBytes', 'get');
      run({ ...download, version: 'pr19384', http });
      const largest = queued.mock.results.reduce((most, { value }) => Math.max(most, value as number), 0);
      queued.mockRestore();
      return largest;
    };
    expect(largestQueue('1.1')).toBeGreaterThan(1_000_000);
    expect(largestQueue('2')).toBeLessThan(70_000);
  });

  it('transfers that follow each other on one handle begin with a window of their own', () => {
    const { transfers } = run({ ...download, http: 2, repeat: 3, reuse: true });
    expect(transfers!.map(({ completed }) => completed)).toEqual([true, true, true]);
    for (const { seconds } of transfers!) expect(seconds).toBeCloseTo(2.63, 1);
  });
});
