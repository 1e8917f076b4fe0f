import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LargeResult } from '../../reports/digest.ts';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { checkResult, formatResultProblem } from '../output/result-check.ts';
import { CSV_NAME, LINES_NAME, PARQUET_NAME, RESULT_NAME } from '../output/sweep-file-names.ts';
import type { PointResult, Result } from '../run/result.ts';
import { visible } from '../scenario/visible-text.ts';
import { linesOf, openForReading } from '../sweep/journal-reader.ts';
import { FileFault } from '../sweep/sweep-fault.ts';
import { noteInput } from './input-files.ts';

/** What stands before the points of a result is looked for in so much of it (bytes). */
const HEAD_BYTES = 16 * 1024 * 1024;

/**
 * Opens the result of a sweep that has more than `most` points and its points one a line beside it, without reading
 * them into memory; undefined for any other.
 *
 * @param path the folder of a sweep, or its result.json
 * @throws Failure (invalid) where a line is no point; FileFault
 */
export function openLargeResult(path: string, most: number): LargeResult | undefined {
  const folder = basename(path) === RESULT_NAME ? dirname(path) : path;
  const lines = join(folder, LINES_NAME);
  if (!hasMoreLines(lines, most)) return undefined;
  const head = readHead(join(folder, RESULT_NAME), lines);
  if (head === undefined) return undefined;
  for (const input of [lines, join(folder, RESULT_NAME)]) noteInput(input);
  let isChecked = false;
  function* points(): Generator<PointResult> {
    let number = 0;
    for (const line of linesOfFile(lines)) {
      number++;
      yield readPoint(line, `${lines}:${number}`, isChecked ? undefined : head);
    }
    isChecked = true;
  }
  const place = `${[LINES_NAME, CSV_NAME].join(', ')} and ${PARQUET_NAME} in the folder ${folder}`;
  return { head, points, place };
}

function* linesOfFile(path: string): Generator<string> {
  const file = openForReading(path);
  try {
    for (const line of linesOf(file, path)) yield line.toString('utf8');
  } finally {
    closeSync(file);
  }
}

function hasMoreLines(path: string, most: number): boolean {
  let count = 0;
  try {
    for (const _ of linesOfFile(path)) if (++count > most) return true;
  } catch (error) {
    // Without its points one a line, a result is read as a whole.
    if (error instanceof FileFault) return false;
    throw error;
  }
  return false;
}

function readPoint(line: string, place: string, head: Omit<Result, 'points'> | undefined): PointResult {
  let point: PointResult;
  try {
    point = JSON.parse(line) as PointResult;
  } catch {
    throw new Failure(EXIT.invalid, visible(`${place}: expected a point of a sweep but received no JSON`));
  }
  const problem = head === undefined ? undefined : checkResult({ ...head, points: [point] });
  if (problem === undefined) return point;
  throw new Failure(EXIT.invalid, visible(`${place}: ${formatResultProblem(problem)}`));
}

/** What a result says beside its points, of which the first line of `lines` is the first; undefined: it is not of them. */
function readHead(path: string, lines: string): Omit<Result, 'points'> | undefined {
  const file = openForReading(path);
  try {
    const { size } = fstatSync(file);
    const begin = readBytes(file, 0, Math.min(size, HEAD_BYTES)).toString('latin1');
    const [first = ''] = linesOfFile(lines);
    const mark = ',"points":[';
    // As bytes, so that offsets are those of the file.
    const at = begin.indexOf(mark + Buffer.from(first).toString('latin1'));
    if (at < 0) return undefined;
    const endAt = at + mark.length + sizeOf(lines) - 1;
    const tail = readBytes(file, endAt, size - endAt).toString('utf8');
    if (!tail.startsWith('],')) return undefined;
    const text = Buffer.from(`${begin.slice(0, at)},`, 'latin1').toString('utf8') + tail.slice('],'.length);
    return JSON.parse(text) as Omit<Result, 'points'>;
  } finally {
    closeSync(file);
  }
}

function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length));
  readSync(file, bytes, 0, bytes.length, offset);
  return bytes;
}

function sizeOf(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}
