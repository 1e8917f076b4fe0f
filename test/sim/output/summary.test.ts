import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { summarize } from '../../../sim/output/summary.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { htbScenario, ranThrough } from './sample.ts';

const WIDE = { colour: false, columns: 200 };
const CLASSES = `
  "1:1": { rate: 10mbit }
  "1:10": { parent: "1:1", rate: 4mbit, ceil: 10mbit }
  "1:20": { parent: "1:1", rate: "\${rate}" }`;
const FLOWS = `
  greedy: { source: cbr, rate: 20mbit, size: 1000b, via: [wan], class: "1:20" }
  modest: { source: cbr, rate: 1mbit, size: 500b, via: [wan], class: "1:10" }`;

function summary(more: string, columns = WIDE.columns): string {
  const { result, readings } = ranThrough(htbScenario(CLASSES, FLOWS, `vars: { rate: 2mbit }\n${more}`));
  return summarize(result, readings, { colour: false, columns });
}

describe('the summary of a single run', () => {
  const text = summary('');

  test('begins with the title and what was simulated', () => {
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Sample',
      expect.stringMatching(/^seed 1 · 100 ms simulated, rates from 20 ms on · [\d,]+ events in 0\.25 s$/),
    ]);
  });

  test('compares each level of a flow with what its class allows', () => {
    expect(text).toMatch(/flow greedy via wan, class 1:20\n +allowed +2 Mbit\/s +class 1:20\n/);
    const deviationOf = (level: string) => Number(new RegExp(` ${level} .*? ([+-]?[\\d.]+) %`).exec(text)![1]);
    // the wire carries 24 bytes more than tc counts, of 1000
    expect(deviationOf('wire') - deviationOf('accounted')).toBeCloseTo(2.4, 0);
  });

  test('does not call a flow slow that asked for less', () => {
    const modest = text.slice(text.indexOf('flow modest'), text.indexOf('hop wan'));
    expect(modest).toContain('ceil of class 1:10, 4 Mbit/s of its own');
    expect(modest).toContain('less than allowed');
    expect(modest).toContain('0 dropped');
    expect(modest).toMatch(/accounted +\d\.\d+ Mbit\/s +as tc counts/);
  });

  test('holds no flow to a rate that it shares with others', () => {
    const flows = ['a', 'b'].map(
      (name) => `${name}: { source: cbr, rate: 9mbit, size: 500b, via: [wan], class: "1:10" }`,
    );
    const { result, readings } = ranThrough(htbScenario('"1:10": { rate: 4mbit }', flows.join('\n')));
    const text = summarize(result, readings, WIDE);
    expect(text).toMatch(/allowed +4 Mbit\/s +class 1:10, shared with other flows/);
    expect(text).not.toMatch(/accounted .*%/);
  });

  test("gives the classes' counters in the words of tc, and leaves out the unused direct queue", () => {
    expect(text).toMatch(/class 1:1 root level 7 /);
    expect(text).toMatch(/class 1:20 parent 1:1 level 0 [a-z-]+: /);
    expect(text).toMatch(
      / Sent \d+ bytes \d+ pkt \(dropped 0, overlimits \d+ requeues 0\)\n +backlog \d+b \d+p\n +lended: \d+ borrowed: 0 giants: 0\n +tokens: -?\d+ ctokens: -?\d+/,
    );
    expect(text).not.toContain('class direct');
  });

  test('says of every expectation whether it holds, in words', () => {
    const judged = summary('expect: [flows.modest.droppedPackets equals 0, flows.modest.droppedPackets above 5]');
    expect(judged).toContain('✓ passed  flows.modest.droppedPackets equals 0');
    expect(judged).toContain('✗ failed  flows.modest.droppedPackets above 5   got 0, expected 5');
  });
});

