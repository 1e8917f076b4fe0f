import { describe, expect, it } from 'vitest';
import { ArithmeticFault, evaluateArithmetic } from '../../../sim/tc/arithmetic.ts';
import { readShell } from '../../../sim/tc/shell.ts';

const words = (script: string, variables = {}): string[][] =>
  readShell(script, variables).commands.map((command) => command.words.map((word) => word.text));
const unknowns = (script: string): (string | undefined)[] =>
  readShell(script)
    .commands.flatMap((command) => command.words.map((word) => word.unknown))
    .filter(Boolean);

describe('a script is split into commands', () => {
  it('joins continued lines and keeps the number of the first', () => {
    const { commands } = readShell('\ntc qdisc \\\n  add\ntc x');
    expect(commands.map(({ line, words: [, second] }) => [line, second?.text])).toEqual([
      [2, 'qdisc'],
      [4, 'x'],
    ]);
  });
  it('drops comments and redirections', () => {
    expect(words('tc a >/dev/null 2>&1 # b\ntc c &>log <in\ntc d#e')).toEqual([
      ['tc', 'a'],
      ['tc', 'c'],
      ['tc', 'd#e'],
    ]);
  });
  it('separates at ;, &&, | and &', () => {
    expect(words('tc a; tc b && tc c | tc d & tc e')).toEqual([
      ['tc', 'a'],
      ['tc', 'b'],
      ['tc', 'c'],
      ['tc', 'd'],
      ['tc', 'e'],
    ]);
  });
  it('takes quotes off', () => {
    expect(words(`tc 'a b' "c d" e\\ f g"h"'i'`)).toEqual([['tc', 'a b', 'c d', 'e f', 'ghi']]);
  });
  it('expands plain variables and splits what is not quoted', () => {
    expect(words('A="x y"\nB=$A\ntc $A "$A" ${B}z ${C:-d} ${C-e}')).toEqual([
      ['tc', 'x', 'y', 'x y', 'x', 'yz', 'd', 'e'],
    ]);
  });
  it('takes values from outside', () => {
    expect(words('tc $DEV', { DEV: 'eth7' })).toEqual([['tc', 'eth7']]);
  });
  it('computes arithmetic', () => {
    expect(words('R=10\ntc $((R * 3 / 4))kbit $[R+1]')).toEqual([['tc', '7kbit', '11']]);
  });
  it('hands a here-document to its command', () => {
    const [command] = readShell('D=eth0\ntc -b - <<X\na $D\nX\n').commands;
    expect(command?.input).toEqual([{ line: 3, text: 'a eth0' }]);
  });
  it('ends at exit', () => {
    const { commands, skipped } = readShell('tc a\nexit 0\ntc b');
    expect(commands).toHaveLength(1);
    expect(skipped).toMatchObject([{ line: 2, sort: 'after-exit', tcLines: [3] }]);
  });
});

describe('what is not interpreted is said', () => {
  it.each([
    ['for i in 1 2; do tc a; done', 'loop'],
    ['while true\ndo\n tc a\ndone', 'loop'],
    ['if x; then tc a; else tc b; fi', 'branch'],
    ['case $1 in\n start) tc a ;;\n stop|x) tc b ;;\nesac', 'branch'],
    ['f() { tc a; }', 'function'],
    ['function g {\n tc a\n}', 'function'],
    ['[ -n "$A" ] && tc a', 'test'],
    ['tc x || tc a', 'alternative'],
  ])('%j is a %s', (script, sort) => {
    expect(readShell(script).skipped.map((part) => part.sort)).toEqual([sort]);
  });
  it('a call of a function is no command', () => {
    const { commands, skipped } = readShell('f() {\n tc a\n}\nf');
    expect(commands).toHaveLength(0);
    expect(skipped.map(({ line, sort }) => [line, sort])).toEqual([
      [1, 'function'],
      [4, 'call'],
    ]);
  });
  it.each([
    ['tc $1', '$1 is an argument of the script'],
    ['tc $NOWHERE', 'NOWHERE is set nowhere before'],
    ['tc $(date)', 'line 1 takes it from the output of "date"'],
    ['A=`date`\ntc $A', 'line 1 takes it from the output of "date"'],
    ['if x; then A=1; fi\ntc $A', 'the "if" at line 1 sets it'],
    ['for A in 1 2; do :; done\ntc $A', 'the loop at line 1 sets it'],
    ['read A\ntc $A', 'it is read while the script runs'],
    ['A=1\n[ x ] && A=2\ntc $A', 'whether line 2 sets it depends on a test'],
    ['f() { A=2; }\nA=1\nf\ntc $A', 'the function f sets it, and functions are not interpreted'],
    ['A=abc\ntc ${A#a}', '${A#a} is a kind of expansion that is not interpreted'],
  ])('%j: %s', (script, reason) => {
    expect(unknowns(script)).toEqual([reason]);
  });
  it('but the place of tc itself is known', () => {
    expect(words('TC=$(which tc)\n$TC a\n`command -v tc` b')).toEqual([
      ['tc', 'a'],
      ['tc', 'b'],
    ]);
  });
  it('an open quote costs its line, not the rest of the script', () => {
    const { commands, skipped } = readShell('tc a "b\ntc c');
    expect(commands.at(-1)?.words.map((word) => word.text)).toEqual(['tc', 'c']);
    expect(skipped).toMatchObject([{ line: 1, sort: 'fault', name: 'a closing "' }]);
  });
});

describe('arithmetic is that of a shell', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['-7 / 2', '-3'],
    ['-7 % 2', '-1'],
    ['2 ** 10', '1024'],
    ['1 << 4 | 1', '17'],
    ['5 > 3 ? 10 : 20', '10'],
    ['0x10 + 010', '24'],
    ['!0 && 1 || 0', '1'],
    ['9223372036854775807 + 1', '-9223372036854775808'],
    ['', '0'],
  ])('%s = %s', (expression, value) => {
    expect(evaluateArithmetic(expression, () => undefined)).toBe(value);
  });
  it.each(['1 / 0', '1 +', 'x', '09', '1 2', '(1', '$'])('%j has no value', (expression) => {
    expect(() => evaluateArithmetic(expression, () => undefined)).toThrow(ArithmeticFault);
  });
  it('follows variables, but not in circles', () => {
    const variables: Record<string, string> = { A: 'B + 1', B: '4', C: 'C' };
    expect(evaluateArithmetic('A * 2', (name) => variables[name])).toBe('10');
    expect(() => evaluateArithmetic('C', (name) => variables[name])).toThrow('C refers to itself');
  });
});
