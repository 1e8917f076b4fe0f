import { linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Folder, sim, smallScenario } from './sim.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const SCRIPT = 'tc qdisc add dev eth0 root tbf rate 1mbit burst 10kb latency 50ms\n';
const result = sim('run', folder.write('made.yaml', smallScenario()), '--json').stdout;

/** Every input by its name. */
const INPUTS: Readonly<Record<string, string | Uint8Array>> = {
  'ok.yaml': smallScenario(),
  'ok.json': JSON.stringify(JSON.parse(result).scenario.document),
  'times.txt': '1\n2\n3\n',
  'figures.csv': 'rate,figure\n10,1\n',
  'cap.csv': 'time_s,size\n0.001,100\n0.002,100\n',
  'linked.yaml': smallScenario().replace('link: { rate: 1gbit }', 'link: { trace: times.txt }'),
  'replay.yaml':
    'title: Replay\nduration: 50ms\nhops: { wan: { link: { rate: 10mbit } } }\n' +
    'flows: { load: { source: trace, file: cap.csv, via: [wan] } }\n',
  'shape.sh': SCRIPT,
  'result.json': result,
};

beforeEach(() => {
  for (const [name, content] of Object.entries(INPUTS)) folder.write(name, content);
});

/** Runs a command, `@` in place of the test's folder, that is to be refused and to leave every input as it was. */
function refused(words: readonly string[], option: string): void {
  const { exitCode, stdout, stderr } = sim(...words.map((word) => word.replace('@', `${folder.path}/`)));
  expect(stderr).toContain(`sim: ${option}: expected a file that the command does not read`);
  expect([exitCode, stdout]).toEqual([2, '']);
  for (const [name, content] of Object.entries(INPUTS)) expect(readFileSync(folder.at(name), 'utf8')).toBe(content);
}

describe('an output that would take the place of an input is refused, and the input stays', () => {
  test.each([
    ['--html', ['run', '@ok.yaml', '--html', '@ok.yaml']],
    ['--trace', ['run', '@ok.yaml', '--trace', '@ok.yaml']],
    ['--pcap', ['run', '@ok.yaml', '--pcap', '@ok.yaml']],
    ['--out', ['run', '@ok.json', '--out', '@']],
    ['--html', ['run', '@ok.yaml', '@ok.json', '--html', '@ok.json']],
    ['--html', ['run', '@linked.yaml', '--html', '@times.txt']],
    ['--pcap', ['run', '@replay.yaml', '--pcap', '@cap.csv']],
    ['--trace', ['run', '@replay.yaml', '--trace', '@cap.csv']],
    ['--out', ['export', 'tc', '@ok.yaml', '-o', '@ok.yaml']],
    ['--out', ['import', 'tc', '@shape.sh', '-o', '@shape.sh']],
    ['--html', ['report', '@result.json', '--html', '@result.json']],
    ['--html', ['diff', '@result.json', '@result.json', '--html', '@result.json']],
  ])('%s in sim %j', (option, words) => refused(words, option));

  test('of figures that a reference names', () => {
    const x = '{ variable: rate, column: rate, unit: Mbps }';
    const y = '{ figure: flows.load.bitsPerSecond.accounted, column: figure, unit: Mbps }';
    folder.write('referring.yaml', `${smallScenario()}reference: { label: x, file: figures.csv, x: ${x}, y: ${y} }\n`);
    refused(['run', '@referring.yaml', '--html', '@figures.csv'], '--html');
  });

  test('by another name of the same file', () => {
    symlinkSync(folder.at('ok.yaml'), folder.at('symbolic.html'));
    linkSync(folder.at('ok.yaml'), folder.at('hard.csv'));
    refused(['run', '@ok.yaml', '--html', '@symbolic.html'], '--html');
    refused(['run', '@ok.yaml', '--trace', '@hard.csv'], '--trace');
    refused(['run', '@ok.yaml', '--html', '@./ok.yaml'], '--html');
  });

  test('in the folder of a sweep', () => {
    mkdirSync(folder.at('swept'));
    const points = folder.write('swept/points.jsonl', smallScenario());
    const { exitCode, stderr } = sim('sweep', points, '--vary', 'rate=1mbit,2mbit', '--out', folder.at('swept'));
    expect(stderr).toContain('--out: expected a file that the command does not read');
    expect(exitCode).toBe(2);
    expect(readFileSync(points, 'utf8')).toBe(smallScenario());
  });

  test('in the folder of a part that is joined', () => {
    const part = folder.at('part');
    expect(sim('sweep', folder.at('ok.yaml'), '--out', part).exitCode).toBe(0);
    symlinkSync(part, folder.at('same'));
    const journal = readFileSync(join(part, 'journal.jsonl'), 'utf8');
    expect(sim('merge', part, '--out', folder.at('same'), '--force').exitCode).toBe(2);
    expect(readFileSync(join(part, 'journal.jsonl'), 'utf8')).toBe(journal);
  });
});

test('an output of an earlier run is written again', () => {
  for (let i = 0; i < 2; i++) {
    expect(sim('run', folder.at('ok.yaml'), '--html', folder.at('page.html')).exitCode).toBe(0);
  }
});
