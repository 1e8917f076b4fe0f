import { describe, expect, it } from 'vitest';
import type { HtbClassValues, HtbValues } from '../../../../models/linux/htb/class-figures.ts';
import { htb } from '../../../../models/linux/htb/declaration.ts';
import { Htb } from '../../../../models/linux/htb/htb.ts';
import { ACCEPTED, DROPPED, type Surroundings, type Values } from '../../../../models/model.ts';
import { NO_PACKET, PacketPool } from '../../../../models/packet.ts';
import { buildQdisc } from '../../../../models/registry.ts';
import { type ReplaySource, replay } from '../../../golden/replay.ts';
import { valuesOf } from '../values-of.ts';
import { htbClass, htbOf } from './htb-values.ts';

/** An HTB with what is outside of it: packets, and the watchdog that it armed last. */
class Bench implements Surroundings {
  readonly packets = new PacketPool();
  readonly startNs = 0;
  wakeNs = -1;
  dropped = 0;
  readonly htb: Htb;

  constructor(values: Values) {
    this.htb = new Htb(values, this, buildQdisc);
  }

  newWatchdog(): number {
    return 0;
  }

  newTimer(): number {
    return 0;
  }

  wakeAt(_timer: number, timeNs: number): void {
    this.wakeNs = timeNs;
  }

  drop(packet: number): void {
    this.dropped++;
    this.packets.free(packet);
  }

  randomUint32(): number {
    return 0;
  }

  /** Offers a packet of `sizeBytes` to a class (u32); the result of the enqueue. */
  offer(priority: number, sizeBytes = 1000, nowNs = 0): number {
    return this.htb.enqueue(this.packets.fill(0, sizeBytes, sizeBytes, priority, 0, nowNs), nowNs);
  }

  /** Takes all that may leave now; the classes by their priority numbers. */
  take(nowNs: number): number[] {
    const taken: number[] = [];
    for (let packet = this.htb.dequeue(nowNs); packet !== NO_PACKET; packet = this.htb.dequeue(nowNs)) {
      taken.push(this.packets.priority[packet]!);
      this.packets.free(packet);
    }
    return taken;
  }

  counters(name: string): Readonly<Record<string, number>> {
    return this.htb.report(0).classes[name]!.counters;
  }
}

const roomy = { burst: 1_000_000, cburst: 1_000_000 };
const bench = (classes: Record<string, HtbClassValues>, given: Partial<HtbValues> = {}): Bench =>
  new Bench(htbOf(classes, given));

describe('where a packet goes', () => {
  const tree = {
    '1:1': htbClass({ rate: 1e9, ...roomy }),
    '1:10': htbClass({ rate: 1e9, parent: 0x10001, ...roomy }),
    '1:20': htbClass({ rate: 1e9, parent: 0x10001, ...roomy }),
  };
  const where = (priority: number, given: Partial<HtbValues>): string => {
    const { htb, packets } = bench(tree, given);
    return htb.classOf(packets.fill(0, 100, 100, priority, 0, 0));
  };

  it('is the leaf that it names, else the default leaf, else the direct queue', () => {
    expect(where(0x10010, { default: 0x10020 })).toBe('1:10');
    expect(where(0, { default: 0x10020 })).toBe('1:20');
    expect(where(0x20010, { default: 0x10020 })).toBe('1:20');
    expect(where(0, {})).toBe('direct');
  });

  it('is the direct queue for the handle of the qdisc, and where the default has children', () => {
    expect(where(0x10000, { default: 0x10020 })).toBe('direct');
    expect(where(0, { default: 0x10001 })).toBe('direct');
  });

  it('is the default leaf where it names a class with children', () => {
    expect(where(0x10001, { default: 0x10020 })).toBe('1:20');
  });
});

