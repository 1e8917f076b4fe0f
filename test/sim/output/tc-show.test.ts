import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { qdiscShowOrder } from '../../../sim/output/tc-class-order.ts';
import { tcFormat } from '../../../sim/output/tc-format.ts';
import { tcShow } from '../../../sim/output/tc-show.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { importTc } from '../../../sim/tc/import.ts';

const golden = (name: string): string => readFileSync(new URL(`../../golden/tc-6.1/${name}`, import.meta.url), 'utf8');

/** What tc prints, with the numbers that depend on the traffic taken out. */
function form(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trimEnd())
    .map((line) =>
      line.startsWith(' ') || line.startsWith('\t')
        ? line.replaceAll(/-?\d+(?:[KM]?b|p)?/g, (number) => number.replace(/-?\d+(?:[KM])?/, 'N'))
        : line.replace(/refcnt \d+/, 'refcnt N'),
    );
}

/** The simulated state after the commands of tc 6.1's golden files. */
function shown(): { readonly classes: string; readonly qdiscs: string } {
  const yaml = importTc(golden('script.txt'), 'script.txt').yaml!.replace(
    'shaper: htb',
    'shaper: htb\n    tc: "6.1"\n    kernel: "6.12"',
  );
  const loaded = loadScenario(yaml, 'x.yaml', { registry });
  const text = tcShow(loaded.first, simulate(loaded.pointAt(0), { buckets: 0 }));
  const at = text.indexOf('# d0: tc -s -d qdisc show');
  return { classes: text.slice(0, at), qdiscs: text.slice(at) };
}

describe('the simulated state in the words of tc 6.1', () => {
  it('has the classes of tc -s -d class show', () => {
    expect(form(shown().classes)).toEqual(form(golden('class-show.txt')));
  });
  it('has the qdiscs of tc -s -d qdisc show', () => {
    expect(form(shown().qdiscs)).toEqual(form(golden('qdisc-show.txt')));
  });
  it('has the counters of the simulation', () => {
    const yaml = `
duration: 1s
hops:
  h: { shaper: htb, kernel: "6.12", tc: "6.1", default: "1:1", classes: { "1:1": { rate: 80kbit } } }
flows:
  f: { source: cbr, interval: 0s, count: 30, size: 1000b, via: [h] }
`;
    const loaded = loadScenario(yaml, 'x.yaml', { registry });
    const text = tcShow(loaded.first, simulate(loaded.pointAt(0), { buckets: 0 }));
    // 10,000 bytes in a second, 1,600 of the bucket, and the packet that leaves in debt: 12 packets, 18 wait.
    expect(text).toContain(' Sent 12000 bytes 12 pkt (dropped 0, overlimits ');
    expect(text).toContain(' backlog 18000b 18p requeues 0');
    expect(text).toContain(' lended: 12 borrowed: 0 giants: 0');
  });
});

/** The state after a run, as tc shows it. */
function shownAfter(yaml: string, version?: string): string {
  const loaded = loadScenario(yaml, 'x.yaml', { registry });
  return tcShow(loaded.first, simulate(loaded.pointAt(0), { buckets: 0 }), version);
}

describe('rates that kernels estimated unasked', () => {
  const yaml = (kernel: string, duration: string): string => `
duration: ${duration}
hops:
  h: { shaper: htb, kernel: "${kernel}", default: "1:1", classes: { "1:1": { rate: 8mbit } } }
flows:
  f: { source: cbr, interval: 1ms, size: 500b, via: [h] }
`;
  it('of qdiscs up to 2.6.32, of HTB classes up to 3.10', () => {
    expect(shownAfter(yaml('2.6.25', '1s'))).toMatch(
      /\n rate 0bit 0pps backlog 0b 0p requeues 0 \n lended[\s\S]*\n rate 0bit 0pps backlog/,
    );
    expect(shownAfter(yaml('3.2', '1s'))).toMatch(
      /\n rate 0bit 0pps backlog 0b 0p requeues 0 \n lended[\s\S]*\) \n backlog/,
    );
    expect(shownAfter(yaml('3.13', '1s'))).not.toContain('pps');
  });
  it('grow by a quarter of what is new every 4 s', () => {
    // 500,000 bytes and 1,000 packets a second; after 8 s 1 - 0.75² = 7/16 of it: 218,750 bytes, 1.75 Mbit/s, 437.5 packets.
    expect(shownAfter(yaml('3.2', '8001ms'))).toContain(' rate 1750Kbit 437pps backlog');
  });
});

