import { describe, expect, it } from 'vitest';
import { AverageWindow } from '../../../models/curl/average-window.ts';

const MS = 1_000_000;

describe('average window', () => {
  it('waits for what the bytes should have taken, rounded down, less what passed, rounded up', () => {
    const window = new AverageWindow(2_000_000);
    window.start(0, 0);
    // 180224 bytes should take 90.112 ms: 90. After 4.1 ms, 5 have passed.
    expect(window.waitMs(180_224, 4.1 * MS)).toBe(85);
    expect(window.waitMs(180_224, 90 * MS)).toBe(0);
    expect(window.waitMs(180_224, 200 * MS)).toBe(0);
  });

  it('does not wait without a limit, or while nothing was moved since the window began', () => {
    expect(new AverageWindow(0).waitMs(1e9, 0)).toBe(0);
    const window = new AverageWindow(10);
    window.start(0, 500);
    expect(window.waitMs(500, 0)).toBe(0);
  });

  it('moves only after three whole seconds', () => {
    const window = new AverageWindow(1000);
    window.start(0, 0);
    window.rebase(10_000, 3000 * MS - 1);
    expect(window.waitMs(10_000, 3000 * MS)).toBe(7000);
    window.rebase(10_000, 3000 * MS);
    expect(window.waitMs(10_000, 3000 * MS)).toBe(0);
    expect(window.waitMs(11_000, 3000 * MS)).toBe(1000);
  });

  it('does not limit below the count that it began with', () => {
    const window = new AverageWindow(1000);
    window.start(0, 5000);
    expect(window.waitMs(4999, 0)).toBe(0);
    expect(window.waitMs(6000, 0)).toBe(1000);
  });
});
