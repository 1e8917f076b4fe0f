import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderLock } from './folder-lock.ts';
import { JOURNAL_NAME, type JournalHeader } from './journal-format.ts';
import { hasJournal, type LinePlace, openForReading, readJournal, readLine } from './journal-reader.ts';
import { makeFolder } from './make-folder.ts';
import { readLineHead } from './point-line.ts';
import type { PointKeeper } from './run-tasks.ts';
import { FileFault, SweepFault } from './sweep-fault.ts';

/** What is to become of a journal that is there already: an error, going on, or beginning anew. */
export type JournalMode = 'new' | 'resume' | 'force';

/** The finished points of a sweep on disk; what {@link append} has returned from survives whatever comes. */
export class Journal implements PointKeeper {
  readonly path: string;
  readonly header: JournalHeader;
  /** Whether a line that was torn off was dropped when the journal was opened. */
  readonly wasTorn: boolean;
  /** Points that took too long before and are to be run again. */
  readonly retried: number;
  readonly #file: FileHandle;
  readonly #readable: number;
  readonly #lock: FolderLock;
  readonly #places: Map<number, LinePlace>;
  #bytes: number;
  #gathered: string[] = [];
  #lastWrite: Promise<void> = Promise.resolve();
  #nextWrite: Promise<void> | undefined;

  private constructor(
    header: JournalHeader,
    {
      path,
      file,
      readable,
      lock,
      places,
      bytes,
      wasTorn,
      retried,
    }: {
      path: string;
      file: FileHandle;
      readable: number;
      lock: FolderLock;
      places: Map<number, LinePlace>;
      bytes: number;
      wasTorn: boolean;
      retried: number;
    },
  ) {
    this.header = header;
    this.path = path;
    this.wasTorn = wasTorn;
    this.retried = retried;
    this.#file = file;
    this.#readable = readable;
    this.#lock = lock;
    this.#places = places;
    this.#bytes = bytes;
  }

  /**
   * Opens the journal of a folder, which is made where there is none. Points that took too long count as finished, unless
   * they may now take longer, up to `pointTimeoutMs`.
   *
   * @throws FileFault; SweepFault: usage where there is a journal and `mode` is `new`, invalid where it is of another
   * sweep, trouble where another process writes to it
   */
  static async open(folder: string, header: JournalHeader, mode: JournalMode, pointTimeoutMs = 0): Promise<Journal> {
    const path = join(folder, JOURNAL_NAME);
    try {
      makeFolder(folder);
    } catch (error) {
      throw new FileFault('make', folder, error);
    }
    if (mode === 'new' && hasJournal(path) && !isEmpty(path)) {
      throw new SweepFault('usage', `${path} exists already`, '--resume goes on with it, --force begins anew');
    }
    const lock = FolderLock.take(folder);
    try {
      const found = mode === 'resume' && hasJournal(path) ? readJournal(path) : undefined;
      if (found?.header !== undefined) checkSame(found.header, header, path);
      const isNew = found?.header === undefined;
      const bytes = isNew ? begin(path, folder, header) : found.wholeBytes;
      const file = await openToAppend(path, bytes);
      const places = isNew ? new Map<number, LinePlace>() : found.places;
      const again = [...(found?.timeouts ?? [])].filter(([, limitMs]) => limitMs < pointTimeoutMs);
      for (const [index] of again) places.delete(index);
      const readable = openForReading(path);
      const wasTorn = found?.torn ?? false;
      return new Journal(header, { path, file, readable, lock, places, bytes, wasTorn, retried: again.length });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Points that are finished. */
  get size(): number {
    return this.#places.size;
  }

  has(index: number): boolean {
    return this.#places.has(index);
  }

  /** The finished points in order. */
  indexes(): number[] {
    return [...this.#places.keys()].sort((a, b) => a - b);
  }

  /** The line of a finished point. */
  line(index: number): string {
    return readLine(this.#readable, this.path, this.#places.get(index)!);
  }

  /**
   * Adds finished points and waits until they are on disk; points that are there already are left out. What is added
   * while something is being written is written together afterwards.
   *
   * @throws FileFault; what was there before is then as it was, and nothing more can be added
   */
  append(lines: readonly string[]): Promise<void> {
    this.#gathered.push(...lines);
    this.#nextWrite ??= this.#lastWrite.then(() => this.#writeGathered());
    return this.#nextWrite;
  }

  async #writeGathered(): Promise<void> {
    this.#lastWrite = this.#nextWrite!;
    this.#nextWrite = undefined;
    const fresh = new Map<number, Buffer>();
    for (const line of this.#gathered) {
      const { index } = readLineHead(line)!;
      if (!this.#places.has(index)) fresh.set(index, Buffer.from(`${line}\n`));
    }
    this.#gathered = [];
    const block = Buffer.concat([...fresh.values()]);
    try {
      for (let written = 0; written < block.length; ) {
        written += (await this.#file.write(block, written, block.length - written, null)).bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      await this.#file.truncate(this.#bytes).catch(() => {});
      throw new FileFault('write', this.path, error);
    }
    for (const [index, { length }] of fresh) {
      this.#places.set(index, { offset: this.#bytes, length: length - 1 });
      this.#bytes += length;
    }
  }

  async close(): Promise<void> {
    closeSync(this.#readable);
    await this.#file.close();
    this.#lock.release();
  }
}

/** Whether a journal has no point, as that of a sweep whose queue could not be reached. */
function isEmpty(path: string): boolean {
  try {
    const { header, places } = readJournal(path);
    return header !== undefined && places.size === 0;
  } catch {
    return false;
  }
}

function checkSame(found: JournalHeader, wanted: JournalHeader, path: string): void {
  const hint = 'choose another folder with --out, or begin anew with --force';
  if (found.version !== wanted.version) {
    const versions = `version ${found.version} of this program, which is ${wanted.version}`;
    throw new SweepFault('invalid', `${path} was written by ${versions}`, hint);
  }
  if (found.job !== wanted.job) {
    throw new SweepFault(
      'invalid',
      `${path} belongs to another sweep: ${found.head.scenario.file} as it was then, with ${found.points} points`,
      `the scenario, --vary, --set, --seed, --duration, --detail and --refine must be the same; ${hint}`,
    );
  }
}

/** Writes the first line of a new journal; returns its length in bytes. */
function begin(path: string, folder: string, header: JournalHeader): number {
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  try {
    rmSync(path, { force: true });
    const file = openSync(path, 'w');
    try {
      writeSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncFolder(folder);
    return line.length;
  } catch (error) {
    throw new FileFault('write', path, error);
  }
}

/** Makes the name of a new file last as well. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Opens a journal behind its whole lines; what follows them is cut off. */
async function openToAppend(path: string, wholeBytes: number): Promise<FileHandle> {
  try {
    const file = await openFile(path, 'a');
    ftruncateSync(file.fd, wholeBytes);
    return file;
  } catch (error) {
    throw new FileFault('write', path, error);
  }
}
