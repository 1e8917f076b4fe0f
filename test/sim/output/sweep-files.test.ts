import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resultParts, writeSweepFiles } from '../../../sim/output/sweep-files.ts';
import { Journal } from '../../../sim/sweep/journal.ts';
import { PointRunner } from '../../../sim/sweep/point-runner.ts';
import { headerOf, jobOf } from '../sweep/builder.ts';

const RUN = { wallSeconds: 1.5, version: '1.2.3', node: 'v20' };
const job = jobOf({ rate: '5mbit,10mbit' });

let folder: string;
let journal: Journal;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sweep-files-'));
  journal = await Journal.open(folder, headerOf(job, { points: 4, sweptNames: ['rate', 'size'] }), 'new');
  const runner = new PointRunner(job);
  await journal.append([3, 0, 1].map((index) => runner.run({ index, variables: variablesOf(index) })));
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Point 1 has a size that is none. */
function variablesOf(index: number): Record<string, string> {
  return { rate: index < 2 ? '5mbit' : '10mbit', size: ['1000b', 'big', '', '500b'][index]! };
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('the result has the points in their order, and is what the parts make', async () => {
  const totals = await writeSweepFiles(folder, journal, undefined, RUN);
  const result = JSON.parse(read('result.json'));
  expect(result).toMatchObject({ format: 'shaperlab-result/1', seed: 1, run: RUN, scenario: { file: 'small.yaml' } });
  expect(result.points.map(({ variables }: { variables: unknown }) => variables)).toEqual([0, 1, 3].map(variablesOf));
  expect([...resultParts(journal, undefined, RUN)].join('')).toBe(read('result.json'));
  expect(totals).toMatchObject({ points: 3, failed: { invalid: 1, timeout: 0, fault: 0 }, expectations: 0 });
});

test('JSON lines are the points of the result, one a line', async () => {
  await writeSweepFiles(folder, journal, undefined, RUN);
  const lines = read('points.jsonl').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(read('result.json')).points);
});

test('CSV has a line a point and flow, variables as written and as numbers, and why a point failed', async () => {
  await writeSweepFiles(folder, journal, undefined, RUN);
  const [header, first, second] = read('points.csv').split('\n');
  expect(header!.split(',').slice(0, 8)).toEqual([
    'point',
    'rate',
    'rate_value',
    'size',
    'size_value',
    'flow',
    'sent_packets',
    'sent_bytes',
  ]);
  // 20 Mbit for 20 ms in packets of 1000 bytes: one every 0.4 ms, 50 of them.
  expect(first).toMatch(/^0,5mbit,5000000,1000b,1000,load,50,50000,/);
  expect(second).toMatch(/^1,5mbit,5000000,big,,,,,/);
  expect(second).toContain('flows.load.size');
});

test('Parquet is read by another library with the same rows and types', async () => {
  await writeSweepFiles(folder, journal, undefined, RUN);
  const file = await asyncBufferFromFile(join(folder, 'points.parquet'));
  const rows = await parquetReadObjects({ file });
  const points = JSON.parse(read('result.json')).points;
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatchObject({
    point: 0n,
    rate: '5mbit',
    rate_value: 5e6,
    flow: 'load',
    sent_packets: 50n,
    accounted_bits_per_second: points[0].flows.load.bitsPerSecond.accounted,
    delay_p99_seconds: points[0].flows.load.delaySeconds.p99,
    transfer_completed: null,
    failed: null,
  });
  expect(rows[1]).toMatchObject({ point: 1n, size: 'big', size_value: null, flow: null, failed: points[1].failed });
  const { schema, num_rows } = await parquetMetadataAsync(file);
  expect(num_rows).toBe(3n);
  const typeOf = (name: string) => schema.find((column) => column.name === name)?.type;
  expect(['rate', 'sent_packets', 'rate_value', 'transfer_completed'].map(typeOf)).toEqual([
    'BYTE_ARRAY',
    'INT64',
    'DOUBLE',
    'BOOLEAN',
  ]);
});

test('a full disk leaves no half of a file', async () => {
  symlinkSync('/dev/full', join(folder, 'points.jsonl.part'));
  await expect(writeSweepFiles(folder, journal, undefined, RUN)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readdirSync(folder).sort()).toEqual(['journal.jsonl', 'lock']);
});
