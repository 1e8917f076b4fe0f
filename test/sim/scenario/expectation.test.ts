import { describe, expect, test } from 'vitest';
import { splitPath } from '../../../sim/scenario/expectation.ts';
import { brief, load, problemsOf } from './builder.ts';

const HOP = 'shaper: bucket, rate: 1mbit, classes: { "1:108": { rate: 1mbit } }';
const read = (line: string) => load({ hop: HOP, tail: `expect:\n  - '${line}'` }).first.expect[0]!;

describe('a line of expect', () => {
  test('has a path, a relation and a value in the unit of the figure', () => {
    expect(read('flows.a.bitsPerSecond.frame within 0.5% of 656.25mbit')).toEqual({
      text: 'flows.a.bitsPerSecond.frame within 0.5% of 656.25mbit',
      path: ['flows', 'a', 'bitsPerSecond', 'frame'],
      relation: 'within',
      tolerance: { relative: 0.005 },
      expected: 656_250_000,
    });
  });

  test.each([
    ['flows.a.delaySeconds.p99 below 10ms', { relation: 'below', expected: 0.01 }],
    ['flows.a.receivedBytes above 64kb', { relation: 'above', expected: 65_536 }],
    ['flows.a.transfer.deviationPercent below 2%', { expected: 2 }],
    ['flows.a.transfer.deviationPercent below 2', { expected: 2 }],
    ['flows.a.transfer.completed equals true', { relation: 'equals', expected: 'true' }],
    ['flows.a.transfers.3.seconds below 1s', { path: ['flows', 'a', 'transfers', '3', 'seconds'], expected: 1 }],
    ['flows.a.bitsPerSecond.wire within 2mbit of 1e7', { tolerance: { absolute: 2e6 }, expected: 1e7 }],
    ['flows.a.counters.pauses equals 0', { expected: 0 }],
    [
      'hops.wan.classes.1:108.bitsPerSecond above 1mbit',
      { path: ['hops', 'wan', 'classes', '1:108', 'bitsPerSecond'] },
    ],
    ['hops.wan.classes.1:108.overlimits above 5', { expected: 5 }],
    ['hops.wan.classes.1:108.mode equals can-send', { expected: 'can-send' }],
    ['hops.wan.classes.direct.sentPackets equals 0', { expected: 0 }],
    ['hops.wan.link.busyFraction within 1% of 0.5', { expected: 0.5 }],
    ['hops.wan.children.1:108.counters.x above 1', { expected: 1 }],
    ['events above 1', { path: ['events'] }],
    ['flows.a.sentPackets equals flows.a.receivedPackets', { expected: { path: ['flows', 'a', 'receivedPackets'] } }],
  ])('%s', (line, expectation) => {
    expect(read(line)).toMatchObject(expectation);
  });

  test('may hold variables', () => {
    const loaded = load({
      top: 'vars: { rate: 1mbit }\nsweep: { rate: [1mbit, 2mbit] }',
      hop: 'link: { rate: "${rate}" }',
      tail: 'expect: ["flows.a.bitsPerSecond.wire below ${rate}"]',
    });
    expect([...loaded.points()].map(({ scenario }) => scenario.expect[0]!.expected)).toEqual([1e6, 2e6]);
  });

  test.each([
    ['flows.b.sentPackets above 1', 'a figure below flows', '"b"'],
    ['flow.a.sentPackets above 1', 'the path of a figure', '"flow"'],
    ['flows.a.sentPacket above 1', 'a figure below flows.a', '"sentPacket"'],
    ['flows.a.bitsPerSecond above 1', 'a single figure', 'flows.a.bitsPerSecond'],
    ['flows.a.events.x above 1', 'a figure below flows.a', '"events"'],
    ['flows.a.sentPackets.x above 1', 'a figure below flows.a.sentPackets', '"x"'],
    ['flows.a.counters.pause above 1', 'a figure below flows.a.counters', '"pause"'],
    ['hops.wan.classes.1:109.sentPackets above 1', 'a figure below hops.wan.classes', '"1:109"'],
    ['flows.a.sentPackets equals flows.a.receivedPacket', 'a figure below flows.a', '"receivedPacket"'],
    [
      'flows.a.sentPackets abov 1',
      'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
      'the word "abov"',
    ],
    [
      'flows.a.sentPackets within 1% from 5',
      'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
      'the word "from"',
    ],
    [
      'flows.a.sentPackets above 1 packets',
      'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
      'the word "packets"',
    ],
    [
      'flows.a.sentPackets',
      'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
      '"flows.a.sentPackets"',
    ],
    [
      'flows.a.sentPackets above',
      'PATH within TOLERANCE of VALUE, or PATH below, above or equals VALUE',
      '"flows.a.sentPackets above"',
    ],
    ['flows.a.sentPackets above many', 'a number with a unit such as 100mbit, 64kb or 10ms', '"many"'],
    ['flows.a.sentPackets above 1e400', 'a number that a double can hold', '1e400'],
    ['flows.a.bitsPerSecond.wire within 5% of 1e400mbit', 'a number that a double can hold', '1e400mbit'],
    ['flows.a.bitsPerSecond.wire within -5% of 1mbit', 'a tolerance of 0 or more', '-5%'],
    ['flows.a.sentPackets within -1 of 5', 'a tolerance of 0 or more', '-1'],
    ['flows.a.sentPackets above 5mbit', 'a bare number for flows.a.sentPackets', '"5mbit"'],
    [
      'flows.a.bitsPerSecond.wire above 5ms',
      'a rate (100mbit, or a bare number in bit/s) for flows.a.bitsPerSecond.wire',
      '"5ms"',
    ],
    ['flows.a.transfer.completed equals yes', 'true or false for flows.a.transfer.completed', '"yes"'],
    ['hops.wan.classes.1:108.mode above can-send', 'equals, as hops.wan.classes.1:108.mode is no number', 'above'],
  ])('%s is refused', (line, expected, received) => {
    expect(problemsOf(() => read(line))).toMatchObject([{ path: ['expect', '0'], expected, received }]);
  });

  test('is still read where its hop has problems, but for what the hop would report', () => {
    const complaints = brief(() =>
      load({ hop: 'shaper: bucket', tail: 'expect: [hops.wan.classes.1:9.sentPackets above 1, flows.a.sent above 1]' }),
    );
    expect(complaints).toEqual([
      'hops.wan.rate: expected the key rate but received nothing',
      'expect.1: expected a figure below flows.a but received "sent"',
    ]);
  });
});

test('a name with points is quoted in a path', () => {
  expect(splitPath('flows."a.b c".bitsPerSecond.frame')).toEqual(['flows', 'a.b c', 'bitsPerSecond', 'frame']);
});
