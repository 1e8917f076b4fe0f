import { describe, expect, test } from 'vitest';
import { PacketPool } from '../../../models/packet.ts';
import { Timers } from '../../../sim/engine/timers.ts';
import { returnPathOf } from '../../../sim/run/return-path.ts';

/** A clock, and two connections whose arrivals are noted as [connection, packet, ns]. */
function setUp(delaysNs: readonly [number, number]) {
  const timers = new Timers(0);
  const packets = new PacketPool();
  const arrivals: [number, number, number][] = [];
  const paths = delaysNs.map((delayNs, flow) => {
    const path = returnPathOf(timers, packets, delayNs);
    path.lead(flow, { returned: (packet, nowNs) => arrivals.push([flow, packet, nowNs]) });
    return path;
  });
  const send = (flow: number): number => {
    const packet = packets.fill(flow, 66, 0, 0, 0, timers.nowNs);
    paths[flow]!.send(packet, timers.nowNs);
    return packet;
  };
  return { timers, arrivals, paths, send };
}

describe('the way back', () => {
  test('brings each packet to its own connection after the delay, in the order of sending', () => {
    const { timers, arrivals, send } = setUp([100, 100]);
    const first = send(1);
    const second = send(0);
    timers.runUntil(50);
    const third = send(1);
    timers.runUntil(1000);
    expect(arrivals).toEqual([
      [1, first, 100],
      [0, second, 100],
      [1, third, 150],
    ]);
  });

  test('is one for all connections with the same delay, and another for another delay', () => {
    const same = setUp([100, 100]).paths;
    expect(same[0]).toBe(same[1]);
    const { timers, arrivals, paths, send } = setUp([100, 40]);
    expect(paths[0]).not.toBe(paths[1]);
    const slow = send(0);
    const fast = send(1);
    timers.runUntil(1000);
    expect(arrivals).toEqual([
      [1, fast, 40],
      [0, slow, 100],
    ]);
  });

  test('carries on when it has been empty', () => {
    const { timers, arrivals, send } = setUp([100, 100]);
    send(0);
    timers.runUntil(500);
    send(0);
    timers.runUntil(1000);
    expect(arrivals.map(([, , atNs]) => atNs)).toEqual([100, 600]);
  });
});
