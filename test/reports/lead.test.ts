import { describe, expect, it } from 'vitest';
import { chooseCharts } from '../../reports/charts/choose.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { leadOf } from '../../reports/lead.ts';
import { chartSource } from '../../reports/reading.ts';
import type { ClassResult, FlowResult, HopResult } from '../../sim/run/result.ts';
import { flow, hop, htbClass, resultOf, series } from './sample-results.ts';

const MBIT = 1e6;

/** Rates in Mbit/s as packets of 1250 bytes. */
function got(mbit: number, offeredMbit = mbit, droppedPackets = 0): FlowResult {
  const packetsPerSecond = (mbit * MBIT) / 10_000;
  return flow({ packetsPerSecond, sizeBytes: 1250, offeredBitsPerSecond: offeredMbit * MBIT, droppedPackets });
}

/** A class that got so many Mbit/s, with packets waiting all the time or never. */
function classOf(mbit: number, hungry: boolean, more: Partial<ClassResult> = {}): ClassResult {
  return htbClass({
    bitsPerSecond: mbit * MBIT,
    series: { backlogBytes: series(10, 0.1, () => (hungry ? 50_000 : 0)) },
    ...more,
  });
}

interface Situation {
  readonly says: string;
  readonly classes: Readonly<Record<string, object>>;
  readonly got: Readonly<Record<string, ClassResult>>;
  readonly flows: Readonly<Record<string, readonly [written: object, figures: FlowResult]>>;
  readonly link?: Partial<HopResult['link']>;
  readonly linkRate?: string;
  readonly explanations?: readonly Explanation[];
  readonly what: RegExp;
  readonly why: RegExp;
}

const transfer = { bytes: 4_096_000, seconds: 20, bitsPerSecond: 1.84e6, limitBitsPerSecond: 0, deviationPercent: 0 };
const predicted = (bitsPerSecond: number, onLoan = false): Explanation => ({
  result: 0,
  point: 0,
  subject: 'class 1:10 of home',
  conclusion: 'Packets leave.',
  predictions: [{ bitsPerSecond, level: 'accounted', sizeBytes: 1250, onLoan, words: 'By the arithmetic.' }],
  sections: [],
});

