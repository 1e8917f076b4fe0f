import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelOf, tcOf } from '../../models/linux/kernel-parameters.ts';
import { redParameters } from '../../models/linux/red-tc.ts';
import { framingOf, sentRate, tbfLimitBytes } from '../../models/linux/tbf-settings.ts';
import { bytesPerSecond, transmitTime } from '../../models/linux/tc.ts';
import type { Values } from '../../models/model.ts';
import { type Era, modelOf, type QdiscScenario } from './qdisc-scenario.ts';

const directory = new URL('qdisc/', import.meta.url);
const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, directory), 'utf8'));

/** What tc sends, under the names of the golden files. */
function derivedOf(kind: string, values: Values): Values {
  const given = values as Record<string, number | undefined>;
  if (kind === 'red') {
    const red = redParameters(values, given.limit!, true);
    return {
      min: red.minBytes,
      max: red.maxBytes,
      burst: red.burstPackets,
      Wlog: red.wLog,
      Plog: red.pLog,
      max_P: red.maxP,
      Scell_log: red.cellLog,
      Stab: [...red.idleShifts],
    };
  }
  const kernel = kernelOf(values);
  const tc = tcOf(values);
  const ticksOf = (bitsPerSecond: number | undefined, bytes: number | undefined): number =>
    bitsPerSecond === undefined || bytes === undefined
      ? 0
      : transmitTime(tc, bytesPerSecond(bitsPerSecond), bytes, kernel.netlinkTickNs).ticks;
  const table =
    given.rate === undefined ? undefined : sentRate(kernel, tc, given.rate, framingOf(values, given.mtu ?? 0)).table;
  return {
    rate_Bps: bytesPerSecond(given.rate ?? 0),
    peak_Bps: bytesPerSecond(given.peakrate ?? 0),
    buffer_ticks: ticksOf(given.rate, given.burst),
    ...(kind === 'tbf'
      ? { limit: tbfLimitBytes(values), mtu_ticks: ticksOf(given.peakrate, given.mtu) }
      : {
          mtu: given.mtu ?? 0,
          pkts_burst_ticks:
            given.pktsRate === undefined
              ? 0
              : transmitTime(tc, given.pktsRate, given.pktsBurst!, kernel.netlinkTickNs).ticks,
        }),
    ...(table === undefined
      ? {}
      : {
          cell_log: table.cellLog,
          // The numbers, with a space between.
          rate_table_sha256: createHash('sha256')
            .update([...table.ticks].join(' '))
            .digest('hex'),
        }),
  };
}

const figures = readdirSync(directory).flatMap((name) => {
  const match = /^(.*)\.(k\d+)\.json$/.exec(name);
  if (match === null) return [];
  const era = match[2] as Era;
  const scenario = readJson(`${match[1]!}.scenario.json`) as QdiscScenario;
  const { derived } = readJson(name) as { derived: Readonly<Record<string, Values>> };
  return Object.entries(derived).flatMap(([handle, golden]) => {
    const qdisc = scenario.qdiscs.find((candidate) => candidate.handle === Number(handle))!;
    return Object.keys(golden).length === 0 ? [] : [{ name: match[1]!, era, scenario, qdisc, golden }];
  });
});

describe('tc sends what the compiled tc arithmetic sends', () => {
  it('for every qdisc that tc computes something for', () => {
    expect(figures.length).toBeGreaterThan(30);
  });

  it.each(figures)('$name on $era: $qdisc.kind', ({ era, scenario, qdisc, golden }) => {
    const { kind, values } = modelOf(scenario, era, qdisc);
    const derived = derivedOf(kind, values);
    const compared = Object.keys(golden).filter((field) => field in derived);
    expect(compared.length).toBeGreaterThan(3);
    for (const field of compared) expect({ [field]: derived[field] }).toEqual({ [field]: golden[field] });
  });
});
