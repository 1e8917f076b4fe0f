import { describe, expect, it } from 'vitest';
import type { Values } from '../../../models/model.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';

/** The class that a packet of a priority goes to. */
function classOf(given: Values, priority: number): string {
  const { root } = run(nested('prio', given), [burstOf(2, 100, { priority })], { linkBitsPerSecond: 8, durationNs: 1 });
  const names = Object.entries(root.report(0).children).filter(([, child]) => child.counters.backlogPackets === 1);
  expect(names).toHaveLength(1);
  return names[0]![0];
}

describe('prio', () => {
  it.each([
    [0, '1:2'],
    [1, '1:3'],
    [2, '1:3'],
    [6, '1:1'],
    [7, '1:1'],
    [15, '1:2'],
    [16, '1:2'],
  ])('puts priority %i into %s', (priority, name) => {
    expect(classOf({}, priority)).toBe(name);
  });

  it('lets a packet name its class by the handle', () => {
    expect(classOf({ handle: 0x10000 }, 0x10003)).toBe('1:3');
    expect(classOf({ classes: { '1:1': {} } }, 0x10001)).toBe('1:1');
  });

  it('takes the band of priority 0 for a class that is not there, or not its own', () => {
    expect(classOf({ handle: 0x10000 }, 0x10004)).toBe('1:2');
    expect(classOf({ handle: 0x10000 }, 0x10000)).toBe('1:2');
    expect(classOf({ handle: 0x10000 }, 0x20001)).toBe('1:2');
  });

  it('counts what each band has sent', () => {
    const sources = [burstOf(3, 100, { priority: 6 }), burstOf(2, 200, { flow: 2, priority: 2 })];
    const { root } = run(nested('prio'), sources);
    const { probe } = root;
    expect(probe?.names).toEqual(['1:1', '1:2', '1:3']);
    expect([0, 1, 2].map((index) => probe?.departedBytes(index))).toEqual([300, 0, 400]);
    expect([0, 1, 2].map((index) => probe?.departedPackets(index))).toEqual([3, 0, 2]);
  });

  it('gives its children the kernel and the device', () => {
    const busy = { linkBitsPerSecond: 8, durationNs: 1 };
    const classes = { '1:2': { qdisc: nested('bfifo') } };
    const given = { classes, txQueueLen: 2, kernel: '2.6.24' };
    const { fates } = run(nested('prio', given), [burstOf(4, 1514)], busy);
    // bfifo of 2.6.24: 2 * 1500 bytes, after the packet on the link.
    expect(fates.map(({ end }) => end)).toEqual(['departed', 'held', 'dropped', 'dropped']);
  });
});
