import { describe, expect, it } from 'vitest';
import { chooseCharts } from '../../reports/charts/choose.ts';
import { allowedLine, planDeviationPercent, planOf } from '../../reports/charts/transfer-plan.ts';
import { leadOf } from '../../reports/lead.ts';
import { chartSource, type ReadPoint } from '../../reports/reading.ts';
import type { PointResult, Result, TransferResult } from '../../sim/run/result.ts';
import { curlResult, flow } from './sample-results.ts';

/** Versions of one download; each is done so many percent above its limit. */
function versionsResult(percents: readonly number[]): Result {
  const result = curlResult();
  const [model] = result.points as readonly [PointResult];
  const points = percents.map((percent, i) => {
    const download = model.flows.download!;
    const limit = 16e6;
    const bitsPerSecond = limit * (1 + percent / 100);
    const seconds = (8 * 5_242_880) / bitsPerSecond;
    const transfer = { ...download.transfer!, bytes: 5_242_880, seconds, bitsPerSecond, limitBitsPerSecond: limit };
    const received = { seconds: [0, seconds], bytes: [2_000_000, 5_242_880] };
    return {
      ...model,
      variables: { version: `8.${i}.0`, size: '5MiB', limit: '2000000' },
      flows: { download: { ...download, transfer: { ...transfer, deviationPercent: percent }, series: { received } } },
    };
  });
  return { ...result, points, references: [] };
}

const sized = (count: number, farthest: number): Result =>
  versionsResult(Array.from({ length: count }, (_, i) => (i === farthest ? 30.4 : 1 + i / 100)));

describe('a dozen versions', () => {
  const source = chartSource([sized(12, 7)]);
  const charts = chooseCharts(source);
  const [overshoot, transfer] = charts;

  it('are all drawn and all in the table', () => {
    const versions = Array.from({ length: 12 }, (_, i) => `curl 8.${i}.0`);
    expect(overshoot?.name).toBe('overshoot');
    expect(overshoot?.legend.map(({ label }) => label)).toEqual(versions);
    expect(overshoot?.panels[0]?.rows.map(({ series }) => series)).toEqual(versions);
    // More versions than transfers: they go down.
    expect(overshoot?.table.rows.map(([name]) => name)).toEqual(versions);
    expect(overshoot?.table.rows[7]).toEqual(['curl 8.7.0', '30.4']);
    expect(overshoot?.note).not.toContain('Drawn are');
    expect(transfer?.table.rows).toHaveLength(12);
  });

  it('are told apart by colour and shape together', () => {
    const signs = overshoot?.legend.map(({ colour, shape }) => `${colour} ${shape}`) ?? [];
    expect(new Set(signs).size).toBe(12);
  });

  it('give one run to the headline, its reason, and the charts over time', () => {
    expect(overshoot?.title.replaceAll('\u00a0', ' ')).toBe(
      'curl 8.7.0 gets 30.4 % more than its limit for 5 MiB at 16 Mbit/s',
    );
    // 41.94304 Mbit / 20.864 Mbit/s = 2.0103 s, where 2.6214 s are due
    expect(transfer?.title.replaceAll('\u00a0', ' ')).toBe(
      'curl 8.7.0 is done after 2.01 s, 611 ms early: its limit asks for 2.62 s',
    );
    expect([overshoot?.about?.point, transfer?.about?.point, source.look?.pointIndex]).toEqual([7, 7, 7]);
    const cause = (point: number) => ({
      result: 0,
      point,
      subject: 'flow download',
      sections: [],
      cause: `Cause ${point}.`,
      causePercent: [0, 100] as const,
    });
    expect(leadOf(source, charts, [0, 1, 7].map(cause)).why).toBe('Cause 7.');
  });
});

describe('a list of runs that differ in more than the version', () => {
  it('is drawn whole where all do the same, each with what tells it apart', () => {
    const { points, ...rest } = versionsResult([3, 30, 1]);
    const listed = points.map((point, i) => ({
      ...point,
      variables: {
        ...point.variables,
        version: ['8.17.0', '8.22.0', '8.22.0'][i]!,
        length: ['known', 'chunked', 'known'][i]!,
      },
    }));
    const document = rest.scenario.document as { flows: { download: object } };
    const flows = { download: { ...document.flows.download, length: '${length}' } };
    const result = { ...rest, points: listed, scenario: { ...rest.scenario, document: { ...document, flows } } };
    const transfer = chooseCharts(chartSource([result])).find(({ name }) => name === 'transfer');
    const labels = transfer?.legend.filter(({ switchable }) => switchable).map(({ label }) => label);
    expect(labels).toEqual(['curl 8.17.0, length known', 'curl 8.22.0, length chunked', 'curl 8.22.0, length known']);
    expect(transfer?.title).toMatch(/^curl 8.22.0, length chunked is done after /);
  });
});

describe('more versions than can be drawn', () => {
  const [overshoot, transfer] = chooseCharts(chartSource([sized(40, 39)]));

  it('are cut to those that stray farthest, in words, and stay in the table', () => {
    expect(overshoot?.legend).toHaveLength(24);
    expect(overshoot?.legend.at(-1)?.label).toBe('curl 8.39.0');
    expect(overshoot?.note).toContain('Drawn are the 24 of 40 series that stray farthest; the table holds all.');
    expect(overshoot?.table.rows).toHaveLength(40);
    expect(transfer?.note).toContain('Drawn are the 12 of 40 that stray farthest; the table holds all.');
    expect(transfer?.table.rows).toHaveLength(40);
  });
});

