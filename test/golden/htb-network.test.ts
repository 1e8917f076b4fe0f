import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { modelsOf } from '../../models/registry.ts';
import type { PointResult } from '../../sim/run/result.ts';
import { simulate } from '../../sim/run/simulate.ts';
import { checkDocument } from '../../sim/scenario/load-scenario.ts';
import { className, type Era, eras, type HtbScenario, type HtbScenarioClass } from './htb-scenario.ts';

/** A golden scenario as a person would write it. */
function documentOf(scenario: HtbScenario, era: Era): object {
  const settable = era !== 'k2624' && scenario.hysteresis !== undefined;
  const optional = (name: string, value: string | number | undefined): object =>
    value === undefined ? {} : { [name]: value };
  const bytes = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${value}b`);
  const classOf = (given: HtbScenarioClass): object => ({
    rate: `${given.rate_bit}bit`,
    ...optional('ceil', given.ceil_bit === undefined ? undefined : `${given.ceil_bit}bit`),
    ...optional('parent', given.parent ? className(given.parent) : undefined),
    ...optional('burst', bytes(given.burst)),
    ...optional('cburst', bytes(given.cburst)),
    ...optional('mtu', bytes(given.mtu)),
    ...optional('mpu', bytes(given.mpu)),
    ...optional('overhead', bytes(given.overhead)),
    ...optional('quantum', given.quantum),
    ...optional('prio', given.prio),
    ...optional('limit', given.limit),
    ...optional('linklayer', given.linklayer),
  });
  return {
    title: scenario.name,
    duration: `${scenario.duration_ns}ns`,
    clockStart: `${scenario.t0_ns ?? 0}ns`,
    hops: {
      hop: {
        shaper: 'htb',
        ...eras[era],
        txQueueLen: scenario.txqueuelen ?? 1000,
        ...(settable ? { hysteresis: scenario.hysteresis === 1 } : {}),
        timer: {
          resolution: `${Math.max(1, scenario.timer_res_ns ?? 1)}ns`,
          latency: `${scenario.timer_latency_ns ?? 0}ns`,
        },
        classes: Object.fromEntries(scenario.classes.map((given) => [className(given.id), classOf(given)])),
        link: { rate: `${scenario.link_bps}bit`, overhead: `${scenario.link_overhead}b` },
      },
    },
    flows: Object.fromEntries(
      scenario.sources.map((source, index) => [
        `s${index}`,
        {
          source: 'cbr',
          interval: `${source.interval_ns}ns`,
          size: `${source.size}b`,
          start: `${source.start_ns}ns`,
          count: source.count,
          via: ['hop'],
          class: source.class === 0 ? 'direct' : className(source.class),
        },
      ]),
    ),
  };
}

/** Runs a golden scenario as `sim run` does, and calls back for each departure. */
function run(
  scenario: HtbScenario,
  era: Era,
  departed: (timeNs: number, minor: number, sizeBytes: number) => void,
): PointResult {
  const point = checkDocument(documentOf(scenario, era), { registry: { modelsOf } }).pointAt(0);
  const startNs = scenario.t0_ns ?? 0;
  return simulate(point, {
    buckets: 0,
    tracer: {
      packet(event, timeNs, _hop, _flow, name, packet, packets) {
        if (event !== 'depart') return;
        const minor = name === 'direct' ? 0 : Number.parseInt(name.slice(2), 16);
        departed(startNs + timeNs, minor, packets.sizeBytes[packet]!);
      },
    },
  });
}

const modes = ['cant-send', 'may-borrow', 'can-send'];
const folder = new URL('htb/', import.meta.url);
const load = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const outcomes = readdirSync(folder)
  .map((name) => /^(.*)\.(k\d+)\.json$/.exec(name))
  .filter((match) => match !== null)
  .map((match) => [match[1]!, match[2]! as Era] as const);

describe('a golden scenario, written as a scenario file and run with its network', () => {
  test.each(outcomes)('%s departs in kernel %s as in the real one', (name, era) => {
    const scenario = JSON.parse(load(`${name}.scenario.json`)) as HtbScenario;
    const golden = JSON.parse(load(`${name}.${era}.json`));
    const departures: [number, number, number][] = [];
    let total = 0;
    const result = run(scenario, era, (timeNs, minor, sizeBytes) => {
      if (total++ < golden.departures.length) departures.push([timeNs, minor, sizeBytes]);
    });
    expect(departures).toEqual(golden.departures);
    expect(total).toBe(golden.total_departures);
    const classes = result.hops.hop!.classes;
    for (const { id } of scenario.classes) {
      const { tokens, ctokens, lended, borrowed, mode, level } = classes[className(id)]!;
      const wanted = golden.classes[id];
      expect({ tokens, ctokens, lended, borrowed, mode, level }).toEqual({
        tokens: wanted.tokens,
        ctokens: wanted.ctokens,
        lended: wanted.lends,
        borrowed: wanted.borrows,
        mode: modes[wanted.mode],
        level: wanted.level,
      });
    }
  });

  const fuzz = load('fuzz.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  test.each(fuzz.map((entry) => [entry.scenario.name, entry] as const))(
    '%s departs as in each real kernel',
    (_, { scenario, expect: wanted }) => {
      for (const era of Object.keys(wanted) as Era[]) {
        const hash = createHash('sha256');
        let total = 0;
        run(scenario, era, (timeNs, minor, sizeBytes) => {
          total++;
          hash.update(`${timeNs} ${minor} ${sizeBytes}\n`);
        });
        expect([era, total, hash.digest('hex')]).toEqual([era, wanted[era].total, wanted[era].sha256]);
      }
    },
  );
});