describe('lengths of queues', () => {
  const leaf = { '1:10': htbClass({ rate: 8000 }) };
  const taken = (priority: number, given: Partial<HtbValues>): number => {
    const { offer } = { offer: bench(leaf, given) };
    let count = 0;
    while (count < 2000 && offer.offer(priority) === ACCEPTED) count++;
    return count;
  };

  it('are the device’s, 1000 by default', () => {
    expect(taken(0x10010, { kernel: '6.12' })).toBe(1000);
    expect(taken(0x10010, { kernel: '6.12', txQueueLen: 7 })).toBe(7);
    expect(taken(0x10000, { kernel: '6.12', txQueueLen: 7 })).toBe(7);
    expect(taken(0x10000, { kernel: '6.12', txQueueLen: 7, directQlen: 3 })).toBe(3);
  });

  it('are 0 on a device without a queue, but 1 and 2 for the direct queue in older kernels', () => {
    expect([
      taken(0x10010, { kernel: '6.12', txQueueLen: 0 }),
      taken(0x10000, { kernel: '6.12', txQueueLen: 0 }),
    ]).toEqual([0, 0]);
    expect([
      taken(0x10010, { kernel: '3.6', txQueueLen: 0 }),
      taken(0x10000, { kernel: '3.6', txQueueLen: 0 }),
    ]).toEqual([1, 2]);
  });

  it('bound the leaf, whose drops are counted', () => {
    const full = bench({ '1:10': htbClass({ rate: 8000, limit: 2 }) });
    expect([full.offer(0x10010), full.offer(0x10010), full.offer(0x10010)]).toEqual([ACCEPTED, ACCEPTED, DROPPED]);
    expect(full.dropped).toBe(1);
    expect(full.counters('1:10')).toMatchObject({ droppedPackets: 1, backlogPackets: 2, backlogBytes: 2000 });
    expect(full.htb.report(0).counters).toMatchObject({ droppedPackets: 1, backlogPackets: 2, backlogBytes: 2000 });
  });
});

