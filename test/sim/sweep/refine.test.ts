import { describe, expect, test } from 'vitest';
import { Journal } from '../../../sim/sweep/journal.ts';
import { type Edge, Refinement } from '../../../sim/sweep/refine.ts';
import { readRefineSpec } from '../../../sim/sweep/refine-spec.ts';
import { runTasks } from '../../../sim/sweep/run-tasks.ts';
import type { SweepJob } from '../../../sim/sweep/sweep-job.ts';
import { DirectRunner, headerOf, inFolder, jobOf, loadedOf } from './builder.ts';

const quiet = { signal: new AbortController().signal, onProgress: () => {} };

/** Runs a grid and refines it; gives the edges and the number of points. */
async function refine(job: SweepJob, refine: string, figure?: string): Promise<{ edges: Edge[]; points: number }> {
  const loaded = loadedOf(job);
  const refinement = new Refinement(loaded, readRefineSpec({ refine, figure, change: undefined }, loaded));
  return inFolder(async (folder) => {
    const journal = await Journal.open(folder, headerOf(job, { refined: true }), 'new');
    const runner = new DirectRunner(job);
    let round = Array.from({ length: loaded.pointCount }, (_, index) => ({ index }));
    while (round.length > 0) {
      await runTasks(
        round.map((task) => ({ ...task, cost: 1 })),
        runner,
        journal,
        quiet,
      );
      round = refinement.nextRound(journal);
    }
    await journal.close();
    return { edges: refinement.edges(), points: journal.size };
  });
}

describe('a refinement', () => {
  // Eras before 2.6.28 count in ticks of 1.024 us: a packet of 836 bytes costs whole ones, so that the rate has steps.
  const staircase = jobOf(
    { rate: '500mbit..620mbit/10mbit' },
    {
      text: `duration: 20ms
warmup: 2ms
vars: { rate: 500mbit }
hops:
  wan:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    default: "1:10"
    classes: { "1:10": { rate: "\${rate}" } }
    link: { rate: 1gbit }
flows:
  load: { source: cbr, rate: 950mbit, size: 836b, via: [wan] }
`,
    },
  );

  test('finds the edges of the staircase of May 2009 to a kbit', async () => {
    const { edges, points } = await refine(staircase, 'rate/1kbit');
    // Measured: 512 and 513, 554 and 555, 605 and 606 Mbit lie on different steps.
    expect(edges.map(({ below }) => below)).toEqual(['512mbit', '554666kbit', '605090kbit']);
    for (const { belowValue, aboveValue } of edges) expect(aboveValue - belowValue).toBe(1000);
    // Each gap of 10 Mbit takes at most 14 halvings to 1 kbit: 13 points of the grid, and 14 for each edge.
    expect(points).toBeLessThanOrEqual(13 + 3 * 14);
  });

  test('adds nothing where nothing changes', async () => {
    const flat = jobOf({ rate: '30mbit..60mbit/10mbit' });
    expect(await refine(flat, 'rate/1kbit', 'flows.load.sentPackets')).toEqual({ edges: [], points: 4 });
  });

  test('looks at each value of the other variables by itself', async () => {
    const { edges } = await refine(
      {
        ...staircase,
        text: staircase.text.replace('836b', '"${size}"').replace('{ rate: 500mbit }', '{ rate: 500mbit, size: 836b }'),
        overrides: { vary: { rate: '500mbit..520mbit/10mbit', size: '836b,1514b' } },
      },
      'rate/1mbit',
    );
    expect(edges.filter(({ others }) => others.size === '836b').map(({ below, above }) => [below, above])).toEqual([
      ['512mbit', '513mbit'],
    ]);
  });

  test.each([
    ['rate', '--refine: expected a swept variable and a resolution'],
    ['size/1b', '--refine: expected a variable that is swept (rate)'],
    ['rate/1ms', '--refine: expected a resolution in the unit of rate'],
    ['rate/0kbit', '--refine: expected a resolution above 0'],
  ])('%s is refused', (text, complaint) => {
    const loaded = loadedOf(staircase);
    expect(() => readRefineSpec({ refine: text, figure: undefined, change: undefined }, loaded)).toThrow(complaint);
  });
});
