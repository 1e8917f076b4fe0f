import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
// @ts-expect-error: a script of the build, which has no types
import { replaceBuild } from '../../sim/replace-build.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sim-build-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Puts a build of these chunks into the folder, long ago enough that the next one is later. */
function build(entry: string, ...chunks: string[]): void {
  replaceBuild(folder, [
    { path: join(folder, 'cli.js'), contents: entry },
    ...chunks.map((name) => ({ path: join(folder, name), contents: name })),
  ]);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
}

const chunksThere = () => readdirSync(folder).filter((name) => name.startsWith('chunk-'));

describe('a build', () => {
  test('leaves the chunks that commands began with until the build after it', () => {
    build('first', 'chunk-a-1.js', 'chunk-b-1.js');
    build('second', 'chunk-a-2.js', 'chunk-b-1.js');
    expect(readFileSync(join(folder, 'cli.js'), 'utf8')).toBe('second');
    expect(chunksThere()).toEqual(['chunk-a-1.js', 'chunk-a-2.js', 'chunk-b-1.js']);
    build('third', 'chunk-a-3.js', 'chunk-b-1.js');
    expect(chunksThere()).toEqual(['chunk-a-2.js', 'chunk-a-3.js', 'chunk-b-1.js']);
  });

  test('leaves what another build has just written, and no half-written file', () => {
    build('first', 'chunk-a-1.js');
    build('second', 'chunk-a-2.js');
    writeFileSync(join(folder, 'chunk-other-9.js'), '');
    const future = Date.now() / 1000 + 60;
    utimesSync(join(folder, 'chunk-other-9.js'), future, future);
    build('third', 'chunk-a-3.js');
    expect(chunksThere()).toEqual(['chunk-a-2.js', 'chunk-a-3.js', 'chunk-other-9.js']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
