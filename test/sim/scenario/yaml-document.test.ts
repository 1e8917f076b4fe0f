import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../sim/scenario/problem.ts';
import { parseText } from '../../../sim/scenario/yaml-document.ts';
import { problemsOf } from './builder.ts';

const read = (text: string) => parseText(text, 'test.yaml').document;
const complaint = (text: string) => formatProblem(problemsOf(() => read(text))[0]!, 'test.yaml');

describe('plain data of a text', () => {
  test('keeps numbers only where they print as written', () => {
    expect(read('[1, 2.5, 6.10, 0x10, 1e6, 1_000, 12345678901234567890, .5]')).toEqual([
      1,
      2.5,
      '6.10',
      '0x10',
      '1e6',
      '1_000',
      '12345678901234567890',
      '.5',
    ]);
  });

  test('has YAML 1.2 in mind: 1:10, yes and dates are text', () => {
    expect(read('[1:10, yes, on, 2025-11-20, true, null, ~, "5"]')).toEqual([
      '1:10',
      'yes',
      'on',
      '2025-11-20',
      true,
      null,
      null,
      '5',
    ]);
  });

  test('has keys as written, and what aliases stand for', () => {
    expect(read('a: &x { 1:10: 5, 10: 6, 1.10: 7 }\nb: *x')).toEqual({
      a: { '1:10': 5, '10': 6, '1.10': 7 },
      b: { '1:10': 5, '10': 6, '1.10': 7 },
    });
  });
});

describe('a place', () => {
  const parsed = parseText('a:\n  b: [10, { c: 20 }]\n  "1:10": x\nd: 1\n', 'test.yaml');

  test.each([
    [['a'], 'key', 1, 1],
    [['a', 'b'], 'key', 2, 3],
    [['a', 'b'], 'value', 2, 6],
    [['a', 'b', '1', 'c'], 'value', 2, 16],
    [['a', '1:10'], 'value', 3, 11],
    [['a', 'missing'], 'key', 1, 1],
    [['d', 'missing', 'deeper'], 'value', 4, 1],
  ] as const)('of %j (%s) is line %d, column %d', (path, part, line, column) => {
    expect(parsed.locate(path, part)).toMatchObject({ line, column });
  });

  test('is right with Windows line ends, and the line without them', () => {
    expect(parseText('a: 1\r\nb: 2\r\n', 'test.yaml').locate(['b'], 'value')).toEqual({
      line: 2,
      column: 4,
      sourceLine: 'b: 2',
    });
  });
});

describe('a text is refused', () => {
  test.each([
    ['', 'test.yaml:1:1: expected a mapping with duration, hops and flows but received an empty file'],
    ['# nothing\n', 'test.yaml:1:1: expected a mapping with duration, hops and flows but received no value'],
    ['null\n', 'test.yaml:1:1: expected a mapping with duration, hops and flows but received null'],
    ['~', 'test.yaml:1:1: expected a mapping with duration, hops and flows but received ~'],
    ['a\u0000b', 'test.yaml: expected a scenario in YAML (UTF-8 text) but received binary data'],
    ['a: 1\nb: \ufffd', 'test.yaml:2:4: expected a scenario in UTF-8 but received a letter in another encoding'],
    ['a: \ufffd\u0001', 'test.yaml: expected a scenario in YAML (UTF-8 text) but received binary data'],
    ['a: 1\n---\nb: 2\n', 'test.yaml:2:1: expected one YAML document but received several'],
    ['a: 1\nb: 2\na: 3\n', 'test.yaml:3:1: a: expected each key once but received a again'],
    ['"1": 1\n1: 3\n', 'test.yaml:2:1: 1: expected each key once but received 1 again'],
    ['a: [1', 'test.yaml:1:'],
    ['a: *b', 'test.yaml:1:4: '],
    ['? [a]\n: 1', 'test.yaml:1:3: expected a word as key but received a mapping or list'],
    ['a: &a\n  b: *a\n', 'test.yaml:2:6: a.b: expected an alias to something complete but received *a inside of &a'],
    [`${'['.repeat(80)}${']'.repeat(80)}`, 'test.yaml:1:66: 0: expected at most 64 levels of nesting'],
    ['['.repeat(1_000_000), 'test.yaml:1:1: expected at most 64 levels of nesting'],
    [`${'- '.repeat(5000)}x`, 'test.yaml:1:'],
    [
      `a: "${'x'.repeat(9_000_000)}"`,
      'test.yaml:1:1: expected a scenario of at most 8388608 characters but received a longer one',
    ],
  ])('with the message %#', (text, beginning) => {
    expect(complaint(text).slice(0, beginning.length)).toBe(beginning);
  });

  test('for aliases that stand for too much, quickly', () => {
    const lists = [...'bcdefghi'].map(
      (name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`,
    );
    expect(complaint(`a: &a [1, 2, 3]\n${lists.join('\n')}\n`)).toContain(
      'expected aliases that stand for at most 10000 values but received more',
    );
  });

  test('with problems and never with another error, whatever it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'[]{}:,-&*a \n"\'?|>#%!') }),
    );
    fc.assert(
      fc.property(text, (anything) => {
        expect(problemsOf(() => read(anything)).length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
