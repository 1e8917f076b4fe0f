import { describe, expect, it } from 'vitest';
import { digestOf, type LargeResult } from '../../reports/digest.ts';
import { renderPage } from '../../reports/page.ts';
import type { PointResult, Result } from '../../sim/run/result.ts';
import { clientScript } from './bundles.ts';
import { singleResult } from './sample-results.ts';

/** A grid of `rates` × `sizes` made of one run: each gets what is configured, but for what `percentOf` adds. */
function grid(rates: number, sizes: number, percentOf: (rate: number, size: number) => number): LargeResult {
  const sample = singleResult(2);
  const { points: samples, ...head } = sample;
  const document = {
    vars: { rate: '1mbit', size: '64b' },
    hops: {
      bridge: { shaper: 'htb', classes: { '1:108': { rate: '${rate}' } }, default: '1:108', link: { rate: '10gbit' } },
    },
    flows: { generator: { source: 'cbr', rate: '1gbit', size: '${size}', via: ['bridge'], class: '1:108' } },
    expect: ['flows.generator.bitsPerSecond.accounted within 1% of ${rate}'],
  };
  const [first] = samples as [PointResult];
  const flow = Object.values(first.flows)[0]!;
  function* points(): Generator<PointResult> {
    for (let rate = 1; rate <= rates; rate++) {
      for (let size = 1; size <= sizes; size++) {
        const percent = percentOf(rate, size);
        const accounted = rate * 1e6 * (1 + percent / 100);
        const passed = Math.abs(percent) <= 1;
        yield {
          ...first,
          variables: { rate: `${rate}mbit`, size: `${64 + size}b` },
          flows: { generator: { ...flow, bitsPerSecond: { ...flow.bitsPerSecond, accounted } } },
          expectations: [
            {
              text: `flows.generator.bitsPerSecond.accounted within 1% of ${rate}mbit`,
              passed,
              actual: accounted,
              expected: rate * 1e6,
            },
          ],
        };
      }
    }
  }
  const whole: Omit<Result, 'points'> = { ...head, references: [], scenario: { ...head.scenario, document } };
  return { head: whole, points, place: 'points.csv' };
}

describe('the digest of very many runs', () => {
  // 300 × 50 runs: 300 = 4 × 75 and 50 = 1 × 50 values are drawn, at most 4,000.
  const large = grid(300, 50, (rate, size) => (rate === 123 && size === 45 ? 40 : rate > 200 ? 5 : 0));
  const { result, digest } = digestOf(large, 0);

  it('draws a regular part of a grid, and the run that strays farthest is in it', () => {
    expect(digest.runs).toBe(15_000);
    expect(digest.drawn).toBe(result.points.length);
    expect(result.points.length).toBeLessThanOrEqual(4000);
    const rates = new Set(result.points.map(({ variables }) => variables.rate));
    const sizes = new Set(result.points.map(({ variables }) => variables.size));
    expect(result.points.length).toBe(rates.size * sizes.size);
    expect(rates.has('123mbit')).toBe(true);
    expect(sizes.has('109b')).toBe(true);
  });

  it('counts and measures all runs, not those that are drawn', () => {
    // 100 rates × 50 sizes at 5 %, and one run at 40 %.
    expect(digest.flows).toHaveLength(1);
    expect(digest.flows[0]).toMatchObject({ flow: 'generator', runs: 15_000, missed: 5001 });
    const rounded = digest.flows[0]!.quantiles.map((value) => Number(value.toFixed(6)));
    expect(rounded).toEqual([0, 0, 0, 0, 0, 5, 5, 5, 40]);
    expect(digest.expectations).toMatchObject([
      { written: 'flows.generator.bitsPerSecond.accounted within 1% of ${rate}', runs: 15_000, failed: 5001 },
    ]);
    expect(digest.farthest[0]).toMatchObject({ variables: { rate: '123mbit', size: '109b' }, flow: 'generator' });
    expect(digest.farthest).toHaveLength(20);
  });

  it('draws every so many runs where they are no grid', () => {
    const { points } = grid(300, 50, () => 0);
    const some = { ...large, points: () => [...points()].filter((_, index) => index % 3 !== 1) };
    const part = digestOf(some, 0);
    expect(part.digest.runs).toBe(10_000);
    // Every third: 10,000 / 4,000 rounded up.
    expect(part.digest.drawn).toBe(3334);
  });

  it('is told in the page, which says how many are drawn and where the rest is', async () => {
    const html = await renderPage({
      results: [result],
      digests: [digest],
      explanations: [],
      findings: [],
      command: 'sim report whole --html page.html',
      clientScript: await clientScript(),
    });
    const text = html
      .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
    expect(text).toContain('5,001 of 15,000 expectations of 15,000 runs failed');
    expect(text).toContain(`${digest.drawn.toLocaleString('en')} of 15,000 runs, evenly chosen`);
    expect(text).toContain('every run is in points.csv');
    expect(text).toContain('The runs that stray farthest');
    expect(Buffer.byteLength(html)).toBeLessThan(3e6);
  }, 60_000);
});
