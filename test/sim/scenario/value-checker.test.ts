import { describe, expect, test } from 'vitest';
import { Memo } from '../../../sim/scenario/memo.ts';
import { INVALID, ValueChecker } from '../../../sim/scenario/value-checker.ts';
import { brief, load, problemsOf } from './builder.ts';
import { fakeRegistry } from './fake-models.ts';

/** Checks keys of the fake shaper beside its rate, and gives their values. */
function valuesOf(keys: string): Readonly<Record<string, unknown>> {
  return load({ hop: `shaper: bucket, rate: 1mbit, ${keys}` }).first.hops[0]!.shaper!.values;
}

const complaints = (keys: string): string[] => brief(() => valuesOf(keys)).map((line) => line.replace('hops.wan.', ''));

describe('a value becomes what its declaration promises', () => {
  test.each([
    ['rate: 2kbit', 'rate', 2000],
    ['interval: 10us', 'interval', 10_000],
    ['share: 0.5%', 'share', 0.005],
    ['ceiling: 2k', 'ceiling', 2048],
    ['room: 40ms', 'room', { ns: 40_000_000 }],
    ['default: "1:10"', 'default', 0x10010],
    ['bands: 0x10', 'bands', 16],
    ['bands: "4"', 'bands', 4],
    ['weight: 1e-3', 'weight', 0.001],
    ['strict: true', 'strict', true],
    ['strict: "true"', 'strict', true],
    ['note: 6.10', 'note', '6.10'],
    ['note: 8.6.0', 'note', '8.6.0'],
    ['mode: slow', 'mode', 'slow'],
    ['steps: [1, 2]', 'steps', [1, 2]],
    ['tcp: {}', 'tcp', { pacing: false }],
    ['limits: { x: { rate: 1kbit } }', 'limits', { x: { rate: 1000 } }],
    ['sizes: 100b', 'sizes', 100],
    ['sizes: mixed', 'sizes', 'mixed'],
    ['sizes: [{ size: 5 }]', 'sizes', [{ size: 5 }]],
    [
      'classes: { "1:1": { rate: 1kbit, qdisc: plain } }',
      'classes',
      { '1:1': { rate: 1000, qdisc: { kind: 'plain', values: { limit: 7 } } } },
    ],
    [
      'classes: { "1:1": { rate: 8, qdisc: { kind: plain, limit: 2 } } }',
      'classes',
      { '1:1': { rate: 8, qdisc: { kind: 'plain', values: { limit: 2 } } } },
    ],
  ])('%s', (keys, name, value) => {
    const text = keys.startsWith('rate') ? keys : `rate: 1mbit, ${keys}`;
    const { values } = load({ hop: `shaper: bucket, ${text}` }).first.hops[0]!.shaper!;
    expect(values[name]).toEqual(value);
  });

  test('absent keys have their default, and without one are left out', () => {
    expect(valuesOf('note: x')).toEqual({ rate: 1e6, burst: 10_240, bands: 3, strict: false, mode: 'fast', note: 'x' });
  });
});

describe('what does not fit is reported with what was expected', () => {
  test.each([
    ['bands: 17', 'bands: expected 1 to 16 but received 17'],
    ['bands: 2.5', 'bands: expected a whole number but received 2.5'],
    ['weight: heavy', 'weight: expected a number but received "heavy"'],
    ['strict: on', 'strict: expected true or false but received "on"'],
    ['note: [a]', 'note: expected text but received a list'],
    ['note: true', 'note: expected text but received true'],
    ['mode: fats', 'mode: expected fast or slow but received "fats"'],
    ['steps: 1', 'steps: expected a list, each a whole number but received 1'],
    ['steps: [1, x]', 'steps.1: expected a whole number but received "x"'],
    ['tcp:', 'tcp: expected a mapping but received nothing'],
    ['tcp: { pacin: true }', 'tcp.pacin: expected a known key but received pacin'],
    [
      'limits: { "a b": { rate: 1 } }',
      'limits."a b": expected a name of letters, digits and . _ : + - but received "a b"',
    ],
    ['classes: { x: { rate: 1 } }', 'classes.x: expected a class id such as "1:10" but received "x"'],
    ['classes: { "1:1": {} }', 'classes.1:1.rate: expected the key rate but received nothing'],
    [
      'classes: { "1:1": { rate: 1, qdisc: plane } }',
      'classes.1:1.qdisc: expected the kind of a shaper but received "plane"',
    ],
    [
      'classes: { "1:1": { rate: 1, qdisc: { limit: 1 } } }',
      'classes.1:1.qdisc.kind: expected the kind of a shaper but received nothing',
    ],
    [
      'classes: { "1:1": { rate: 1, qdisc: { kind: plain, limit: x } } }',
      'classes.1:1.qdisc.limit: expected a whole number but received "x"',
    ],
    ['sizes: [{ size: x }]', 'sizes.0.size: expected a size such as 1500b or 64kb but received "x"'],
    [
      'sizes: none',
      'sizes: expected a size such as 1500b or 64kb, mixed or a list, each a mapping with size but received "none"',
    ],
    ['interval: 1ns', 'interval: expected another interval but received 1 ns'],
  ])('%s', (keys, complaint) => {
    expect(complaints(keys)).toEqual([complaint]);
  });

  test('and with the bounds in the unit of the parameter', () => {
    expect(brief(() => load({ hop: 'shaper: bucket, rate: 1bit' }))).toEqual([
      'hops.wan.rate: expected 8bit to 1gbit but received "1bit"',
    ]);
  });

  test('and with the nearest key or word as a hint', () => {
    const hints = ['brust: 1kb', 'mode: fats', 'strict: yes'].map((keys) => problemsOf(() => valuesOf(keys))[0]!.hint);
    expect(hints).toEqual(['did you mean burst?', 'did you mean fast?', 'did you mean true?']);
  });
});

test('a part that is the same object as before is not looked at again', () => {
  const checker = new ValueChecker(fakeRegistry);
  const memo = new Memo();
  const parameters = { rate: { type: 'rate', required: true, help: 'Rate.' } } as const;
  const node = { rate: '1mbit' };
  const first = checker.checkMapping(node, parameters, memo);
  expect(checker.checkMapping(node, parameters, memo)).toBe(first);
  expect(checker.checkMapping({ ...node }, parameters, memo)).not.toBe(first);
  const bad = { rate: 'x' };
  expect([checker.checkMapping(bad, parameters, memo), checker.checkMapping(bad, parameters, memo)]).toEqual([
    INVALID,
    INVALID,
  ]);
  expect(checker.findings).toHaveLength(2);
});

test('a default that cannot be read is the fault of the model, and said at once', () => {
  const checker = new ValueChecker(fakeRegistry);
  const parameters = { rate: { type: 'rate', default: 'fast', help: 'Rate.' } } as const;
  expect(() => checker.checkMapping({}, parameters, new Memo())).toThrow('default of rate: expected a rate');
});

test('words that every object knows are no keys', () => {
  expect(complaints('constructor: 1, toString: 2')).toEqual([
    'constructor: expected a known key but received constructor',
    'toString: expected a known key but received toString',
  ]);
});
