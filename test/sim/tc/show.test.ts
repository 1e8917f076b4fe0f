import { describe, expect, it } from 'vitest';
import { tcShow } from '../../../sim/output/tc-show.ts';
import { importTc } from '../../../sim/tc/import.ts';
import { complaints, hopOf, imported, ran, scenarioOf, textOf } from './support.ts';

const golden = (name: string): string => textOf(`test/golden/tc-6.1/${name}`);

/** Every class with what decides its behaviour, as checked numbers. */
function classesOf(text: string): Record<string, unknown> {
  const [hop] = imported(text).loaded.first.hops;
  const classes = hop?.shaper?.values.classes as Record<string, Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(classes).map(([name, { rate, ceil = rate, burst, cburst, parent, prio }]) => [
      name,
      { rate, ceil, burst, cburst, parent, prio },
    ]),
  );
}

describe('what tc 6.1 shows', () => {
  it('gives the classes of the script that made it', () => {
    const shown = classesOf(`${golden('qdisc-show.txt')}\n${golden('class-show.txt')}`);
    expect(shown).toEqual({
      '1:1': { rate: 40e6, ceil: 40e6, burst: 20480, cburst: 20480, parent: undefined, prio: 0 },
      '1:10': { rate: 5e6, ceil: 40e6, burst: 20480, cburst: 20480, parent: 0x10001, prio: 1 },
      '1:20': { rate: 2e6, ceil: 10e6, burst: 6144, cburst: 1600, parent: 0x10001, prio: 3 },
      '1:a0': { rate: 8e5, ceil: 1e6, burst: 9000, cburst: 9000, parent: 0x10001, prio: 0 },
    });
  });
  it('without details gives the same rates and bursts', () => {
    expect(classesOf(golden('class-show-plain.txt'))).toEqual(classesOf(golden('class-show.txt')));
  });
  it('in JSON has rates in bytes a second', () => {
    const json = `${golden('qdisc-show.json')}\n[{"class":"htb","handle":"1:20","root":true,"rate":250000,"ceil":1250000,"prio":3}]`;
    expect(hopOf(json)).toMatchObject({
      default: '1:20',
      classes: { '1:20': { rate: '2000000bit', ceil: '10000000bit' } },
    });
  });
});

describe('versions differ', () => {
  const classes = (minor: string): string =>
    `class htb 1:${minor} root prio 0 rate 1Mbit ceil 1Mbit burst 1600b cburst 1600b`;
  it.each([
    ['0x20', '20', '1:20'],
    ['20', '20', '1:20'],
    ['32', '20', '1:20'],
    ['a', 'a', '1:a'],
  ])('default %s is class 1:%s where that exists', (shown, minor, expected) => {
    const text = `qdisc htb 1: root refcnt 2 r2q 10 default ${shown} direct_packets_stat 0\n${classes(minor)}\n`;
    expect(hopOf(text).default).toBe(expected);
  });
  it('blanks that tc 6.2 and later forget are put back', () => {
    const shown = `${golden('qdisc-show.txt')}\n${golden('class-show.txt')}`;
    const later = shown.replaceAll('/1 mpu', '/1mpu');
    expect(classesOf(later)).toEqual(classesOf(shown));
    expect(classesOf(later.replaceAll(/leaf (\w+): /g, 'leaf $1'))).toEqual(classesOf(shown));
    expect(complaints(imported(later).messages)).toEqual(complaints(imported(shown).messages));
  });
  it('default 32 of JSON is decimal, "0x20" is not', () => {
    const json = (value: string): string =>
      `[{"kind":"htb","handle":"1:","root":true,"options":{"r2q":10,"default":${value}}}]\n[{"class":"htb","handle":"1:20","root":true,"rate":125000,"ceil":125000}]`;
    expect(hopOf(json('32')).default).toBe('1:20');
    expect(hopOf(json('"0x20"')).default).toBe('1:20');
  });
  it('a prio without a number and broken lines are read', () => {
    const text =
      'class htb 1:1 root prio rate 9000Kbit ceil 9000Kbit\n  burst 6Kb cburst 13117b\n Sent 0 bytes 0 pkts (dropped 0, overlimits 0)\n';
    expect(hopOf(text)).toMatchObject({ classes: { '1:1': { rate: '9000Kbit', burst: '6Kb', cburst: '13117b' } } });
  });
  it('fq_codel without ecn has it off', () => {
    const shown = (ecn: string): string =>
      `qdisc fq_codel 8001: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ${ecn}drop_batch 64\n`;
    expect(imported(shown('')).loaded.first.hops[0]?.shaper?.values.ecn).toBe(false);
    expect(imported(shown('ecn ')).loaded.first.hops[0]?.shaper?.values.ecn).toBe(true);
  });
  it('children may be shown before their parents', () => {
    const text = 'class htb 1:10 parent 1:1 prio 0 rate 1Mbit ceil 2Mbit\nclass htb 1:1 root rate 2Mbit ceil 2Mbit\n';
    expect(Object.keys(hopOf(text).classes as object)).toEqual(['1:1', '1:10']);
  });
  it.each([
    [
      'class htb 1:1 parent 1:1 rate 1Mbit',
      'the parents of this class lead in a circle; it is taken for one without parent',
    ],
    [
      'class htb 1:1 parent 1:9 rate 1Mbit',
      'the parent 1:9 of this class is not shown; it is taken for one without parent',
    ],
  ])('%s: %s', (line, text) => {
    const { messages, loaded } = imported(
      `qdisc htb 1: root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0\n${line}\n`,
    );
    expect(complaints(messages)).toEqual([`2: ${text}`]);
    expect(loaded.first.hops[0]?.shaper?.values.classes).not.toHaveProperty('1:1.parent');
  });
  it('classes without their qdisc: default and r2q are not known', () => {
    expect(complaints(imported(classes('1')).messages)).toEqual([
      '1: classes without their qdisc: default class and r2q are not known',
    ]);
  });
  it('damaged JSON is said with its line', () => {
    expect(importTc('[{"kind":"htb",\n"handle"', 'x').messages).toMatchObject([
      { line: 1, severity: 'error', text: 'this is no JSON' },
      { severity: 'error' },
    ]);
  });
});

