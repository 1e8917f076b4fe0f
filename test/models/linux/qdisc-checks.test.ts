import { describe, expect, it } from 'vitest';
import type { Values } from '../../../models/model.ts';
import { burstOf, nested, run } from './qdisc-laws.ts';
import { shaperOf, valuesOf } from './values-of.ts';

/** The path of the first problem that a shaper finds, and how many there are. */
function problems(kind: string, given: Values): { path: string; expected: string; received: string }[] {
  const found = shaperOf(kind).check?.(valuesOf(kind, given)) ?? [];
  return found.map(({ path, expected, received }) => ({ path: path.join('.'), expected, received }));
}

const tbf = { rate: 1e6, burst: 5000 };
const red = { limit: 400_000, avpkt: 1000 };

describe('what tc and the kernel refuse is found before the run', () => {
  it.each<[string, string, Values, string]>([
    ['neither limit nor latency', 'tbf', tbf, 'limit'],
    ['both limit and latency', 'tbf', { ...tbf, limit: 1000, latency: 1e6 }, 'latency'],
    ['a peak rate without its bucket', 'tbf', { ...tbf, limit: 1000, peakrate: 2e6 }, 'mtu'],
    ['a peak rate that is not higher', 'tbf', { ...tbf, limit: 1000, peakrate: 1e6, mtu: 1600 }, 'peakrate'],
    ['a bucket too small for the table', 'tbf', { rate: 8000, burst: 1, limit: 1000, kernel: '2.6.24' }, 'burst'],
    ['an unknown kernel', 'tbf', { ...tbf, limit: 1000, kernel: '2.4.20' }, 'kernel'],
    ['an unknown tc', 'tbf', { ...tbf, limit: 1000, tc: '1.0' }, 'tc'],
    ['a rate without burst', 'police', { rate: 1e6 }, 'burst'],
    ['an average without its times', 'police', { avrate: 1e6 }, 'estimator'],
    ['times of no average', 'police', { rate: 1e6, burst: 1000, estimator: { interval: 1e9, average: 4e9 } }, 'avrate'],
    ['an average too short', 'police', { avrate: 1e6, estimator: { interval: 1e9, average: 1e9 } }, 'estimator'],
    ['a peak rate without mtu', 'police', { rate: 1e6, burst: 1000, peakrate: 2e6 }, 'mtu'],
    ['a policer of nothing', 'police', {}, ''],
    ['two kinds of rates', 'police', { rate: 1e6, burst: 1000, pktsRate: 10, pktsBurst: 1 }, 'pktsRate'],
    ['a packet rate without its bucket', 'police', { pktsRate: 10 }, 'pktsBurst'],
    ['packet rates before 5.13', 'police', { pktsRate: 10, pktsBurst: 1, kernel: '5.12' }, 'pktsRate'],
    ['two bands with the map for three', 'prio', { bands: 2 }, 'priomap'],
    ['a band that is not there', 'prio', { priomap: [3] }, 'priomap'],
    ['a class beyond the bands', 'prio', { classes: { '1:4': {} } }, 'classes.1:4'],
    ['classes of two handles', 'prio', { classes: { '1:1': {}, '2:2': {} } }, 'classes.2:2'],
    ['classes of another handle', 'prio', { handle: 0x20000, classes: { '1:1': {} } }, 'classes.1:1'],
    ['a divisor that is no power of two', 'sfq', { divisor: 1000 }, 'divisor'],
    ['a limit of one packet', 'sfq', { limit: 1 }, 'limit'],
    ['a limit of one packet by depth and flows', 'sfq', { limit: 10, depth: 1, flows: 1 }, 'limit'],
    ['RED in sfq without its limit', 'sfq', { min: 3000 }, 'min'],
    ['sizes that the sfq of 2.6 has fixed', 'sfq', { divisor: 16, kernel: '2.6.24' }, 'divisor'],
    ['a max below min', 'red', { ...red, min: 30_000, max: 20_000 }, 'max'],
    ['a burst that min / avpkt exceeds', 'red', { ...red, min: 30_000, max: 90_000, burst: 20 }, 'burst'],
    [
      'thresholds that do not fit 32 bits',
      'red',
      { limit: 4e9, avpkt: 1000, min: 1e8, max: 1.2e8, probability: 0.9 },
      'min',
    ],
    ['a probability that vanishes', 'red', { ...red, min: 30_000, max: 90_000, probability: 1e-6 }, 'probability'],
    ['nodrop without ecn', 'red', { ...red, nodrop: true }, 'nodrop'],
    ['fq_codel before there was one', 'fq_codel', { kernel: '2.6.24' }, 'kernel'],
    ['a correlation of nothing', 'netem', { delayCorrelation: 0.5 }, 'delayCorrelation'],
    ['a distribution of nothing', 'netem', { delay: 1e6, distribution: 'normal' }, 'distribution'],
    ['another order without a delay', 'netem', { reorder: 0.5 }, 'reorder'],
    ['a gap alone', 'netem', { delay: 1e6, gap: 5 }, 'gap'],
    ['two models of loss', 'netem', { loss: 0.1, lossState: { p13: 0.1, p32: 0, p23: 1, p14: 0 } }, 'lossState'],
    ['marks instead of no losses', 'netem', { ecn: true }, 'ecn'],
    ['a chain without its way back', 'netem', { lossState: { p13: 0.1, p32: 0.5, p23: 1, p14: 0 } }, 'lossState.p32'],
    ['cells without a rate', 'netem', { cellSize: 48 }, 'cellSize'],
    ['an overhead without a rate', 'netem', { packetOverhead: 14 }, 'packetOverhead'],
    ['an overhead that leaves no packet', 'netem', { rate: 1e6, packetOverhead: -60 }, 'packetOverhead'],
    ['cells of nothing', 'netem', { rate: 1e6, cellSize: 48, cellOverhead: -48 }, 'cellOverhead'],
    ['slots without a time', 'netem', { slot: { packets: 3 } }, 'slot.minDelay'],
    ['slots that end before they begin', 'netem', { slot: { minDelay: 2e6, maxDelay: 1e6 } }, 'slot.maxDelay'],
    ['slots with no time between', 'netem', { slot: { minDelay: 0 } }, 'slot'],
    [
      'slots of bounds and a distribution',
      'netem',
      { slot: { distribution: 'normal', delay: 1, jitter: 1, minDelay: 1 } },
      'slot.minDelay',
    ],
    ['slots of half a distribution', 'netem', { slot: { distribution: 'normal', delay: 1e6 } }, 'slot'],
    ['copies of copies', 'netem', { duplicate: 0.1, qdisc: { kind: 'netem', values: {} } }, 'qdisc'],
  ])('%s', (_, kind, given, path) => {
    const found = problems(kind, given);
    expect(found[0]?.path).toBe(path);
    expect(found[0]?.expected).not.toBe('');
    expect(found[0]?.received).not.toBe('');
  });

  it.each<[string, Values]>([
    ['tbf', { ...tbf, limit: 1000 }],
    ['tbf', { ...tbf, latency: 50e6, peakrate: 2e6, mtu: 1600 }],
    ['police', { rate: 1e6, burst: 1000 }],
    ['police', { mtu: 1500 }],
    ['prio', { bands: 5, classes: { '1:5': {} } }],
    ['sfq', { divisor: 16, perturb: 10e9, redflowlimit: 60_000 }],
    ['red', { ...red, min: 30_000, max: 90_000, burst: 55 }],
    ['codel', { kernel: '3.6' }],
    ['fq_codel', {}],
    ['netem', { delay: 1e6, jitter: 1e5, delayCorrelation: 0.2 }],
    ['pfifo', { kernel: '2.6.24' }],
    ['bfifo', {}],
    ['pfifo_head_drop', {}],
    ['pfifo_fast', {}],
  ])('nothing is wrong with %s %j', (kind, given) => {
    expect(problems(kind, given)).toEqual([]);
  });

  it('says what was expected, what came, and what to do', () => {
    const [problem] = shaperOf('sfq').check!(valuesOf('sfq', { divisor: 1000 }));
    expect(problem).toEqual({
      path: ['divisor'],
      expected: 'a power of two up to 65536',
      received: '1000',
      hint: 'the nearest are 512 and 1024',
    });
  });

  it('every counter that a qdisc reports is declared', () => {
    const given: Readonly<Record<string, Values>> = {
      tbf: { ...tbf, limit: 1000 },
      police: { rate: 1e6, burst: 1000 },
      red,
    };
    for (const kind of [
      'tbf',
      'police',
      'pfifo',
      'bfifo',
      'pfifo_head_drop',
      'pfifo_fast',
      'prio',
      'sfq',
      'codel',
      'fq_codel',
      'red',
      'fq',
      'netem',
    ]) {
      const { counters } = run(nested(kind, given[kind] ?? {}), [burstOf(1, 100)]).root.report(0);
      expect({ kind, counters: Object.keys(counters).sort() }).toEqual({
        kind,
        counters: Object.keys(shaperOf(kind).counters).sort(),
      });
    }
  });
});