describe('counters', () => {
  const sentOf = (kernel: string): Readonly<Record<string, number>> => {
    const one = bench({ '1:10': htbClass({ rate: 8000 }) }, { kernel });
    for (let count = 0; count < 5; count++) one.offer(0x10010);
    // 1600 bytes of burst: two packets, the second in debt.
    expect(one.take(0)).toEqual([0x10010, 0x10010]);
    return one.counters('1:10');
  };

  it('of a leaf include what waits in it before 3.6', () => {
    expect(sentOf('3.4')).toMatchObject({ sentPackets: 5, sentBytes: 5000, lended: 2, backlogPackets: 3 });
    expect(sentOf('3.6')).toMatchObject({ sentPackets: 2, sentBytes: 2000, lended: 2, backlogPackets: 3 });
  });

  it('of overlimits are idle dequeues before 5.2, and times that ceil was used up from there', () => {
    const overlimits = (kernel: string): (number | undefined)[] => {
      const one = bench({ '1:10': htbClass({ rate: 8000 }) }, { kernel });
      for (let count = 0; count < 5; count++) one.offer(0x10010);
      for (const now of [0, 1, 2]) one.take(now);
      return [one.htb.report(0).counters.overlimits, one.counters('1:10').overlimits];
    };
    expect(overlimits('4.9')).toEqual([3, 0]);
    expect(overlimits('5.0')).toEqual([3, 1]);
    expect(overlimits('6.12')).toEqual([1, 1]);
  });

  it('of giants count each look-up beyond the table, twice for a packet at its own rate', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6, ...roomy }) }, { kernel: '2.6.23' });
    one.offer(0x10010, 2048);
    one.offer(0x10010, 2047);
    one.take(0);
    expect(one.counters('1:10').giants).toBe(2);
  });

  it('of tokens are shown in ticks of 64 ns by kernels that count in ns', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) }, { kernel: '6.12', tc: '6.1' });
    one.offer(0x10010, 1700);
    one.take(0);
    // 1600 bytes take 12.8 ms, 1700 cost 13.6 ms: -800000 ns.
    expect(one.counters('1:10')).toMatchObject({ tokens: -800_000, tokensShown: -12_500 });
  });

  it('are those of the declaration', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) });
    one.offer(0x10000);
    const { counters, classes } = one.htb.report(0);
    const used = new Set([counters, ...Object.values(classes).map((entry) => entry.counters)].flatMap(Object.keys));
    expect([...used].filter((name) => htb.counters[name] === undefined)).toEqual([]);
    expect(Object.keys(htb.counters).filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('dequeue', () => {
  it('takes the direct queue first, unshaped', () => {
    const one = bench({ '1:10': htbClass({ rate: 8000 }) });
    one.offer(0x10010);
    one.offer(0x10000);
    one.offer(0x10000);
    expect(one.take(0)).toEqual([0x10000, 0x10000, 0x10010]);
    expect(one.counters('direct')).toMatchObject({ sentPackets: 2, sentBytes: 2000 });
    expect(one.htb.lengthPackets).toBe(0);
    expect(one.htb.backlogBytes).toBe(0);
  });

  it('arms its watchdog for the instant at which tokens are back to 0', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) }, { kernel: '6.12', tc: '6.1' });
    for (let count = 0; count < 3; count++) one.offer(0x10010);
    // 12.8 ms of tokens less twice 8 ms.
    expect(one.take(0).length).toBe(2);
    expect(one.wakeNs).toBe(3_200_000);
    expect(one.take(3_199_999)).toEqual([]);
    expect(one.take(3_200_000).length).toBe(1);
  });

  it('does not arm it when nothing waits', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) });
    expect(one.take(0)).toEqual([]);
    expect(one.wakeNs).toBe(-1);
  });

  it('of a peeked packet gives that one; it is counted until then', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) });
    expect(one.htb.peek(0)).toBe(NO_PACKET);
    one.offer(0x10010);
    const packet = one.htb.peek(0);
    expect(one.htb.peek(5)).toBe(packet);
    expect([one.htb.lengthPackets, one.htb.backlogBytes]).toEqual([1, 1000]);
    expect(one.htb.dequeue(9)).toBe(packet);
    expect([one.htb.lengthPackets, one.htb.backlogBytes]).toEqual([0, 0]);
  });

  it('cuts a debt at 60 s: 8 bit/s let a packet pass each minute', () => {
    const one = bench({ '1:10': htbClass({ rate: 8 }) }, { kernel: '6.18', tc: '6.1' });
    for (let count = 0; count < 3; count++) one.offer(0x10010);
    const left: number[] = [];
    for (let now = 0, tries = 0; one.htb.lengthPackets > 0 && tries < 1000; now = one.wakeNs, tries++) {
      left.push(...one.take(now).map(() => now));
    }
    // A debt of 60 s less 1 ns, and bucket 225.6 s of wrapped ticks: tokens are there before ctokens run out.
    expect(left.map((now) => Math.ceil(now / 1e9))).toEqual([0, 60, 120]);
  });

  it('gives up after 500 events in kernels before 2.6.29, and goes on a tenth of a second later', () => {
    const classes: Record<string, HtbClassValues> = {};
    for (let minor = 1; minor <= 600; minor++) classes[`1:${minor.toString(16)}`] = htbClass({ rate: 8000, burst: 1 });
    const leftAt = (kernel: string): number => {
      const one = bench(classes, { kernel });
      for (let minor = 1; minor <= 600; minor++) for (const _ of [1, 2]) one.offer(0x10000 + minor);
      // Hysteresis lets each send one packet, or two, at once; all are then in debt for seconds.
      one.take(0);
      return one.take(3e9).length;
    };
    expect(leftAt('2.6.28')).toBe(500);
    expect(leftAt('2.6.29')).toBe(600);
  });
});

describe('tokens and modes, live', () => {
  it('are refilled up to the bucket', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e6 }) }, { kernel: '6.12', tc: '6.1' });
    const { probe } = one.htb;
    expect(probe.names).toEqual(['1:10', 'direct']);
    for (let count = 0; count < 3; count++) one.offer(0x10010);
    one.take(0);
    expect([probe.tokensNs(0, 0), probe.ctokensNs(0, 1_000_000)]).toEqual([-3_200_000, -2_200_000]);
    expect(probe.tokensNs(0, 1e9)).toBe(12_800_000);
    expect([probe.mode(0), probe.backlogPackets(0), probe.backlogBytes(0)]).toEqual([0, 1, 1000]);
    expect([probe.departedPackets(0), probe.departedBytes(0)]).toEqual([2, 2000]);
    expect([probe.tokensNs(1, 0), probe.backlogPackets(1)]).toEqual([Number.NaN, 0]);
  });

  it('tell what left through an inner class', () => {
    const one = bench({
      '1:1': htbClass({ rate: 1e9, ...roomy }),
      '1:10': htbClass({ rate: 1e9, parent: 0x10001, ...roomy }),
    });
    one.offer(0x10010);
    one.take(0);
    expect([one.htb.probe.departedPackets(0), one.htb.probe.departedBytes(1)]).toEqual([1, 1000]);
  });
});

