import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Names of the files of the last build, in its folder. */
const LIST_NAME = 'files.json';

/**
 * Replaces a build by a new one while commands may be running: chunks first, whose names hold their hash, the entries
 * behind them, each under its name only when it is whole. The files of the build before stay until the next one, as a
 * command that began with them may load some of them yet.
 *
 * @param {string} folder
 * @param {readonly { readonly path: string, readonly contents: Uint8Array | string }[]} files all of them in `folder`
 */
export function replaceBuild(folder, files) {
  const startMs = Date.now();
  mkdirSync(folder, { recursive: true });
  const isChunk = ({ path }) => basename(path).startsWith('chunk-');
  const names = files.map(({ path }) => basename(path));
  for (const { path, contents } of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))]) {
    writeWhole(path, contents);
  }
  const kept = new Set([...names, ...filesOfLastBuild(folder), LIST_NAME]);
  writeWhole(join(folder, LIST_NAME), `${JSON.stringify(names)}\n`);
  for (const name of readdirSync(folder)) {
    // What is as new as this build belongs to another one at the same time.
    const modifiedMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? startMs;
    if (!kept.has(name) && modifiedMs < startMs) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function filesOfLastBuild(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, LIST_NAME), 'utf8'));
  } catch (error) {
    // A folder of no build, or one whose list was lost: what is in it may still be in use.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return readdirSync(folder);
    throw error;
  }
}

function writeWhole(path, contents) {
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, contents);
  renameSync(part, path);
}