const SITUATIONS: readonly Situation[] = [
  {
    says: 'a flow that offers less than its class may have is wronged by nobody',
    classes: { '1:10': { rate: '60mbit' } },
    got: { '1:10': classOf(1, false) },
    flows: { f: [{ source: 'cbr', rate: '1mbit', class: '1:10' }, got(1)] },
    explanations: [predicted(60 * MBIT)],
    what: /^f gets the 1 Mbit\/s that it offers; it might have 60 Mbit\/s \(class 1:10\)$/,
    why: /offers 1 Mbit\/s, less than class 1:10 allows/,
  },
  {
    says: 'a flow that pauses and shares its class is not compared with the ceil',
    classes: {
      '1:1': { rate: '20mbit' },
      '1:10': { parent: '1:1', rate: '5mbit', ceil: '20mbit' },
      '1:20': { parent: '1:1', rate: '15mbit', ceil: '20mbit' },
    },
    got: {
      '1:1': classOf(20, false),
      '1:10': classOf(4, false, { parent: '1:1', level: 0 }),
      '1:20': classOf(16, true, { parent: '1:1', level: 0, lended: 15_000, borrowed: 1000 }),
    },
    flows: {
      voip: [{ source: 'cbr', rate: '4mbit', class: '1:10' }, got(4)],
      bulk: [{ source: 'bulk', class: '1:20' }, got(14.2)],
      web: [
        { source: 'bulk', bytes: '200kb', blocks: 20, idle: '500ms', class: '1:20' },
        { ...got(1.8), transfer: { ...transfer, completed: true } },
      ],
    },
    what: /^Class 1:20 got 16 Mbit\/s, 6\.7 % more than its rate of 15 Mbit\/s, by borrowing$/,
    why: /1:20 paid for 15,000 packets .* 1,000 more it borrowed/,
  },
  {
    says: 'an inner class that lets more through than its rate is the scandal, not a leaf that is off by a little',
    classes: {
      '1:1': { rate: '650kbit' },
      '1:10': { parent: '1:1', rate: '650kbit' },
      '1:20': { parent: '1:1', rate: '585kbit' },
      '1:30': { parent: '1:1', rate: '520kbit' },
    },
    got: {
      '1:1': classOf(1.76, false),
      '1:10': classOf(0.652, true, { parent: '1:1' }),
      '1:20': classOf(0.5874, true, { parent: '1:1' }),
      '1:30': classOf(0.522, true, { parent: '1:1' }),
    },
    flows: { f: [{ source: 'cbr', rate: '813kbit', class: '1:10' }, got(0.652, 0.813)] },
    what: /^Class 1:1 lets 1\.76 Mbit\/s through, 171 % more than its rate of 650 kbit\/s$/,
    // 650 + 585 + 520 = 1755 kbit/s
    why: /1:10, 1:20 and 1:30 are guaranteed 1\.755 Mbit\/s together, more than the 650 kbit\/s of 1:1/,
  },
  {
    says: 'a class that borrows is not explained by its own rate',
    classes: { '1:1': { rate: '400mbit' }, '1:10': { parent: '1:1', rate: '188mbit', ceil: '400mbit' } },
    got: {
      '1:1': classOf(301.9, false),
      '1:10': classOf(301.9, false, { parent: '1:1', lended: 1880, borrowed: 1139 }),
    },
    flows: { f: [{ source: 'cbr', rate: '301.9mbit', class: '1:10' }, got(301.9)] },
    explanations: [predicted(188.68 * MBIT)],
    what: /^f gets the 301\.9 Mbit\/s that it offers|301\.9 Mbit\/s, 60\.6 % more than its rate of 188 Mbit\/s, by borrowing$/,
    why: /^(?!.*By the arithmetic).*(borrowed|offers)/,
  },
  {
    says: 'a class that gets more than its ceil is explained by the price of its packets where that comes to the same',
    classes: { '1:10': { rate: '100mbit' } },
    got: { '1:10': classOf(125, true) },
    flows: { f: [{ source: 'cbr', rate: '200mbit', class: '1:10' }, got(125, 200, 7000)] },
    explanations: [predicted(125 * MBIT)],
    what: /^f gets 125 Mbit\/s where 100 Mbit\/s \(class 1:10\) is configured, 25 % more$/,
    why: /^By the arithmetic\.$/,
  },
  {
    says: 'a class that gets less than it asked for, with nothing above it, is told what was dropped',
    classes: { '1:10': { rate: '100mbit' } },
    got: { '1:10': classOf(80, true, { droppedPackets: 500 }) },
    flows: { f: [{ source: 'cbr', rate: '200mbit', class: '1:10' }, got(80, 200, 500)] },
    explanations: [predicted(100 * MBIT)],
    what: /^f gets 80 Mbit\/s where 100 Mbit\/s \(class 1:10\) is configured, 20 % less$/,
    why: /^500 of its 8,500 packets \(5\.9 %\) are dropped\.$/,
  },
  {
    says: 'two flows that fill a class together miss nothing',
    classes: { '1:10': { rate: '100mbit' } },
    got: { '1:10': classOf(100, true) },
    flows: {
      one: [{ source: 'cbr', rate: '200mbit', class: '1:10' }, got(50, 200)],
      two: [{ source: 'cbr', rate: '200mbit', class: '1:10' }, got(50, 200)],
    },
    what: /^one gets 50 Mbit\/s of at most 100 Mbit\/s \(class 1:10\)$/,
    why: /shares class 1:10 with two, which together use all of it/,
  },
  {
    says: 'bursts that leave the class idle in between are not held against its rate',
    classes: { '1:10': { rate: '5mbit' } },
    got: { '1:10': classOf(2.5, false) },
    flows: { f: [{ source: 'on-off', rate: '50mbit', on: '50ms', off: '950ms', class: '1:10' }, got(2.5)] },
    what: /^f gets 2\.5 Mbit\/s of at most 5 Mbit\/s/,
    why: /offers 2\.5 Mbit\/s on average, in bursts; class 1:10 allows 5 Mbit\/s/,
  },
  {
    says: 'a link that is full excuses the class before it',
    classes: { '1:10': { rate: '100mbit' } },
    got: { '1:10': classOf(50, true) },
    flows: {
      one: [{ source: 'cbr', rate: '100mbit', class: '1:10' }, got(50, 100)],
      two: [{ source: 'cbr', rate: '100mbit', class: 'direct' }, got(50, 100)],
    },
    // two times 50 Mbit/s in packets of 1250 B, each with 24 B more on the wire
    linkRate: '102mbit',
    what: /^one gets 50 Mbit\/s of at most 100 Mbit\/s/,
    why: /shares the link of home with two/,
  },
  {
    says: 'classes that guarantee too much and share a full link are no scandal of a leaf',
    classes: { '1:10': { rate: '80mbit' }, '1:20': { rate: '60mbit' } },
    got: { '1:10': classOf(60, true), '1:20': classOf(39, true) },
    flows: { one: [{ source: 'cbr', rate: '200mbit', class: '1:10' }, got(60, 200)] },
    link: { busyFraction: 1 },
    linkRate: '100mbit',
    what: /^(?!.*less than its rate)/,
    why: /./,
  },
];

describe('the finding that a page leads with', () => {
  it.each(SITUATIONS)('$says', (situation) => {
    const { classes, got: figures, flows, link, linkRate, explanations = [], what, why } = situation;
    const document = {
      hops: { home: { shaper: 'htb', kernel: '6.12', classes, link: { rate: linkRate ?? '1gbit' } } },
      flows: Object.fromEntries(
        Object.entries(flows).map(([name, [written]]) => [name, { via: ['home'], ...written }]),
      ),
    };
    const home = hop(figures);
    const point = {
      variables: {},
      durationSeconds: 1,
      warmupSeconds: 0,
      events: 1,
      flows: Object.fromEntries(Object.entries(flows).map(([name, [, result]]) => [name, result])),
      hops: { home: { ...home, link: { ...home.link, busyFraction: 0.2, ...link } } },
      expectations: [],
    };
    const source = chartSource([resultOf('home', document, [point])]);
    const lead = leadOf(source, chooseCharts(source), explanations);
    expect(lead.what?.replaceAll('\u00a0', ' ')).toMatch(what);
    expect(lead.why.replaceAll('\u00a0', ' ')).toMatch(why);
  });
});
