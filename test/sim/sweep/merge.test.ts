import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal } from '../../../sim/sweep/journal.ts';
import { gapsOf, joinShards, readShards } from '../../../sim/sweep/merge.ts';
import { PointRunner } from '../../../sim/sweep/point-runner.ts';
import { headerOf, inFolder, jobOf } from './builder.ts';

const job = jobOf({ rate: '1mbit..10mbit/1mbit' });
const header = headerOf(job);
const runner = new PointRunner(job);
const lineOf = (index: number) => runner.run({ index });

/** Writes a journal with some points and gives its folder. */
async function part(folder: string, indexes: readonly number[], first = header): Promise<string> {
  const journal = await Journal.open(folder, first, 'new');
  await journal.append(indexes.map(lineOf));
  await journal.close();
  return folder;
}

test('parts are joined in order, and a torn last line of one is left out', () =>
  inFolder(async (top) => {
    const a = await part(join(top, 'a'), [4, 0]);
    const b = await part(join(top, 'b'), [9, 1, 4]);
    appendFileSync(join(b, 'journal.jsonl'), lineOf(2).slice(0, 50));
    const shards = readShards([a, b]);
    expect(shards.parts.map(({ torn }) => torn)).toEqual([false, true]);
    const journal = await Journal.open(join(top, 'whole'), shards.header, 'new');
    await joinShards(shards, journal);
    expect(gapsOf(journal)).toEqual(['2–3', '5–8']);
    await journal.close();
    expect(readFileSync(journal.path, 'utf8')).toBe(
      `${[JSON.stringify(header), ...[0, 1, 4, 9].map(lineOf)].join('\n')}\n`,
    );
  }));

test('parts that have different figures for a point are refused, with the point and both files', () =>
  inFolder(async (top) => {
    const a = await part(join(top, 'a'), [3, 5]);
    const b = await part(join(top, 'b'), [3]);
    const path = join(b, 'journal.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"sentPackets":', '"sentPackets":1'));
    expect(() => readShards([a, b])).toThrow(`point 3 of ${path} differs from that of ${join(a, 'journal.jsonl')}`);
  }));

test('of a point that took too long in one part, the one that took more time for it is taken', () =>
  inFolder(async (top) => {
    const slow = (pointTimeoutMs: number) => new PointRunner({ ...job, pointTimeoutMs }).timeoutLine({ index: 3 });
    const folders = ['a', 'b', 'c'].map((name) => join(top, name));
    for (const [i, line] of [slow(1000), lineOf(3), slow(2000)].entries()) {
      const journal = await Journal.open(folders[i]!, header, 'new');
      await journal.append([line]);
      await journal.close();
    }
    const ownerOf = (parts: readonly string[]) => readShards(parts).owners.get(3)!.path;
    const [a, b, c] = folders as [string, string, string];
    expect(ownerOf(folders)).toContain(b);
    expect(ownerOf([c, b, a])).toContain(b);
    expect(ownerOf([a, c])).toContain(c);
    expect(ownerOf([c, a])).toContain(c);
  }));

test('parts of different sweeps or versions are refused', () =>
  inFolder(async (top) => {
    const a = await part(join(top, 'a'), [0]);
    const b = await part(join(top, 'b'), [1], { ...header, job: 'another' });
    const c = await part(join(top, 'c'), [1], { ...header, version: '2.0.0' });
    expect(() => readShards([a, b])).toThrow('are of different sweeps');
    expect(() => readShards([a, c])).toThrow('version 2.0.0 of this program wrote');
  }));

test('a folder without a journal is refused', () =>
  inFolder(async (top) => {
    expect(() => readShards([top])).toThrow(`cannot read ${join(top, 'journal.jsonl')}`);
  }));
