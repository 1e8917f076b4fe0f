import { describe, expect, it } from 'vitest';
import type { FlowResult } from '../../../sim/run/result.ts';
import { runTransfer } from '../../golden/curl-bed.ts';

/** Downloads over 100 Mbit/s with a limiter of 8 Mbit/s, a million bytes a second. */
function download(limiter: Record<string, unknown>, more: Record<string, unknown> = {}): FlowResult {
  const flow = { source: 'download', limiter: { rate: '8mbit', ...limiter }, size: 2_000_000, wakeup: '0s', ...more };
  return runTransfer({ flow, hop: { link: { rate: '100mbit', delay: '50us' } } });
}

describe('an application with a textbook limiter', () => {
  it.each([
    // All but the burst at the rate.
    ['token_bucket', { burst: '100000b' }, 1.9],
    // The first piece of 16384 bytes comes at once, and the last is due when all before it are paid off.
    ['leaky_bucket', {}, 122 * 0.016384],
    ['gcra', { tolerance: '100ms' }, 122 * 0.016384 - 0.1],
    // 250,000 bytes a window are 15 pieces of 16384: 123 pieces need nine windows, eight of them waited for.
    ['fixed_window', { window: '250ms' }, 2],
    ['sliding_log', { window: '250ms' }, 2],
  ] as const)('%s ends when its rule says', (kind, parameters, seconds) => {
    const { transfer } = download({ kind, ...parameters });
    expect(transfer!.completed).toBe(true);
    expect(transfer!.limitBitsPerSecond).toBe(8e6);
    // The first window or piece takes up to 20 ms over the link.
    expect(Math.abs(transfer!.seconds - seconds)).toBeLessThan(0.03);
  });

  it('downloads one after the other, and at the same time', () => {
    const { transfers } = download({ kind: 'leaky_bucket' }, { size: 100_000, repeat: 2, parallel: 2, pause: '1s' });
    expect(transfers).toHaveLength(4);
    // 100,000 bytes are seven pieces: six of them waited for.
    for (const { seconds } of transfers!) expect(Math.abs(seconds - 6 * 0.016384)).toBeLessThan(0.01);
  });

  it('a piece that never conforms is refused', () => {
    expect(() => download({ kind: 'token_bucket', burst: '1000b' })).toThrow(/at most the burst, 1000 bytes/);
  });
});
