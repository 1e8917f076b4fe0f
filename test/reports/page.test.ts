import { beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '../../reports/explanation.ts';
import type { Finding } from '../../reports/findings.ts';
import { renderPage } from '../../reports/page.ts';
import type { Result } from '../../sim/run/result.ts';
import { clientScript, engineScript } from './bundles.ts';
import { curlResult, singleResult, staircaseResult, sweepResult } from './sample-results.ts';

const COMMAND = 'sim run scenarios/htb-800B.yaml --html out.html';

/** The steps at 555 Mbit: 832 bytes take 11.99 µs, cut to 11 µs, cut to 10 ticks. */
const EXPLANATION: Explanation = {
  result: 0,
  point: 0,
  subject: 'class 1:108 of bridge',
  conclusion: 'Packets leave every 10.24 µs.',
  // 836 B every 10.24 µs
  predictions: [
    { bitsPerSecond: 653.125e6, level: 'accounted', sizeBytes: 836, onLoan: false, words: 'So 97,656 leave a second.' },
  ],
  sections: [
    {
      title: 'packets of 836 B',
      lines: [
        { label: 'price', value: '10 ticks = 10.24 µs', rule: '832 B / 69,375,000 B/s = 11.993 µs → 11 µs → 10 ticks' },
      ],
    },
  ],
  warnings: ['the burst is small'],
};

const FINDING: Finding = {
  rule: 'quantum',
  place: 'hops.bridge.classes',
  text: 'the quantum is large',
  hint: 'set quantum: 60000',
};

async function page(
  results: readonly Result[],
  explanations: readonly Explanation[] = [EXPLANATION],
  findings: readonly Finding[] = [FINDING],
): Promise<string> {
  return renderPage({
    results,
    explanations,
    findings,
    command: COMMAND,
    clientScript: await clientScript(),
    whatIf: await engineScript(),
  });
}

/** The text that a reader without a browser sees: no scripts, no style, no markup. */
function textOf(html: string): string {
  return html
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('\u00a0', ' ')
    .replace(/\s+/g, ' ');
}

describe('the page of one run', () => {
  let html = '';
  beforeAll(async () => {
    html = await page([singleResult(2000)]);
  }, 60_000);

  it('has its parts in the order in which one asks', () => {
    const order = [...html.matchAll(/<section id="([a-z-]+)"/g)].map((m) => m[1]);
    expect(order).toEqual(['verdict', 'simulated', 'charts', 'what-if', 'tables', 'arithmetic', 'scenario', 'source']);
  });

  it('says first whether the expectation holds', () => {
    const text = textOf(html);
    expect(text).toContain('The expectation holds');
    expect(text).toMatch(/got 656\.25 Mbit\/s ?, expected 656\.25 Mbit\/s/);
    expect(html.indexOf('The expectation holds')).toBeLessThan(html.indexOf('id="simulated"'));
  });

  it('says what a check of the configuration finds, with the place and what to do', () => {
    expect(textOf(html)).toContain(
      'One thing to look at in the configuration hops.bridge.classes : the quantum is large . Hint: set quantum: 60000 .',
    );
  });

  it('tells findings of one kind once, with twelve of their places, and counts the others', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ ...FINDING, place: `hops.bridge.classes.1:${i}` }));
    const html = textOf(await page([singleResult(0)], [], [...many, { ...FINDING, rule: 'burst', place: 'hops.x' }]));
    expect(html.match(/hops\.bridge\.classes\.1:/g)).toHaveLength(12);
    expect(html.match(/the quantum is large/g)).toHaveLength(2);
    expect(html).toContain('301 things to look at, of 2 kinds, in the configuration');
    expect(html).toContain('The same kind in 299 more places: hops.bridge.classes.1:1 , hops.bridge.classes.1:2');
    expect(html).toContain('and 288 more, which sim validate lists');
  });

  it('says what was simulated, why it came out so, and how to get it again', () => {
    const text = textOf(html);
    expect(text).toContain('generator sends 836-byte packets evenly at 950 Mbit/s, through bridge, in class 1:108.');
    expect(text).toContain('as kernel 2.6.25 computes it, set up by tc 2.6.23');
    expect(text).toContain('After rounding, a packet is charged 10 ticks = 10.24 µs');
    expect(text).toContain('So 97,656 leave a second.');
    expect(text).toContain('Mind: the burst is small');
    expect(text).toContain(COMMAND);
    expect(text).toContain('v20.0.0');
  });

  it('is the same, byte for byte, for the same result', async () => {
    expect((await page([singleResult(2000)])) === html).toBe(true);
  });

  it('does not hang on how long the run took', async () => {
    const result = singleResult(2000);
    const slower = { ...result, run: { ...result.run, wallSeconds: 99 } };
    expect((await page([slower])) === html).toBe(true);
  });

  it('stays below 1.6 MB with series of 2,000 intervals and the engine in it', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(1.6e6);
  });

  it('asks for nothing: no address but of name spaces', () => {
    const outside = html.replace(/<script type="application\/json"[^>]*>[\s\S]*?<\/script>/g, '');
    expect(outside.match(/\b(?:src|href)="(?!#)[^"]*"/g)).toBeNull();
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; worker-src blob:;/,
    );
    expect(policy).not.toContain('unsafe-');
  });
});

