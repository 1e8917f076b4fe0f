import { describe, expect, it } from 'vitest';
import type { LINT_RULES } from '../../../sim/tc/lint/finding.ts';
import { lint } from '../../../sim/tc/lint/lint.ts';
import { lintOf, scenarioOf } from './support.ts';

const rulesOf = (hop: string, flow: string, more = ''): string[] => {
  const loaded = scenarioOf(`duration: 1s\n${more}hops:\n  h: ${hop}\nflows:\n  f: ${flow}\n`);
  return lint(loaded.first, loaded.document).map(({ rule }) => rule);
};
const CBR = '{ source: cbr, rate: 1mbit, size: 1514b, via: [h], class: "1:1" }';
const PLAIN = '{ source: cbr, rate: 1mbit, size: 1514b, via: [h] }';
const htb = (classes: string, more = ''): string => `{ shaper: htb, ${more} classes: { ${classes} } }`;

/** One faulty and one faultless configuration for each rule: hop, flow. */
const EXAMPLES: Readonly<Record<keyof typeof LINT_RULES, readonly [string, string, string, string]>> = {
  'bytes-for-bits': [htb('"1:1": { rate: 125kbps }'), CBR, htb('"1:1": { rate: 1mbit }'), CBR],
  'root-ceil-above-rate': [
    htb('"1:1": { rate: 1mbit, ceil: 2mbit }'),
    CBR,
    htb('"1:1": { rate: 2mbit, ceil: 2mbit }'),
    CBR,
  ],
  'child-above-parent': [
    htb('"1:9": { rate: 1mbit }, "1:1": { parent: "1:9", rate: 2mbit }'),
    CBR,
    htb('"1:9": { rate: 2mbit }, "1:1": { parent: "1:9", rate: 2mbit }'),
    CBR,
  ],
  'children-above-parent': [
    htb('"1:9": { rate: 1mbit }, "1:1": { parent: "1:9", rate: 600kbit }, "1:2": { parent: "1:9", rate: 500kbit }'),
    CBR,
    htb('"1:9": { rate: 1mbit }, "1:1": { parent: "1:9", rate: 600kbit }, "1:2": { parent: "1:9", rate: 400kbit }'),
    CBR,
  ],
  'burst-below-packet': [
    htb('"1:1": { rate: 1mbit, burst: 1500b }'),
    CBR,
    htb('"1:1": { rate: 1mbit, burst: 1514b }'),
    CBR,
  ],
  // 1,600 bytes last 12.8 µs at 1 Gbit/s, 20 kB 160 µs.
  'burst-below-latency': [
    htb('"1:1": { rate: 1gbit }'),
    CBR,
    htb('"1:1": { rate: 1gbit, burst: 20kb, cburst: 20kb }'),
    CBR,
  ],
  'burst-of-seconds': [
    '{ shaper: tbf, rate: 1mbit, burst: 1mb, latency: 10ms }',
    PLAIN,
    '{ shaper: tbf, rate: 1mbit, burst: 100kb, latency: 10ms }',
    PLAIN,
  ],
  'no-default-class': [htb('"1:1": { rate: 1mbit }'), PLAIN, htb('"1:1": { rate: 1mbit }', 'default: "1:1",'), PLAIN],
  'default-is-inner': [
    htb('"1:9": { rate: 1mbit }, "1:1": { parent: "1:9", rate: 1mbit }', 'default: "1:9",'),
    CBR,
    htb('"1:9": { rate: 1mbit }, "1:1": { parent: "1:9", rate: 1mbit }', 'default: "1:1",'),
    CBR,
  ],
  'prio-above-7': [htb('"1:1": { rate: 1mbit, prio: 8 }'), CBR, htb('"1:1": { rate: 1mbit, prio: 7 }'), CBR],
  // 79 kbit/s are 9,875 bytes/s, a tenth of which is below 1,000.
  'quantum-out-of-range': [htb('"1:1": { rate: 79kbit }'), CBR, htb('"1:1": { rate: 79kbit, quantum: 2000b }'), CBR],
  // 100 kbit/s make 1,250 bytes.
  'quantum-below-packet': [htb('"1:1": { rate: 100kbit }'), CBR, htb('"1:1": { rate: 100kbit, quantum: 1514b }'), CBR],
  'ceil-below-rate': [htb('"1:1": { rate: 2mbit, ceil: 1mbit }'), CBR, htb('"1:1": { rate: 1mbit, ceil: 1mbit }'), CBR],
  'double-limit': [
    htb('"1:1": { rate: 1mbit, qdisc: { kind: tbf, rate: 500kbit, burst: 5kb, latency: 50ms } }'),
    CBR,
    htb('"1:1": { rate: 1mbit, qdisc: { kind: sfq } }'),
    CBR,
  ],
  'same-limit-twice': [
    '{ shaper: tbf, rate: 1mbit, burst: 5kb, latency: 50ms }\n  i: { shaper: tbf, rate: 1mbit, burst: 5kb, latency: 50ms }',
    PLAIN.replace('[h]', '[h, i]'),
    '{ shaper: tbf, rate: 1mbit, burst: 5kb, latency: 50ms }\n  i: { shaper: tbf, rate: 900kbit, burst: 5kb, latency: 50ms }',
    PLAIN.replace('[h]', '[h, i]'),
  ],
  'atm-without-linklayer': [
    `${htb('"1:1": { rate: 1mbit }')}\n  adsl: { shaper: tbf, rate: 800kbit, burst: 5kb, latency: 50ms }`,
    CBR,
    `${htb('"1:1": { rate: 1mbit }')}\n  adsl: { shaper: tbf, rate: 800kbit, burst: 5kb, latency: 50ms, linklayer: atm }`,
    CBR,
  ],
  // 3.8 lost the ATM cells of tc's table, 3.11 counts them itself.
  'framing-ignored': [
    htb('"1:1": { rate: 800kbit, linklayer: atm }', 'kernel: "3.10",'),
    CBR,
    htb('"1:1": { rate: 800kbit, linklayer: atm }', 'kernel: "3.11",'),
    CBR,
  ],
  'large-packets-small-table': [
    htb('"1:1": { rate: 1mbit }', 'kernel: "2.6.23",'),
    CBR.replace('1514b', '9000b'),
    htb('"1:1": { rate: 1mbit, mtu: 9000b }', 'kernel: "2.6.23",'),
    CBR.replace('1514b', '9000b'),
  ],
  // 1,000 packets of 1,514 bytes take 12.1 s at 1 Mbit/s, 100 of them 1.2 s.
  'queue-of-seconds': [htb('"1:1": { rate: 1mbit }'), CBR, htb('"1:1": { rate: 1mbit, limit: 100 }'), CBR],
  'queue-below-packet': [
    '{ shaper: tbf, rate: 1mbit, burst: 1600b, limit: 1500b }',
    PLAIN,
    '{ shaper: tbf, rate: 1mbit, burst: 1600b, limit: 3028b }',
    PLAIN,
  ],
  // At 200 Mbit/s and 100 ms 1,652 packets are under way.
  'netem-limit-below-delay': [
    '{ shaper: netem, delay: 100ms, rate: 200mbit }',
    PLAIN,
    '{ shaper: netem, delay: 100ms, rate: 200mbit, limit: 1652 }',
    PLAIN,
  ],
  // A packet takes 12.1 ms at 1 Mbit/s.
  'codel-target-below-packet': [
    htb('"1:1": { rate: 1mbit, qdisc: { kind: fq_codel } }'),
    CBR,
    htb('"1:1": { rate: 1mbit, qdisc: { kind: fq_codel, target: 13ms } }'),
    CBR,
  ],
  'rate-in-bits': [htb('"1:1": { rate: 512 }'), CBR, htb('"1:1": { rate: 8000 }'), CBR],
  'police-mtu': [
    '{ shaper: police, rate: 1mbit, burst: 100kb, exceed: drop }',
    PLAIN.replace('1514b', '9000b'),
    '{ shaper: police, rate: 1mbit, burst: 100kb, mtu: 9000b, exceed: drop }',
    PLAIN.replace('1514b', '9000b'),
  ],
  'police-lets-pass': [
    '{ shaper: police, rate: 1mbit, burst: 100kb, exceed: pipe }',
    PLAIN,
    '{ shaper: police, rate: 1mbit, burst: 100kb }',
    PLAIN,
  ],
  // 10 Mbit/s × 20 ms are 25,000 bytes.
  'police-burst-below-rtt': [
    '{ shaper: police, rate: 10mbit, burst: 24000b, exceed: drop, link: { delay: 10ms } }',
    '{ source: bulk, via: [h] }',
    '{ shaper: police, rate: 10mbit, burst: 25000b, exceed: drop, link: { delay: 10ms } }',
    '{ source: bulk, via: [h] }',
  ],
};

