import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { ConfiguredRates } from '../../../sim/output/configured-rate.ts';
import { explainScenario } from '../../../sim/output/explain.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import type { Scenario } from '../../../sim/scenario/scenario.ts';
import { htbScenario } from './sample.ts';

/** A class and a flow of its own, so many times. */
function oneFlowAClass(count: number): Scenario {
  const ids = Array.from({ length: count }, (_, index) => `1:${(index + 16).toString(16)}`);
  return htbScenario(
    ['"1:1": { rate: 900mbit }', ...ids.map((id) => `"${id}": { parent: "1:1", rate: 100kbit, ceil: 900mbit }`)].join(
      '\n',
    ),
    ids
      .map((id, index) => `f${index}: { source: cbr, rate: 1mbit, size: 1000b, via: [wan], class: "${id}" }`)
      .join('\n'),
  ).first;
}

/** The same scenario, and how often somebody went through all classes of its hop. */
function watched(scenario: Scenario): { readonly scenario: Scenario; readonly passes: () => number } {
  let passes = 0;
  const hops = scenario.hops.map((hop) => {
    const shaper = hop.shaper!;
    const classes = new Proxy(shaper.values.classes as object, {
      ownKeys(target) {
        passes++;
        return Reflect.ownKeys(target);
      },
    });
    return { ...hop, shaper: { ...shaper, values: { ...shaper.values, classes } } };
  });
  return { scenario: { ...scenario, hops }, passes: () => passes };
}

describe('what a scenario allows its flows', () => {
  test('is found without going through the classes for each flow', () => {
    const passesFor = (count: number): number => {
      const { scenario, passes } = watched(oneFlowAClass(count));
      const allowed = new ConfiguredRates(scenario);
      for (const flow of scenario.flows) expect(allowed.of(flow)?.by).toBe(`class ${flow.className}`);
      return passes();
    };
    expect(passesFor(80)).toBe(passesFor(5));
  });

  test('is explained without going through the classes for each class', () => {
    const passesFor = (count: number): number => {
      const { scenario, passes } = watched(oneFlowAClass(count));
      // the inner class, and the leaves
      expect(explainScenario(scenario, undefined)).toHaveLength(count + 1);
      return passes();
    };
    expect(passesFor(80)).toBe(passesFor(5));
  });

  test('is shared by the flows of one leaf only', () => {
    const { first } = htbScenario(
      `"1:1": { rate: 9mbit }
       "1:10": { parent: "1:1", rate: 1mbit, ceil: 8mbit }
       "1:20": { parent: "1:1", rate: 2mbit, ceil: 12mbit }`,
      `a: { source: cbr, rate: 1mbit, size: 100b, via: [wan], class: "1:10" }
       b: { source: cbr, rate: 1mbit, size: 100b, via: [wan], class: "1:20" }
       c: { source: cbr, rate: 1mbit, size: 100b, via: [wan], class: "1:20" }`,
    );
    const allowed = new ConfiguredRates(first);
    const level = 'accounted';
    expect(first.flows.map((flow) => allowed.of(flow))).toEqual([
      { bitsPerSecond: 8e6, guaranteedBitsPerSecond: 1e6, by: 'class 1:10', level, shared: false },
      // no more than the lender has
      { bitsPerSecond: 9e6, guaranteedBitsPerSecond: 2e6, by: 'class 1:20', level, shared: true },
      { bitsPerSecond: 9e6, guaranteedBitsPerSecond: 2e6, by: 'class 1:20', level, shared: true },
    ]);
  });

  test('is read from the class that the filters of each hop choose', () => {
    const hop = (minor: string, rate: string) => `
    shaper: htb
    classes: { "1:${minor}": { rate: ${rate} }, "1:99": { rate: 50mbit } }
    filters: [{ match: u32 match ip dport 80 0xffff, class: "1:${minor}" }]`;
    const text = `duration: 1s
hops:
  one:${hop('10', '9mbit')}
  two:${hop('20', '3mbit')}
flows:
  web: { source: cbr, rate: 20mbit, size: 1000b, via: [one, two], dport: 80, proto: tcp }
`;
    const { first } = loadScenario(text, 'test.yaml', { registry });
    expect(new ConfiguredRates(first).of(first.flows[0]!)).toMatchObject({ bitsPerSecond: 3e6, by: 'class 1:20' });
  });
});