describe('the verdict', () => {
  it('puts what failed before what passed', async () => {
    const text = textOf(await page([staircaseResult()]));
    // At 555, 570, 590 and 605 Mbit the old kernel gives 656.25; everywhere else something else comes out.
    expect(text).toContain('24 of 28 expectations failed');
    expect(text.indexOf('Failed with')).toBeLessThan(text.indexOf('Passed with'));
  });

  it('tells of points that did not run, and why', async () => {
    const result = staircaseResult(['2.6.25']);
    const points = result.points.map((p, i) =>
      i === 3 ? { ...p, flows: {}, hops: {}, expectations: [], failed: 'worker ran out of memory' } : p,
    );
    const text = textOf(await page([{ ...result, points }]));
    expect(text).toContain('1 of 14 runs did not finish');
    expect(text).toContain('worker ran out of memory');
  });

  it('says so where nothing was expected', async () => {
    const result = singleResult();
    const points = result.points.map((p) => ({ ...p, expectations: [] }));
    expect(textOf(await page([{ ...result, points }], []))).toContain('No expectation was set');
  });
});

describe('the table of all runs', () => {
  it('knows the order of versions and rates, which their letters do not tell', async () => {
    const html = await page([staircaseResult(['2.6.25', '3.6', '3.10'])], []);
    const orderOf = (text: string): string[] =>
      [...html.matchAll(new RegExp(`data-order="(\\d+)"><bdi>${text}</bdi>`, 'g'))].map(([, rank]) => rank as string);
    expect(new Set(orderOf('3\\.6'))).toEqual(new Set(['1']));
    expect(new Set(orderOf('3\\.10'))).toEqual(new Set(['2']));
    expect(new Set(orderOf('476mbit'))).toEqual(new Set(['0']));
  });
});

describe('a grid of 10,000 runs', () => {
  it('makes a page below 3 MB that holds each of them', async () => {
    const html = await page([sweepResult(100, 100)], []);
    expect(Buffer.byteLength(html)).toBeLessThan(3e6);
    const grid = JSON.parse(/id="grid-data">([^<]*)</.exec(html)?.[1] ?? '');
    expect(grid.columns.received).toHaveLength(10_000);
  });
});

