import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from './journal.ts';
import { JOURNAL_NAME, type JournalHeader } from './journal-format.ts';
import { type JournalContents, openForReading, readJournal, readLine } from './journal-reader.ts';
import { givesWay, readLineHead } from './point-line.ts';
import { SweepFault } from './sweep-fault.ts';

/** Points that are copied at a time. */
const BLOCK = 1000;
/** Of points that two journals disagree about, so many are named. */
const NAMED_CONFLICTS = 5;

/** Journals of one sweep that agree with each other. */
export interface Shards {
  readonly header: JournalHeader;
  readonly parts: readonly Part[];
  /** Which part has a point. */
  readonly owners: ReadonlyMap<number, Part>;
}

interface Part extends JournalContents {
  readonly path: string;
}

/**
 * Reads the journals of some folders.
 *
 * @throws FileFault; SweepFault (invalid) where they are not of one sweep, or have one point with different figures
 */
export function readShards(folders: readonly string[]): Shards {
  const parts = folders.map((folder) => {
    const path = join(folder, JOURNAL_NAME);
    return { path, ...readJournal(path) };
  });
  const first = parts.find(({ header }) => header !== undefined);
  if (first?.header === undefined) {
    throw new SweepFault('invalid', `${parts.map(({ path }) => path).join(', ')}: expected a point but received none`);
  }
  for (const { path, header } of parts) {
    if (header === undefined) continue;
    if (header.job !== first.header.job) {
      throw new SweepFault('invalid', `${path} and ${first.path} are of different sweeps`);
    }
    if (header.version !== first.header.version) {
      const versions = `version ${header.version} of this program wrote ${path}, ${first.header.version} ${first.path}`;
      throw new SweepFault('invalid', versions);
    }
  }
  return { header: first.header, parts, owners: findOwners(parts) };
}

/** Copies the points of all shards into one journal, in order. @throws FileFault */
export async function joinShards({ parts, owners }: Shards, journal: Journal): Promise<void> {
  const files = new Map(parts.map((part) => [part, openForReading(part.path)]));
  try {
    const indexes = [...owners.keys()].sort((a, b) => a - b);
    for (let from = 0; from < indexes.length; from += BLOCK) {
      const lines = indexes.slice(from, from + BLOCK).map((index) => {
        const owner = owners.get(index)!;
        return readLine(files.get(owner)!, owner.path, owner.places.get(index)!);
      });
      await journal.append(lines);
    }
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}

/**
 * Finds for each point the first part that has it, and sees that the others have the same; where it took too long in one
 * part, one that took more time for it.
 */
function findOwners(parts: readonly Part[]): Map<number, Part> {
  const owners = new Map<number, Part>();
  const conflicts: string[] = [];
  for (const part of parts) {
    for (const index of part.places.keys()) {
      const owner = owners.get(index);
      if (owner === undefined) {
        owners.set(index, part);
        continue;
      }
      const [line, other] = [lineOf(owner, index), lineOf(part, index)];
      if (line === other || givesWay(readLineHead(other)!, readLineHead(line)!)) continue;
      if (givesWay(readLineHead(line)!, readLineHead(other)!)) owners.set(index, part);
      else {
        conflicts.push(`point ${index} of ${part.path} differs from that of ${owner.path}`);
      }
    }
  }
  if (conflicts.length === 0) return owners;
  const more = conflicts.length - NAMED_CONFLICTS;
  const named = [...conflicts.slice(0, NAMED_CONFLICTS), ...(more > 0 ? [`and ${more} more`] : [])];
  throw new SweepFault('invalid', `the shards do not agree:\n  ${named.join('\n  ')}`);
}

function lineOf({ path, places }: Part, index: number): string {
  const file = openForReading(path);
  try {
    return readLine(file, path, places.get(index)!);
  } finally {
    closeSync(file);
  }
}

/** Points of the grid that a journal lacks, as ranges: `3, 7–9`. Empty: none. */
export function gapsOf(journal: Journal): string[] {
  const ranges: string[] = [];
  const { points } = journal.header;
  for (let index = 0; index < points; index++) {
    if (journal.has(index)) continue;
    const from = index;
    while (index + 1 < points && !journal.has(index + 1)) index++;
    ranges.push(from === index ? String(from) : `${from}–${index}`);
  }
  return ranges;
}
