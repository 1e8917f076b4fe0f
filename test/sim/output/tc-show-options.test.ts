import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Document } from 'yaml';
import { modelsOf } from '../../../models/registry.ts';
import { tcShow } from '../../../sim/output/tc-show.ts';
import { camelCase } from '../../../sim/tc/export-options.ts';
import { QDISC_OPTIONS } from '../../../sim/tc/option-tables.ts';
import { readOptions } from '../../../sim/tc/options.ts';
import { Words } from '../../../sim/tc/words.ts';
import { ran, scenarioOf } from '../tc/support.ts';

const golden = JSON.parse(
  readFileSync(new URL('../../golden/tc-6.1/options.json', import.meta.url), 'utf8'),
) as readonly (readonly [command: string, shown: string])[];

/** The hop that a command's options describe, with a qdisc that can be told from another. */
function hopOf(command: string): Record<string, unknown> {
  const [kind, ...words] = command.split(' ') as [string, ...string[]];
  const { parameters } = modelsOf('shaper').get(kind)!;
  const { options, unknown } = readOptions(new Words(words), QDISC_OPTIONS[kind]!);
  if (unknown.length > 0) throw new Error(`${command}: ${unknown.join(', ')} is not known`);
  const hop: Record<string, unknown> = { shaper: kind };
  for (const [name, value] of Object.entries(options)) {
    const key = camelCase(name);
    const { type } = parameters[key]!;
    hop[key] =
      type === 'boolean' ? value !== 0 : type === 'duration' && typeof value === 'number' ? `${value}s` : value;
  }
  if ('kernel' in parameters) hop.kernel = '6.12';
  return hop;
}

/** A hop as tc of a version shows it, without traffic. */
function shownBy(hop: Record<string, unknown>, version?: string): string {
  const flows = { f: { source: 'cbr', rate: '1mbit', size: '100b', start: '1ms', count: 1, via: ['h'] } };
  const loaded = scenarioOf(new Document({ duration: '1us', hops: { h: hop }, flows }).toString());
  return tcShow(loaded.first, ran(loaded), version);
}

/** What stands behind the place of the qdisc. */
const optionsIn = (shown: string): string => /^qdisc \S+ \S+ root(?: refcnt \d+)? (.*)$/m.exec(shown)![1]!;

describe('options in the words of tc 6.1', () => {
  it.each(golden)('%s', (command, shown) => {
    expect(optionsIn(shownBy(hopOf(command), '6.1'))).toBe(shown);
  });
});

describe('options in the words of other versions', () => {
  it.each([
    ['fq_codel', '5.6', 'limit 10240p flows 1024 quantum 1514 target 5.0ms interval 100.0ms memory_limit 32Mb ecn '],
    ['fq_codel', '4.6', 'limit 10240p flows 1024 quantum 1514 target 5.0ms interval 100.0ms ecn '],
    ['codel interval 1500ms', '4.9', 'limit 1000p target 5.0ms interval 1.5s '],
    ['red limit 60000 avpkt 1000', '3.2', 'limit 60000b min 5000b max 15000b ewma 3 Plog 19 Scell_log 13'],
    ['sfq perturb 10', '3.2', 'limit 127p quantum 1514b flows 127/1024 perturb 10sec '],
    ['tbf rate 20mbit burst 20000 limit 100000', '3.10', 'rate 20000Kbit burst 20000b/1 mpu 0b lat 32.0ms '],
    ['netem delay 10ms 2ms rate 5mbit', '3.13', 'limit 1000 delay 10.0ms  2.0ms rate 5000Kbit'],
  ])('%s as %s shows it', (command, version, shown) => {
    expect(optionsIn(shownBy(hopOf(command), version))).toBe(shown);
  });
});

describe('an HTB class and its qdisc', () => {
  const hop = (more: Record<string, unknown>): Record<string, unknown> => ({
    shaper: 'htb',
    default: '1:20',
    classes: { '1:20': { rate: '555mbit', overhead: '22b', mpu: '64b', qdisc: { kind: 'sfq', handle: '30:' } } },
    ...more,
  });
  const classLine = (shown: string): string => /^class htb .*$/m.exec(shown)![0];
  const qdiscLine = (shown: string): string => /^qdisc htb .*$/m.exec(shown)![0];

  // 555 Mbit/s: 1600 bytes take 23.06 µs; 23 µs are 359 ticks of 64 ns or 22 of 1024 ns, 22 whole µs again, 1526 bytes.
  it.each([
    [
      { kernel: '2.6.25', tc: '2.6.23' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555000Kbit ceil 555000Kbit burst 1526b/8 mpu 64b overhead 22b cburst 1526b/8 mpu 64b overhead 22b level 0 ',
      'qdisc htb 1: root r2q 10 default 20 direct_packets_stat 0 ver 3.17',
    ],
    [
      { kernel: '3.2', tc: '3.2' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555000Kbit ceil 555000Kbit burst 1526b/8 mpu 64b overhead 0b cburst 1526b/8 mpu 64b overhead 0b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 20 direct_packets_stat 0 ver 3.17',
    ],
    [
      { kernel: '3.13', tc: '3.13' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555000Kbit overhead 22 ceil 555000Kbit linklayer ethernet burst 1526b/1 mpu 64b overhead 0b cburst 1526b/1 mpu 64b overhead 0b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 20 direct_packets_stat 0 ver 3.17 direct_qlen 1000',
    ],
    [
      { kernel: '4.15', tc: '4.15' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555Mbit overhead 22 ceil 555Mbit linklayer ethernet burst 1526b/1 mpu 64b cburst 1526b/1 mpu 64b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 20 direct_packets_stat 0 ver 3.17 direct_qlen 1000',
    ],
    [
      { kernel: '6.12', tc: '6.1' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555Mbit overhead 22 ceil 555Mbit linklayer ethernet burst 1526b/1 mpu 64b cburst 1526b/1 mpu 64b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 0x20 direct_packets_stat 0 ver 3.17 direct_qlen 1000',
    ],
    [
      { kernel: '6.12', tc: '6.2' },
      'class htb 1:20 root leaf 30prio 0 quantum 200000 rate 555Mbit overhead 22 ceil 555Mbit linklayer ethernet burst 1526b/1mpu 64b cburst 1526b/1mpu 64b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 0x20 direct_packets_stat 0 ver 3.17 direct_qlen 1000',
    ],
    [
      { kernel: '6.12', tc: '6.12' },
      'class htb 1:20 root leaf 30: prio 0 quantum 200000 rate 555Mbit overhead 22 ceil 555Mbit linklayer ethernet burst 1526b/1mpu 64b cburst 1526b/1mpu 64b level 0 ',
      'qdisc htb 1: root refcnt 2 r2q 10 default 0x20 direct_packets_stat 0 ver 3.17 direct_qlen 1000',
    ],
  ])('%j', (versions, classShown, qdiscShown) => {
    const shown = shownBy(hop(versions));
    expect(classLine(shown)).toBe(classShown);
    expect(qdiscLine(shown)).toBe(qdiscShown);
  });

  it('in the words of another version than the one that set them up', () => {
    const shown = shownBy(hop({ kernel: '3.2', tc: '3.2' }), '6.1');
    expect(classLine(shown)).toContain(
      'rate 555Mbit overhead 22 ceil 555Mbit linklayer ethernet burst 1526b/8 mpu 64b',
    );
  });
});
