import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, simInterrupted, simWith, smallScenario } from './sim.ts';

const folder = new Folder();
const small = folder.write('small.yaml', smallScenario());
const swept = folder.write('swept.yaml', smallScenario('sweep: { rate: [5mbit, 10mbit] }'));
afterAll(() => folder.remove());

describe('sim run', () => {
  test('shows flows, hops and classes, and nothing on stderr', () => {
    const { exitCode, stdout, stderr } = sim('run', small);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^One class\n/);
    expect(stdout).toMatch(/allowed +10 Mbit\/s +class 1:10/);
    expect(stdout).toMatch(/accounted +10\.\d+ Mbit\/s/);
    expect(stdout).toMatch(/class 1:10 root level 0 [a-z-]+: 10[.\d]* Mbit\/s/);
    expect(stdout).toMatch(/ Sent \d+ bytes \d+ pkt \(dropped 0, overlimits \d+ requeues 0\)/);
    expect(stdout).not.toContain('\u001b');
  });

  test('points to sim validate where the configuration looks wrong, on stderr only', () => {
    // 1600 bytes, tc's default, are 12.8 µs at 1 Gbit/s: less than a timer is late
    const doubtful = folder.write('doubtful.yaml', smallScenario().replace(', burst: 3000b', ''));
    const words = ['run', doubtful, '--set', 'rate=1gbit'];
    const { exitCode, stderr } = sim(...words);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^sim: \d+ things? in the configuration looks? wrong: sim validate \S+ --set rate=1gbit\n$/);
    expect(sim(...words.with(0, 'validate')).stderr).toContain('warning: ');
    expect(JSON.parse(sim(...words, '--json').stdout).format).toBe('shaperlab-result/1');
  });

  test('says why there is nothing to show of a plain link', () => {
    const plain = folder.write(
      'plain.yaml',
      `duration: 50ms
hops: { wan: { link: { rate: 10mbit } } }
flows: { load: { source: cbr, rate: 1mbit, size: 1000b, via: [wan] } }
`,
    );
    for (const [words, reason] of [
      [['run', plain, '--format', 'tc'], 'no hop has a shaper'],
      [['run', plain, '--format', 'mail'], 'no flow is a transfer with an end'],
      [['explain', plain], 'no arithmetic to explain'],
    ] as const) {
      const { exitCode, stdout, stderr } = sim(...words);
      expect(exitCode).toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain(reason);
    }
  });

  test('shows a sweep as a table with a row a point', () => {
    const { exitCode, stdout } = sim('run', swept);
    expect(exitCode).toBe(0);
    const rows = stdout.split('\n').filter((line) => /^ *\d+mbit /.test(line));
    expect(rows.map((row) => row.trim().split(/ +/)[0])).toEqual(['5mbit', '10mbit']);
  });

  test('prints one JSON document with --json, the same twice but for `run`', () => {
    const [first, second] = [sim('run', swept, '--json'), sim('run', swept, '--json')].map(({ stdout }) =>
      JSON.parse(stdout),
    );
    expect(first.format).toBe('shaperlab-result/1');
    expect(first.scenario.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(first.points.map((point: { variables: object }) => point.variables)).toEqual([
      { rate: '5mbit' },
      { rate: '10mbit' },
    ]);
    expect({ ...first, run: undefined }).toEqual({ ...second, run: undefined });
  });

  test('prints a list of results for several files with --json', () => {
    const { stdout } = sim('run', small, swept, '--json');
    expect(JSON.parse(stdout).map((result: { points: unknown[] }) => result.points.length)).toEqual([1, 2]);
  });

  test('takes --set, --seed and --duration in place of what the file says', () => {
    const { stdout } = sim('run', swept, '--set', 'rate=2mbit', '--seed', '7', '--duration', '80ms', '--json');
    const result = JSON.parse(stdout);
    expect(result.seed).toBe(7);
    expect(result.points).toHaveLength(1);
    expect(result.points[0].durationSeconds).toBe(0.08);
    // 2 Mbit/s for 70 ms and at most one burst of 3000 bytes more
    expect(result.points[0].flows.load.bitsPerSecond.accounted).toBeLessThan(2e6 + (3000 * 8) / 0.07);
  });

  test('keeps series of a single run, in as many buckets as --detail says, and none of a sweep', () => {
    const seriesOf = (...words: string[]) =>
      JSON.parse(sim('run', ...words, '--json').stdout).points[0].hops.wan.classes['1:10'].series;
    expect(seriesOf(small, '--detail', '20').tokens.mean).toHaveLength(20);
    expect(seriesOf(small).tokens.mean.length).toBeGreaterThan(100);
    expect(seriesOf(swept)).toBeUndefined();
  });

  test('ends with 1 when an expectation fails, and says what came', () => {
    const file = folder.write(
      'expecting.yaml',
      smallScenario('expect:\n  - flows.load.droppedPackets below 1\n  - flows.load.sentPackets equals 1'),
    );
    const { exitCode, stdout } = sim('run', file);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✓ passed  flows.load.droppedPackets below 1');
    // 20 Mbit/s of 1000-byte packets is one every 400 µs, from 0 on: 125 in 50 ms
    expect(stdout).toContain('✗ failed  flows.load.sentPackets equals 1   got 125, expected 1');
  });

  test('writes every packet event with --trace, names escaped', () => {
    const trace = folder.at('trace.csv');
    const file = folder.write('named.yaml', smallScenario().replace('  load:', '  "load:a+b":'));
    expect(sim('run', file, '--trace', trace, '--duration', '15ms').exitCode).toBe(0);
    const [header, ...lines] = readFileSync(trace, 'utf8').trimEnd().split('\n');
    expect(header).toBe('time_ns,event,hop,flow,class,size');
    expect(lines[0]).toBe('0,arrive,wan,load:a+b,1:10,1000');
    // an empty class with a full bucket sends at once; 1024 bytes take 8192 ns on a line of 1 Gbit/s
    expect(lines[1]).toBe('0,depart,wan,load:a+b,1:10,1000');
    expect(lines).toContain('8192,deliver,wan,load:a+b,1:10,1000');
    const times = lines.map((line) => Number(line.split(',')[0]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('refuses a trace of several points, and shows how to choose one', () => {
    const { exitCode, stderr } = sim('run', swept, '--trace', folder.at('none.csv'));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--trace takes a single run but there are 2 points');
    expect(stderr).toContain('--set rate=…');
    expect(existsSync(folder.at('none.csv'))).toBe(false);
  });

  test('prints CSV with a line a point and flow', () => {
    const [header, ...lines] = sim('run', swept, '--format', 'csv').stdout.trimEnd().split('\n');
    expect(header).toMatch(/^scenario,rate,flow,sent_packets,/);
    expect(lines.map((line) => line.split(',').slice(1, 4))).toEqual([
      ['5mbit', 'load', '125'],
      ['10mbit', 'load', '125'],
    ]);
  });

  test('writes each result to the folder of --out', () => {
    const { exitCode, stderr } = sim('run', small, swept, '--out', folder.at('results'));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('small.json written');
    expect(JSON.parse(readFileSync(folder.at('results/swept.json'), 'utf8')).points).toHaveLength(2);
  });

  test('ends with 4 where a file cannot be written', () => {
    const { exitCode, stderr } = sim('run', small, '--trace', folder.at('no/such/folder/trace.csv'));
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^sim: cannot write .*trace\.csv: no such folder\n$/);
  });

  test('ends with 4 where the disk is full, whatever it writes', () => {
    const trace = sim('run', small, '--trace', '/dev/full');
    expect(trace).toMatchObject({ exitCode: 4, stderr: 'sim: cannot write /dev/full: no space left on the device\n' });
    const { status, stderr } = spawnSync('bash', ['-c', `node sim/bin.mjs run ${small} > /dev/full`], { cwd: ROOT });
    expect([status, String(stderr)]).toEqual([4, 'sim: cannot write the result: no space left on the device\n']);
  });

  test('shows what tc would show with --format tc', () => {
    const { exitCode, stdout } = sim('run', small, '--format', 'tc');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^# wan: tc -s -d class show\nclass htb 1:10 root prio 0 quantum 125000 rate 10Mbit ceil 10Mbit/,
    );
    expect(sim('run', swept, '--format', 'tc').stdout.match(/^# rate=\d+mbit$/gm)).toHaveLength(2);
  });

  test('is coloured when FORCE_COLOR says so, and not by NO_COLOR or a dumb terminal', () => {
    expect(simWith({ FORCE_COLOR: '1', NO_COLOR: undefined }, 'run', small).stdout).toContain('\u001b[1m');
    expect(simWith({ TERM: 'dumb', NO_COLOR: undefined }, 'run', small).stdout).not.toContain('\u001b');
  });

  test('keeps the points that are finished when it is interrupted, and ends with 130', async () => {
    // Far more points than can be run in that time.
    const file = folder.write('long.yaml', smallScenario('sweep: { rate: 1mbit..900mbit/10kbit }'));
    const { exitCode, stdout } = await simInterrupted(2500, 'run', file, '--json');
    expect(exitCode).toBe(130);
    const { points } = JSON.parse(stdout);
    expect(points.length).toBeGreaterThan(0);
    expect(points.length).toBeLessThan(89_901);
  });

  test('can be interrupted in the middle of one long run', async () => {
    const file = folder.write('random.yaml', smallScenario().replace('source: cbr', 'source: poisson'));
    const { exitCode, stderr } = await simInterrupted(2500, 'run', file, '--duration', '90000s');
    expect(exitCode).toBe(130);
    expect(stderr).toContain('interrupted');
  });
});

describe('the scenarios of HTB', () => {
  test('come within 0.5 % of all 14 rows of the 2009 measurement', () => {
    const { exitCode, stdout } = sim('run', 'scenarios/htb-800B.yaml', '--json');
    expect(exitCode).toBe(0);
    const { points, references } = JSON.parse(stdout);
    expect(points).toHaveLength(14);
    expect(references[0].rows).toHaveLength(14);
    for (const [index, point] of points.entries()) {
      const measured = references[0].rows[index].y;
      expect(Math.abs(point.flows.generator.bitsPerSecond.frame / measured - 1)).toBeLessThan(0.005);
      expect(point.expectations).toMatchObject([{ passed: true, expected: measured }]);
    }
  });

  test.each(['borrowing', 'priorities', 'small-packets', 'burst'])('htb-%s keeps what it promises', (name) => {
    const { exitCode, stdout } = sim('run', `scenarios/htb-${name}.yaml`);
    expect(stdout).toContain('passed');
    expect(exitCode).toBe(0);
  });

  test('of 2.6.25 break at 512/513, 554/555 and 605/606 Mbit, and not between', () => {
    const { stdout } = sim('run', 'scenarios/htb-generations.yaml', '--set', 'kernel=2.6.25', '--json');
    const packets: number[] = JSON.parse(stdout).points.map(
      (point: { flows: { generator: { receivedPackets: number } } }) => point.flows.generator.receivedPackets,
    );
    // 832 bytes take 13 µs from 476 Mbit on (less than 14), 12 from 513, 11 from 555, 10 from 606 and 9 from 666: they
    // cost 13 (below 476), 12, 11, 10, 9 and 8 ticks of 1024 ns. Neighbours on one step differ by the run's end only.
    const breaks = packets.flatMap((count, index) =>
      index > 0 && count > packets[index - 1]! * 1.05 ? [`${469 + index}/${470 + index}`] : [],
    );
    expect(breaks).toEqual(['475/476', '512/513', '554/555', '605/606', '665/666']);
    const between = [0, 6, 43, 85, 136, 196, 201];
    const steps = between.slice(1).map((end, index) => packets.slice(between[index], end));
    for (const step of steps) expect(Math.max(...step) / Math.min(...step)).toBeLessThan(1.005);
  });
});
