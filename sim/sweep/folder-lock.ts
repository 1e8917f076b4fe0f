import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FileFault, SweepFault } from './sweep-fault.ts';

const LOCK_NAME = 'lock';

/** Keeps two processes of one machine from writing to the same folder. A lock whose process has gone does not count. */
export class FolderLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws SweepFault (trouble) where a running process has the folder; FileFault */
  static take(folder: string): FolderLock {
    const path = join(folder, LOCK_NAME);
    const owner = readOwner(path);
    if (owner !== undefined && owner.host === hostname() && owner.process !== process.pid && isRunning(owner.process)) {
      throw new SweepFault(
        'trouble',
        `${folder} is being written to by process ${owner.process}`,
        `wait for its end; if it is no sweep of this folder, remove ${path}`,
      );
    }
    try {
      writeFileSync(path, JSON.stringify({ host: hostname(), process: process.pid }));
    } catch (error) {
      throw new FileFault('write', path, error);
    }
    return new FolderLock(path);
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }
}

function readOwner(path: string): { host: string; process: number } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
