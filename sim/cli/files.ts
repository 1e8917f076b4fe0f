import { closeSync, openSync, readSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { OutputFile } from '../output/output-file.ts';
import { visible } from '../scenario/visible-text.ts';
import { makeFolder } from '../sweep/make-folder.ts';
import { STDIN } from './command.ts';
import { noteOpenInput, refuseInput } from './input-files.ts';

/** Input files are read up to this size (bytes). */
const LARGEST_FILE_BYTES = 512 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Between two looks at a stream that has nothing yet (ms). */
const PAUSE_MS = 10;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a file of that name is there already',
  EPERM: 'the system does not permit it',
  ENOTSUP: 'no files can be made there',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EINVAL: 'the file system does not take such a name',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is a program that is running',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENXIO: 'there is no device, or nobody at the other end',
  EIO: 'the device has a fault',
  ECONNRESET: 'the other end closed the connection',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'no space left that you may use',
  EFBIG: 'the file would be larger than it may be',
  EROFS: 'the file system is read-only',
};

/** An error of the system in words. */
export function systemReason({ code }: { readonly code?: unknown }): string {
  return REASONS[String(code)] ?? `the system says ${code}`;
}

/** Turns an error of the system into a message for the user; other errors are returned as they are. */
export function fileFailure(error: unknown, doing: string, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const isMissing = error.code === 'ENOENT' && doing !== 'read';
  const hasFolder = isMissing && statSync(dirname(path), { throwIfNoEntry: false }) !== undefined;
  const reason = !isMissing ? systemReason(error) : hasFolder ? REASONS.ENOTSUP : 'no such folder';
  return new Failure(EXIT.trouble, `cannot ${doing} ${visible(path)}: ${reason}`);
}

/** An input file as messages and results name it. */
export function inputName(path: string): string {
  return path === STDIN ? '<stdin>' : path;
}

/** What files that are made of an input file are named after. */
export function outputName(input: string): string {
  return input === inputName(STDIN) ? 'stdin' : basename(input, extname(input));
}

/**
 * Reads a text file (UTF-8) or, for `-`, standard input; at most `largestBytes` of it and one chunk more.
 *
 * @throws Failure (trouble)
 */
export function readText(path: string, largestBytes = LARGEST_FILE_BYTES): string {
  try {
    const file = path === STDIN ? 0 : openSync(path, 'r');
    try {
      noteOpenInput(file, inputName(path));
      const chunks: Buffer[] = [];
      for (let total = 0; total <= largestBytes; ) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const length = readChunk(file, chunk);
        if (length === 0) break;
        chunks.push(chunk.subarray(0, length));
        total += length;
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      if (path !== STDIN) closeSync(file);
    }
  } catch (error) {
    throw fileFailure(error, 'read', inputName(path));
  }
}

/** Reads on, and waits where a stream that does not block has nothing yet. */
function readChunk(file: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(file, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/**
 * Writes a text file, its folder created where there is none. A file has its name only when it is complete; one that
 * was there before stays if it cannot be completed. Pipes and devices are written to as they are.
 *
 * @param option what asked for the file, as on the command line
 * @throws Failure (trouble; usage where it is an input)
 */
export function writeText(option: string, path: string, text: string): void {
  refuseInput(option, path);
  try {
    makeFolder(dirname(path));
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) writeFileSync(path, text);
    else writeWhole(found === undefined ? path : realpathSync(path), text);
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}

function writeWhole(path: string, text: string): void {
  const file = new OutputFile(path);
  try {
    file.write(text);
    file.end();
    file.publish();
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** Removes what was written of a file that cannot be completed; pipes and devices stay. */
export function removeIncomplete(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path, { force: true });
}
