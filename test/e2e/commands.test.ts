import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, smallScenario } from './sim.ts';

const folder = new Folder();
const small = folder.write('small.yaml', smallScenario());
const swept = folder.write('swept.yaml', smallScenario('sweep: { rate: [5mbit, 10mbit] }'));
afterAll(() => folder.remove());

describe('the command line', () => {
  test('lists commands and exit codes with --help, on stdout', () => {
    const { exitCode, stdout, stderr } = sim('--help');
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const command of ['run <files..>', 'validate <files..>', 'explain <file>', 'models [kind]', 'diff <left>']) {
      expect(stdout).toContain(`sim ${command}`);
    }
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('130 interrupted');
  });

  test('shows the options of a command with --help', () => {
    expect(sim('run', '--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--trace') });
  });

  test('prints its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(sim('--version')).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each([
    [[], 'expected a command'],
    [['rnu', small], 'unknown command "rnu"\n  hint: did you mean run?'],
    [['run'], 'expected more arguments\n  hint: usage: sim run <files..>'],
    [['run', small, '--sed', '1'], 'unknown option --sed\n  hint: did you mean --'],
    [['run', small, '--seed'], '--seed: expected a value'],
    [['run', small, '--seed', '-1'], '--seed: expected a'],
    [['run', small, '--seed', '1', '--seed', '2'], '--seed can be given only once'],
    [['run', small, '--duration', '5'], 'did you mean 5s or 5ms?'],
    [['run', small, '--format', 'sumary'], 'did you mean summary?'],
    [['run', small, '--set', 'rate'], '--set: expected name=value but received "rate"'],
    [['run', small, '--json', '--format', 'csv'], '--json and --format cannot both be given'],
    [['run', small, '--format', 'tc', '--tc-version', '9.9'], 'modelled are 2.6.22'],
    [['run', small, '--tc-version', '6.1'], 'says how --format tc shows'],
    [['explain', small, '--size', 'big'], '--size: expected a packet size'],
    [['explain', small, 'extra'], 'unexpected argument "extra"'],
    [['models', 'htbb'], 'no model or part of a scenario is called "htbb"\n  hint: did you mean htb?'],
    [['init', 'nothing'], 'the templates are htb, tbf, tcp, curl'],
    [['report', small], 'expected --html FILE'],
    [['diff', small, small, '--tolerance', 'much'], '--tolerance: expected a share such as 1% or 0.01'],
  ])('ends with 2 and says what is wrong: sim %j', (words, message) => {
    const { exitCode, stdout, stderr } = sim(...words);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });

  test('ends quietly when its reader goes away', () => {
    const { stdout, stderr } = spawnSync('bash', ['-c', `node sim/bin.mjs schema | head -c 20`], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout).toHaveLength(20);
    expect(stderr).toBe('');
  });

  test('prints a completion script that bash accepts, and completes commands and options', () => {
    const { exitCode, stdout } = sim('completion');
    expect(exitCode).toBe(0);
    execFileSync('bash', ['-n'], { input: stdout });
    expect(sim('--get-yargs-completions', 'sim', 'val').stdout).toContain('validate');
    expect(sim('--get-yargs-completions', 'sim', 'run', '--').stdout).toContain('--trace');
  });
});

describe('sim explain', () => {
  test('follows a packet from the configured rate to the received one, through every rounding', () => {
    const { exitCode, stdout, stderr } = sim('explain', 'scenarios/htb-800B.yaml', '--set', 'rate=555mbit');
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    // 836 >> 3 = 104, whose lower bound is 832 B; 832 / 69.375 MB/s = 11.993 µs; 11 × 0.9765625 = 10.742
    expect(stdout).toContain('cell 104, priced as 832 B');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('11.993 µs → 11 µs → 10.742 → 10 ticks of 1024 ns');
    expect(stdout).toMatch(/packets +97,656 \/s +1 s \/ 10\.24 µs/);
    expect(stdout).toMatch(/accounted +653\.13 Mbit\/s, \+17\.7 %/);
    expect(stdout).toMatch(/frame +656\.25 Mbit\/s, \+18\.2 %/);
    // the bursts that tc showed in the 2009 thread
    expect(stdout).toContain('burst 70901b');
    expect(stdout).toContain('burst 126375b');
    expect(stdout).toMatch(/quantum +200,000 B, priority 7 +rate \/ r2q 10 = 6,937,500, lowered/);
  });

  test('takes the packet size from --size', () => {
    const { stdout } = sim('explain', small, '--size', '100');
    // 100 B / 1.25 MB/s = 80 µs
    expect(stdout).toMatch(/packets of 100 B\n +price +80,000 ns/);
    expect(stdout).toMatch(/packets +12,500 \/s/);
  });

  test('warns of a timer that is later than the bucket lasts, and tells what rate is left', () => {
    const { stdout } = sim('explain', 'scenarios/htb-burst.yaml');
    // two packets of 60.56 µs in 2 × 60.56 - 64 + 200 µs
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'the bucket holds 64 µs: what the class misses is lost, down to 94.213 Mbit/s',
    );
  });

  test('says on stderr which point of a sweep it explains', () => {
    expect(sim('explain', swept).stderr).toContain('the first of 2 points, rate=5mbit');
  });

  test('prints the steps as JSON', () => {
    const [explanation] = JSON.parse(sim('explain', small, '--json').stdout);
    expect(explanation.subject).toBe('class 1:10 of wan');
    expect(explanation.sections[0].lines[0]).toEqual({
      label: 'rate',
      value: '1,250,000 bytes/s',
      rule: '10,000,000 bit/s / 8',
    });
  });
});

