import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Values } from '../../models/model.ts';
import { type Era, eras, type QdiscScenario, replayQdisc, reportOf, stateOf } from './qdisc-scenario.ts';

const directory = new URL('qdisc/', import.meta.url);
const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, directory), 'utf8'));

/** What the real kernel code did with a scenario. */
interface GoldenOutcome {
  readonly total_departures: number;
  readonly total_drops: number;
  readonly marks: number;
  readonly returned_cn: number;
  readonly returned_drop: number;
  readonly bypassed: number;
  readonly random_used: number;
  readonly random_first?: readonly number[];
  readonly sha256: string;
  readonly drop_sha256: string;
  readonly classes?: unknown;
  readonly departures?: readonly unknown[];
  readonly drops?: readonly unknown[];
  readonly first?: readonly unknown[];
  readonly first_drops?: readonly unknown[];
  readonly qdiscs: Readonly<Record<string, Values>>;
}

/** Runs a scenario and holds everything that the outcome tells against it, the first differences first. */
function expectOutcome(scenario: QdiscScenario, era: Era, golden: GoldenOutcome): void {
  const actual = replayQdisc(scenario, era);
  const departures = golden.departures ?? golden.first ?? [];
  const drops = golden.drops ?? golden.first_drops ?? [];
  expect(actual.departures.slice(0, departures.length)).toEqual(departures);
  expect(actual.drops.slice(0, drops.length)).toEqual(drops);
  for (const [handle, state] of Object.entries(golden.qdiscs)) {
    const { kind } = scenario.qdiscs.find((qdisc) => qdisc.handle === Number(handle))!;
    const report = reportOf(scenario, actual.report, Number(handle));
    expect({ handle, ...stateOf(kind, state, report) }).toEqual({ handle, ...state });
  }
  expect(actual.departures.length).toBe(golden.total_departures);
  expect(actual.drops.length).toBe(golden.total_drops);
  expect(actual.marks).toBe(golden.marks);
  expect(actual.bypassed).toBe(golden.bypassed);
  expect(actual.random_used).toBe(golden.random_used);
  if (golden.random_first !== undefined) expect(actual.random_first).toEqual(golden.random_first);
  if (golden.classes !== undefined) expect(actual.classes).toEqual(golden.classes);
  expect(actual.sha256).toBe(golden.sha256);
  expect(actual.drop_sha256).toBe(golden.drop_sha256);
  // The runs of 2.6.24 did not record what the enqueue returned.
  if (era === 'k2624') return;
  expect(actual.returned_cn).toBe(golden.returned_cn);
  expect(actual.returned_drop).toBe(golden.returned_drop);
}

const outcomes = readdirSync(directory).flatMap((name) => {
  const match = /^(.*)\.(k\d+)\.json$/.exec(name);
  return match === null ? [] : [{ name: match[1]!, era: match[2] as Era, file: name }];
});

describe('qdiscs do what the compiled kernel code did', () => {
  it.each(outcomes)('$name on $era', ({ name, era, file }) => {
    expectOutcome(readJson(`${name}.scenario.json`) as QdiscScenario, era, readJson(file) as GoldenOutcome);
  });
});

interface FuzzLine {
  readonly scenario: QdiscScenario;
  readonly expect: Partial<Record<Era, GoldenOutcome>>;
}

const fuzz = readFileSync(new URL('fuzz.jsonl', directory), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FuzzLine);

describe('qdiscs do what the compiled kernel code did with random scenarios', () => {
  it.each(fuzz)('$scenario.name', ({ scenario, expect: golden }) => {
    const recorded = (Object.keys(eras) as Era[]).filter((era) => golden[era] !== undefined);
    expect(recorded.length).toBeGreaterThan(0);
    for (const era of recorded) expectOutcome(scenario, era, golden[era]!);
  });
});
