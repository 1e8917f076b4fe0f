import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { explainScenario } from '../../../sim/output/explain.ts';
import type { Explanation } from '../../../sim/output/explanation.ts';
import { explanationText } from '../../../sim/output/explanation-text.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';

function explain(hop: string, flow = 'source: cbr, rate: 900mbit, size: 1000b', sizeBytes?: number): Explanation[] {
  const text = `duration: 1s\nhops:\n  wan:\n    ${hop.replaceAll('\n', '\n    ')}\nflows:\n  load: { ${flow}, via: [wan] }\n`;
  return explainScenario(loadScenario(text, 'test.yaml', { registry }).first, sizeBytes);
}

function htb(kernel: string, classes: string, more = ''): string {
  return `shaper: htb\nkernel: "${kernel}"\ndefault: "1:10"\nclasses: { ${classes} }\n${more}`;
}

/** The value of a step, and how it comes about. */
function step(explanation: Explanation, section: RegExp, label: string): string[] {
  const lines = explanation.sections.find(({ title }) => section.test(title))?.lines ?? [];
  return lines.filter((line) => line.label === label).flatMap(({ value, rule }) => [value, rule]);
}

describe('the price of a packet', () => {
  test('is a multiplication and a shift from 3.8 on', () => {
    const [leaf] = explain(htb('6.12', '"1:10": { rate: 100mbit }'));
    // 1000 B / 12.5 MB/s = 80 µs; 10^9 / 12.5e6 = 80, shifted left until it has 32 bits: 80 × 2^25
    expect(step(leaf!, /1,000 B/, 'price')).toEqual(['80,000 ns', '1,000 × 2684354560 >> 25']);
    expect(step(leaf!, /1,000 B/, 'accounted')[0]).toBe('100 Mbit/s, 0.00 %');
  });

  test('is looked up under the next size of the table, and cut twice, before', () => {
    const [leaf] = explain(htb('3.6', '"1:10": { rate: 500mbit }'));
    // (1000 - 1) / 8 = 124, priced as 125 × 8 B; 1000 / 62.5e6 = 16 µs = 250 ticks of 64 ns
    expect(step(leaf!, /1,000 B/, 'cell')[0]).toBe('cell 124, priced as 1,000 B');
    expect(step(leaf!, /1,000 B/, 'price')).toEqual([
      '250 ticks = 16 µs',
      '1,000 B / 62,500,000 B/s = 16 µs → 250 ticks of 64 ns',
    ]);
  });

  test('beyond the table is that of its last cell in 2.6.23, and a sum from 2.6.24 on', () => {
    const large = 'source: cbr, rate: 900mbit, size: 4000b';
    const [clamped] = explain(htb('2.6.23', '"1:10": { rate: 10mbit }'), large);
    // 4000 / 8 = 500 > 255
    expect(step(clamped!, /4,000 B/, 'price')[1]).toContain('priced as its last cell, 255');
    const [summed] = explain(htb('2.6.24', '"1:10": { rate: 10mbit }'), large);
    // (4000 - 1) / 8 = 499 = 1 × 256 + 243
    expect(step(summed!, /4,000 B/, 'price')[1]).toContain('1 × its last cell and cell 243');
  });

  test('counts overhead, mpu and ATM cells', () => {
    const [leaf] = explain(htb('6.12', '"1:10": { rate: 10mbit, overhead: 22b, linklayer: atm }'));
    // 1022 B need 22 cells of 48, 53 on the line
    expect(step(leaf!, /1,000 B/, 'length')).toEqual([
      '1,166 B',
      '1000 B, overhead 22 B, ATM cells of 53 B for every 48',
    ]);
  });

  test('is nothing where it is less than a tick, and said to be so', () => {
    const [leaf] = explain(htb('2.6.25', '"1:10": { rate: 20gbit }'));
    expect(step(leaf!, /1,000 B/, 'packets')[0]).toBe('unlimited');
    expect(leaf!.conclusion).toContain('does not hold them back');
  });
});