describe('sim models, schema and init', () => {
  test('lists models by role, and one in full', () => {
    expect(sim('models').stdout).toMatch(/^shapers[^\n]+\n +htb +Hierarchical Token Bucket/);
    const { stdout } = sim('models', 'htb');
    expect(stdout).toMatch(/\n {2}r2q .*default 10/);
    expect(stdout).toMatch(/\n {6}rate .*required/);
    expect(stdout).toMatch(/\ncounters\n/);
  });

  test('lists the parts of a scenario, and shows one by its name or its key', () => {
    expect(sim('models').stdout).toMatch(/\nparts of a scenario\n(?: .*\n)* {2}link +The line behind the hop\./);
    for (const name of ['link', 'hop', 'hops', 'flow', 'timer', 'filter', 'filters', 'expect', 'sweep', 'reference']) {
      expect(sim('models', name)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\w+ \(\w+:\): /) });
    }
    expect(sim('models', 'lnk')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean link?') });
  });

  test('prints the JSON Schema', () => {
    const schema = JSON.parse(sim('schema').stdout);
    expect(schema.properties).toHaveProperty('hops');
  });

  test.each(['htb', 'tbf', 'tcp', 'curl'])('init %s writes a scenario that is valid', (template) => {
    const path = folder.at(`${template}.yaml`);
    expect(sim('init', template, '--out', path).exitCode).toBe(0);
    expect(sim('init', template, '--print').stdout).toBe(readFileSync(path, 'utf8'));
    expect(sim('validate', path)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('valid') });
  });

  test('the scenarios of init that need no TCP keep what they promise', () => {
    for (const template of ['htb', 'tbf']) expect(sim('run', folder.at(`${template}.yaml`)).exitCode).toBe(0);
  });

  test('init does not overwrite a file', () => {
    const { exitCode, stderr } = sim('init', 'htb', '--out', small);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('exists already');
    expect(readFileSync(small, 'utf8')).toBe(smallScenario());
  });
});

describe('sim diff and report', () => {
  const result = (name: string, ...words: string[]) => folder.write(name, sim('run', ...words, '--json').stdout);

  test('find no difference between two runs of the same scenario', () => {
    const [left, right] = [result('left.json', swept), result('right.json', swept)];
    expect(sim('diff', left, right)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(' 0 differ') });
  });

  test('list figures that differ, and end with 1 only outside of the tolerance', () => {
    const left = result('ten.json', small, '--set', 'rate=10mbit', '--duration', '1s');
    const right = result('other.json', small, '--set', 'rate=10100kbit', '--duration', '1s');
    const { exitCode, stdout } = sim('diff', left, right);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /point\.flows\.load\.bitsPerSecond\.accounted +[\d.]+ Mbit\/s +[\d.]+ Mbit\/s +\+(0\.9|1\.0)\d %/,
    );
    expect(sim('diff', left, right, '--tolerance', '100%').exitCode).toBe(0);
  });

  test('make a page that stands alone', () => {
    const left = result('page.json', small);
    const page = folder.at('page.html');
    const { exitCode, stdout, stderr } = sim('report', left, '--html', page);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('page.html written');
    const html = readFileSync(page, 'utf8');
    expect(html).toMatch(/^<!doctype html>/i);
    expect(html).toContain('One class');
    expect(html).toContain('10,000,000 bit/s / 8');
    expect(html).not.toMatch(/(src|href)="https?:/);
  });

  test('refuse what is no result with 3', () => {
    const { exitCode, stderr } = sim('diff', small, small);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('expected a result (format shaperlab-result/1) but received no JSON');
  });
});