describe.each(Object.entries(EXAMPLES))('%s', (rule, [faulty, faultyFlow, right, rightFlow]) => {
  it('is found', () => {
    expect(rulesOf(faulty, faultyFlow)).toContain(rule);
  });
  it('is not found where there is nothing wrong', () => {
    expect(rulesOf(right, rightFlow)).not.toContain(rule);
  });
});

describe('details', () => {
  it('a tbf whose bucket is below a packet drops it', () => {
    expect(rulesOf('{ shaper: tbf, rate: 1mbit, burst: 1500b, latency: 50ms }', PLAIN)).toContain('burst-below-packet');
  });
  it('the latency of the scenario counts', () => {
    // 1,600 bytes last 128 µs at 100 Mbit/s.
    const at = (latency: string): string[] =>
      rulesOf(htb('"1:1": { rate: 100mbit }', `timer: { latency: ${latency} },`), CBR);
    expect(at('200us')).toContain('burst-below-latency');
    expect(at('100us')).not.toContain('burst-below-latency');
  });
  it('a burst that was made larger leaves the default cburst behind', () => {
    // 1,600 bytes last 12.8 µs at 1 Gbit/s.
    const found = (more: string): string[] =>
      lintOf(
        `tc qdisc add dev eth0 root handle 1: htb default 1\ntc class add dev eth0 parent 1: classid 1:1 htb rate 1gbit quantum 60000 ${more}`,
      ).map(({ rule, finding }) => `${rule}: ${finding.text.slice(0, 10)}`);
    expect(found('burst 15k')).toEqual(['burst-below-latency: the cburst']);
    expect(found('burst 15k cburst 15k')).toEqual([]);
  });
  it('a filter that takes all of IPv4 leaves ARP and IPv6', () => {
    const found = (filter: string): string[] =>
      lintOf(
        `tc qdisc add dev eth0 root handle 1: htb\ntc class add dev eth0 parent 1: classid 1:1 htb rate 50mbit quantum 9000\ntc filter add dev eth0 parent 1: prio 1 ${filter} flowid 1:1`,
      ).map(({ finding }) => finding.text);
    expect(found('protocol ip u32 match ip dst 0.0.0.0/0')).toEqual([
      'there is no default class: packets other than IPv4 (ARP, IPv6) pass unshaped, before all others',
    ]);
    expect(found('protocol all matchall')).toEqual([]);
    expect(found('protocol ip u32 match ip dport 80 0xffff').join()).toContain('packets that name no class');
  });
  it('the queues of a hop are told together', () => {
    const script = `tc qdisc add dev eth0 root handle 1: htb default 1\n${[1, 2, 3]
      .map((n) => `tc class add dev eth0 parent 1: classid 1:${n} htb rate 1mbit`)
      .join('\n')}`;
    // 1,000 packets of 1,514 bytes take 12.1 s at 1 Mbit/s.
    const [queue, ...others] = lintOf(script).filter(({ rule }) => rule === 'queue-of-seconds');
    expect(others).toEqual([]);
    expect(queue).toMatchObject({ line: 2, finding: { text: expect.stringContaining('12.1 s') } });
    expect(queue?.finding.text).toContain('2 others are as long');
  });
  it('a variable in bytes a second is found where it is set', () => {
    const loaded = scenarioOf(
      `duration: 1s\nvars: { r: 10kbps }\nhops:\n  h: ${htb('"1:1": { rate: "${r}" }')}\nflows:\n  f: ${CBR}\n`,
    );
    expect(lint(loaded.first, loaded.document)[0]).toMatchObject({ rule: 'bytes-for-bits', path: ['vars', 'r'] });
  });
  it('a policer in a script whose exceed action lets pass is found at its line', () => {
    const script = (exceed: string): string =>
      `tc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: matchall action police rate 8mbit burst 80k ${exceed}`;
    for (const exceed of ['pipe', 'ok', 'continue', 'conform-exceed pass/ok']) {
      expect(lintOf(script(exceed)).map(({ rule, line }) => `${line} ${rule}`)).toEqual(['2 police-lets-pass']);
    }
    for (const exceed of ['', 'drop', 'reclassify', 'conform-exceed drop']) expect(lintOf(script(exceed))).toEqual([]);
  });
  it('a policer in a script is held against a usual round-trip time', () => {
    const script = (burst: string): string =>
      `tc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: matchall action police rate 8mbit burst ${burst} drop`;
    // 8 Mbit/s × 40 ms are 40,000 bytes.
    expect(lintOf(script('39999')).map(({ rule, line }) => `${line} ${rule}`)).toEqual(['2 police-burst-below-rtt']);
    expect(lintOf(script('40000'))).toEqual([]);
  });

  it('finds framing that a kernel ignores in tbf and policers, and in what has its kernel from above', () => {
    const hops = {
      // 3.8 and 3.9 add no overhead.
      'shaper: tbf, kernel: "3.9", rate: 1mbit, burst: 5kb, latency: 20ms, overhead: 10b': ['overhead'],
      'shaper: tbf, kernel: "3.10", rate: 1mbit, burst: 5kb, latency: 20ms, overhead: 10b': [],
      // mpu was lost from 3.8 to 5.16; 3.6 has it in the table.
      'shaper: police, kernel: "5.16", rate: 1mbit, burst: 5kb, mpu: 64b': ['mpu'],
      'shaper: police, kernel: "5.17", rate: 1mbit, burst: 5kb, mpu: 64b': [],
      'shaper: police, kernel: "3.6", rate: 1mbit, burst: 5kb, mpu: 64b, linklayer: atm': [],
      'shaper: prio, kernel: "3.8", classes: { "1:1": { qdisc: { kind: tbf, rate: 1mbit, burst: 5kb, latency: 20ms, linklayer: atm } } }':
        ['linklayer'],
    };
    for (const [hop, keys] of Object.entries(hops)) {
      const loaded = scenarioOf(`duration: 1s\nhops:\n  h: { ${hop} }\nflows:\n  f: ${PLAIN}\n`);
      const found = lint(loaded.first, loaded.document).filter(({ rule }) => rule === 'framing-ignored');
      expect(found.map(({ path }) => path.at(-1))).toEqual(keys);
    }
  });
});