describe('the burst', () => {
  test('is followed from the default of tc to what the kernel keeps, as tc shows it', () => {
    const [leaf] = explain(htb('6.12', '"1:10": { rate: 1gbit }'));
    // 1600 B / 125 MB/s = 12.8 µs → 12 µs → 187.5 → 187 ticks of 64 ns = 11.968 µs = 1496 B; shown: 11 µs = 1375 B
    expect(step(leaf!, /rate and burst/, 'burst')).toEqual([
      '1,600 B',
      'default of tc: rate / HZ 10^9 (high-resolution timers) + mtu 1600 B',
    ]);
    expect(step(leaf!, /rate and burst/, 'tc sends')[0]).toBe('187 ticks');
    expect(step(leaf!, /rate and burst/, 'tc shows')[0]).toBe('burst 1375b');
    expect(step(leaf!, /rate and burst/, 'kernel keeps')).toEqual(['1,496 B', '11.968 µs at the rate; kernel 6.12']);
  });

  test('has a section of its own for the ceil where that differs', () => {
    const [, leaf] = explain(
      htb('6.12', '"1:1": { rate: 40mbit }, "1:10": { parent: "1:1", rate: 5mbit, ceil: 40mbit }'),
    );
    expect(leaf!.sections.map(({ title }) => title)).toEqual([
      'rate and burst',
      'ceil and cburst',
      'turn among its siblings',
      'packets of 1,000 B',
      'packets of 1,000 B on loan, up to the ceil of 40 Mbit/s',
    ]);
  });
});

