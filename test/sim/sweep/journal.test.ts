import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal, type JournalMode } from '../../../sim/sweep/journal.ts';
import { PointRunner } from '../../../sim/sweep/point-runner.ts';
import { runTasks } from '../../../sim/sweep/run-tasks.ts';
import { DirectRunner, headerOf, inFolder, jobOf } from './builder.ts';

const job = jobOf({ rate: '1mbit..10mbit/1mbit' });
const header = headerOf(job);
const runner = new PointRunner(job);
const LINES = [0, 1, 2, 3].map((index) => runner.run({ index }));

/** Opens a journal, uses it and closes it. */
async function withJournal<T>(
  folder: string,
  mode: JournalMode,
  use: (journal: Journal) => T | Promise<T>,
  first = header,
): Promise<T> {
  const journal = await Journal.open(folder, first, mode);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

/** A folder whose journal has some points. */
function withPoints<T>(lines: readonly string[], use: (folder: string, path: string) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    await withJournal(folder, 'new', (journal) => journal.append(lines));
    return use(folder, join(folder, 'journal.jsonl'));
  });
}

describe('a journal', () => {
  test('has what was added, in whatever order, by index', () =>
    withPoints([LINES[2]!, LINES[0]!], (folder) =>
      withJournal(folder, 'resume', (journal) => {
        expect(journal.indexes()).toEqual([0, 2]);
        expect(journal.line(2)).toBe(LINES[2]);
        expect(journal.has(1)).toBe(false);
      }),
    ));

  test('takes a point once, also when it comes again', () =>
    withPoints([LINES[0]!, LINES[0]!], (folder, path) =>
      withJournal(folder, 'resume', async (journal) => {
        await journal.append([LINES[0]!]);
        expect(journal.size).toBe(1);
        expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2);
      }),
    ));

  test('keeps what several lanes add at the same time', () =>
    inFolder((folder) =>
      withJournal(folder, 'new', async (journal) => {
        await Promise.all(LINES.map((line) => journal.append([line])));
        expect(LINES.map((_, index) => journal.line(index))).toEqual(LINES);
      }),
    ));

  test('is not overwritten unless that is asked for', () =>
    withPoints(LINES, async (folder, path) => {
      await expect(Journal.open(folder, header, 'new')).rejects.toMatchObject({
        kind: 'usage',
        message: `${path} exists already`,
      });
      await withJournal(folder, 'force', (journal) => expect(journal.size).toBe(0));
    }));

  test('is begun anew where it has no point', () =>
    withPoints([], (folder) =>
      withJournal(folder, 'new', async (journal) => {
        await journal.append([LINES[0]!]);
        expect(journal.indexes()).toEqual([0]);
      }),
    ));

  test('begins where there is none although it is to be gone on with', () =>
    inFolder((folder) => withJournal(folder, 'resume', (journal) => expect(journal.size).toBe(0))));

  test('drops a last line that was torn off at any byte, and nothing else', () =>
    withPoints(LINES.slice(0, 2), async (folder, path) => {
      const whole = readFileSync(path);
      const last = Buffer.byteLength(LINES[1]!) + 1;
      for (const missing of [1, 2, Math.floor(last / 2), last - 1]) {
        writeFileSync(path, whole.subarray(0, whole.length - missing));
        await withJournal(folder, 'resume', async (journal) => {
          expect(journal.wasTorn).toBe(true);
          expect(journal.indexes()).toEqual([0]);
          await journal.append([LINES[1]!]);
        });
        expect(readFileSync(path)).toEqual(whole);
      }
    }));

  test('that ends within its first line is begun anew', () =>
    withPoints(LINES, async (folder, path) => {
      truncateSync(path, 20);
      await withJournal(folder, 'resume', (journal) => expect(journal.size).toBe(0));
    }));

  test('of another scenario is refused and left as it is', () =>
    withPoints(LINES, async (folder, path) => {
      const before = readFileSync(path);
      const other = headerOf(jobOf({ rate: '1mbit..10mbit/1mbit' }, { text: `${job.text}seed: 2\n` }));
      await expect(Journal.open(folder, other, 'resume')).rejects.toMatchObject({
        kind: 'invalid',
        message: `${path} belongs to another sweep: small.yaml as it was then, with 10 points`,
      });
      expect(readFileSync(path)).toEqual(before);
    }));

  test('of another version is refused', () =>
    withPoints(LINES, async (folder) => {
      await expect(Journal.open(folder, { ...header, version: '9.9.9' }, 'resume')).rejects.toThrow('version 1.2.3');
    }));

  test.each([
    ['of another kind', 'hello', '"hello"'],
    ['with a point that the grid does not have', LINES[0]!.replace('"point":0', '"point":10'), 'point'],
    ['that is not whole JSON', '{"point":3,"result":{"variables":}}', 'variables'],
  ])('with a line %s is refused by its number', (_, line, shown) =>
    withPoints(LINES.slice(0, 2), async (folder, path) => {
      appendFileSync(path, `${line}\n`);
      await expect(Journal.open(folder, header, 'resume')).rejects.toMatchObject({
        kind: 'invalid',
        message: expect.stringMatching(new RegExp(`:4: expected a point of this sweep but received .*${shown}`)),
      });
    }),
  );

  test('with two different figures for a point is refused', () =>
    withPoints(LINES.slice(0, 2), async (folder, path) => {
      appendFileSync(path, `${LINES[1]!.replace('"point":1', '"point":0')}\n`);
      await expect(Journal.open(folder, header, 'resume')).rejects.toThrow(':4: point 0 is there already');
    }));

  test('gives up a point that took too long where it may take longer, and keeps what then comes of it', () => {
    const slow = new PointRunner({ ...job, pointTimeoutMs: 500.5 }).timeoutLine({ index: 1 });
    return withPoints([LINES[0]!, slow], async (folder, path) => {
      const has = async (pointTimeoutMs?: number) => {
        const journal = await Journal.open(folder, header, 'resume', pointTimeoutMs);
        await journal.close();
        return { size: journal.size, retried: journal.retried };
      };
      expect(await has(500.5)).toEqual({ size: 2, retried: 0 });
      expect(await has(501)).toEqual({ size: 1, retried: 1 });
      const journal = await Journal.open(folder, header, 'resume', Number.POSITIVE_INFINITY);
      await journal.append([LINES[1]!]);
      await journal.close();
      expect(await has(Number.POSITIVE_INFINITY)).toEqual({ size: 2, retried: 0 });
      await withJournal(folder, 'resume', (again) => expect(again.line(1)).toBe(LINES[1]));
      // In whatever order the lines stand.
      appendFileSync(path, `${slow}\n`);
      await withJournal(folder, 'resume', (again) => expect(again.line(1)).toBe(LINES[1]));
    });
  });

  test('that is no file of this program is refused', () =>
    withPoints(LINES, async (folder, path) => {
      writeFileSync(path, 'a,b\n1,2\n');
      await expect(Journal.open(folder, header, 'resume')).rejects.toThrow('received "a,b"');
    }));

  test('that is a device is refused', () =>
    inFolder(async (folder) => {
      symlinkSync('/dev/zero', join(folder, 'journal.jsonl'));
      await expect(Journal.open(folder, header, 'resume')).rejects.toThrow('expected a file');
    }));

  test('whose folder cannot be made says so', () =>
    withPoints(LINES, async (_, path) => {
      await expect(Journal.open(join(path, 'below'), header, 'new')).rejects.toMatchObject({ name: 'FileFault' });
    }));

  test('is written by one process at a time; a lock whose process has gone does not count', () =>
    withPoints(LINES, async (folder) => {
      const lock = join(folder, 'lock');
      // The parent of this process runs for as long as the test does.
      writeFileSync(lock, JSON.stringify({ host: hostname(), process: process.ppid }));
      await expect(Journal.open(folder, header, 'resume')).rejects.toMatchObject({
        kind: 'trouble',
        message: `${folder} is being written to by process ${process.ppid}`,
      });
      writeFileSync(lock, JSON.stringify({ host: hostname(), process: 2 ** 22 + 1 }));
      await withJournal(folder, 'resume', (journal) => expect(journal.size).toBe(LINES.length));
      expect(() => statSync(lock)).toThrow();
    }));

  test('whose disk is full keeps what was there, and takes no more', () =>
    inFolder(async (folder) => {
      const journal = await Journal.open(folder, header, 'new');
      await journal.append([LINES[0]!]);
      await journal.close();
      // A closed file refuses to be written as a full disk does.
      await expect(journal.append([LINES[1]!])).rejects.toMatchObject({ name: 'FileFault', doing: 'write' });
      await expect(journal.append([LINES[2]!])).rejects.toMatchObject({ name: 'FileFault' });
      await withJournal(folder, 'resume', (again) => expect(again.indexes()).toEqual([0]));
    }));
});

