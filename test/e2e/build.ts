import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the command line once for all tests, unless the build is newer than every source. */
export function setup(): void {
  const built = join(root, 'dist/cli.js');
  const sources = ['sim', 'models', 'reports', 'package.json'];
  const newest = Math.max(...sources.map((source) => newestMs(join(root, source))));
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  execFileSync(process.execPath, [join(root, 'sim/build.mjs')], { stdio: 'inherit' });
}

function newestMs(path: string): number {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}