describe('several transfers of one flow', () => {
  const transferOf = (seconds: number, completed = true): TransferResult => ({
    bytes: 1e6,
    seconds,
    bitsPerSecond: 8e6 / seconds,
    limitBitsPerSecond: 4e6,
    deviationPercent: 100 * (2 / seconds - 1),
    completed,
  });
  const plan = (written: object, transfers: readonly TransferResult[]) => {
    const [read] = chartSource([sized(1, 0)]).points as readonly [ReadPoint];
    const figures = { ...flow({ packetsPerSecond: 500 }), transfer: transfers[0]!, transfers };
    return planOf({ ...read, document: { flows: { old: { source: 'curl', ...written } } } }, 'old', figures);
  };

  it('are done when the slowest client is, and due by one limit for each client', () => {
    const transfers = [1.9, 1.9, 1.8, 1.7].map((seconds) => transferOf(seconds));
    const both = plan({ parallel: 2, repeat: 2, start: '1s' }, transfers);
    // 2 × 1 MB at 0.5 MB/s; the first client took 1.9 + 1.9 s, the second 1.8 + 1.7 s
    expect(both.dueSeconds).toBe(4);
    expect(both.tookSeconds).toBeCloseTo(3.8, 9);
    expect(planDeviationPercent(both)).toBeCloseTo(100 * (4 / 3.8 - 1), 9);
    // two clients together: 4 MB in 4 s, from the start of the flow
    expect(allowedLine(both)).toEqual([{ from: [1, 0], to: [5, 4e6] }]);
  });

  it('wait between the rounds where they pause', () => {
    const paused = plan({ repeat: 2, pause: '500ms' }, [transferOf(2), transferOf(2)]);
    expect(paused.dueSeconds).toBe(4.5);
    expect(paused.tookSeconds).toBe(4.5);
    expect(allowedLine(paused)).toEqual([
      { from: [0, 0], to: [2, 1e6] },
      { from: [2, 1e6], to: [2.5, 1e6] },
      { from: [2.5, 1e6], to: [4.5, 2e6] },
    ]);
  });

  it('have no end where one of them has none', () => {
    expect(plan({ repeat: 2 }, [transferOf(2), transferOf(1, false)]).tookSeconds).toBeUndefined();
    expect(plan({ repeat: 3 }, [transferOf(2), transferOf(2)]).tookSeconds).toBeUndefined();
  });
});

describe('averages over time', () => {
  it('last until the application has read all, and are those of the transfer', () => {
    const { points, ...rest } = sized(1, 0);
    const [point] = points as readonly [PointResult];
    const { download } = point.flows;
    // Packets come for 1 s only; the transfer of 41.94304 Mbit at 20.864 Mbit/s takes 2.0103 s.
    const mean = Array.from({ length: 100 }, (_, i) => (i < 40 ? 44e6 : 0));
    const window = (stepSeconds: number) => ({ startSeconds: 0, stepSeconds, mean, min: mean, max: mean });
    const series = { ...download!.series, throughput: { '10ms': window(0.025) } };
    const run = { ...point, flows: { download: { ...download!, series } } };
    const chart = chooseCharts(chartSource([{ ...rest, points: [run] }])).find(({ name }) => name === 'throughput');
    expect(chart?.title.replaceAll('\u00a0', ' ')).toBe(
      'download averages 20.86 Mbit/s of payload until it is done but reaches 44 Mbit/s in its busiest 10 ms',
    );
    // 2.0103 s and a twentieth, in whole steps of 25 ms
    expect(chart?.panels[0]?.x.domain).toEqual([0, 2.125]);
  });
});

describe('a value that tells transfers apart', () => {
  it('does nothing itself: the flow does', () => {
    const { points, ...rest } = versionsResult([3, 30]);
    const linked = points.map((point, i) => ({ ...point, variables: { link: ['50mbit', '1gbit'][i]! } }));
    const document = { ...(rest.scenario.document as object), hops: { wan: { link: { rate: '${link}' } } } };
    const result = { ...rest, points: linked, scenario: { ...rest.scenario, document } };
    const transfer = chooseCharts(chartSource([result])).find(({ name }) => name === 'transfer');
    expect(transfer?.title).toMatch(/^download with link 1gbit is done after /);
  });
});

describe('the level of a rate', () => {
  it('is that at which its limiter counts: a link all that it carries, a shaper what tc counts', () => {
    const { points, ...rest } = sized(1, 0);
    const [point] = points as readonly [PointResult];
    const levelBehind = (hop: object, expectation?: string) => {
      const document = { hops: { h: hop }, flows: { f: { source: 'cbr', rate: '20mbit', via: ['h'] } } };
      const expectations =
        expectation === undefined ? [] : [{ text: expectation, passed: true, actual: 1, expected: 1 }];
      const run = { ...point, variables: {}, flows: { f: flow({ packetsPerSecond: 1000 }) }, expectations };
      const [read] = chartSource([{ ...rest, points: [run], scenario: { ...rest.scenario, document } }]).points;
      return [read?.readings[0]?.level, read?.readings[0]?.receivedBitsPerSecond];
    };
    // 1000 packets/s of 836 B; the wire takes 24 B more for each.
    expect(levelBehind({ shaper: 'pfifo', link: { rate: '10mbit' } })).toEqual(['wire', 6_880_000]);
    expect(levelBehind({ shaper: 'tbf', rate: '8mbit', link: { rate: '10mbit' } })).toEqual(['accounted', 6_688_000]);
    const spoken = 'flows.f.bitsPerSecond.frame within 1% of 10mbit';
    expect(levelBehind({ shaper: 'pfifo', link: { rate: '10mbit' } }, spoken)).toEqual(['frame', 6_720_000]);
  });
});
