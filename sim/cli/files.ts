import { closeSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';

/** Input files are read up to this size (bytes). */
const LARGEST_FILE_BYTES = 512 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of the path is not a directory',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'no space left that you may use',
  EFBIG: 'the file would be larger than it may be',
  EROFS: 'the file system is read-only',
};

/** Turns an error of the system into a message for the user; other errors are returned as they are. */
export function fileFailure(error: unknown, doing: string, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reason = REASONS[String(error.code)] ?? String(error.code);
  return new Failure(EXIT.trouble, `cannot ${doing} ${path}: ${reason}`);
}

/** Reads a text file (UTF-8), at most `largestBytes` of it and one byte more. @throws Failure (trouble) */
export function readText(path: string, largestBytes = LARGEST_FILE_BYTES): string {
  try {
    const file = openSync(path, 'r');
    try {
      const chunks: Buffer[] = [];
      for (let total = 0; total <= largestBytes; ) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const length = readSync(file, chunk);
        if (length === 0) break;
        chunks.push(chunk.subarray(0, length));
        total += length;
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
}

/** Writes a text file, its folder created where there is none. @throws Failure (trouble) */
export function writeText(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}