describe('points that are run', () => {
  const quiet = { signal: new AbortController().signal, onProgress: () => {} };
  const tasks = Array.from({ length: 10 }, (_, index) => ({ index, cost: 10 - index }));

  test('are in the journal, each once, whatever the number of lanes', () =>
    inFolder(async (folder) => {
      const texts: string[] = [];
      for (const lanes of [1, 3]) {
        rmSync(join(folder, 'journal.jsonl'), { force: true });
        await withJournal(folder, 'new', async (journal) => {
          await runTasks(tasks, new DirectRunner(job, lanes), journal, quiet);
          texts.push(
            journal
              .indexes()
              .map((index) => journal.line(index))
              .join('\n'),
          );
        });
      }
      expect(texts[0]).toBe(texts[1]);
      expect(texts[0]!.split('\n')).toHaveLength(10);
    }));

  test('end when that is asked for, and those that were run are kept', () =>
    inFolder((folder) =>
      withJournal(folder, 'new', async (journal) => {
        const controller = new AbortController();
        const seen: number[] = [];
        await runTasks(tasks, new DirectRunner(job), journal, {
          signal: controller.signal,
          onProgress: ({ pointsDone }) => {
            seen.push(pointsDone);
            if (pointsDone >= 2) controller.abort();
          },
        });
        expect(journal.size).toBe(seen.at(-1));
        expect(journal.size).toBeLessThan(10);
      }),
    ));

  test('end when they cannot be kept', () =>
    inFolder(async (folder) => {
      const journal = await Journal.open(folder, header, 'new');
      await journal.close();
      const runner = new DirectRunner(job, 2);
      await expect(runTasks(tasks, runner, journal, quiet)).rejects.toMatchObject({ name: 'FileFault' });
      expect(runner.batches.flat().length).toBeLessThan(10);
    }));
});
