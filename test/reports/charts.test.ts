import { describe, expect, it } from 'vitest';
import type { Chart } from '../../reports/chart.ts';
import { NARROW, panelSpec, WIDE } from '../../reports/chart.ts';
import { chooseCharts } from '../../reports/charts/choose.ts';
import { endLabels } from '../../reports/charts/end-labels.ts';
import { errorBounds, stepOf } from '../../reports/charts/heat-map.ts';
import { domainOf, placeOf, seriesLabels, spreadLabels } from '../../reports/charts/xy.ts';
import { chartSource } from '../../reports/reading.ts';
import { renderSvgs, wrapText } from '../../reports/svg.ts';
import { CHART_CONFIG } from '../../reports/theme.ts';
import { compactPath, drawSpec } from '../../reports/vega.ts';
import type { Result } from '../../sim/run/result.ts';
import {
  curlResult,
  flow,
  HTB_DOCUMENT,
  htbPoint,
  resultOf,
  singleResult,
  staircaseResult,
  sweepResult,
} from './sample-results.ts';

const SAMPLES: Readonly<Record<string, readonly Result[]>> = {
  'a staircase': [staircaseResult()],
  'one run': [singleResult()],
  'one run with delays of four decades': [withDelays(singleResult())],
  'bursts in a row': [burstResult()],
  downloads: [curlResult()],
  'a grid': [sweepResult(9, 9)],
  'two results': [singleResult(), resultOf('B', HTB_DOCUMENT, [htbPoint({ rate: '606mbit' })])],
};

/** One rate, several bursts. */
function burstResult(): Result {
  const { sweep: _, ...rest } = HTB_DOCUMENT;
  const points = ['1600b', '8kb', '32kb'].map((burst) => ({ ...htbPoint({}), variables: { burst } }));
  return resultOf('bursts', { ...rest, burst: '${burst}' }, points);
}

/** A link without a rate and a policer whose rate goes with its burst: each run has a rate and a burst of its own. */
function policedTransfers(kind: 'open' | 'transfer'): Result {
  const runs = [
    ['10kb', '1mbit', 60],
    ['40kb', '2mbit', 150],
    ['160kb', '4mbit', 330],
  ] as const;
  const points = runs.map(([burst, rate, packetsPerSecond]) => {
    const transfer = { bytes: 1e6, seconds: 4, bitsPerSecond: 2e6, limitBitsPerSecond: 0, deviationPercent: 0 };
    const down = flow({
      packetsPerSecond,
      sizeBytes: 1514,
      ...(kind === 'transfer' ? { transfer: { ...transfer, completed: true } } : {}),
    });
    return { ...htbPoint({}), variables: { burst, rate }, expectations: [], hops: {}, flows: { down } };
  });
  const hop =
    kind === 'open' ? { shaper: 'police', rate: '${rate}', burst: '${burst}' } : { link: { queue: '${burst}' } };
  return resultOf('policed', { hops: { wan: hop }, flows: { down: { via: ['wan'], source: 'bulk' } } }, points);
}

/** Delays from 10 µs to 100 ms, which need a logarithmic axis. */
function withDelays(result: Result): Result {
  const delay = { upperSeconds: [1e-5, 1e-4, 1e-3, 1e-2, 1e-1], counts: [1, 10, 100, 10, 1] };
  const points = result.points.map((p) => {
    const { generator } = p.flows;
    return { ...p, flows: { generator: { ...generator!, series: { ...generator!.series, delay } } } };
  });
  return { ...result, points };
}

function chartsOf(name: string): Chart[] {
  return chooseCharts(chartSource(SAMPLES[name] as readonly Result[]));
}

function chart(name: string, kind: string): Chart {
  const found = chartsOf(name).find((c) => c.name === kind);
  if (found === undefined) throw new Error(`no ${kind} for ${name}`);
  return found;
}

/** The title with plain spaces. */
function titleOf(c: Chart): string {
  return c.title.replaceAll('\u00a0', ' ');
}

describe('specifications', () => {
  for (const name of Object.keys(SAMPLES)) {
    it(`of ${name} compile without a warning, wide and narrow`, async () => {
      for (const c of chartsOf(name)) {
        for (const panel of c.panels) {
          for (const size of [WIDE, NARROW]) {
            const warnings: string[] = [];
            const svg = await drawSpec({ ...panelSpec(panel, size), config: CHART_CONFIG }, (text) =>
              warnings.push(text),
            );
            expect(svg).toContain('role-axis-label');
            expect(warnings).toEqual([]);
          }
        }
      }
    });
  }

  it('that Vega-Lite warns of would be noticed', async () => {
    const encoding = { x: { field: 'a', type: 'quantitative', scale: { type: 'log', zero: true } } };
    const warnings: string[] = [];
    await drawSpec({ data: { values: [{ a: 1 }] }, mark: 'bar', encoding }, (text) => warnings.push(text));
    expect(warnings).not.toEqual([]);
  });
});

