import { describe, expect, it } from 'vitest';
import { tcShow } from '../../../sim/output/tc-show.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { lint } from '../../../sim/tc/lint/lint.ts';
import { filesIn, ran, scenarioOf, textOf } from './support.ts';

const CASES = filesIn('scenarios/cases').filter((name) => name.endsWith('.yaml'));

/** What the configuration alone says. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  'htb-giants.yaml': ['large-packets-small-table at hops.lan.classes.1:10'],
  'htb-root-rate-below-ceil.yaml': ['root-ceil-above-rate at hops.wan.classes.1:1.ceil'],
  'htb-prio-above-7.yaml': ['prio-above-7 at hops.wan.classes.1:18.prio'],
  'tc-default-bursts.yaml': ['ceil-below-rate at hops.lan.classes.1:4.ceil'],
  'tbf-256-mib-burst.yaml': ['burst-of-seconds at hops.wan.burst'],
  'units-bps.yaml': [
    'bytes-for-bits at hops.lan.classes.1:1.rate',
    'bytes-for-bits at hops.lan.classes.1:2.rate',
    'bytes-for-bits at hops.lan.classes.1:3.rate',
  ],
  'policed-tcp.yaml': ['police-burst-below-rtt at hops.small-tcp.burst'],
};

/** Bursts as tc shows them, by class. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sqm-minimum-burst.yaml': { '1:1': '1748b', '1:10': '1746b' },
  'tc-default-bursts.yaml': { '1:1': '1600b', '1:2': '1000b', '1:3': '2Kb' },
  'tc-burst-rounding.yaml': {
    '1:1': '1600b',
    '1:2': '1537b',
    '1:3': '1500b',
    '1:4': '1489b',
    '1:5': '1494b',
    '1:6': '1375b',
    '1:7': '0b',
  },
};

describe.each(CASES)('%s', (name) => {
  const loaded = scenarioOf(textOf(`scenarios/cases/${name}`));
  it('gives what was expected', () => {
    let judged = 0;
    for (const point of loaded.points()) {
      for (const { text, passed, actual } of simulate(point, { buckets: 0 }).expectations) {
        expect(passed, `${JSON.stringify(point.variables)} ${text}: ${actual}`).toBe(true);
        judged++;
      }
    }
    expect(judged).toBeGreaterThan(0);
  });
  it('shows its fault to the lint, if it has one', () => {
    const found = lint(loaded.first, loaded.document).map(({ rule, path }) => `${rule} at ${path.join('.')}`);
    expect(found).toEqual(expect.arrayContaining([...(FAULTS[name] ?? [])]));
    const named = [
      'bytes-for-bits',
      'root-ceil-above-rate',
      'ceil-below-rate',
      'prio-above-7',
      'police-burst-below-rtt',
    ];
    const others = found.filter((finding) => named.some((rule) => finding.startsWith(`${rule} `)));
    if (FAULTS[name] === undefined) expect(others).toEqual([]);
  });
});

describe('bursts as tc shows them', () => {
  it.each(Object.entries(SHOWN))('%s', (name, bursts) => {
    const loaded = scenarioOf(textOf(`scenarios/cases/${name}`));
    const shown = tcShow(loaded.first, ran(loaded));
    const found = [...shown.matchAll(/class htb (\S+) .* burst (\S+)\/1 mpu 0b cburst/g)].map(([, id, burst]) => [
      id,
      burst,
    ]);
    expect(Object.fromEntries(found)).toMatchObject(bursts);
  });
});

describe('turns of the deficit round robin', () => {
  it.each([
    ['10', 125],
    ['5', 250],
  ])('with r2q %s the longest run of one class is %d packets', (r2q, longest) => {
    const loaded = scenarioOf(textOf('scenarios/cases/drr-run-lengths.yaml'));
    const runs: number[] = [];
    let [last, length] = ['', 0];
    const tracer = {
      packet(event: string, _timeNs: number, _hop: string, flow: string): void {
        if (event !== 'depart') return;
        if (flow === last) length++;
        else {
          runs.push(length);
          [last, length] = [flow, 1];
        }
      },
    };
    simulate(loaded.pointOf({ r2q }), { buckets: 0, tracer });
    // The first turns are those of the bucket, the last ones of what is left; in between every turn is a quantum, but
    // where a class sends a packet of its own rate.
    const steady = runs.slice(10, -10);
    expect(Math.max(...steady)).toBe(longest);
    expect(steady.filter((run) => run === longest).length).toBeGreaterThan(steady.length / 2);
  });
});
