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
    expect(command?.input).toEqual([{ line: 3, lastLine: 3, text: 'a eth0' }]);
  });
  it('ends at exit', () => {
    const { commands, skipped } = readShell('tc a\nexit 0\ntc b');
    expect(commands).toHaveLength(1);
    expect(skipped).toMatchObject([{ line: 2, sort: 'after-exit', tcLines: [3] }]);
  });
});

describe('a script runs as far as its text says what it does', () => {
  it.each([
    ['for i in 1 2; do tc $i; done', ['1', '2']],
    ['for i in {3..5} {a,b}c; do tc $i; done', ['3', '4', '5', 'ac', 'bc']],
    ['for i in $(seq 2 2 6) `seq 2`; do tc $i; done', ['2', '4', '6', '1', '2']],
    ['for ((i=0; i<3; i++)); do tc $i; done', ['0', '1', '2']],
    ['i=1; while [ $i -le 3 ]; do tc $i; i=$((i+1)); done', ['1', '2', '3']],
    ['i=3; until (( i == 0 )); do tc $i; let i=i-1; done', ['3', '2', '1']],
    ['for i in 1 2 3; do [ $i = 2 ] && continue; tc $i; done', ['1', '3']],
    ['for i in 1 2 3; do if [ $i -gt 1 ]; then break; fi; tc $i; done', ['1']],
    ['for x in $UNSET; do tc $x; done\ntc end', ['end']],
    ['f() { tc "$1" $# "$2"; }\nf a "b c"', ['a', '2', 'b c']],
    ['function f {\n tc $1\n}\nf x; f y', ['x', 'y']],
    ['run() { echo "$@"; "$@"; }\nrun tc a "b c"', ['a', 'b c']],
    ['f() { local A=2; tc $A; }\nA=1\nf\ntc $A', ['2', '1']],
    ['f() { A=2; return; tc never; }\nf\ntc $A', ['2']],
    ['f() { shift; tc $1; }\nf a b', ['b']],
    ['if [ 2 -gt 1 ]; then tc a; else tc b; fi', ['a']],
    ['if [[ $X == 1 || ab == a* ]]; then tc a; fi', ['a']],
    ['if test -z ""; then tc a; fi; [ "" ] || tc b', ['a', 'b']],
    ['if [ ! -n "" -a 1 = 1 ]; then tc a; elif x; then tc b; fi', ['a']],
    ['M=htb\ncase "$M" in tbf|cbq) tc a;; h*) tc b;; *) tc c;; esac', ['b']],
    ['A=(x "y z")\ntc ${A[0]} "${A[@]}" ${#A[@]}', ['x', 'x', 'y z', '2']],
    ['A=(x y)\nfor i in ${!A[@]}; do tc $i; done', ['0', '1']],
    ['declare -A R=([a]=1 [b]=2)\nR[c]=3\ntc ${R[b]}${R[c]}', ['23']],
    ['A=10mbit\ntc ${A%mbit} ${A#1} ${A/m/k} ${#A} ${A:0:2} ${A^^}', ['10', '0mbit', '10kbit', '6', '10', '10MBIT']],
    ['P=a:b:c\ntc ${P%%:*} ${P##*:} ${P%:*}', ['a', 'c', 'a:b']],
    ['tc `expr 7 \\* 3 / 2` $(echo "90 * 2" | bc) $(printf %02x 10) $(echo a b)', ['10', '180', '0a', 'a', 'b']],
    ['eval "tc a"; sh -c "tc b; tc c"; ssh host "tc d"', ['a', 'b', 'c', 'd']],
    ['set -- u v\ntc $2 $#', ['v', '2']],
    ['( tc a; tc b ) && { tc c; }', ['a', 'b', 'c']],
    ['tc a || exit 1\n! false && tc b', ['a', 'b']],
  ])('%j', (script, expected) => {
    expect(words(script).flatMap(([name, ...rest]) => (name === 'tc' ? rest : []))).toEqual(expected);
    expect(readShell(script).skipped).toEqual([]);
  });
  it('gives a piped text to its command', () => {
    const inputs = readShell('D=x\necho "a $D" | tc -b -\ncat <<X | tc -b\nb $D\nX\n').commands.filter(
      ({ words: [first] }) => first?.text === 'tc',
    );
    expect(inputs.map(({ input }) => input)).toEqual([
      [{ line: 2, lastLine: 2, text: 'a x' }],
      [{ line: 4, lastLine: 4, text: 'b x' }],
    ]);
  });
  it.each([
    ['case "$1" in stop) tc del;; start) tc a;; esac', '1=start'],
    ['ACT=$1\nif [ "$ACT" = "on" ]; then tc a; fi', '1=on'],
    ['start() { tc a; }\nstop() { tc del; }\n"$@"', '@=start'],
    ['create() { tc a; }\n$1', '1=create'],
  ])('is taken for started where it can be started: %j', (script, choice) => {
    const { commands, skipped } = readShell(script);
    expect(commands.map((command) => command.words[1]?.text)).toEqual(['a']);
    expect(skipped.filter(({ sort }) => sort === 'choice').map(({ name }) => name)).toEqual([choice]);
  });
  it('what is given from outside wins over what the script sets', () => {
    expect(words('DEV=eth0; R=$1\ntc $DEV $R', { DEV: 'eth7', R: '5mbit' })).toEqual([['tc', 'eth7', '5mbit']]);
  });
  it('prose does not open blocks, nor do its apostrophes open quotes', () => {
    const prose = "If you don't know: for all of it, while it isn't done\nfor the rest (see below\ncase 1 in doubt\n";
    expect(words(`${prose}tc a\n`).at(-1)).toEqual(['tc', 'a']);
    expect(readShell(`${prose}tc a\n`).skipped).toEqual([]);
  });
});

