import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, simWith, smallScenario } from './sim.ts';
import { filesOf, journalBytes, journalPoints, mixedScenario, Running, until } from './sweep-bed.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a grid of 300 points over HTB, curl and Poisson flows', () => {
  const file = folder.write('mixed.yaml', mixedScenario('20ms', ['7.88.1', '8.6.0', '8.18.0']));

  test('gives the same bytes on one thread, on two, and in three parts on machines of their own', () => {
    const [one, two, whole] = ['one', 'two', 'whole'].map((name) => folder.at(name));
    expect(sim('sweep', file, '--out', one!, '-j', '1').exitCode).toBe(0);
    expect(sim('sweep', file, '--out', two!, '-j', '2').exitCode).toBe(0);
    const parts = [1, 2, 3].map((part) => folder.at(`part-${part}`));
    for (const [i, part] of parts.entries()) sim('sweep', file, '--out', part, '--shard', `${i + 1}/3`);
    expect(parts.map((part) => journalPoints(part).length)).toEqual([100, 100, 100]);
    expect(sim('merge', ...parts, '--out', whole!).exitCode).toBe(0);
    const expected = filesOf(one!);
    expect(JSON.parse(`${expected.result}}`).points).toHaveLength(300);
    expect(filesOf(two!)).toEqual(expected);
    expect(filesOf(whole!)).toEqual(expected);
  });

  test('is what sim run finds', () => {
    const { stdout } = sim('run', file, '--json', '-j', '2');
    expect(stdout.replace(/,"run":\{[^}]*\}\}\n$/, '')).toBe(filesOf(folder.at('one')).result);
  });

  test('is counted and timed by a dry run, which runs nothing', () => {
    const { stdout, exitCode } = sim('sweep', file, '--dry-run', '--shard', '2/3', '-j', '2');
    expect(stdout).toMatch(/^100 points of 300, about .+ on 2 threads\n9 of them timed: /);
    expect(exitCode).toBe(0);
  });

  test('has a page', () => {
    const page = folder.at('page.html');
    expect(sim('report', folder.at('one'), '--html', page).exitCode).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain('HTB, curl and Poisson');
  });

  test('with a part missing is joined, and the gaps are named', () => {
    const { exitCode, stderr } = sim('merge', folder.at('part-1'), folder.at('part-3'), '--out', folder.at('gaps'));
    expect(exitCode).toBe(3);
    // To the base of 3 these are 1, 10, 22, 100, 112, 121: the sums of their digits leave 1 when divided by 3.
    expect(stderr).toContain('these points are missing: 1, 3, 8–9, 14, 16, 20, 22');
    expect(journalPoints(folder.at('gaps'))).toHaveLength(200);
  });
});

test('a sweep killed at random instants and gone on with each time loses no point and has none twice', async () => {
  const file = folder.write('killed.yaml', mixedScenario('400ms', ['8.6.0']));
  const [whole, killed] = [folder.at('not-killed'), folder.at('killed')];
  sim('sweep', file, '--out', whole);
  for (let kills = 0; kills < 5; kills++) {
    const before = journalBytes(killed);
    const running = new Running('sweep', file, '--out', killed, '--resume', '-j', '2');
    await until(() => journalBytes(killed) > before + 2000);
    await sleep(Math.random() * 200);
    running.process.kill('SIGKILL');
    expect(await running.ended).toBeNull();
  }
  expect(journalPoints(killed).length).toBeLessThan(100);
  const { exitCode, stderr } = sim('sweep', file, '--out', killed, '--resume');
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/sim: \d+ of 100 points are finished already/);
  expect(journalPoints(killed).sort((a, b) => a - b)).toEqual(range(100));
  expect(filesOf(killed)).toEqual(filesOf(whole));
});

test('Ctrl-C finishes what runs, writes it, ends with 130 and says how to go on', async () => {
  const file = folder.write('interrupted.yaml', mixedScenario('400ms', ['8.6.0']));
  const out = folder.at('interrupted');
  const running = new Running('sweep', file, '--out', out, '-j', '2');
  await until(() => journalBytes(out) > 4000);
  running.process.kill('SIGINT');
  expect(await running.ended).toBe(130);
  expect(running.said).toContain(`go on with: sim sweep ${file} --out ${out} -j 2 --resume`);
  const points = journalPoints(out);
  expect(points.length).toBeLessThan(100);
  const { result } = filesOf(out);
  expect(JSON.parse(`${result}}`).points).toHaveLength(points.length);
});