describe('the kinds of charts', () => {
  it('follow from what the results hold', () => {
    const kinds = (name: string): string[] => chartsOf(name).map((c) => c.name);
    expect(kinds('a staircase')).toEqual(['staircase', 'class-tree', 'throughput', 'tokens', 'backlog', 'delay']);
    expect(kinds('one run')).toEqual(['class-tree', 'throughput', 'tokens', 'backlog', 'delay']);
    expect(kinds('bursts in a row')[0]).toBe('response');
    expect(kinds('downloads')).toEqual(['overshoot', 'transfer']);
    expect(kinds('a grid')).toEqual(['staircase', 'heat-map']);
    expect(kinds('two results')[0]).toBe('comparison');
  });

  it('are none for a result without points', () => {
    expect(chooseCharts(chartSource([resultOf('empty', {}, [])]))).toEqual([]);
  });

  it('leave out points that failed', () => {
    const failed = { ...htbPoint({ rate: '700mbit', kernel: '2.6.25' }), flows: {}, hops: {}, failed: 'no memory' };
    const result = staircaseResult(['2.6.25']);
    const rows = (r: Result): number => chooseCharts(chartSource([r]))[0]?.panels[0]?.rows.length ?? 0;
    expect(rows({ ...result, points: [...result.points, failed] })).toBe(rows(result));
  });
});

