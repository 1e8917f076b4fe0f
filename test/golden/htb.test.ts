import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bucketCost, classFigures, htbRules } from '../../models/linux/htb/class-figures.ts';
import { fixedPointRate } from '../../models/linux/packet-cost.ts';
import { className, type Era, eras, type HtbScenario, htbValuesOf, replayHtb } from './htb-scenario.ts';

const folder = new URL('htb/', import.meta.url);
const load = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface GoldenClass {
  readonly arr: number;
  readonly drop: number;
  readonly txp: number;
  readonly txb: number;
  readonly first?: number;
  readonly last?: number;
  readonly level?: number;
  readonly qlen?: number;
  readonly lends?: number;
  readonly borrows?: number;
  readonly tokens?: number;
  readonly ctokens?: number;
  readonly t_c?: number;
  readonly mode?: number;
  readonly quantum?: number;
  readonly buffer?: number;
  readonly cbuffer?: number;
}

interface Derived {
  readonly mult_shift?: readonly [number, number];
  readonly ceil_mult_shift?: readonly [number, number];
  readonly cost_ns?: Readonly<Record<string, readonly [number, number]>>;
  readonly cost_ticks?: Readonly<Record<string, readonly [number, number]>>;
  readonly rate_Bps: number;
  readonly ceil_Bps: number;
  readonly burst_bytes: number;
  readonly cburst_bytes: number;
  readonly buffer_ticks: number;
  readonly cbuffer_ticks: number;
}

interface Outcome {
  readonly total_departures: number;
  readonly direct_packets: number;
  readonly derived: Readonly<Record<string, Derived>>;
  readonly classes: Readonly<Record<string, GoldenClass>>;
  readonly departures: readonly (readonly [number, number, number])[];
}

/** All that a golden outcome tells of a class, taken from a replay, in the golden's words. */
function classesOf(replayed: ReturnType<typeof replayHtb>, scenario: HtbScenario, era: Era): Record<string, unknown> {
  const { htb, tallies, settings } = replayed;
  const report = htb.report(settings.startNs + settings.durationNs);
  const values = htbValuesOf(scenario, eras[era]);
  const none = { arr: 0, drop: 0, txp: 0, txb: 0, first: 0, last: 0 };
  const classes: Record<string, unknown> = {};
  for (const { id } of scenario.classes) {
    const name = className(id);
    const figures = classFigures(values, name);
    const state = htb.probe.state(htb.probe.names.indexOf(name));
    const counters = report.classes[name]!.counters;
    classes[id] = {
      ...(tallies.get(id) ?? none),
      level: state.level,
      qlen: counters.backlogPackets,
      lends: counters.lended,
      borrows: counters.borrowed,
      tokens: counters.tokens,
      ctokens: counters.ctokens,
      t_c: state.checkpointTicks,
      mode: state.mode,
      // The golden run reads an inner class's quantum where the kernel keeps something else.
      quantum: state.level === 0 ? figures.quantumBytes : 0,
      buffer: figures.rate.bufferTicks,
      cbuffer: figures.ceil.bufferTicks,
    };
  }
  classes[0] = tallies.get(0) ?? none;
  return classes;
}

const eraNames = Object.keys(eras) as Era[];
const files = readdirSync(folder).filter((file) => file.endsWith('.scenario.json'));

describe.each(files)('the compiled kernel on %s', (file) => {
  const scenario = JSON.parse(load(file)) as HtbScenario;
  const present = eraNames.filter((era) => readdirSync(folder).includes(file.replace('.scenario.', `.${era}.`)));

  test.each(present)('%s departs, counts and keeps tokens as here', (era) => {
    const golden = JSON.parse(load(file.replace('.scenario.', `.${era}.`))) as Outcome;
    const departures: (readonly [number, number, number])[] = [];
    let total = 0;
    const replayed = replayHtb(scenario, eras[era], (nowNs, minor, sizeBytes) => {
      if (total++ < 200) departures.push([nowNs, minor, sizeBytes]);
    });
    expect(departures).toEqual(golden.departures);
    expect(total).toBe(golden.total_departures);
    const report = replayed.htb.report(0);
    expect(report.counters.directPackets).toBe(golden.direct_packets);
    expect(classesOf(replayed, scenario, era)).toMatchObject(golden.classes);
  });

  test.each(present)('%s is sent the same bursts and charges the same costs', (era) => {
    const golden = JSON.parse(load(file.replace('.scenario.', `.${era}.`))) as Outcome;
    const values = htbValuesOf(scenario, eras[era]);
    const { kernel } = htbRules(values);
    for (const [minor, derived] of Object.entries(golden.derived)) {
      const figures = classFigures(values, className(Number(minor)));
      expect({
        rate_Bps: figures.rate.bytesPerSecond,
        ceil_Bps: figures.ceil.bytesPerSecond,
        burst_bytes: figures.rate.burstBytes,
        cburst_bytes: figures.ceil.burstBytes,
        buffer_ticks: figures.rate.netlinkTicks,
        cbuffer_ticks: figures.ceil.netlinkTicks,
      }).toMatchObject({
        rate_Bps: derived.rate_Bps,
        ceil_Bps: derived.ceil_Bps,
        burst_bytes: derived.burst_bytes,
        cburst_bytes: derived.cburst_bytes,
        buffer_ticks: derived.buffer_ticks,
        cbuffer_ticks: derived.cbuffer_ticks,
      });
      if (derived.mult_shift !== undefined) {
        const { mult, shift } = fixedPointRate(figures.rate.bytesPerSecond);
        expect([mult, shift]).toEqual(derived.mult_shift);
      }
      const costs = Object.entries(derived.cost_ns ?? derived.cost_ticks ?? {});
      expect(costs.length).toBeGreaterThan(0);
      const rate = bucketCost(kernel, figures.rate, figures.kernelFraming);
      const ceil = bucketCost(kernel, figures.ceil, figures.kernelFraming);
      for (const [size, cost] of costs) {
        expect([rate.ticks(Number(size)), ceil.ticks(Number(size))], `${minor} ${size}`).toEqual(cost);
      }
    }
  });
});

interface FuzzLine {
  readonly scenario: HtbScenario;
  readonly expect: Readonly<
    Record<
      Era,
      {
        readonly total: number;
        readonly sha256: string;
        readonly first20: readonly (readonly [number, number, number])[];
        readonly classes: Readonly<Record<string, GoldenClass>>;
      }
    >
  >;
}

const fuzz = load('fuzz.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FuzzLine);

describe('the compiled kernel on random trees', () => {
  test.each(fuzz.map((line) => [line.scenario.name, line] as const))('%s: every departure of every era', (_, line) => {
    for (const era of Object.keys(line.expect) as Era[]) {
      const golden = line.expect[era];
      const hash = createHash('sha256');
      const first: (readonly [number, number, number])[] = [];
      let total = 0;
      const replayed = replayHtb(line.scenario, eras[era], (nowNs, minor, sizeBytes) => {
        if (total++ < 20) first.push([nowNs, minor, sizeBytes]);
        hash.update(`${nowNs} ${minor} ${sizeBytes}\n`);
      });
      expect(first, era).toEqual(golden.first20);
      expect(total, era).toBe(golden.total);
      expect(classesOf(replayed, line.scenario, era), era).toMatchObject(golden.classes);
      expect(hash.digest('hex'), era).toBe(golden.sha256);
    }
  });
});
