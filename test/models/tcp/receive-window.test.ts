import { describe, expect, test } from 'vitest';
import { MSS_BYTES } from '../../../models/tcp/headers.ts';
import { Reassembly } from '../../../models/tcp/reassembly.ts';
import { ReceiveWindow } from '../../../models/tcp/receive-window.ts';
import { tcpSettings } from '../../../models/tcp/settings.ts';

function receiveWindow(values: Record<string, unknown> = {}): ReceiveWindow {
  return new ReceiveWindow(tcpSettings({ rcvbufMax: 6291456, ...values }), new Reassembly());
}

/** A full segment arrives in order and is queued. */
function arrive(window: ReceiveWindow): void {
  window.queuedMemoryBytes += window.memoryOf(MSS_BYTES);
  window.measureSegment(MSS_BYTES);
  window.grow(MSS_BYTES);
}

/** One round trip of 20 ms in which the application reads `bytes`. */
function read(window: ReceiveWindow, total: number, nowUs: number): void {
  window.adjust(total, 0, nowUs);
}

describe('the receive window', () => {
  test('starts with 65160 bytes and grows to what the first buffer holds beside one segment', () => {
    const window = receiveWindow();
    expect(window.offeredBytes).toBe(65160);
    for (let segment = 0; segment < 10; segment++) {
      arrive(window);
      window.queuedMemoryBytes = 0;
    }
    // (131072 - 2304) * 160 / 256 = 80480, measured; the model books 2303 bytes for a segment.
    expect(window.thresholdBytes).toBe(80480);
    // Scale 7: a multiple of 128.
    expect(window.offer(14480)).toBe(80512);
  });

  test('closes as the queue fills, and no right edge moves back', () => {
    const window = receiveWindow({ rcvbufMax: 131072 });
    let expected = 0;
    let edge = window.offeredFromBytes + window.offeredBytes;
    while (window.remainingBytes(expected) >= MSS_BYTES) {
      arrive(window);
      expected += MSS_BYTES;
      window.offer(expected);
      expect(window.offeredFromBytes + window.offeredBytes).toBeGreaterThanOrEqual(edge);
      edge = window.offeredFromBytes + window.offeredBytes;
    }
    // What an idle application's queue took in the measured run: 81.8 kB, the whole 131072 * 0.625.
    expect(expected / 81_920).toBeCloseTo(1, 1);
    expect(window.select()).toBe(0);
  });

  test('tells of freed space when the window doubles', () => {
    const window = receiveWindow({ rcvbufMax: 131072 });
    let expected = 0;
    while (window.remainingBytes(expected) >= MSS_BYTES) {
      arrive(window);
      expected += MSS_BYTES;
      window.offer(expected);
    }
    expect(window.isWorthTelling(expected)).toBe(false);
    window.queuedMemoryBytes -= 2 * window.memoryOf(MSS_BYTES);
    // At most 3 * 2303 * 0.625 = 4318 bytes are free: below a sixteenth of the buffer, 5120, a window is not worth offering.
    expect(window.isWorthTelling(expected)).toBe(false);
    window.queuedMemoryBytes -= 2 * window.memoryOf(MSS_BYTES);
    expect(window.isWorthTelling(expected)).toBe(true);
  });

  test('enlarges the buffer to 244316 bytes when reading grows from 15928 to 28960 bytes a round trip', () => {
    const window = receiveWindow();
    window.begin(0);
    window.measureSegment(MSS_BYTES);
    window.sampleRtt(20_000, true);
    read(window, 15928, 20_000);
    read(window, 15928 + 28960, 40_000);
    // 2 * 28960 + 2 * floor(57920 * 13032 / 15928) = 152698 bytes of window; / 0.625 = 244316, as measured.
    expect(window.bufferBytes).toBe(244316);
    expect(window.clampBytes).toBe(152697);
  });

  test.each([
    // 2 * 28960, with neither growth nor head room: / 0.625 = 92672 is less than the 131072 there are.
    ['6.16', 131072],
    // 2 * 28960 + 16 * 1448 = 81088; growth 2 * floor(81088 * 13032 / 15928) = 132688; 213776 / 0.625 = 342041.
    ['6.15', 342041],
  ])('follows the rule of kernel %s', (kernel, expected) => {
    const window = receiveWindow({ kernel });
    window.begin(0);
    window.measureSegment(MSS_BYTES);
    window.sampleRtt(20_000, true);
    read(window, 15928, 20_000);
    const before = window.bufferBytes;
    read(window, 15928 + 28960, 40_000);
    expect(window.bufferBytes).toBe(Math.max(before, expected));
  });

  test('counts nothing as read that lies unread', () => {
    const window = receiveWindow();
    window.begin(0);
    window.measureSegment(MSS_BYTES);
    window.sampleRtt(20_000, true);
    window.adjust(100_000, 90_000, 20_000);
    expect(window.bufferBytes).toBe(131072);
  });

  test('leaves a buffer alone that the application has set', () => {
    const window = receiveWindow({ rcvbuf: 100_000 });
    window.begin(0);
    window.measureSegment(MSS_BYTES);
    window.sampleRtt(20_000, true);
    read(window, 1e6, 20_000);
    expect(window.bufferBytes).toBe(200_000);
  });

  test('takes a shorter round trip at once, and a longer one only while nothing is queued', () => {
    const window = receiveWindow();
    window.sampleRtt(40_000, true);
    window.sampleRtt(20_000, false);
    expect(window.rttUs).toBe(20_000);
    window.sampleRtt(100_000, false);
    expect(window.rttUs).toBe(20_000);
    window.sampleRtt(100_000, true);
    expect(window.rttUs).toBe(30_000);
  });
});