describe('a policer in the words of tc -s -d filter show', () => {
  const yaml = (options: string): string => `
duration: 3s
hops:
  h: { shaper: police, kernel: "6.12", tc: "6.1", ${options} }
flows:
  f: { source: cbr, interval: 0s, count: 9, size: 1000b, via: [h] }
`;
  it('has the lines of tc 6.1', () => {
    // 10 kb at 1 Mbit/s: nine packets of 1,000 bytes conform; of 3 kb three do.
    expect(shownAfter(yaml('rate: 1mbit, burst: 3kb, exceed: drop'))).toBe(`# h: tc -s -d filter show egress
filter protocol all pref 1 matchall chain 0 
filter protocol all pref 1 matchall chain 0 handle 0x1 
  not_in_hw
\taction order 1:  police 0x1 rate 1Mbit burst 3Kb mtu 2Kb action drop overhead 0b linklayer ethernet 
\tref 1 bind 1  installed 3 sec used 3 sec
\tAction statistics:
\tSent 9000 bytes 9 pkt (dropped 6, overlimits 6 requeues 0) 
\tbacklog 0b 0p requeues 0
`);
  });
  it.each([
    ['rate: 1mbit, burst: 10kb', 'rate 1Mbit burst 10Kb mtu 2Kb action reclassify overhead 0b linklayer ethernet '],
    [
      'rate: 1mbit, burst: 1kb, mtu: 2047b, peakrate: 2mbit, exceed: pipe, conform: continue, overhead: 14b, avrate: 800kbit, estimator: { interval: 250ms, average: 1s }',
      'rate 1Mbit burst 1Kb mtu 2Kb peakrate 2Mbit avrate 800Kbit action pipe/continue overhead 14b linklayer ethernet ',
    ],
    [
      'mtu: 1500b, exceed: drop, conform: pipe',
      'rate 0bit burst 0b mtu 1500b action drop/pipe overhead 0b linklayer unspec ',
    ],
    [
      'pktsRate: 1000, pktsBurst: 100, exceed: drop',
      'rate 0bit burst 0b mtu 4096Mb pkts_rate 1000 pkts_burst 100 action drop overhead 0b linklayer unspec ',
    ],
  ])('%s', (options, shown) => {
    expect(/police 0x1 (.*)/.exec(shownAfter(yaml(options)))![1]).toBe(shown);
  });
});