describe('findings', () => {
  it('of the staircase name rate, kernel and difference', () => {
    // 606 Mbit: 9 ticks of 1024 ns a packet, 840 bytes with FCS: 729.17 Mbit/s.
    expect(titleOf(chart('a staircase', 'staircase'))).toBe(
      'At 606 Mbit/s, kernel 2.6.25 sends 729.2 Mbit/s, 20.3 % more',
    );
  });

  it('of throughput tell the burst that the average hides', () => {
    // 97656.25 packets of 836 bytes: 653.1 Mbit/s; the busiest 10 ms holds 1.35 times that.
    expect(titleOf(chart('one run', 'throughput'))).toBe(
      'generator averages 653.1 Mbit/s but reaches 881.7 Mbit/s in its busiest 10 ms',
    );
  });

  it('of the class tree name the class that strays from its rate', () => {
    expect(titleOf(chart('one run', 'class-tree'))).toBe(
      'Class 1:108 got 653.1 Mbit/s, 17.7 % more than its rate of 555 Mbit/s',
    );
  });

  it('of a grid that varies no rate name the run that strays', () => {
    // 656.25 Mbit/s of frames where 555 are configured.
    expect(titleOf(chart('bursts in a row', 'response'))).toBe(
      'With burst 1,600 B, generator gets 656.3 Mbit/s where 555 Mbit/s is configured, 18.2 % more',
    );
  });

  it('over a burst are drawn as a line, whatever else goes with it', () => {
    for (const kind of ['open', 'transfer'] as const) {
      const charts = chooseCharts(chartSource([policedTransfers(kind)]));
      expect(charts, kind).not.toHaveLength(0);
      const drawn = charts.find(({ name }) => name === 'response' || name === 'staircase');
      expect(drawn, kind).toBeDefined();
    }
    const { panels, legend } = chart('bursts in a row', 'response');
    const rows = panels[0]!.rows.filter(({ series }) => series === 'generator');
    // sizes as tc reads them: 1600 B, 8 and 32 KiB, in kB; 656.25 Mbit/s of frames in each run
    expect(rows.map(({ x }) => x)).toEqual([1.6, 8.192, 32.768]);
    for (const { y } of rows) expect(y).toBeCloseTo(656.25, 0);
    expect(legend.map(({ label }) => label)).toEqual(['generator', 'configured']);
  });

  it('of tokens say how long the class could not send', () => {
    // 2 of 100 buckets can send all the time, 98 for 8 %: 9.84 %; cannot for 0.92 * 98 = 90.16 %.
    expect(titleOf(chart('one run', 'tokens'))).toBe("Class bridge 1:108: can't send 90 %, can send 9.8 % of the time");
  });

  it('of tokens call a class idle where nothing waits in it and it cannot send', () => {
    const [point] = singleResult().points;
    const { bridge } = point!.hops;
    const leaf = bridge!.classes['1:108']!;
    // Of 100 intervals the first 50 have packets, 8 % of each in which it can send; it can send in the first two.
    const backlogBytes = {
      ...leaf.series!.backlogBytes!,
      max: Array.from({ length: 100 }, (_, i) => (i < 50 ? 1000 : 0)),
    };
    const classes = { ...bridge!.classes, '1:108': { ...leaf, series: { ...leaf.series, backlogBytes } } };
    const hops = { bridge: { ...bridge!, classes } };
    const source = chartSource([{ ...singleResult(), points: [{ ...point!, hops }] }]);
    const tokens = chooseCharts(source).find((c) => c.name === 'tokens')!;
    expect(titleOf(tokens)).toBe("Class bridge 1:108: nothing waits 46 %, can't send 44 %, can send 9.8 % of the time");
    expect(tokens.note).toContain('The kernel looks at a class only when packets come or leave');
    expect(tokens.legend.map(({ label }) => label)).toContain('nothing waits');
  });

  it('over versions are rows in the order of the scenario, not numbers', () => {
    const kernels = ['2.6.22', '3.6', '3.10', '6.2'];
    const points = kernels.map((kernel) => ({ ...htbPoint({}), variables: { kernel } }));
    const { sweep: _, ...rest } = HTB_DOCUMENT;
    const charts = chooseCharts(chartSource([resultOf('kernels', rest, points)]));
    const [panel] = charts.find((c) => c.name === 'response')!.panels;
    expect(panel!.y).toEqual({ type: 'band', domain: kernels.map((kernel) => `kernel ${kernel}`) });
  });

  it('of a comparison have an even scale, unless one change would flatten all others', () => {
    const changed = (rate: number) => {
      const [point] = singleResult().points;
      const { generator } = point!.flows;
      const bitsPerSecond = { ...generator!.bitsPerSecond, accounted: rate };
      return chartSource([
        singleResult(),
        { ...singleResult(), points: [{ ...point!, flows: { generator: { ...generator!, bitsPerSecond } } }] },
      ]);
    };
    const comparison = (rate: number) => chooseCharts(changed(rate)).find((c) => c.name === 'comparison')!;
    expect(comparison(1e9).panels[0]!.x.type).toBe('linear');
    expect(comparison(1e11).panels[0]!.x.type).toBe('symlog');
    expect(comparison(1e11).note).toContain('logarithmic away from zero');
  });

  it('of the backlog tell when the queue is full', () => {
    expect(titleOf(chart('one run', 'backlog'))).toBe(
      'The queue of bridge 1:108 fills to 844 kB within 130 ms and stays full',
    );
  });

  it('of downloads name version, transfer and excess', () => {
    // 1 MiB at 2,000,000 bytes/s all at once in 20 ms: 419.4 Mbit/s, 26 times the limit.
    expect(titleOf(chart('downloads', 'overshoot'))).toBe(
      'curl pr19384 gets 2,521 % more than its limit for 1 MiB at 16 Mbit/s',
    );
    // The same run: 1 MiB at 2,000,000 bytes/s is due after 524.3 ms.
    expect(titleOf(chart('downloads', 'transfer'))).toBe(
      'curl pr19384 is done after 20 ms, 504 ms early: its limit asks for 524 ms',
    );
  });

  it('of a comparison name the largest difference', () => {
    expect(titleOf(chart('two results', 'comparison'))).toMatch(
      /^B differs from A in \d+ of \d+ figures, most in generator: dropped \(24.4 % less\)$/,
    );
  });

  it('of the heat map count the runs that miss', () => {
    expect(titleOf(chart('a grid', 'heat-map'))).toMatch(
      /^\d+ of 81 runs miss the configured rate by 1 % or more; the worst, with /,
    );
  });
});