describe('devices', () => {
  it('are those that the question names where the answer names none', () => {
    const bucket = 'root refcnt 2 rate 1Mbit burst 10Kb/1 mpu 0b lat 50ms linklayer ethernet';
    const text = `root@gate:~# tc -s -d qdisc show dev ppp0
qdisc tbf 1: ${bucket}
# down: tc -s -d qdisc show dev ifb0
qdisc tbf 2: ${bucket}
$ tc qdisc show
qdisc tbf 3: dev eth7 ${bucket}
`;
    expect(Object.keys(imported(text).document?.hops as object)).toEqual(['ppp0', 'ifb0', 'eth7']);
  });
  it('of a scenario come back from the simulated state', () => {
    const hop = (device: string): string => `{ device: ${device}, shaper: tbf, rate: 1mbit, burst: 10kb, limit: 30kb }`;
    const loaded = scenarioOf(
      `duration: 1ms\nhops:\n  a: ${hop('ppp0')}\n  b: ${hop('ifb0')}\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [a, b] }\n`,
    );
    const back = imported(tcShow(loaded.first, ran(loaded))).loaded.first;
    expect(back.hops.map(({ name, device }) => [name, device?.name])).toEqual([
      ['ppp0', 'ppp0'],
      ['ifb0', 'ifb0'],
    ]);
  });
});

describe('buckets as they were given', () => {
  it.each([
    ['overhead 24 linklayer ethernet', '10264b', '10240b'],
    // 10,240 bytes with 24 of overhead are 214 cells of 53.
    ['overhead 24 linklayer atm', '11342b', '10248b'],
    ['linklayer ethernet', '10264b', '10264b'],
  ])('a tbf with %s that shows a burst of %s had one of %s', (line, shown, burst) => {
    const text = `qdisc tbf 10: root refcnt 2 rate 6Mbit burst ${shown}/1 mpu 0b lat 50ms ${line} \n`;
    expect(hopOf(text)).toMatchObject({ shaper: 'tbf', burst });
  });
  it('an empty bucket is not the default one', () => {
    const text =
      'class htb 1:1 root prio 0 quantum 200000 rate 10Gbit ceil 10Gbit linklayer ethernet burst 0b/1 mpu 0b cburst 0b/1 mpu 0b level 0 \n';
    expect(hopOf(text)).toMatchObject({ classes: { '1:1': { burst: '1b', cburst: '1b' } } });
  });
});
