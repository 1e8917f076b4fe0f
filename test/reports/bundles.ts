import { build } from 'esbuild';

const root = new URL('../..', import.meta.url).pathname;

async function bundle(entry: string, globalName?: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    legalComments: 'none',
    ...(globalName === undefined ? {} : { globalName }),
  });
  return outputFiles[0]?.text ?? '';
}

let client: Promise<string> | undefined;
let engine: Promise<string> | undefined;

/** The page's script, as the build makes it. */
export function clientScript(): Promise<string> {
  client ??= bundle('reports/client/main.ts');
  return client;
}

/** The engine for the page's worker, as the build makes it. */
export function engineScript(): Promise<string> {
  engine ??= bundle('sim/run/page-engine.ts', 'shaperlab');
  return engine;
}
