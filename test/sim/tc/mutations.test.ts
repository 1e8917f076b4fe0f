import { describe, expect, it } from 'vitest';
import { randomStream } from '../../../sim/engine/random.ts';
import { ScenarioError } from '../../../sim/scenario/problem.ts';
import { importTc } from '../../../sim/tc/import.ts';
import { filesIn, scenarioOf, textOf } from './support.ts';

/** Pieces that scripts are made of, and that break them. */
const PIECES = [
  '"',
  "'",
  '`',
  '$(',
  '$((',
  '${',
  '}',
  ')',
  '))',
  '\\',
  '\n',
  '\\\n',
  ' ; ',
  ' && ',
  ' || ',
  ' | ',
  '#',
  '<<EOF\n',
  '\nEOF\n',
  '>',
  'for i in 1; do ',
  ' done',
  'if x; then ',
  ' fi',
  'case $1 in a) ',
  ' esac',
  'f() { ',
  '{',
  '(',
  '$A',
  '${A:-',
  'A=$A$A$A$A ',
  '$[',
  '1:',
  '0x',
  'rate',
  '-1',
  '99999999999999999999',
  '1e400',
  'NaN',
  '%',
  'parent',
  'root',
  'htb',
  'police',
  'mirred',
  'match',
  'flowid',
  '\t',
  '\0',
  'é',
  '+ ',
  '[{',
  '}]',
  '[[[[[[',
  '((((((((',
  '${${${${',
  '$(($((',
  '[[ ',
  ' ]]',
  '((i++))',
  'for ((',
  'for x in {1..9}; do ',
  'while [ $i -lt 3 ]; do ',
  'until (( i )); do ',
  'function f {',
  'f "$@" ',
  '"${A[@]}"',
  'A=(',
  '${A%%',
  '${#A}',
  'eval "',
  'local A=$1 ',
  'return ',
  'exit\n',
  '$(seq 9)',
  '`expr 1 + ',
  '```\n',
  'link 2:',
  'ht 2:1: ',
  'hashkey mask 0xff at 16 ',
  'divisor 8 ',
  'stab overhead 4 linklayer atm ',
  'dsmark',
  '“',
  '\uE0000\uE001',
  '\uFEFF',
];

const corpus = filesIn('scenarios/tc').map((name) => textOf(`scenarios/tc/${name}`));

/** A script with one to five things inserted, removed, doubled or swapped. */
function mutate(script: string, draw: (below: number) => number): string {
  let text = script;
  for (let changes = 1 + draw(5); changes > 0; changes--) {
    const at = draw(text.length + 1);
    const length = 1 + draw(12);
    const action = draw(5);
    if (action === 0) text = text.slice(0, at) + text.slice(at + length);
    else if (action === 1) text = text.slice(0, at) + PIECES[draw(PIECES.length)]! + text.slice(at);
    else if (action === 2) text = text.slice(0, at) + text.slice(Math.max(0, at - length * 4), at) + text.slice(at);
    else if (action === 3) text = text.slice(0, at) + PIECES[draw(PIECES.length)]! + text.slice(at + length);
    else {
      const words = text.split(' ');
      const [a, b] = [draw(words.length), draw(words.length)];
      [words[a], words[b]] = [words[b]!, words[a]!];
      text = words.join(' ');
    }
  }
  return text;
}

/** Whether checking a scenario ends well or in a message for the user. */
function runsOrIsInvalid(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    return error instanceof ScenarioError;
  }
}

/** How many scripts are tried; the environment may ask for more. */
const RUNS = Number(process.env.TC_MUTATIONS ?? 5000);
const SEED = Number(process.env.TC_MUTATIONS_SEED ?? 1);

describe('damaged scripts', () => {
  it('give messages with lines, and neither crash nor hang', { timeout: 1_200_000 }, () => {
    const random = randomStream(SEED, 'mutations');
    const draw = (below: number): number => Math.floor(random.uniform() * below);
    let withErrors = 0;
    for (let i = 0; i < RUNS; i++) {
      const script = mutate(corpus[draw(corpus.length)]!, draw);
      const lines = script.split('\n').length;
      const { messages, yaml } = importTc(script, 'damaged.sh');
      const errors = messages.filter(({ severity }) => severity === 'error');
      withErrors += errors.length > 0 ? 1 : 0;
      for (const { line, text } of messages) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
        expect(text).not.toMatch(/\bundefined\b|\[object/);
      }
      if (yaml === undefined) expect(errors.length).toBeGreaterThan(0);
      else if (i % 20 === 0) expect(() => scenarioOf(yaml)).toSatisfy(runsOrIsInvalid);
    }
    expect(withErrors).toBeGreaterThan(RUNS / 10);
  });
  it('a variable that doubles itself ends', () => {
    const script = `A=x\n${'A=$A$A\n'.repeat(60)}tc qdisc add dev $A root pfifo\n`;
    expect(importTc(script, 'x').messages[0]).toMatchObject({ line: 62, severity: 'error' });
  });
  it('deep nesting ends', () => {
    for (const open of ['${A:-', '$((', '"${A:-', '(', '{ ', '$(', 'if x; then ']) {
      expect(importTc(`tc qdisc add dev ${open.repeat(3000)}`, 'x').messages.length).toBeGreaterThan(0);
    }
  });
});