describe('what is not interpreted is said', () => {
  it.each([
    ['for i in $(cat list); do tc a; done', 'loop'],
    ['while true\ndo\n tc a\ndone', 'loop'],
    ['while read x; do tc a; done', 'loop'],
    ['cat list | while read x; do tc a; done', 'loop'],
    ['select i in 1 2; do tc a; done', 'loop'],
    ['i=0; while [ $i -lt 9 ]; do tc a; done', 'endless'],
    ['if x; then tc a; else tc b; fi', 'branch'],
    ['if [ -e /sys/class/net/ifb0 ]; then tc a; fi', 'branch'],
    ['case $1 in\n a) tc a ;;\n stop|x) tc b ;;\nesac', 'branch'],
    ['f() { tc a; }', 'uncalled'],
    ['f() { tc a; f; }\nf', 'call'],
    ['[ -n "$A" ] && tc a', 'test'],
    ['ip link show x | grep -q up && tc a', 'test'],
    ['tc x || tc a', 'alternative'],
    ['eval "$(cat x)"', 'program'],
    ['. /etc/shaper.conf', 'program'],
    ['if [ 1 ]; then tc a', 'fault'],
  ])('%j is a %s', (script, sort) => {
    expect(readShell(script).skipped.map((part) => part.sort)).toEqual([sort]);
  });
  it('calls in a part that is left out are tc commands of it', () => {
    const { skipped } = readShell('f() {\n tc a\n}\nif x; then\n f\n tc b del\nfi\nif y; then tc qdisc del z; fi');
    expect(skipped.map(({ line, sort, tcLines, onlyDeletes }) => [line, sort, tcLines, onlyDeletes])).toEqual([
      [4, 'branch', [5, 6], false],
      [8, 'branch', [8], true],
    ]);
  });
  it.each([
    ['tc $1', '$1 is an argument of the script'],
    ['tc $#', '$# is the number of arguments of the script'],
    ['tc $NOWHERE', 'NOWHERE is set nowhere before'],
    ['tc $(date)', 'line 1 takes it from the output of "date"'],
    ['A=`date`\ntc $A', 'line 1 takes it from the output of "date"'],
    ['if x; then A=1; fi\ntc $A', 'the "if" at line 1 sets it'],
    ['while read B; do A=1; done\ntc $A', 'the loop at line 1 sets it'],
    ['read A\ntc $A', 'it is read while the script runs'],
    ['A=1\n[ -e x ] && A=2\ntc $A', 'whether line 2 sets it depends on a test'],
    ['f() { A=$1; }\nf $(date)\ntc $A', 'line 2 takes it from the output of "date"'],
    ['A=abc\ntc ${A@Q}', '${A@Q} is a kind of expansion that is not interpreted'],
    ['tc $((NOPE / 2))', 'the arithmetic "NOPE / 2": NOPE has no value'],
    ['U="sudo -h $1 tc"\n$U a', '$1 is an argument of the script'],
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
