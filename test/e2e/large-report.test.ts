import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../sim/run/result.ts';
import { Folder, sim } from './sim.ts';

/** More than a page takes in whole. */
const RUNS = 10_001;

describe('the report of a sweep of very many points', () => {
  const folder = new Folder();
  const whole = folder.at('whole');
  let lines: string[] = [];
  beforeAll(() => {
    const file = folder.at('f.yaml');
    writeFileSync(
      file,
      'title: Größe\nduration: 5ms\nvars: { size: 836b }\nhops: { h: { link: { rate: 1gbit } } }\n' +
        'flows: { f: { source: cbr, rate: 100mbit, size: "${size}", via: [h] } }\n',
    );
    expect(sim('sweep', file, '--vary', 'size=64b,65b', '--out', whole).exitCode).toBe(0);
    // The sweep as if it had had as many sizes: what the report reads are its files.
    const { points, ...result } = JSON.parse(readFileSync(`${whole}/result.json`, 'utf8')) as Result;
    lines = Array.from({ length: RUNS }, (_, index) =>
      JSON.stringify({ ...points[0]!, variables: { size: `${64 + index}b` } }),
    );
    const { run, ...head } = result;
    const text = `${JSON.stringify(head).slice(0, -1)},"points":[${lines.join(',')}],${JSON.stringify({ run }).slice(1)}\n`;
    expect(JSON.parse(text).points).toHaveLength(RUNS);
    writeFileSync(`${whole}/result.json`, text);
    writeFileSync(`${whole}/points.jsonl`, `${lines.join('\n')}\n`);
  }, 60_000);
  afterAll(() => folder.remove());

  it.each(['', '/result.json'])('counts them all and draws some, given as whole%s', (name) => {
    const page = folder.at('page.html');
    const { exitCode, stderr } = sim('report', `${whole}${name}`, '--html', page);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `sim: ${page} written\n` });
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('Größe');
    // Every third: 10,001 / 4,000 rounded up.
    expect(html).toContain('3,334 of 10,001 runs, evenly chosen');
    expect(Buffer.byteLength(html)).toBeLessThan(3e6);
  });

  it('names the line of a file that holds no point', () => {
    writeFileSync(`${whole}/points.jsonl`, `${lines.with(2, '{"variables":7}').join('\n')}\n`);
    // The result is as long as before where its points are.
    const text = readFileSync(`${whole}/result.json`, 'utf8').replace(lines[2]!, '{"variables":7}');
    writeFileSync(`${whole}/result.json`, text);
    const { exitCode, stderr } = sim('report', whole, '--html', folder.at('none.html'));
    expect(exitCode).toBe(3);
    expect(stderr).toContain('points.jsonl:3: ');
  });
});