describe('an explanation', () => {
  test('tells what a late timer costs, and only where it costs anything', () => {
    const late = 'timer: { latency: 200us }';
    const small = explain(htb('6.12', '"1:10": { rate: 200mbit }', late))[0]!;
    expect(small.warnings.some((warning) => warning.startsWith('timer: it may fire 200 µs late'))).toBe(true);
    const large = explain(htb('6.12', '"1:10": { rate: 200mbit, burst: 20kb }', late))[0]!;
    expect(large.warnings.some((warning) => warning.startsWith('timer:'))).toBe(false);
  });

  test('takes the sizes that the flows of a class send, or the one that is asked for', () => {
    const titles = (explanation: Explanation) =>
      explanation.sections.flatMap(({ title }) => (title.startsWith('packets') ? [title] : []));
    const mixed = 'source: cbr, rate: 900mbit, size: imix';
    const [leaf] = explain(htb('6.12', '"1:10": { rate: 1gbit }, "1:20": { rate: 1gbit }'), mixed);
    expect(titles(leaf!)).toEqual(['packets of 54 B', 'packets of 590 B', 'packets of 1,514 B']);
    const [one] = explain(htb('6.12', '"1:10": { rate: 1gbit }'), mixed, 100);
    expect(titles(one!)).toEqual(['packets of 100 B']);
  });

  test('says what comes out where the ceil or the line is slower than the rate', () => {
    const of = (classes: string, more: string): string => explain(htb('6.12', classes, more)).at(-1)!.conclusion!;
    expect(of('"1:10": { rate: 10mbit, ceil: 8mbit }', '')).toMatch(
      /^Packets of 1000 B leave at 8 Mbit\/s, as tc counts them, by the class's ceil of 8 Mbit\/s \(below its rate of 10 Mbit\/s\) \(0\.00 %\)/,
    );
    // 5 Mbit/s × 1000 / 1024
    expect(of('"1:10": { rate: 10mbit }', 'link: { rate: 5mbit }')).toBe(
      'Packets of 1000 B leave at 4.8828 Mbit/s at most, as tc counts them: the line, 5 Mbit/s with 24 B more a frame, ' +
        "is slower than the class's own rate of 10 Mbit/s, which would give 10 Mbit/s (0.00 %).",
    );
  });

  test('says how much a class may borrow: by its ceil, by what lends to it, and what of it the line carries', () => {
    const of = (root: string, more = ''): string =>
      explain(htb('6.12', `"1:1": { ${root} }, "1:10": { parent: "1:1", rate: 5mbit, ceil: 40mbit }`, more))[1]!
        .conclusion!;
    expect(of('rate: 40mbit')).toMatch(/ What others leave it may borrow up to 40 Mbit\/s, its ceil\.$/);
    expect(of('rate: 20mbit')).toMatch(
      / up to 20 Mbit\/s, the most that 1:1 can lend it, below its ceil of 40 Mbit\/s\.$/,
    );
    // A class without parent gets its rate, whatever its ceil.
    expect(of('rate: 20mbit, ceil: 90mbit')).toMatch(/ up to 20 Mbit\/s, the most/);
    expect(of('rate: 40mbit', 'link: { rate: 10mbit }')).toMatch(
      / up to 40 Mbit\/s, its ceil; the line of 10 Mbit\/s carries 9\.7656 Mbit\/s\.$/,
    );
    expect(of('rate: 3mbit')).not.toContain('borrow');
  });

  test('says by how much a table is off before the class is held against the line', () => {
    const [leaf] = explain(htb('2.6.25', '"1:10": { rate: 20gbit }', 'link: { rate: 1gbit }'));
    // 1 Gbit/s × 1000 / 1024
    expect(leaf!.conclusion).toBe(
      'Packets of 1000 B cost less than a tick: the class does not hold them back; the line, 1,000 Mbit/s with 24 B more a frame, carries 976.56 Mbit/s of them.',
    );
  });

  test('names each part of the length that a cell is looked up under', () => {
    const [leaf] = explain(htb('3.6', '"1:10": { rate: 10mbit, overhead: 10b }'));
    expect(step(leaf!, /1,000 B/, 'cell')[1]).toMatch(
      /^\(1000 \+ overhead 10 - 1\) \/ 8; .*; the 1 less keeps a size that fills a cell in it$/,
    );
  });

  test('cuts super-packets into the segments that they stand for', () => {
    const gso = 'source: cbr, rate: 200mbit, size: 64kb, gso: 1448b';
    const [leaf] = explain(htb('6.12', '"1:10": { rate: 100mbit }'), gso);
    const title = /super-packets of 65,536 B, 44 segments of 1,448 B of payload/;
    // 65536 / (1448 + 42) = 43.98 → 44 segments, headers and all; 12.5 MB/s / 65536 B = 190.7 /s
    expect(step(leaf!, title, 'packets')[0]).toBe('191 /s');
    // 190.73 × 44
    expect(step(leaf!, title, 'frames')[0]).toBe('8,392 /s');
    // (65536 + 44 × 4) / 65536 and (65536 - 44 × 42) / 65536
    expect(step(leaf!, title, 'frame')[0]).toBe('100.27 Mbit/s, +0.27 %');
    expect(step(leaf!, title, 'payload')[0]).toBe('97.18 Mbit/s, -2.82 %');
    // Before 3.9 the headers of 43 further segments are not counted.
    const [old] = explain(htb('3.8', '"1:10": { rate: 100mbit }'), gso);
    expect(step(old!, title, 'charged')[0]).toBe('63,730 B');
  });

  test('warns of framing that the kernel ignores', () => {
    const warnings = (kernel: string): readonly string[] =>
      explain(htb(kernel, '"1:10": { rate: 800kbit, linklayer: atm, burst: 20kb, cburst: 20kb }'))[0]!.warnings;
    expect(warnings('3.10')).toEqual([
      'linklayer: kernel 3.10 does not price packets in ATM cells: it takes the setting and ignores it, as 3.8 to 3.10 do',
    ]);
    expect(warnings('3.11')).toEqual([]);
    expect(warnings('3.6')).toEqual([]);
  });

  test('follows the queue and the peakrate of a tbf', () => {
    const [tbf] = explain('shaper: tbf\nrate: 8mbit\nburst: 10kb\nlatency: 50ms\npeakrate: 12mbit\nmtu: 1540b');
    // 1 MB/s × 50 ms + 10,240 B; by the peakrate it were 1.5 MB/s × 50 ms + 1,540 B, which is more.
    expect(step(tbf!, /queue/, 'limit')[0]).toBe('60,240 B');
    expect(step(tbf!, /queue/, 'longest wait')[0]).toBe('60.24 ms');
    // 1,540 B / 1.5 MB/s
    expect(step(tbf!, /peakrate/, 'minburst')[1]).toContain('1,026.666 µs at the peakrate');
    expect(step(tbf!, /1,000 B/, 'in a burst')[0]).toBe('12 Mbit/s, 0.00 %');
    const [inner] = explain('shaper: tbf\nrate: 8mbit\nburst: 10kb\nlimit: 5000b\nqdisc: { kind: sfq }');
    expect(step(inner!, /queue/, 'qdisc')[0]).toBe('sfq');
  });

  test('has a blank behind the longest label', () => {
    const explanations = explain('shaper: netem\ndelay: 10ms\njitter: 2ms\ndelayCorrelation: 0.25');
    expect(explanationText(explanations, { columns: 100, colour: false })).toMatch(/ delayCorrelation {2}0\.25 /);
  });

  test('covers token bucket filters, and any other model by its parameters', () => {
    const [tbf] = explain('shaper: tbf\nrate: 10mbit\nburst: 10kb\nlimit: 30000b');
    // 1000 B / 1.25 MB/s
    expect(step(tbf!, /1,000 B/, 'price')[0]).toBe('800 µs');
    const [fifo] = explain('shaper: pfifo\nlimit: 100');
    expect(step(fifo!, /./, 'limit')[0]).toBe('100');
  });

  test('is that of a packet without its Ethernet header for a policer on ingress', () => {
    const policer = (more: string): Explanation =>
      explain(`shaper: police\nrate: 10mbit\nburst: 20kb\n${more}`, 'source: bulk')[0]!;
    // 1514 B and 1500 B / 1.25 MB/s
    expect(step(policer(''), /1,514 B/, 'price')[0]).toBe('1,211.2 µs');
    const ingress = policer('ingress: true');
    expect(step(ingress, /1,514 B/, 'length')[0]).toBe('1,500 B');
    expect(step(ingress, /1,514 B/, 'price')[0]).toBe('1,200 µs');
  });

  test('covers curl from its limit to its finish', () => {
    const [curl] = explain('link: { rate: 700mbit }', 'source: curl, version: "8.6.0", limit: 2000000, size: 5MiB');
    expect(curl!.subject).toBe('flow load: curl 8.6.0');
    expect(step(curl!, /finish/, 'limit')[0]).toBe('2,000,000 bytes/s = 16 Mbit/s');
    expect(curl!.conclusion).toMatch(
      /^From the call on, 5,242,880 bytes take from [\d.]+ s, \+[\d.]+ % against the limit, to [\d.]+ s, -[\d.]+ %: how much/,
    );
  });

  test('names the cause: what a stepped bucket gives at once, and how often it is waited for', () => {
    const cause = (source: string): string | undefined => explain('link: { rate: 700mbit }', source)[0]!.cause;
    // 5,242,880 / 2,000,000: three lumps, the last of 1,242,880 bytes; two waits of a second instead of 2.62.
    expect(cause('source: curl, version: pr19384, limit: 2000000, size: 5MiB')).toMatch(
      /5,242,880 B are 3 such lumps.*the last one, 1,242,880 B, is not waited for.*waits 2 times, 2 s together, where the limit asks for 2\.62/,
    );
    expect(cause('source: curl, version: pr19384, limit: 2000000, size: 1MiB')).toMatch(
      /all of the 1,048,576 B fit into that and pass without being limited\.$/,
    );
    expect(cause('source: curl, version: "8.6.0", size: 5MiB')).toBeUndefined();
  });

  test('names the cause: a burst of a policer below rate × round-trip time', () => {
    const cause = (burst: string, source = 'source: bulk'): string | undefined =>
      explain(`shaper: police\nrate: 3mbit\nburst: ${burst}\nlink: { rate: 1gbit, delay: 50ms }`, source)[0]!.cause;
    // 375,000 bytes/s × 100 ms
    expect(cause('3750b')).toMatch(/a burst of 3,750 B pass, less than the 37,500 B .* × 100 ms\)/);
    expect(cause('37500b')).toMatch(/a burst of 37,500 B pass, no less than the 37,500 B/);
    expect(cause('3750b', 'source: cbr, rate: 4mbit, size: 1000b')).toBeUndefined();
  });

  test('is wrapped to the width of the terminal', () => {
    const text = explanationText(explain(htb('2.6.25', '"1:10": { rate: 555mbit }')), { colour: false, columns: 90 });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
  });
});
