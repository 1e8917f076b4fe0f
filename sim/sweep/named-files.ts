import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { CaptureError } from '../../models/captures/capture-error.ts';
import type { ReadBytes } from '../../models/model.ts';
import { FileFault } from './sweep-fault.ts';

const DIGEST_CHUNK_BYTES = 1 << 20;

/** The path of a file that a scenario names. */
export function pathBeside(scenario: string, name: string): string {
  return isAbsolute(name) ? name : join(dirname(scenario), name);
}

/** Reads the files that a scenario names. The reader throws FileFault, and CaptureError for what is no regular file. */
export function bytesBeside(scenario: string): ReadBytes {
  return (name, offset, into) => {
    const path = pathBeside(scenario, name);
    try {
      return readAt(path, offset, into);
    } catch (error) {
      throw error instanceof CaptureError ? error : new FileFault('read', path, error);
    }
  };
}

/** The SHA-256 of a file that a scenario names, read in parts. @throws FileFault */
export function digestBeside(scenario: string, name: string): string {
  const readBytes = bytesBeside(scenario);
  const hash = createHash('sha256');
  const chunk = new Uint8Array(DIGEST_CHUNK_BYTES);
  for (let offset = 0; ; ) {
    const length = readBytes(name, offset, chunk);
    hash.update(chunk.subarray(0, length));
    if (length < chunk.length) return hash.digest('hex');
    offset += length;
  }
}

function readAt(path: string, offset: number, into: Uint8Array): number {
  // A pipe would wait for its writer, and could be read but once.
  const stat = statSync(path);
  if (!stat.isFile() && !stat.isDirectory()) {
    throw new CaptureError(path, {
      place: `byte ${offset}`,
      expected: 'a regular file, which can be read again',
      received: 'a pipe or device',
      hint: 'write it to a file first',
    });
  }
  const file = openSync(path, 'r');
  try {
    let filled = 0;
    while (filled < into.length) {
      const length = readSync(file, into, filled, into.length - filled, offset + filled);
      if (length === 0) break;
      filled += length;
    }
    return filled;
  } finally {
    closeSync(file);
  }
}
