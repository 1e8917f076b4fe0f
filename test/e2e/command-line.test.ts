import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, simInterrupted, smallScenario } from './sim.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const small = folder.write('small.yaml', smallScenario());

/** The exit code of a command and the first line that it says. */
function first(...words: readonly string[]) {
  const { exitCode, stderr } = sim(...words);
  return [exitCode, stderr.split('\n')[0]];
}

describe('words of a command line', () => {
  test.each([
    [['run', small, '--json=yes'], '--json: expected no value but received "yes"'],
    [['run', small, '--json=no'], '--json: expected no value but received "no"'],
    [['run', small, '--no-fast-forward=maybe'], '--no-fast-forward: expected no value but received "maybe"'],
    [['import', 'tc', small, '-q=no'], '-q: expected no value but received "no"'],
    [['run', '-x', small], 'unknown option -x'],
    [['run', '-xj', '2', small], 'unknown option -x'],
    [['run', '--no-json', small], 'unknown option --no-json'],
    [['run', small, '-j'], '-j: expected a value'],
    [['run', small, '--jobs'], '--jobs: expected a value'],
    [['run', '--html', '--', small], '--html: expected a value'],
    [['run', small, '--html', ''], '--html: expected a value but received ""'],
    [['run', small, '--out='], '--out: expected a value but received ""'],
    [['completion', 'tcsh'], 'completion: expected bash, zsh, fish but received "tcsh"'],
  ])('%j are refused as they were written', (words, message) => {
    expect(first(...words)).toEqual([2, `sim: ${message}`]);
  });

  test('behind -- are no options', () => {
    expect(sim('run', '--', small)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first('run', '--', '--json')).toEqual([4, 'sim: cannot read --json: no such file']);
    expect(first('run', '--json', 'true')).toEqual([4, 'sim: cannot read true: no such file']);
  });

  test('about completion print the script of the shell that is named', () => {
    expect(sim('completion', 'fish').stdout).toContain('complete -f -c sim');
    expect(sim('completion', 'zsh').stdout).toContain('#compdef sim');
    expect(sim('completion', 'bash').stdout).toContain('COMPREPLY');
  });
});

describe('a value that is wrong on the command line', () => {
  test.each([
    [['sweep', small, '--vary', 'rate='], '--vary rate'],
    [['sweep', small, '--vary', 'rate=x'], '--vary rate'],
    [['sweep', small, '--vary', 'rate=1mbit..1gbit/1bit'], '--vary rate'],
    [['sweep', small, '--set', 'rate='], '--set rate'],
    [['run', small, '--set', 'rate=x'], '--set rate'],
    [['sweep', small, '--zip', 'rate=1mbit,2mbit', '--zip', 'x=1'], '--zip rate, --zip x'],
  ])('in sim %j ends with 2 and names the option', (words, option) => {
    const { exitCode, stderr } = sim(...words);
    expect(stderr).toContain(`\n  given on the command line: ${option}\n`);
    expect(stderr).not.toMatch(/small.yaml:\d/);
    expect(exitCode).toBe(2);
  });

  test.each([
    ['vary', 'set'],
    ['zip', 'set'],
    ['zip', 'vary'],
  ])('as a variable of --%s is that is one of --%s', (one, other) => {
    const { exitCode, stderr } = sim('sweep', small, `--${one}`, 'rate=1mbit,2mbit', `--${other}`, 'rate=1mbit');
    expect(stderr).toContain(`--${other} rate and --${one} rate cannot both be given`);
    expect(exitCode).toBe(2);
  });
});

test('what a terminal obeys in names and values is shown, not sent', () => {
  const swept = smallScenario('sweep: { rate: ["1mbit\\e[32m", 2mbit] }\n').replace('"${rate}"', '1mbit');
  const path = folder.write('\u001b[31mred.yaml', swept.replace('title: One class', 'title: "${rate}"'));
  for (const command of ['validate', 'explain', 'advise']) {
    const { exitCode, stdout, stderr } = sim(command, path);
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stdout + stderr).toContain('⟨U+001B⟩[3');
  }
});

test('sim init prints or writes', () => {
  expect(first('init', '--print', '--out', folder.at('x.yaml'))).toEqual([
    2,
    'sim: --print and --out cannot both be given',
  ]);
});

describe('a run that is too much', () => {
  test('for the memory is refused with what would fit', () => {
    const flows = Array.from(
      { length: 99 },
      (_, i) => `  f${i}: { source: cbr, rate: 1mbit, size: 1000b, via: [wan] }`,
    );
    const many = folder.write('many.yaml', smallScenario(flows.join('\n')));
    // 5,000,000 buckets for 100 flows and a hop: 49,504.9.
    for (const command of ['run', 'sweep']) {
      expect(first(command, many, '--detail', '49505')).toEqual([
        2,
        'sim: --detail: expected at most 49504 buckets for 100 flows, which fit into memory, but received 49505',
      ]);
    }
  });

  test.each([[[]], [['--html', folder.at('dense.html')]]])('is interrupted within one instant %j', async (words) => {
    const dense = folder.write('dense.yaml', smallScenario().replace('rate: 20mbit', 'rate: 1000tbit'));
    const { exitCode, stderr } = await simInterrupted(2500, 'run', dense, ...words);
    expect(stderr).toContain('interrupted');
    expect(exitCode).toBe(130);
  });
});

describe('a stream that can be written no more', () => {
  const through = (words: string, reader: string) =>
    spawnSync('bash', ['-c', `set -o pipefail; node sim/bin.mjs ${words} ${reader}`], { cwd: ROOT, encoding: 'utf8' });

  test.each(['| head -c 0', '2>&1 | head -c 0', '| (exec <&-; sleep 1)'])(
    'keeps no file from being written: %s',
    (reader) => {
      const page = folder.at('page.html');
      const out = folder.at('out');
      const { status } = through(
        `run ${small} --json --html ${page} --out ${out} --trace ${folder.at('trace.csv')}`,
        reader,
      );
      expect(status).toBe(0);
      expect(readFileSync(page, 'utf8')).toContain('One class');
      expect(readdirSync(out)).toEqual(['small.json']);
      expect(readFileSync(folder.at('trace.csv'), 'utf8').split('\n').length).toBeGreaterThan(100);
      for (const name of ['page.html', 'out', 'trace.csv']) rmSync(folder.at(name), { recursive: true });
    },
  );

  test('keeps no result of a sweep from being written', () => {
    const out = folder.at('swept');
    expect(through(`sweep ${small} --vary rate=1mbit,2mbit --json --out ${out}`, '| head -c 0').status).toBe(0);
    expect(existsSync(`${out}/result.json`)).toBe(true);
  });

  test.runIf(existsSync('/dev/full'))('for want of room ends with 4 beside the page', () => {
    const page = folder.at('full.html');
    const { status, stderr } = through(`run ${small} --html ${page}`, '> /dev/full');
    expect(stderr).toContain('sim: cannot write the result: no space left on the device\n');
    expect(status).toBe(4);
    expect(readFileSync(page, 'utf8')).toContain('One class');
  });
});