describe('what follows the longest frame of the device', () => {
  const jumbo = { deviceMtu: 9000 };
  const link = { linkBitsPerSecond: 8e6 };
  const counters = (kind: string, given: Values) =>
    run(nested(kind, { ...jumbo, ...given }), [burstOf(200, 1000, { intervalNs: 5e5 })], link).root.report(0).counters;

  it('quanta of sfq and fq_codel', () => {
    expect(counters('sfq', {}).quantum).toBe(9014);
    expect(counters('fq_codel', {}).quantum).toBe(9014);
  });
  it('the backlog up to which codel drops nothing', () => {
    // 2000 bytes/ms come and 1000 leave: after 200 ms at most 100 packets wait; with a limit of 9 the backlog stays below 9014.
    expect(counters('codel', { limit: 9 }).count).toBe(0);
    expect(counters('codel', { limit: 100 }).count).toBeGreaterThan(0);
  });
  it('the default of bfifo, with the Ethernet header', () => {
    const source = burstOf(12, 9014);
    const held = run(nested('bfifo', { ...jumbo, txQueueLen: 10 }), [source], { ...link, durationNs: 1 });
    // One is on its way; ten times 9014 bytes fit.
    expect(held.fates.filter(({ end }) => end === 'dropped')).toHaveLength(1);
  });
});