describe('a point that fails does not end the sweep:', () => {
  test('one that takes longer than it may has failed', () => {
    const file = folder.write(
      'slow.yaml',
      smallScenario().replace('50ms', '"${duration}"').replace('vars: {', 'vars: { duration: 50ms,'),
    );
    const out = folder.at('slow');
    const words = ['--vary', 'duration=50ms,10h,60ms', '--point-timeout', '1s', '--no-fast-forward'];
    const { exitCode, stdout } = sim('sweep', file, ...words, '--out', out, '-j', '2');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('1 point failed: 1 out of time');
    const { points } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'));
    expect(points.map(({ failed }: { failed?: string }) => failed)).toEqual([
      undefined,
      'took longer than the 1 s that a point may take',
      undefined,
    ]);
  });

  test('one whose values are invalid is told with its place', () => {
    // Of 600 values the 250 that are looked at when the scenario is read do not have the second one.
    const rates = ['1mbit', 'fast', ...range(598).map((i) => `${i + 2}mbit`)];
    const file = folder.write(
      'invalid.yaml',
      `${smallScenario().replace('50ms', '11ms')}sweep: { rate: [${rates}] }\n`,
    );
    const { exitCode, stdout } = sim('sweep', file, '-j', '2');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('600 points');
    expect(stdout).toContain('rate=fast: ');
    expect(stdout).toContain('hops.wan.classes.1:10.rate: expected a rate such as 100mbit but received "fast"');
  });
});

test('a refinement prints and writes the edges', () => {
  const file = folder.write(
    'stairs.yaml',
    `duration: 20ms
warmup: 2ms
vars: { rate: 1mbit }
hops:
  wan:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    default: "1:10"
    classes: { "1:10": { rate: "\${rate}" } }
    link: { rate: 1gbit }
flows:
  load: { source: cbr, rate: 950mbit, size: 836b, via: [wan] }
`,
  );
  const out = folder.at('stairs');
  const words = ['--vary', 'rate=500mbit..570mbit/10mbit', '--refine', 'rate/1kbit', '--out', out];
  const { exitCode, stdout } = sim('sweep', file, ...words);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/512mbit .* 512001kbit /);
  const [, ...lines] = readFileSync(join(out, 'edges.csv'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => line.split(',').slice(0, 3).join())).toEqual([
    'rate,512mbit,512001kbit',
    'rate,554666kbit,554667kbit',
  ]);
  const { edges } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'));
  expect(edges.map(({ aboveValue }: { aboveValue: number }) => aboveValue)).toEqual([512_001_000, 554_667_000]);
  // Gone on with, it finds everything done.
  expect(sim('sweep', file, ...words, '--resume').stdout).toContain('512001kbit');
});

