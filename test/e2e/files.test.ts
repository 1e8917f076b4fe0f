import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, smallScenario } from './sim.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const LAUNCHER = join(ROOT, 'sim/bin.mjs');
const small = folder.write('small.yaml', smallScenario());

/** Runs the command line in the test's folder with a text on standard input. */
function piped(input: string | Uint8Array, ...words: string[]) {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const options = { cwd: folder.path, input, encoding: 'utf8', env, timeout: 30_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...words], options);
  return { exitCode: status, stdout, stderr };
}

describe('a lone - is standard input', () => {
  const bad = smallScenario().replace('burst:', 'busrt:');

  test.each([['run'], ['validate'], ['explain'], ['advise'], ['export', 'tc'], ['sweep']])('for sim %s', (...words) => {
    const good = piped(smallScenario(), ...words, '-');
    expect(good.exitCode).toBe(0);
    expect(good.stdout).not.toBe('');
    const { exitCode, stderr } = piped(bad, ...words, '-');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('<stdin>:11:34: hops.wan.classes.1:10.busrt:');
  });

  test('for a result, also beside a file', () => {
    const result = sim('run', small, '--json').stdout;
    folder.write('result.json', result);
    expect(piped(result, 'diff', 'result.json', '-')).toMatchObject({ exitCode: 0 });
    expect(piped(result, 'report', '-', '--html', 'piped.html')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(folder.at('piped.html'), 'utf8')).toContain('One class');
    expect(piped('{', 'diff', '-', 'result.json').stderr).toContain('<stdin>:1:2: expected a result');
  });

  test('of several scenarios is none that gets lost, and names its result', () => {
    const { exitCode, stderr } = piped(smallScenario(), 'run', 'small.yaml', '-', '--out', 'both');
    expect([exitCode, readdirSync(folder.at('both')).sort()]).toEqual([0, ['small.json', 'stdin.json']]);
    expect(stderr).toContain('both/stdin.json written');
  });

  test('finds the files that it names in the working directory', () => {
    folder.write('times.txt', '1\n2\n3\n');
    const named = smallScenario().replace('link: { rate: 1gbit }', 'link: { trace: times.txt }');
    expect(piped(named, 'validate', '-')).toMatchObject({ exitCode: 0, stdout: '<stdin>: valid\n' });
    expect(piped(named.replace('times.txt', 'none.txt'), 'validate', '-').stderr).toContain(
      'cannot read none.txt: no such file',
    );
  });

  test('is read once, and no option takes it', () => {
    expect(piped('', 'run', '-', '-')).toMatchObject({ exitCode: 2, stdout: '' });
    for (const option of ['html', 'out', 'svg', 'trace', 'pcap']) {
      const { exitCode, stderr } = piped(smallScenario(), 'run', '-', `--${option}`, '-');
      expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `sim: --${option}: expected a value but received -`]);
    }
  });
});

describe('a name given twice', () => {
  test.each([
    ['run', '--set'],
    ['sweep', '--set'],
    ['sweep', '--vary'],
    ['sweep', '--zip'],
  ])('to sim %s %s is refused', (command, option) => {
    const { exitCode, stderr } = sim(command, small, option, 'rate=1mbit', option, 'rate=2mbit');
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `sim: ${option}: rate can be given only once`]);
  });
});

describe('what the command line says against a sound file', () => {
  test.each([
    ['validate', '--set', 'foo=1'],
    ['explain', '--set', 'foo=1'],
    ['run', '--duration', '0'],
    ['run', '--duration', '-1s'],
    ['sweep', '--vary', 'foo=1,2'],
  ])('is a wrong command line: sim %s %s %s', (command, ...words) => {
    expect(sim(command, small, ...words).exitCode).toBe(2);
  });
});

describe('a result that was edited', () => {
  const text = sim('run', small, '--json').stdout;
  type Tree = { [name: string]: Tree };
  const edited = (edit: (result: Tree, point: Tree) => void): string => {
    const result = JSON.parse(text);
    edit(result, result.points[0]);
    return JSON.stringify(result);
  };
  const set = (tree: Tree, name: string, value: unknown): void => {
    (tree as Record<string, unknown>)[name] = value;
  };

  test.each<[string, string | Uint8Array, string]>([
    [
      'null',
      edited((_, point) => set(point, 'flows', null)),
      'points.0.flows: expected a mapping but received nothing',
    ],
    [
      'a list',
      edited((_, point) => set(point, 'flows', [1])),
      'points.0.flows: expected a mapping but received a list',
    ],
    ['none', edited((_, point) => delete point.hops), 'points.0.hops: expected a mapping but received nothing'],
    ['no scenario', edited((result) => delete result.scenario), 'scenario: expected a mapping but received nothing'],
    ['a list of text', edited((result) => set(result, 'about', ['x'])), 'about: expected text but received a list'],
    ['text', edited((result) => set(result, 'points', 'abc')), 'points: expected a list but received "abc"'],
    [
      'a figure in words',
      edited((_, p) => set(p.flows!.load!, 'sentBytes', 'x')),
      '.load.sentBytes: expected a number',
    ],
    ['an infinite number', text.replace(/"events":\d+/, '"events":1e999'), 'points.0.events: expected a finite number'],
    ['deep lists', edited((_, p) => set(p, 'x', JSON.parse('['.repeat(500) + ']'.repeat(500)))), 'levels of nesting'],
    [
      'a deep list',
      text.replace('"points":[', `"points":[${'['.repeat(50_000)}${']'.repeat(50_000)},`),
      'levels of nesting',
    ],
    [
      'half of it',
      text.slice(0, 300),
      ':1:301: expected a result (format shaperlab-result/1) but received no JSON: the text ends',
    ],
    ['a mark', `\ufeff${text}`, 'received UTF-8 with a byte order mark'],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'received UTF-16'],
    ['nothing', '', 'received an empty file'],
  ])('to hold %s is refused by report and diff alike', (_, content, message) => {
    const file = folder.write('edited.json', content);
    for (const words of [
      ['diff', file, file],
      ['report', file, '--html', folder.at('no.html')],
    ]) {
      const { exitCode, stderr } = sim(...words);
      expect(stderr).toContain(message);
      expect(stderr).toContain(file);
      expect(exitCode).toBe(3);
    }
    expect(existsSync(folder.at('no.html'))).toBe(false);
  });

  test('by more names is read as before', () => {
    const more = edited((result, point) => {
      set(result, 'note', { by: ['me'] });
      set(point.flows!.load!, 'rating', 5);
    });
    expect(sim('report', folder.write('more.json', more), '--html', folder.at('more.html')).exitCode).toBe(0);
  });
});

