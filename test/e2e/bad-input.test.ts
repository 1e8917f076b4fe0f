import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder, ROOT, sim, smallScenario } from './sim.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const STACK_TRACE = /\n\s+at .*:\d+:\d+/;

describe('a bad scenario', () => {
  const invalid = readdirSync(join(ROOT, 'scenarios/invalid')).filter((name) => name.endsWith('.yaml'));

  test('of every kind that is known is refused with 3, by its place, with no stack trace', () => {
    expect(invalid.length).toBeGreaterThan(20);
    const { exitCode, stdout, stderr } = sim('validate', ...invalid.map((name) => `scenarios/invalid/${name}`));
    expect(stderr).not.toMatch(STACK_TRACE);
    expect(exitCode).toBe(3);
    expect(stdout).toBe('');
    for (const name of invalid) expect(stderr).toContain(`scenarios/invalid/${name}:`);
  });

  test.each([
    [
      'an unknown key',
      (text: string) => text.replace('burst:', 'busrt:'),
      ':11:34: hops.wan.classes.1:10.busrt:',
      'did you mean burst?',
    ],
    [
      'a bad unit',
      (text: string) => text.replace('20mbit', '20mbt'),
      ':14:30: flows.load.rate:',
      'did you mean 20mbit',
    ],
    ['a rate of 0', (text: string) => text.replace('10mbit }', '0 }'), 'received "0"', '${rate}'],
    [
      'an unknown class',
      (text: string) => text.replace('via: [wan]', 'via: [wan], class: "1:11"'),
      'flows.load.class',
      '1:10',
    ],
    ['a duplicate key', (text: string) => `${text}seed: 1\nseed: 2\n`, ':16:1: seed:', 'line 15'],
    [
      'a missing parent',
      (text: string) => text.replace('burst:', 'parent: "1:1", burst:'),
      ':11:42: hops.wan.classes.1:10.parent:',
      '',
    ],
    [
      'a sweep of a billion points',
      (text: string) => `${text}sweep: { rate: 1mbit..1000000001mbit/1mbit }\n`,
      'sweep',
      '1000000',
    ],
  ])('with %s is refused by run too: place, what was expected, hint', (_, spoil, place, hint) => {
    const file = folder.write('bad.yaml', spoil(smallScenario()));
    const { exitCode, stdout, stderr } = sim('run', file);
    expect(stderr).toContain(place);
    expect(stderr).toContain(hint);
    expect(stderr).toMatch(/expected .+ but received .+/);
    expect(stderr).not.toMatch(STACK_TRACE);
    expect([exitCode, stdout]).toEqual([3, '']);
  });

  test('shows every problem at once, each with its line and a caret', () => {
    const text = smallScenario().replace('burst: 3000b', 'busrt: 3000b').replace('via: [wan]', 'via: [lan]');
    const { stderr } = sim('validate', folder.write('two.yaml', text));
    expect(stderr.match(/two\.yaml:\d+:\d+:/g)).toEqual(['two.yaml:11:34:', 'two.yaml:14:57:']);
    expect(stderr.match(/^ +\| +\^$/gm)).toHaveLength(2);
  });

  test('that is empty, binary, a bomb, or more than one is refused with 3, quickly', () => {
    const files = [
      folder.write('empty.yaml', ''),
      folder.write(
        'binary.yaml',
        Uint8Array.from({ length: 4096 }, (_, index) => (index * 37) % 256),
      ),
      folder.write('bomb.yaml', `a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${bombLines()}`),
      folder.write('deep.yaml', `a: ${'['.repeat(50_000)}`),
      folder.write('two-documents.yaml', `${smallScenario()}---\n${smallScenario()}`),
    ];
    for (const ended of [sim('validate', ...files), sim('run', ...files)]) {
      for (const file of files) expect(ended.stderr).toContain(`${file}:`);
      expect(ended.stderr.match(/expected .+ but received .+/g)!.length).toBeGreaterThanOrEqual(files.length);
      expect(ended.stderr).not.toMatch(STACK_TRACE);
      expect([ended.exitCode, ended.stdout]).toEqual([3, '']);
    }
    expect(sim('explain', files[0]!)).toMatchObject({ exitCode: 3, stdout: '' });
  });
});

describe('a file that cannot be read', () => {
  test('is told of with 4: missing, or a directory', () => {
    mkdirSync(folder.at('folder.yaml'));
    for (const command of ['validate', 'run', 'explain']) {
      expect(sim(command, folder.at('missing.yaml'))).toMatchObject({
        exitCode: 4,
        stdout: '',
        stderr: expect.stringMatching(/^sim: cannot read .*missing\.yaml: no such file\n$/),
      });
      expect(sim(command, folder.at('folder.yaml'))).toMatchObject({
        exitCode: 4,
        stderr: expect.stringMatching(/: it is a directory\n$/),
      });
    }
  });

  test('does not keep the others from being checked', () => {
    const good = folder.write('good.yaml', smallScenario());
    const bad = folder.write('bad2.yaml', smallScenario().replace('20mbit', '20mbt'));
    const { exitCode, stdout, stderr } = sim('validate', folder.at('missing.yaml'), bad, good);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('no such file');
    expect(stderr).toContain('bad2.yaml:14:30:');
    expect(stdout).toBe(`${good}: valid\n`);
  });
});

/** Ten levels of ten aliases each: ten thousand million values. */
function bombLines(): string {
  return Array.from({ length: 9 }, (_, level) => {
    const alias = `*a${level}`;
    return `a${level + 1}: &a${level + 1} [${Array(10).fill(alias).join(', ')}]\n`;
  }).join('');
}
