import { describe, expect, it } from 'vitest';
import { burstSteps, costSteps, htbNotes, lateRateBitsPerSecond } from '../../../../models/linux/htb/explain.ts';
import { htbClass, htbOf } from './htb-values.ts';

/** A leaf of `rate` on the kernel and tc of the thread of 2009. */
const leafOf2009 = (rate: number) =>
  htbOf({ '1:108': htbClass({ rate }) }, { kernel: '2.6.25', tc: '2.6.23', hz: 1000 });

describe('the price of an 836-byte packet in 2009', () => {
  // Slot 104 is priced for 832 bytes; trunc(832e6 / bytes per second) µs, of which 1024 ns make a tick.
  it.each([
    [476e6, 13, 12, 81380],
    [512e6, 13, 12, 81380],
    [513e6, 12, 11, 88778],
    [554e6, 12, 11, 88778],
    [555e6, 11, 10, 97656],
    [605e6, 11, 10, 97656],
    [606e6, 10, 9, 108507],
    [665e6, 10, 9, 108507],
  ])('at %i bit/s is %i µs, %i ticks: %i packets a second', (rate, wholeMicroseconds, costTicks, packetsPerSecond) => {
    const steps = costSteps(leafOf2009(rate), '1:108', 'rate', 836);
    expect(steps).toMatchObject({ slot: 104, pricedBytes: 832, wholeMicroseconds, costTicks, tickNs: 1024 });
    expect(Math.round(steps.packetsPerSecond)).toBe(packetsPerSecond);
  });

  it('puts 656.25 Mbit/s of frames on the wire at 555 Mbit/s: 10 ticks of 1024 ns for 840 bytes with the FCS', () => {
    const { packetsPerSecond } = costSteps(leafOf2009(555e6), '1:108', 'rate', 836);
    expect(packetsPerSecond * 840 * 8).toBe(656.25e6);
  });
});

describe('the price of a packet', () => {
  it('of 2.6.23 beyond the table is that of slot 255: 75 kbit/s let 469 kbit/s of 12.8 KB packets pass', () => {
    // Slot 255 of tc 2.6.24 and later is for 2048 bytes: 75000 / (2048 × 8) packets of 12800 bytes a second.
    const values = htbOf({ '1:1': htbClass({ rate: 75e3 }) }, { kernel: '2.6.23', tc: '2.6.24', r2q: 1 });
    const steps = costSteps(values, '1:1', 'rate', 12800);
    expect(steps).toMatchObject({ slot: 1600, pricedBytes: 2048 });
    const expected = (75e3 / (2048 * 8)) * 12800 * 8;
    expect(Math.abs(steps.bitsPerSecond / expected - 1)).toBeLessThan(0.01);
  });

  it('of 2.6.24 beyond the table is a sum of slots', () => {
    // 3000 - 1 >> 3 = slot 374 = 1 × 256 + 118: 2048 + 119 × 8 bytes.
    const values = htbOf({ '1:1': htbClass({ rate: 1e6 }) }, { kernel: '2.6.24' });
    expect(costSteps(values, '1:1', 'rate', 3000)).toMatchObject({ slot: 374, pricedBytes: 3000 });
  });

  it('of a later kernel shows the size with overhead, multiplier and shift', () => {
    const values = htbOf({ '1:1': htbClass({ rate: 10e6, overhead: 24 }) }, { kernel: '6.12' });
    // 1024 bytes at 1250000 bytes/s.
    expect(costSteps(values, '1:1', 'rate', 1000)).toMatchObject({
      pricedBytes: 1024,
      mult: 3355443200,
      shift: 22,
      costTicks: 819200,
      costNs: 819200,
    });
  });

  it('of the thread’s accounting: 800 bytes at 550 Mbit/s are 11 ticks, 581.8 Mbit/s', () => {
    const values = htbOf({ '1:1': htbClass({ rate: 550e6 }) }, { kernel: 'thread' });
    const steps = costSteps(values, '1:1', 'rate', 800);
    expect(steps).toMatchObject({ pricedBytes: 800, costTicks: 11, costNs: 11000 });
    expect(Math.floor(steps.packetsPerSecond)).toBe(90909);
    expect(Math.round(steps.bitsPerSecond / 1e5)).toBe(5818);
  });
});