describe('the statistics of kinds that have some of their own', () => {
  const yaml = (hop: string, flow: string): string => `
duration: 1s
hops:
  h: { ${hop} }
flows:
  f: { source: cbr, ${flow}, via: [h] }
`;
  it('red: marks, early and late drops', () => {
    const shown = shownAfter(
      yaml('shaper: red, limit: 30000b, avpkt: 500b, link: { rate: 1mbit }', 'interval: 1ms, size: 1000b'),
      '6.1',
    );
    expect(shown).toMatch(/\n {2}marked 0 early [1-9]\d* pdrop \d+ other 0 \n/);
  });
  it('codel: the law’s state, the next drop as its distance', () => {
    const shown = shownAfter(yaml('shaper: codel, link: { rate: 1mbit }', 'interval: 1ms, size: 1000b'), '6.1');
    expect(shown).toMatch(
      /\n {2}count \d+ lastcount \d+ ldelay [\d.]+ms dropping drop_next -?[\d.]+[mu]s\n {2}maxpacket 1000 ecn_mark 0 drop_overlimit 0\n/,
    );
  });
  it('fq: flows, and when the next may send', () => {
    // Paced to 100 kbit/s, below the low rate: a packet of 1,000 bytes each 80 ms, the 13th at 960 ms.
    const shown = shownAfter(yaml('shaper: fq, maxrate: 100kbit', 'interval: 0s, count: 50, size: 1000b'), '6.1');
    expect(shown).toContain(
      '\n  flows 1 (inactive 0 throttled 1) next_packet_delay 40ms\n  gc 0 highprio 0 throttled 13\n',
    );
  });
  it('sfq with RED: what was dropped and marked', () => {
    const shown = shownAfter(
      yaml('shaper: sfq, kernel: "6.12", redflowlimit: 20kb, link: { rate: 1mbit }', 'interval: 1ms, size: 1000b'),
      '6.1',
    );
    expect(shown).toMatch(
      /\n {2}prob_mark 0 prob_mark_head 0 prob_drop \d+\n {2}forced_mark 0 forced_mark_head 0 forced_drop \d+\n Sent/,
    );
  });
  it('netem: what it marked counts as dropped, what it sent early as requeued', () => {
    const shown = shownAfter(
      yaml(
        'shaper: netem, delay: 5ms, reorder: 100%, gap: 5, loss: 100%, ecn: true',
        'interval: 10ms, count: 10, size: 100b, ecn: ect0',
      ),
      '6.1',
    );
    expect(shown).toContain(' (dropped 10, overlimits 0 requeues 2) ');
  });
  it('classes of tbf, red and prio', () => {
    const shown = shownAfter(
      yaml(
        'shaper: prio, handle: "1:", classes: { "1:2": { qdisc: { kind: tbf, rate: 1mbit, burst: 2000b, limit: 3000b } } }',
        'interval: 10ms, count: 10, size: 100b',
      ),
      '6.1',
    );
    expect(shown).toContain('class prio 1:1 parent 1: \n Sent 0 bytes 0 pkt');
    expect(shown).toMatch(/class prio 1:2 parent 1: leaf \w+: \n Sent 1000 bytes 10 pkt/);
    expect(shown).toMatch(/class tbf (\w+):1 parent \1: \n/);
  });
});

describe('a version that is not modelled', () => {
  it('has no format', () => {
    expect(tcFormat('2.4.7', '6.12')).toBeUndefined();
    expect(tcFormat('6.1', 'thread')?.fakeRates).toBe(true);
  });
});

describe('the order of qdiscs', () => {
  it('is that of the kernel’s hash table, the newest first in a bucket', () => {
    // 0x61c88647 << 20 is 6 in the upper four bits, << 21 12, times 0xa 14, times 3 2: as tc 6.1 listed 10:, 20: and a0:.
    expect(qdiscShowOrder([0x10, 0x20, 0xa0, 0x30])).toEqual([3, 0, 1, 2]);
    expect(qdiscShowOrder([0x10, 0x10])).toEqual([1, 0]);
  });
  it('is that of their creation before 4.9', () => {
    const classes =
      'classes: { "1:30": { rate: 1mbit, qdisc: { kind: sfq } }, "1:20": { rate: 1mbit, qdisc: { kind: sfq } }, "1:40": { rate: 1mbit, qdisc: { kind: sfq } } }';
    const yaml = (kernel: string): string =>
      `duration: 1us\nhops:\n  h: { shaper: htb, kernel: "${kernel}", ${classes} }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, start: 1ms, via: [h] }\n`;
    const listed = (kernel: string): string[] =>
      [...shownAfter(yaml(kernel)).matchAll(/^qdisc sfq (\w+):/gm)].map(([, handle]) => handle!);
    expect(listed('4.4')).toEqual(['30', '20', '40']);
    // 2 for 30:, 12 for 20:, 9 for 40:.
    expect(listed('4.9')).toEqual(['30', '40', '20']);
  });
});
