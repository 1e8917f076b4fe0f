#!/usr/bin/env node
// Bundles the command line into dist/: one entry, and a chunk for each part that is loaded on demand; beside it the two
// scripts that a page with charts carries in itself. A failed build leaves the one before as it is, and commands that
// are running go on with it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceBuild } from './replace-build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'dist');
const common = { absWorkingDir: root, bundle: true, write: false, logLevel: 'warning' };

// The help has no wide characters; the package that yargs asks for their width compiles the table of all emoji at
// every start, which takes longer than all else that a short command does.
const plainTextWidth = {
  name: 'plain-text-width',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules\/string-width\/index\.js$/ }, () => ({
      contents: 'export default (text) => [...text].length;',
    })),
};

const commandLine = {
  ...common,
  plugins: [plainTextWidth],
  entryPoints: { cli: 'sim/cli/main.ts', 'sweep-thread': 'sim/sweep/worker-thread.ts' },
  outdir,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['vega', 'vega-lite', 'bullmq', 'ioredis', 'tinypool', 'hyparquet-writer'],
  // Bundled CommonJS packages ask for node's own modules with require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  chunkNames: 'chunk-[name]-[hash]',
};

const pageScript = {
  ...common,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2023',
  legalComments: 'none',
};

const builds = await Promise.all([
  build(commandLine),
  build({ ...pageScript, entryPoints: ['reports/client/main.ts'], outfile: join(outdir, 'page-client.js') }),
  build({
    ...pageScript,
    entryPoints: ['sim/run/page-engine.ts'],
    globalName: 'shaperlab',
    outfile: join(outdir, 'page-engine.js'),
  }),
]).catch(() => {
  // esbuild has said what is wrong.
  process.exit(1);
});

replaceBuild(
  outdir,
  builds.flatMap(({ outputFiles }) => outputFiles),
);