describe('the summary of a sweep', () => {
  const SWEEP = 'sweep: { rate: [1mbit, 2mbit, 3mbit] }';
  const rowsOf = (text: string) => text.split('\n').filter((line) => /^ *\dmbit /.test(line));

  test('has a row a point, with columns by flow', () => {
    const text = summary(SWEEP);
    expect(rowsOf(text)).toHaveLength(3);
    expect(text).toMatch(/\n +greedy +modest\n +rate +allowed Mbit\/s +accounted Mbit\/s +error/);
  });

  test('gives up columns where it is narrow, and then takes a row a flow', () => {
    const narrow = summary(SWEEP, 80);
    expect(rowsOf(narrow)).toHaveLength(3);
    expect(narrow).not.toContain('packets/s');
    const narrowest = summary(SWEEP, 40);
    expect(rowsOf(narrowest).map((row) => row.split(/ +/)[1])).toEqual(Array(3).fill(['greedy', 'modest']).flat());
    for (const line of [...narrow.split('\n').slice(2), ...rowsOf(narrowest)])
      expect(line.length).toBeLessThanOrEqual(80);
  });

  test('shows in the row and below it which expectation failed', () => {
    const text = summary(`${SWEEP}\nexpect: [flows.greedy.bitsPerSecond.accounted below 2.9mbit]`);
    expect(rowsOf(text).map((row) => row.split('  ').at(-1))).toEqual(['✓ as expected', '✓ as expected', '✗ failed']);
    expect(text).toMatch(/rate=3mbit\n +✗ failed {2}flows\.greedy\.bitsPerSecond\.accounted below 2\.9mbit/);
    expect(text).toMatch(/✗ 1 of 3 expectations failed\n$/);
  });
});

describe('the summary of a transfer that ends early', () => {
  const link = (bytes: string, more = ''): string => {
    const text = `title: Transfer
duration: 20s
${more}
hops:
  wan: { link: { rate: 20mbit, delay: 5ms } }
flows:
  down: { source: bulk, bytes: ${bytes}, via: [wan] }
`;
    const { result, readings } = ranThrough(loadScenario(text, 'sample.yaml', { registry }));
    return summarize(result, readings, WIDE);
  };

  test('judges the transfer, not what is left of it over the whole window', () => {
    const text = link('5MiB', 'expect: [flows.down.bitsPerSecond.goodput above 1mbit]');
    // 5 MiB = 3,622 segments of 1448 B, each 1538 B on a wire of 20 Mbit/s: 2.23 s, and the start of the connection
    const [, seconds, rate, error] =
      /transfer +5,242,880 bytes in ([\d.]+) s: ([\d.]+) Mbit\/s, (-[\d.]+) % against what is allowed/.exec(text)!;
    expect(Number(seconds)).toBeGreaterThan(2.23);
    expect(Number(seconds)).toBeLessThan(2.6);
    expect(Number(rate)).toBeCloseTo(41.943 / Number(seconds), 1);
    expect(Number(error)).toBeCloseTo(100 * (Number(rate) / 20 - 1), 1);
    // 41.9 Mbit in 20 s are 2.1 Mbit/s: no figure of the window is held against the 20
    expect(text).not.toMatch(/-8\d|-9\d/);
  });

  test('shows how long each transfer of a sweep took, and which did not end', () => {
    const text = link('"${bytes}"', 'vars: { bytes: 5MiB }\nsweep: { bytes: [5MiB, 200MiB] }');
    expect(text).toMatch(/bytes +allowed Mbit\/s +transfer Mbit\/s +time s +error/);
    expect(text).toMatch(/ 5MiB +20 +1[678]\.\d+ +2\.\d+ +-\d/);
    expect(text).toMatch(/200MiB +20 +1\d\.\d+ +not completed +-\d/);
  });
});

describe('the summary of a transfer with a limit of its own', () => {
  const curl = (limit: string): string => {
    const text = `title: Limit
duration: 2s
vars: { size: 10MiB }
hops:
  wan: { link: { rate: 5mbit, delay: 5ms } }
flows:
  down: { source: curl, version: 8.22.0, limit: ${limit}, size: "\${size}", via: [wan] }
`;
    const { result, readings } = ranThrough(loadScenario(text, 'sample.yaml', { registry }));
    return summarize(result, readings, WIDE);
  };

  test('says that the link limits it where the link carries less', () => {
    const line = /transfer .*/.exec(curl('10M'))![0];
    // 10 MiB a second are 83.886 Mbit/s; the payload of the link is less than 5.
    expect(line).toMatch(/ Mbit\/s, limited by the link, below the limit of 83\.886 Mbit\/s, not completed/);
    expect(line).not.toContain('%');
  });

  test('gives no error while it is not complete', () => {
    expect(/transfer .*/.exec(curl('100k'))![0]).toMatch(/, the limit is 819\.2 kbit\/s, not completed$/);
  });
});
