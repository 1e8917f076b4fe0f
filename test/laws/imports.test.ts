import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Every import of a source file, with paths from the root of the project, packages by name. */
function importsOf(folder: string): Import[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((name) => {
    const from = join(folder, name);
    const text = readFileSync(join(root, from), 'utf8');
    const statements = text.matchAll(
      /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm,
    );
    return [...statements].map((match) => {
      const target = match[2] ?? match[3]!;
      const to = target.startsWith('.') ? relative(root, join(root, dirname(from), target)) : target;
      return { from, to, typeOnly: match[1] !== undefined };
    });
  });
}

const all = ['models', 'sim', 'reports'].flatMap(importsOf);
const within = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const describeImport = ({ from, to }: Import): string => `${from} imports ${to}`;

/** What each folder may import of the project. */
const allowed: Record<string, readonly string[]> = {
  models: ['models'],
  'sim/engine': ['sim/engine', 'models'],
  'sim/units': ['sim/units'],
  'sim/scenario': ['sim/scenario', 'sim/engine', 'sim/units', 'models'],
  'sim/run': ['sim/run', 'sim/scenario', 'sim/engine', 'sim/units', 'models'],
  'sim/tc': ['sim/tc', 'sim/scenario', 'sim/units', 'models'],
  'sim/sweep': ['sim/sweep', 'sim/run', 'sim/scenario', 'sim/engine', 'sim/units', 'models'],
  'sim/output': ['sim/output', 'sim/sweep', 'sim/run', 'sim/scenario', 'sim/tc', 'sim/units', 'models'],
  'sim/advise': ['sim/advise', 'sim/output', 'sim/run', 'sim/scenario', 'sim/tc', 'sim/engine', 'sim/units', 'models'],
};

describe('the house', () => {
  it.each(Object.entries(allowed))('%s imports only what stands below it', (folder, targets) => {
    const wrong = all.filter(
      ({ from, to }) =>
        within(from, folder) && /^(models|sim|reports)\//.test(to) && !targets.some((target) => within(to, target)),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('the ground floor takes only types and the invariant from the models', () => {
    const wrong = all.filter(
      ({ from, to, typeOnly }) =>
        within(from, 'sim/engine') && within(to, 'models') && !typeOnly && to !== 'models/model.ts',
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('reports know of the simulator nothing but types', () => {
    const wrong = all.filter(({ from, to, typeOnly }) => within(from, 'reports') && within(to, 'sim') && !typeOnly);
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it.each([
    [/^vega/, 'reports'],
    [/^yargs/, 'sim/cli'],
    [/^seedrandom$/, 'sim/engine'],
    [/^bullmq$/, 'sim/sweep'],
    [/^tinypool$/, 'sim/sweep'],
  ])('%s is imported in %s alone', (name, folder) => {
    const wrong = all.filter(({ from, to }) => name.test(to) && !within(from, folder));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('what also runs in a web page imports nothing of node', () => {
    const pure = ['models', 'sim/engine', 'sim/units', 'sim/scenario', 'sim/run'];
    const wrong = all.filter(({ from, to }) => pure.some((folder) => within(from, folder)) && to.startsWith('node:'));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('no clock and no chance of the machine reaches a simulation', () => {
    const pure = ['models', 'sim/engine', 'sim/units', 'sim/scenario', 'sim/run'];
    const files = pure.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    );
    const code = (file: string): string =>
      readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(files.filter((file) => /Date\.now|new Date|Math\.random|performance\./.test(code(file)))).toEqual([]);
  });

  it('finds the imports that it judges', () => {
    expect(all.some(({ from, to }) => from === 'sim/run/network.ts' && to === 'models/registry.ts')).toBe(true);
  });
});