describe('what is drawn', () => {
  it('has the measurements as points and the ideal line as a rule', async () => {
    const files = await renderSvgs(staircaseResult());
    const svg = files.find((f) => f.name === 'staircase')?.svg ?? '';
    const marks = (name: string): number =>
      (svg.match(new RegExp(`<g class="[^"]*${name}[^"]*"[^>]*>(.*?)</g>`))?.[1]?.match(/<(?:path|line|text)/g) ?? [])
        .length;
    expect(marks('measured_marks')).toBe(14);
    expect(marks('marker_marks')).toBe(28);
    expect(marks('guide_marks')).toBe(1);
    expect(marks('label_marks')).toBe(3);
    for (const text of ['Configured (Mbit/s)', 'Received (Mbit/s)', 'kernel 2.6.25', 'as configured'])
      expect(svg).toContain(`>${text}</text>`);
  });

  it('names every file after its chart and panel', async () => {
    const names = (await renderSvgs(singleResult())).map((f) => f.name);
    expect(names).toEqual([
      'class-tree',
      'throughput-1s',
      'throughput-100ms',
      'throughput-10ms',
      'tokens-tokens',
      'tokens-mode',
      'backlog',
      'delay',
    ]);
  });

  it('is the same for the same result', async () => {
    const [first, second] = [await renderSvgs(singleResult()), await renderSvgs(singleResult())];
    expect(first.map((file, i) => file.svg === second[i]?.svg)).toEqual(first.map(() => true));
  });
});

describe('variables of a grid', () => {
  it('that follow from another one make no series', () => {
    const points = [500, 555, 606].map((rate) => htbPoint({ rate: `${rate}mbit`, measured: String(rate * 1e6) }));
    expect(chartSource([resultOf('zip', HTB_DOCUMENT, points)]).varying).toEqual(['rate']);
  });
});

describe('helpers of drawings', () => {
  it('spread labels apart and keep their order', () => {
    const spread = spreadLabels([100, 101, 102], 16, 0, 300);
    expect(spread[1]! - spread[0]!).toBeGreaterThanOrEqual(16);
    expect(spread[2]! - spread[1]!).toBeGreaterThanOrEqual(16);
    expect(spreadLabels([299, 300], 16, 0, 300)).toEqual([284, 300]);
  });

  it('name series each by its own name', () => {
    expect(seriesLabels(['a', 'a', '', 'x'.repeat(60)])).toEqual(['a', 'a (2)', '(no name)', `${'x'.repeat(47)}…`]);
  });

  it('name the ends of lines by what tells them apart, where the whole has no room', () => {
    const labels = ['64-byte packets, kernel 2.6.22', '64-byte packets, kernel 3.6', '1514-byte packets, kernel 3.6'];
    expect(endLabels(labels, 23)).toEqual(['64-byte, 2.6.22', '64-byte, 3.6', '1514-byte, 3.6']);
    expect(endLabels(['office', 'backup'], 23)).toEqual(['office', 'backup']);
    expect(endLabels(['a very long name of a flow indeed', 'b'], 23)).toEqual(['a very long name of a …', 'b']);
  });

  it('pad domains, and start at zero where told', () => {
    expect(domainOf([10, 110], false)).toEqual([4, 116]);
    expect(domainOf([10, 100], true)).toEqual([0, 106]);
    expect(domainOf([], false)).toEqual([0, 1]);
    expect(domainOf([5, 5], false)[0]).toBeLessThan(5);
  });

  it('place values as Vega does', () => {
    expect(placeOf({ type: 'linear', domain: [0, 10] }, 5, 100)).toBe(50);
    expect(placeOf({ type: 'log', domain: [1, 100] }, 10, 100)).toBeCloseTo(50);
    expect(placeOf({ type: 'symlog', domain: [-9, 9] }, 0, 100)).toBe(50);
  });

  it('bound the steps of an error by round numbers, none of it without a step', () => {
    expect(errorBounds([210, -3])).toEqual([-100, -20, -2, 2, 20, 100]);
    const bounds = errorBounds([18, 2]);
    expect(bounds.map((b) => stepOf(b, bounds))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(stepOf(-1e9, bounds)).toBe(0);
    expect(stepOf(0, bounds)).toBe(3);
  });

  it('keep the extremes of a long path that they shorten', () => {
    const points = Array.from({ length: 2000 }, (_, i) => `${(i * 0.05).toFixed(3)},${i === 777 ? 1 : 50 + (i % 2)}`);
    const d = `M${points.join('L')}`;
    const short = compactPath(d, 0.25);
    expect(short.length).toBeLessThan(d.length / 3);
    expect(short).toContain('V1');
    expect(compactPath('M0,0L1.2345,6', 0.25)).toBe('M0,0L1.2345,6');
  });

  it('wrap titles between words', () => {
    expect(wrapText('one two three four', 9, 3)).toEqual(['one two', 'three', 'four']);
    expect(wrapText('one two three four', 9, 2)).toEqual(['one two', 'three …']);
  });
});