describe('a grid with a chart for each link', () => {
  it('leads with the chart whose worst run strays farthest, not with the first', async () => {
    const result = curlResult();
    // 8.6.0 is off by a few percent, pr19384 by thousands: as if the link were what tells them apart
    const points = result.points
      .filter(({ variables }) => variables.version !== '8.18.0')
      .map((point) => {
        const { version, size = '', limit = '' } = point.variables;
        return { ...point, variables: { link: version === '8.6.0' ? '50mbit' : '900mbit', size, limit } };
      });
    const document = {
      ...(result.scenario.document as object),
      vars: {},
      hops: { wan: { link: { rate: '${link}' } } },
    };
    const text = textOf(await page([{ ...result, points, scenario: { ...result.scenario, document } }], []));
    expect(text).toMatch(/What happened\. With link 900mbit: [^.]* gets 2,521 % more than its limit/);
  });

  it('shows all that varies as varying, also what goes with another variable', async () => {
    const result = curlResult();
    const document = result.scenario.document as object;
    const hops = { wan: { link: { rate: '700mbit', delay: '${delay}' } } };
    const points = result.points.map((point) => ({
      ...point,
      variables: { ...point.variables, delay: point.variables.size === '1MiB' ? '150us' : '1.2ms' },
    }));
    const scenario = { ...result.scenario, document: { ...document, hops } };
    const text = textOf(await page([{ ...result, points, scenario }], []));
    expect(text).toContain('‹delay› of delay');
    expect(text).toMatch(/‹ ?delay ?› is 150us or 1.2ms, as ‹size› decides\./);
  });

  it('says which way a transfer goes and over which HTTP, but guesses no direction that is varied', async () => {
    const result = curlResult();
    const document = result.scenario.document as { readonly flows: { readonly download: object } };
    const wordsOf = async (more: Readonly<Record<string, string>>) => {
      const flows = { download: { ...document.flows.download, ...more } };
      const points = result.points.map((point, i) => ({
        ...point,
        variables: { ...point.variables, direction: i % 2 === 0 ? 'download' : 'upload' },
      }));
      const scenario = { ...result.scenario, document: { ...document, flows } };
      return textOf(await page([{ ...result, points, scenario }], []));
    };
    expect(await wordsOf({})).toContain('downloading ‹size› over TCP');
    expect(await wordsOf({ direction: 'upload' })).toContain('uploading ‹size› over TCP');
    expect(await wordsOf({ http: '2' })).toMatch(/downloading ‹size› over TCP[^,]* and HTTP\/2,/);
    expect(await wordsOf({ direction: '${direction}' })).toContain('moving ‹size› over TCP');
  });

  it('lists how long each transfer took', async () => {
    const { points, ...rest } = curlResult();
    const cut = points.map((point, i) => {
      const download = point.flows.download!;
      const transfer = { ...download.transfer!, completed: i > 0 };
      return { ...point, flows: { download: { ...download, transfer } } };
    });
    const text = textOf(await page([{ ...rest, points: cut }], []));
    expect(text).toContain('Transfer took');
    expect(text).toContain('not completed');
    // 5 MiB at 2,000,000 bytes/s by pr19384: the third lump comes after 2 s
    expect(text).toMatch(/pr19384 5MiB 2000000 download [^a-z]* ms 2(\.0+\d*)? s/);
  });
});

describe('a refined sweep', () => {
  it('lists its edges', async () => {
    const edge = {
      variable: 'rate',
      below: '512mbit',
      above: '512001kbit',
      belowValue: 512e6,
      aboveValue: 512_001_000,
      others: { kernel: '2.6.25' },
      figure: 'flows.generator.bitsPerSecond.frame',
      figureBelow: 546.875e6,
      figureAbove: 596.5909e6,
    };
    // 596.5909 / 546.875 = 1.0909: from twelve ticks to eleven
    expect(textOf(await page([{ ...staircaseResult(['2.6.25']), edges: [edge] }], []))).toMatch(
      /Edges of flows\.generator\.bitsPerSecond\.frame kernel rate up to Figure rate from Figure Change % 2\.6\.25 512mbit 546\.875 Mbit\/s 512001kbit 596\.591 Mbit\/s 9\.09/,
    );
    expect(textOf(await page([staircaseResult(['2.6.25'])], []))).not.toContain('Edges of');
  });
});
