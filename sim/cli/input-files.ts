import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { visible } from '../scenario/visible-text.ts';
import { usageFailure } from './command.ts';

/** Files that the command reads or has read, by device and inode, with the name that each was given by. */
const inputs = new Map<string, string>();

/** Notes a file that the command reads, so that nothing is written over it; pipes and devices are none. */
export function noteInput(path: string): void {
  note(statOf(path), path);
}

/** As {@link noteInput}, of a file that is open, such as standard input. */
export function noteOpenInput(file: number, name: string): void {
  note(fstatSync(file, { bigint: true }), name);
}

/**
 * Refuses to write a file that is one of the inputs, by whatever name or link; to be asked before any is opened.
 *
 * @param option what asked for the file, as on the command line
 * @throws Failure (usage)
 */
export function refuseInput(option: string, path: string | undefined): void {
  if (path === undefined) return;
  // A file is written beside its place first.
  for (const written of [path, `${path}.part`]) {
    const stat = statOf(written);
    const input = stat === undefined ? undefined : inputs.get(identityOf(stat));
    if (input === undefined) continue;
    throw usageFailure(
      `${option}: expected a file that the command does not read but received ${visible(path)}, which would overwrite the input ${visible(input)}`,
      'choose another name',
    );
  }
}

function note(stat: BigIntStats | undefined, name: string): void {
  if (stat?.isFile() === true) inputs.set(identityOf(stat), name);
}

/** What cannot be looked at is told of when it is read or written. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
