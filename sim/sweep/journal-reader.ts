import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { JOURNAL_FORMAT, type JournalHeader, readHeader } from './journal-format.ts';
import { givesWay, type LineHead, readLineHead } from './point-line.ts';
import { FileFault, SweepFault } from './sweep-fault.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;
/** Of a line that does not belong, so much is shown. */
const SHOWN_CHARACTERS = 60;

/** Where the line of a point stands in a journal (bytes), without its end. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/** What was found in a journal. */
export interface JournalContents {
  /** Undefined where not even the first line was finished. */
  readonly header: JournalHeader | undefined;
  readonly places: Map<number, LinePlace>;
  /** Points that took too long, with how long they were allowed to take (ms). */
  readonly timeouts: Map<number, number>;
  /** Bytes of whole lines; what follows them was torn off while it was written. */
  readonly wholeBytes: number;
  /** Whether anything follows them. */
  readonly torn: boolean;
}

/**
 * Reads which points a journal has. A last line without an end is left out; the same line twice counts once, and
 * of a point that took too long and was run again, the last time.
 *
 * @throws FileFault; SweepFault (invalid) for what is no journal, or has lines that do not belong to it
 */
export function readJournal(path: string): JournalContents {
  const file = openForReading(path);
  try {
    if (!fstatSync(file).isFile()) throw new SweepFault('invalid', `${path}: expected a file`);
    const places = new Map<number, LinePlace>();
    const timeouts = new Map<number, number>();
    let header: JournalHeader | undefined;
    let offset = 0;
    let number = 0;
    for (const bytes of linesOf(file, path)) {
      number++;
      const line = bytes.toString('utf8');
      const place = { offset, length: bytes.length };
      offset += bytes.length + 1;
      if (header === undefined) header = checkHeader(line, path);
      else keepPoint(line, number, place, header, { places, timeouts }, path, file);
    }
    return { header, places, timeouts, wholeBytes: offset, torn: fstatSync(file).size > offset };
  } finally {
    closeSync(file);
  }
}

/** Opens a file for reading. @throws FileFault */
export function openForReading(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new FileFault('read', path, error);
  }
}

/** Reads the line at a place. @throws FileFault */
export function readLine(file: number, path: string, { offset, length }: LinePlace): string {
  const bytes = Buffer.allocUnsafe(length);
  try {
    for (let read = 0; read < length; ) {
      const count = readSync(file, bytes, read, length - read, offset + read);
      if (count === 0) throw new SweepFault('trouble', `${path} has become shorter while it was read`);
      read += count;
    }
  } catch (error) {
    throw error instanceof SweepFault ? error : new FileFault('read', path, error);
  }
  return bytes.toString('utf8');
}

/** Whether a folder has a journal already. */
export function hasJournal(path: string): boolean {
  return existsSync(path);
}

/** The finished lines of a file, without their ends. @throws FileFault */
export function* linesOf(file: number, path: string): Generator<Buffer> {
  let rest: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let length: number;
    try {
      length = readSync(file, chunk);
    } catch (error) {
      throw new FileFault('read', path, error);
    }
    if (length === 0) return;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < length; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    if (from < length) rest.push(chunk.subarray(from, length));
  }
}

function checkHeader(line: string, path: string): JournalHeader {
  const header = readHeader(line);
  if (header !== undefined) return header;
  throw new SweepFault(
    'invalid',
    `${path}:1: expected the journal of a sweep (format ${JOURNAL_FORMAT}) but received ${shown(line)}`,
  );
}

function keepPoint(
  line: string,
  number: number,
  place: LinePlace,
  header: JournalHeader,
  { places, timeouts }: Pick<JournalContents, 'places' | 'timeouts'>,
  path: string,
  file: number,
): void {
  const head = checkLine(line, header);
  if (head === undefined) {
    throw new SweepFault(
      'invalid',
      `${path}:${number}: expected a point of this sweep but received ${shown(line)}`,
      'take the line out, or begin anew with --force',
    );
  }
  const { index } = head;
  const known = places.get(index);
  const knownLine = known === undefined ? undefined : readLine(file, path, known);
  if (knownLine === line) return;
  if (knownLine !== undefined) {
    const knownHead = readLineHead(knownLine)!;
    if (givesWay(head, knownHead)) return;
    if (!givesWay(knownHead, head)) {
      throw new SweepFault('invalid', `${path}:${number}: point ${index} is there already, with other figures`);
    }
  }
  places.set(index, place);
  if (head.cause === 'timeout') timeouts.set(index, head.limitMs);
  else timeouts.delete(index);
}

/** The beginning of a point's line; undefined where it is none of this sweep. */
function checkLine(line: string, { points, refined }: JournalHeader): LineHead | undefined {
  const head = readLineHead(line);
  if (head === undefined || (head.index >= points && !refined)) return undefined;
  try {
    JSON.parse(line);
    return head;
  } catch {
    return undefined;
  }
}

function shown(line: string): string {
  return JSON.stringify(line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line);
}