describe('sharing', () => {
  /** Runs of the classes, in the order in which they were served. */
  const runs = (taken: readonly number[]): number[] => {
    const lengths: number[] = [];
    taken.forEach((id, index) => {
      if (index > 0 && taken[index - 1] === id) lengths[lengths.length - 1]!++;
      else lengths.push(1);
    });
    return lengths;
  };

  it.each([
    [10, 125],
    [5, 250],
  ])('with r2q %i, leaves of 1 Mbit/s that borrow send runs of %i packets of 100 bytes', (r2q, run) => {
    const lent = { rate: 1e6, ceil: 1e9, parent: 0x10001, burst: 1, cburst: 1_000_000 };
    const one = bench(
      {
        '1:1': htbClass({ rate: 1e9, burst: 100_000_000, cburst: 100_000_000 }),
        '1:10': htbClass(lent),
        '1:20': htbClass(lent),
        '1:30': htbClass(lent),
      },
      { r2q, txQueueLen: 5000 },
    );
    for (let count = 0; count < 3000; count++) for (const id of [0x10010, 0x10020, 0x10030]) one.offer(id, 100);
    const borrowed = runs(one.take(0)).slice(6, -3);
    expect(borrowed.length).toBeGreaterThan(6);
    expect(new Set(borrowed)).toEqual(new Set([run]));
  });

  it('treats priorities above 7 as 7', () => {
    const classes: Record<string, HtbClassValues> = { '1:1': htbClass({ rate: 1e9, ...roomy }) };
    for (let prio = 0; prio <= 9; prio++) {
      classes[`1:1${prio}`] = htbClass({ rate: 1000, ceil: 1e9, parent: 0x10001, prio, burst: 1, cburst: 1_000_000 });
    }
    const one = bench(classes);
    for (let round = 0; round < 30; round++) for (let prio = 0; prio <= 9; prio++) one.offer(0x10010 + prio);
    const taken = one.take(0).map((id) => id - 0x10010);
    const first = (prio: number): number => taken.indexOf(prio, 10);
    // Each sends a packet or two of its own; then priority by priority, 7, 8 and 9 in turn.
    expect(first(0)).toBeLessThan(first(6));
    expect(taken.slice(-30)).toEqual(Array.from({ length: 10 }, () => [7, 8, 9]).flat());
  });
});

describe('kernel: thread', () => {
  it('lets 90,909 packets of 800 bytes a second pass at 550 Mbit/s', () => {
    const values = htbOf({ '1:10': htbClass({ rate: 550e6 }) }, { kernel: 'thread' });
    let left = 0;
    let firstNs = -1;
    let lastNs = 0;
    const source: ReplaySource = {
      flow: 0,
      priority: 0x10010,
      sizeBytes: 800,
      intervalNs: 7000,
      startNs: 0,
      count: 1e6,
    };
    const settings = {
      startNs: 0,
      durationNs: 1e8,
      linkBitsPerSecond: 0,
      linkOverheadBytes: 0,
      timerResolutionNs: 0,
      timerLatencyNs: 0,
    };
    replay((surroundings) => new Htb(values, surroundings, buildQdisc), settings, [source], {
      onDeparture: (_packet, _packets, nowNs) => {
        left++;
        if (nowNs < 1e7) return;
        if (firstNs < 0) {
          firstNs = nowNs;
          left = 0;
        }
        lastNs = nowNs;
      },
    });
    expect((left * 1e9) / (lastNs - firstNs)).toBeCloseTo(1e6 / 11, 0);
  });
});