describe('a burst on its way to the kernel', () => {
  it('shrinks in two steps with tc up to 6.14', () => {
    const values = htbOf({ '1:1': htbClass({ rate: 1e9 }) }, { kernel: '6.12', tc: '6.1' });
    // 12.8 µs → 12 µs → 187 ticks → 11968 ns, 1496 bytes; shown as 11 µs, 1375 bytes.
    expect(burstSteps(values, '1:1', 'rate')).toMatchObject({
      burstBytes: 1600,
      defaulted: true,
      wholeMicroseconds: 12,
      netlinkTicks: 187,
      netlinkTickNs: 64,
      bufferNs: 11968,
      keptBytes: 1496,
      shown: '1375b',
    });
  });

  it('keeps 1200 bytes at 10 Gbit/s', () => {
    // 1601 bytes take 1.28 µs → 1 µs → 15 ticks → 960 ns.
    const values = htbOf({ '1:1': htbClass({ rate: 10e9 }) }, { kernel: '6.12', tc: '6.1' });
    expect(burstSteps(values, '1:1', 'rate')).toMatchObject({ netlinkTicks: 15, keptBytes: 1200, shown: '0b' });
  });

  it('is that of the ceil for cburst', () => {
    const values = htbOf({ '1:1': htbClass({ rate: 1e6, ceil: 8e6, cburst: 20480 }) }, { kernel: '6.12', tc: '6.1' });
    expect(burstSteps(values, '1:1', 'ceil')).toMatchObject({ burstBytes: 20480, defaulted: false, shown: '20Kb' });
  });
});

describe('late wake-ups', () => {
  it('lose what comes later than the bucket takes to fill', () => {
    const values = htbOf({ '1:1': htbClass({ rate: 200e6 }) }, { kernel: '6.18', tc: '6.1' });
    const steps = costSteps(values, '1:1', 'rate', 1514);
    const { bufferNs } = burstSteps(values, '1:1', 'rate');
    // 1514 bytes cost 60560 ns, the bucket holds 64000: two packets a wake-up, 121120 ns of tokens in 57120 + latency.
    expect([steps.costNs, bufferNs]).toEqual([60560, 64000]);
    expect(lateRateBitsPerSecond(steps, bufferNs, 64000)).toBe(steps.bitsPerSecond);
    expect(lateRateBitsPerSecond(steps, bufferNs, 100_000)).toBeCloseTo((2 * 1514 * 8e9) / 157_120, 3);
  });
});

describe('notes on a configuration', () => {
  const texts = (values: ReturnType<typeof htbOf>): string[] =>
    htbNotes(values).map(({ path, text }) => `${path.join('.')}: ${text}`);
  const roomy = { burst: 200_000, cburst: 200_000 };

  it('has none for a plain tree with roomy buckets', () => {
    const classes = {
      '1:1': htbClass({ rate: 40e6, ...roomy }),
      '1:10': htbClass({ rate: 5e6, ceil: 40e6, parent: 0x10001, ...roomy }),
    };
    expect(texts(htbOf(classes, { default: 0x10010 }))).toEqual([]);
  });

  it('tells of a ceil that is of no use, or below the rate', () => {
    expect(texts(htbOf({ '1:1': htbClass({ rate: 5e6, ceil: 10e6, ...roomy }) }))).toEqual([
      'classes.1:1.ceil: a class without parent cannot use a ceil above its rate: nobody lends to it',
    ]);
    expect(texts(htbOf({ '1:1': htbClass({ rate: 5e6, ceil: 1e6, ...roomy }) }))).toEqual([
      'classes.1:1.ceil: ceil below rate: the ceil is what limits the class',
    ]);
  });

  it('tells of priorities and quanta that do not act as written', () => {
    const classes = {
      '1:1': htbClass({ rate: 40e6, prio: 1, quantum: 3000, ...roomy }),
      '1:10': htbClass({ rate: 10e3, prio: 9, parent: 0x10001, ...roomy }),
      '1:11': htbClass({ rate: 39e6, parent: 0x10001, ...roomy }),
    };
    expect(texts(htbOf(classes))).toEqual([
      'classes.1:1.prio: the prio of a class with children is ignored: priorities are those of leaves',
      'classes.1:1.quantum: the quantum of a class with children is ignored',
      'classes.1:10.prio: a prio above 7 acts as 7',
      'classes.1:10.quantum: rate / r2q is below 1000: quantum is 1000 bytes',
      'classes.1:11.quantum: rate / r2q is above 200000: quantum is 200000 bytes',
    ]);
  });

  it('tells how late a wake-up may be before the default burst loses rate', () => {
    const text = 'the bucket holds 1496 bytes (tc shows 1375b): a wake-up later than 11.9 µs loses rate';
    const given = { quantum: 60_000 };
    expect(texts(htbOf({ '1:1': htbClass({ rate: 1e9, ...given }) }, { kernel: '6.12', tc: '6.1' }))).toEqual([
      `classes.1:1.burst: ${text}`,
      `classes.1:1.cburst: ${text}`,
    ]);
  });

  it('tells of a default class with children, and of hysteresis', () => {
    const classes = {
      '1:1': htbClass({ rate: 1e6, ...roomy }),
      '1:10': htbClass({ rate: 1e6, parent: 0x10001, ...roomy }),
    };
    expect(texts(htbOf(classes, { default: 0x10001, kernel: '2.6.24' }))).toEqual([
      'default: the default class has children: packets that name no leaf go to the direct queue, unshaped',
      'hysteresis: with hysteresis a class sends down to minus one burst: bursts double',
    ]);
  });
});