describe('what stands in the way is told:', () => {
  const file = folder.write('small.yaml', smallScenario());
  const vary = ['--vary', 'rate=1mbit..8mbit/1mbit'];
  const done = folder.at('done');
  const journal = join(done, 'journal.jsonl');
  sim('sweep', file, ...vary, '--out', done);
  const whole = readFileSync(journal, 'utf8');

  test('a journal that is there', () => {
    const { exitCode, stderr } = sim('sweep', file, ...vary, '--out', done);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--resume goes on with it, --force begins anew');
  });

  test('a journal of another scenario', () => {
    const { exitCode, stderr } = sim('sweep', file, '--vary', 'rate=1mbit..9mbit/1mbit', '--out', done, '--resume');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('belongs to another sweep');
    expect(readFileSync(journal, 'utf8')).toBe(whole);
  });

  test('lines that do not belong', () => {
    appendFileSync(journal, 'hello\n');
    const { exitCode, stderr } = sim('sweep', file, ...vary, '--out', done, '--resume');
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`${journal}:10: expected a point of this sweep but received "hello"`);
    writeFileSync(journal, whole);
  });

  test('a torn last line, which is run again', () => {
    writeFileSync(journal, whole.slice(0, -100));
    const { exitCode, stderr } = sim('sweep', file, ...vary, '--out', done, '--resume');
    expect(stderr).toContain('the last line was torn off and is dropped');
    expect(stderr).toContain('7 of 8 points are finished already');
    expect(exitCode).toBe(0);
    expect(journalPoints(done).sort((a, b) => a - b)).toEqual(range(8));
  });

  test('a folder that cannot be made', () => {
    const { exitCode, stderr } = sim('sweep', file, ...vary, '--out', join(file, 'below'));
    expect(exitCode).toBe(4);
    expect(stderr).toContain('a part of the path is not a directory');
  });

  test('a journal that cannot grow: what is in it stays, and is gone on with', () => {
    const out = folder.at('full');
    const words = [file, '--vary', 'rate=1mbit..60mbit/1mbit', '--out', out];
    const command = `trap "" XFSZ; ulimit -f 40; exec "$0" sim/bin.mjs sweep "$@" -j 1`;
    const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, ...words], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`cannot write ${join(out, 'journal.jsonl')}: the file would be larger than it may be`);
    expect(status).toBe(4);
    expect(readFileSync(join(out, 'journal.jsonl'), 'utf8').endsWith('}}\n')).toBe(true);
    const kept = journalPoints(out).length;
    expect(kept).toBeGreaterThan(0);
    const again = sim('sweep', ...words, '--resume');
    expect(again.stderr).toContain(`${kept} of 60 points are finished already`);
    expect(again.exitCode).toBe(0);
    expect(journalPoints(out).sort((a, b) => a - b)).toEqual(range(60));
  });

  test.each([
    [['--shard', '0/3'], 'shards are counted from 1'],
    [['--resume'], '--resume needs --out DIR'],
    [['--sample', 'latin:5'], '--sample: expected a number of points, or random:N or latin-hypercube:N'],
    [['--figure', 'flows.load.sentPackets'], '--figure needs --refine'],
    [
      ['--refine', 'rate/1kbit', '--figure', 'nonsense'],
      '--figure: expected the path of a figure but received "nonsense"',
    ],
    [['--refine', 'rate/1kbit', '--figure', 'flows.load.bitsPerSecond'], 'go on with offered, goodput, accounted'],
    [['--refine', 'rate/1kbit', '--shard', '1/2'], '--refine needs all points'],
    [['--queue', 'localhost'], '--queue: expected redis://'],
  ])('%s', (words, complaint) => {
    const { exitCode, stderr } = sim('sweep', file, ...vary, ...words);
    expect(stderr).toContain(complaint);
    expect(exitCode).toBe(2);
  });
});

describe('what a sweep shows', () => {
  const file = folder.write('shown.yaml', smallScenario());
  const rowsOf = (stdout: string): string[] =>
    stdout.split('\n').flatMap((line) => /^ *(\d+kbit) +\S/.exec(line)?.[1] ?? []);

  test('without --out is its points, as sim run shows them', () => {
    const { stdout } = sim('sweep', file, '--vary', 'rate=1000kbit,2000kbit');
    const table = sim('run', folder.write('same.yaml', smallScenario('sweep: { rate: [1000kbit, 2000kbit] }'))).stdout;
    expect(rowsOf(stdout)).toEqual(['1000kbit', '2000kbit']);
    for (const row of table.split('\n').filter((line) => /^ *(rate|\d+kbit) /.test(line)))
      expect(stdout).toContain(row);
  });

  test('is bounded by forty points, and says where all are', () => {
    const vary = ['--vary', 'rate=1010kbit..1610kbit/10kbit'];
    const alone = sim('sweep', file, ...vary);
    expect(rowsOf(alone.stdout)).toHaveLength(40);
    expect(alone.stdout).toContain('… and 21 more points; --out DIR keeps all');
    expect(alone.stderr).toContain('--out DIR keeps every point');
    const kept = sim('sweep', file, ...vary, '--out', folder.at('shown'));
    expect(rowsOf(kept.stdout)).toHaveLength(40);
    expect(kept.stdout).toContain(`… and 21 more points; all are in ${join(folder.at('shown'), 'points.csv')}`);
  });
});

test('a sweep without --out leaves nothing behind', () => {
  const temporary = folder.at('temporary');
  const file = folder.write('alone.yaml', smallScenario());
  mkdirSync(temporary);
  const { stdout, exitCode } = simWith({ TMPDIR: temporary }, 'sweep', file, '--vary', 'rate=1mbit,2mbit', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).points).toHaveLength(2);
  expect(readdirSync(temporary)).toEqual([]);
});