describe('a qdisc in a leaf', () => {
  const nested = (kind: string, given: Values = {}) => ({ kind, values: valuesOf(kind, given) });

  it('sees the packets of its class, and reports below it', () => {
    const one = bench({ '1:10': htbClass({ rate: 1e9, ...roomy, qdisc: nested('bfifo', { limit: 2500 }) }) });
    expect([one.offer(0x10010), one.offer(0x10010), one.offer(0x10010)]).toEqual([ACCEPTED, ACCEPTED, DROPPED]);
    expect([one.htb.lengthPackets, one.htb.backlogBytes, one.dropped]).toEqual([2, 2000, 1]);
    expect(one.counters('1:10')).toMatchObject({ droppedPackets: 1, backlogPackets: 2, backlogBytes: 2000 });
    expect(one.take(0).length).toBe(2);
    expect([one.htb.lengthPackets, one.htb.backlogBytes]).toEqual([0, 0]);
    expect(one.htb.report(0).children['1:10']!.counters).toMatchObject({ sentPackets: 2, droppedPackets: 1 });
  });

  it('that holds packets back loses its turn, and the other leaf sends', () => {
    const one = bench({
      '1:10': htbClass({ rate: 1e9, ...roomy, qdisc: nested('tbf', { rate: 8e6, burst: 1500, limit: 100_000 }) }),
      '1:20': htbClass({ rate: 1e9, ...roomy }),
    });
    for (let count = 0; count < 3; count++) for (const id of [0x10010, 0x10020]) one.offer(id);
    expect(one.take(0)).toEqual([0x10010, 0x10020, 0x10020, 0x10020]);
    // The bucket of 1.5 ms has 0.5 ms left; the second packet needs 1 ms.
    expect(one.take(500_000)).toEqual([0x10010]);
    expect(one.take(1_500_000)).toEqual([0x10010]);
    expect(one.htb.lengthPackets).toBe(0);
  });

  it('that drops what it holds takes it off the HTB’s length', () => {
    // codel drops after 100 ms above its target of 5 ms, at the dequeue.
    const one = bench({ '1:10': htbClass({ rate: 8e6, qdisc: nested('codel') }) });
    let left = 0;
    for (let now = 0; now < 1e9; now += 500_000) {
      one.offer(0x10010, 1000, now);
      left += one.take(now).length;
      expect(one.htb.lengthPackets).toBe(one.htb.probe.backlogPackets(0));
      expect(one.htb.backlogBytes).toBe(one.htb.probe.backlogBytes(0));
    }
    expect(one.dropped).toBeGreaterThan(0);
    expect(left + one.dropped + one.htb.lengthPackets).toBe(2000);
    expect(one.packets.live).toBe(one.htb.lengthPackets);
  });

  it.each(['sfq', 'fq_codel', 'red', 'prio', 'pfifo'])('%s: every packet leaves or is dropped', (kind) => {
    const given = kind === 'red' ? { limit: 60_000, avpkt: 1000 } : {};
    const one = bench({
      '1:1': htbClass({ rate: 10e6 }),
      '1:10': htbClass({ rate: 2e6, ceil: 10e6, parent: 0x10001, qdisc: nested(kind, given) }),
      '1:20': htbClass({ rate: 2e6, ceil: 10e6, parent: 0x10001 }),
    });
    let left = 0;
    for (let now = 0; now < 1e9; now += 400_000) {
      one.offer(0x10010, 1000, now);
      one.offer(0x10020, 1000, now);
      left += one.take(now).length;
    }
    expect(left).toBeGreaterThan(1200);
    for (let now = 1e9; one.htb.lengthPackets > 0 && now < 100e9; now += 1e7) left += one.take(now).length;
    expect(left + one.dropped).toBe(5000);
    expect(one.packets.live).toBe(0);
  });

  it('may be an HTB: the inner one limits, on the same kernel', () => {
    const inner = htbOf({ '2:1': htbClass({ rate: 1e6, ...{ burst: 1000, cburst: 1000 } }) }, { default: 0x20001 });
    const one = bench(
      {
        '1:10': htbClass({ rate: 8e6, ...roomy, qdisc: { kind: 'htb', values: inner } }),
        '1:20': htbClass({ rate: 8e6, ...roomy }),
      },
      { kernel: '2.6.31' },
    );
    for (let count = 0; count < 10; count++) for (const id of [0x10010, 0x10020]) one.offer(id);
    const taken = one.take(0);
    expect(taken.filter((id) => id === 0x10010).length).toBe(2);
    expect(taken.filter((id) => id === 0x10020).length).toBe(10);
    expect(one.htb.lengthPackets).toBe(8);
    // Ticks of 64 ns, as the kernel of the outer one has: 1000 bytes at 125000 bytes/s are 8 ms.
    const { tokens } = one.htb.report(0).children['1:10']!.classes['2:1']!.counters;
    expect(tokens).toBe(-8_000_000 / 64);
    expect(one.take(8_000_000)).toEqual([0x10010]);
  });
});
