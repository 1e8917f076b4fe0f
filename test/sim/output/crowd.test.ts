import { describe, expect, test } from 'vitest';
import { summarize } from '../../../sim/output/summary.ts';
import { htbScenario, ranThrough } from './sample.ts';

const WIDE = { colour: false, columns: 160 };

/** So many classes of 1 Mbit/s with a flow of 2 Mbit/s each; the seventh has 3 Mbit/s. */
function crowd(count: number, all: boolean, columns = WIDE.columns): string {
  const ids = Array.from({ length: count }, (_, i) => `1:${(i + 16).toString(16)}`);
  const rate = (i: number): string => (i === 6 ? '3mbit' : '1mbit');
  const loaded = htbScenario(
    ['"1:1": { rate: 900mbit }', ...ids.map((id, i) => `"${id}": { parent: "1:1", rate: ${rate(i)} }`)].join('\n'),
    ids.map((id, i) => `f${i}: { source: cbr, rate: 2mbit, size: 500b, via: [wan], class: "${id}" }`).join('\n'),
  );
  const { result, readings } = ranThrough(loaded);
  return summarize(result, readings, { ...WIDE, columns }, all);
}
const linesOf = (text: string, pattern: RegExp): string[] => text.split('\n').filter((line) => pattern.test(line));

describe('the summary of a run', () => {
  test('shows twenty classes and their flows in full', () => {
    const text = crowd(19, false);
    expect(linesOf(text, /^flow f\d+ via wan/)).toHaveLength(19);
    expect(text).not.toContain('--all');
  });

  test('of more flows and classes is a table of twenty, with a word on how to see all', () => {
    const text = crowd(21, false);
    expect(linesOf(text, /^ {2}f\d+ /)).toHaveLength(20);
    expect(text).toContain('  … and 1 more flow that strays less; --all shows each in full, --json has every figure');
    // The 21 leaves and their parent.
    expect(text).toContain('  … and 2 more classes; --all shows each in full, --json has every figure');
    expect(linesOf(text, /^ {2}1:1 /)).toHaveLength(1);
    expect(text.split('\n').length).toBeLessThan(60);
  });

  test('keeps the flow that strays farthest, and in the order of the file', () => {
    const names = linesOf(crowd(60, false), /^ {2}f\d+ /).map((line) => Number(/f(\d+)/.exec(line)![1]));
    expect(names).toContain(6);
    expect(names).toEqual(names.toSorted((a, b) => a - b));
  });

  test('says what all flows get together, and between which rates', () => {
    // 20 × 1 Mbit/s and 2 Mbit/s of the seventh, which is sent no more; the first burst is over after the warm-up.
    const line = linesOf(crowd(21, false), /^21 flows/)[0]!;
    const [sum, least, most, middle] = [...line.matchAll(/([\d.]+) Mbit\/s/g)].map((match) => Number(match[1]));
    expect(sum).toBeCloseTo(22, 0);
    expect([least, middle]).toEqual([expect.closeTo(1, 0), expect.closeTo(1, 0)]);
    expect(most).toBeCloseTo(2, 0);
  });

  test('shows all of them in full when asked, and fits a narrow terminal', () => {
    const text = crowd(21, true);
    expect(linesOf(text, /^flow f\d+ via wan/)).toHaveLength(21);
    expect(linesOf(text, /^ {2}class 1:[0-9a-f]+ /)).toHaveLength(22);
    const table = linesOf(crowd(21, false, 60), /^ {2}(?:f\d+|1:)/);
    expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