describe('a file that cannot be written', () => {
  test.runIf(existsSync('/proc/self'))('below /proc ends with 4 and a reason, at once', () => {
    for (const words of [
      ['run', small, '--html', '/proc/no-such/page.html'],
      ['run', small, '--out', '/proc/no-such'],
      ['run', small, '--trace', '/proc/no-such.csv'],
      ['sweep', small, '--out', '/proc/no-such/deep'],
    ]) {
      const { exitCode, stderr } = sim(...words);
      expect(stderr).toMatch(/^sim: cannot (write|make) \/proc\/no-such.*: no files can be made there$/m);
      expect(exitCode).toBe(4);
    }
  });

  test('where a file is in the way of a folder, or a folder of a file, is told in words', () => {
    mkdirSync(folder.at('taken'));
    const inTheWay = [
      sim('run', small, '--out', small),
      sim('run', small, '--html', join(small, 'page.html')),
      sim('run', small, '--html', folder.at('taken')),
    ];
    expect(inTheWay.map(({ exitCode }) => exitCode)).toEqual([4, 4, 4]);
    for (const { stderr } of inTheWay) expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b/);
  });

  test('for want of room leaves the one before, and no beginning of a trace', () => {
    const page = folder.write('before.html', 'before');
    const trace = folder.at('trace.csv');
    const pcap = folder.at('packets.pcap');
    // The shell's limit of 8 KiB a file; the page and the traces are longer.
    for (const words of [`--html ${page}`, `--trace ${trace}`, `--pcap ${pcap}`]) {
      const script = `trap '' XFSZ; ulimit -f 8; exec '${process.execPath}' '${LAUNCHER}' run '${small}' --duration 1s ${words}`;
      const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 30_000 });
      expect(stderr).toContain('the file would be larger than it may be');
      expect(status).toBe(4);
    }
    expect(readFileSync(page, 'utf8')).toBe('before');
    expect(readdirSync(folder.path).filter((name) => /trace|pcap|part/.test(name))).toEqual([]);
  });

  test('goes through a link to the file that it stands for', () => {
    const target = folder.write('target.html', '');
    symlinkSync(target, folder.at('link.html'));
    expect(sim('run', small, '--html', folder.at('link.html')).exitCode).toBe(0);
    expect(readFileSync(target, 'utf8')).toContain('One class');
  });
});

describe('a scenario with signs that a terminal obeys', () => {
  const hostile = '\\e]0;owned\\a\\e[31m\\u202e\\nrm -rf x';

  test('shows them in messages, summaries and scripts in place of sending them', () => {
    const titled = folder.write('titled.yaml', smallScenario().replace('One class', `"${hostile}"`));
    const keyed = folder.write('keyed.yaml', `${smallScenario()}"${hostile}": 1\n`);
    const swept = folder.write('swept.yaml', `${smallScenario()}sweep: { rate: ["1mbit${hostile}", 2mbit] }\n`);
    const all = [
      sim('run', titled),
      sim('sweep', titled),
      sim('export', 'tc', titled),
      sim('validate', keyed),
      sim('validate', swept),
    ];
    for (const { stdout, stderr } of all) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(stdout + stderr).not.toMatch(/^rm/m);
    }
    expect(all[0]!.stdout).toContain('⟨U+001B⟩]0;owned⟨U+0007⟩');
    expect(all[3]!.stderr).toContain('⟨U+202E⟩⟨U+000A⟩rm');
  });

  test('shows them in a comparison of results', () => {
    const result = JSON.parse(sim('run', small, '--json').stdout);
    const left = folder.write('left.json', JSON.stringify(result));
    result.points[0].hops.wan.counters['a\u001b[2J\nb'] = 1;
    const { exitCode, stdout } = sim('diff', left, folder.write('right.json', JSON.stringify(result)));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('counters.a⟨U+001B⟩[2J⟨U+000A⟩b');
  });
});
