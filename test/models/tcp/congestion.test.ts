import { describe, expect, test } from 'vitest';
import { CongestionWindow } from '../../../models/tcp/congestion.ts';
import { createCongestionControl } from '../../../models/tcp/congestion-controls.ts';
import { Jiffies } from '../../../models/tcp/jiffies.ts';

const jiffies = new Jiffies(250);
const MS = 1e6;

function setUp(kind: string, packets: number, threshold: number) {
  const window = new CongestionWindow(packets, false);
  window.threshold = threshold;
  return { window, control: createCongestionControl(kind, jiffies) };
}

describe('Reno', () => {
  test('doubles in slow start: one packet for each that is acknowledged', () => {
    const { window, control } = setUp('reno', 10, 1000);
    for (let ack = 0; ack < 5; ack++) control.onAck(window, 2, 0);
    expect(window.packets).toBe(20);
  });

  test('spends what slow start leaves of an ACK on the additive increase', () => {
    const { window, control } = setUp('reno', 10, 12);
    control.onAck(window, 14, 0);
    // 2 packets take it to the threshold, 12 are a window's worth.
    expect(window.packets).toBe(13);
  });

  test('grows by one packet a window', () => {
    const { window, control } = setUp('reno', 20, 10);
    for (let ack = 0; ack < 20; ack++) control.onAck(window, 1, 0);
    expect(window.packets).toBe(21);
  });

  test('halves on loss, but not below two packets', () => {
    expect(setUp('reno', 21, 10).control.onLoss(new CongestionWindow(21, false))).toBe(10);
    expect(setUp('reno', 3, 10).control.onLoss(new CongestionWindow(3, false))).toBe(2);
  });
});

describe('CUBIC', () => {
  test('falls to 717/1024 on loss', () => {
    const { window, control } = setUp('cubic', 100, 50);
    // 100 * 717 / 1024 = 70.02
    expect(control.onLoss(window)).toBe(70);
  });

  test('is back at the old window after K, and flat there', () => {
    const { window, control } = setUp('cubic', 1000, 1000);
    window.threshold = control.onLoss(window);
    window.packets = window.threshold;
    expect(window.packets).toBe(700);
    // K = cbrt(300 / 0.4004) = 9.08 s; at a round trip of 1 s the friendly region adds 0.53 packets a second, which is nothing.
    const at: number[] = [];
    for (let second = 0; second <= 14; second++) {
      for (let part = 0; part < 100; part++) {
        control.onAck(window, Math.floor(window.packets / 100), (second * 1000 + part * 10) * MS);
      }
      at.push(window.packets);
    }
    expect(at[8]!).toBeGreaterThan(985);
    expect(at[9]!).toBeLessThan(1005);
    expect(at[10]! - at[8]!).toBeLessThan(12);
    // W(t) = 0.4 (t - K)^3 + 1000: 48 packets above at t = 14, of which the window lags a round trip.
    expect(at[13]!).toBeGreaterThan(1015);
    expect(at[13]!).toBeLessThan(1050);
  });

  test('grows as Reno would at short round trips: 8/15 of a packet a window', () => {
    const { window, control } = setUp('cubic', 28, 28);
    window.threshold = control.onLoss(window);
    window.packets = window.threshold;
    const start = window.packets;
    // 200 round trips of 5 ms within a second: the cubic itself moves little, C t^3 = 0.4 packets.
    for (let round = 0; round < 200; round++) {
      for (let ack = 0; ack < window.packets; ack++) control.onAck(window, 1, round * 5 * MS);
    }
    expect(window.packets - start).toBeGreaterThan(200 * 0.5);
    expect(window.packets - start).toBeLessThan(200 * 0.56);
  });

  test('leaves slow start when the round trips of a round have grown by an eighth, 4 ms at least', () => {
    const { window, control } = setUp('cubic', 40, 0x7fffffff);
    let nowNs = 1e9;
    control.onRtt(window, 20_000, 1, 1000, nowNs);
    for (let sample = 0; sample < 9; sample++) {
      nowNs += 3 * MS; // too far apart for a train of ACKs
      control.onRtt(window, 23_900, 500 + sample, 2000, nowNs);
    }
    expect(window.threshold).toBe(0x7fffffff);
    for (let sample = 0; sample < 10; sample++) {
      nowNs += 3 * MS;
      control.onRtt(window, 24_100, 2500 + sample, 4000, nowNs);
    }
    expect(window.threshold).toBe(40);
  });

  test('leaves slow start when an unpaced train of ACKs lasts half a round trip', () => {
    const { window, control } = setUp('cubic', 40, 0x7fffffff);
    const startNs = 1e9;
    control.onRtt(window, 20_000, 1, 1000, startNs);
    // The pacing rate is unknown here, so that nothing is added to half of 20 ms.
    for (let microseconds = 1000; microseconds <= 10_000; microseconds += 1000) {
      control.onRtt(window, 20_000, 1 + microseconds / 1000, 1000, startNs + microseconds * 1000);
    }
    expect(window.threshold).toBe(0x7fffffff);
    control.onRtt(window, 20_000, 20, 1000, startNs + 10_001_000);
    expect(window.threshold).toBe(40);
  });
});
