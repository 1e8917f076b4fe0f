import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { RESULT_NAME } from '../output/sweep-file-names.ts';
import type { Result } from '../run/result.ts';
import { readText } from './files.ts';

const FORMAT = 'shaperlab-result/1';

/** Reads a file that `--json` or `--out` wrote, a result or a list of them, or the folder of a sweep. @throws Failure (trouble, invalid) */
export function readResults(path: string): Result[] {
  const text = readText(isFolder(path) ? join(path, RESULT_NAME) : path);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw notResult(path, 'no JSON');
  }
  const results = Array.isArray(document) ? document : [document];
  if (results.length === 0) throw notResult(path, 'an empty list');
  for (const result of results) {
    if (!isResult(result)) throw notResult(path, describeFormat(result));
  }
  return results as Result[];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isResult(value: unknown): value is Result {
  if (typeof value !== 'object' || value === null) return false;
  const { format, points } = value as Partial<Result>;
  return format === FORMAT && Array.isArray(points);
}

function describeFormat(value: unknown): string {
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined;
  return format === undefined ? 'JSON without that format' : `format ${JSON.stringify(format)}`;
}

function notResult(path: string, received: string): Failure {
  return new Failure(
    EXIT.invalid,
    `${path}: expected a result (format ${FORMAT}) but received ${received}`,
    'sim run FILE --json > result.json makes one',
  );
}
