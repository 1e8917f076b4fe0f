import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as registry from '../../models/registry.ts';
import type { LargeResult, SweepDigest } from '../../reports/digest.ts';
import { explainScenario } from '../output/explain.ts';
import type { Explanation } from '../output/explanation.ts';
import { scenarioDifferences } from '../output/scenario-difference.ts';
import type { Result } from '../run/result.ts';
import { checkDocument, type LoadedScenario } from '../scenario/load-scenario.ts';
import { ScenarioError } from '../scenario/problem.ts';
import { visible } from '../scenario/visible-text.ts';
import { lint } from '../tc/lint/lint.ts';
import { outputName, readText, writeText } from './files.ts';
import { say } from './streams.ts';

/** Explanations of points beyond this number are left to `sim explain`. */
const EXPLAINED_POINTS = 2000;

/** Results to draw; of those with very many runs a part, and what is told of the whole. */
interface Drawable {
  readonly results: readonly Result[];
  readonly digests: readonly (SweepDigest | undefined)[];
}

/** Takes a part of each result that has too many runs to draw. */
async function drawable(given: readonly (Result | LargeResult)[]): Promise<Drawable> {
  const { digestOf, WHOLE_LIMIT } = await import('../../reports/digest.ts');
  const parts = given.map((result, index) => {
    if ('head' in result) return digestOf(result, index);
    const { points, ...head } = result;
    if (points.length <= WHOLE_LIMIT) return { result, digest: undefined };
    return digestOf({ head, points: () => points, place: 'the result' }, index);
  });
  return { results: parts.map(({ result }) => result), digests: parts.map(({ digest }) => digest) };
}

/** Writes the page of some results. @throws Failure (trouble) */
export async function writePage(path: string, given: readonly (Result | LargeResult)[]): Promise<void> {
  // Loaded now, as the chart library alone takes longer to load than most scenarios to run.
  const { renderPage } = await import('../../reports/page.ts');
  const { results, digests } = await drawable(given);
  const scenarios = results.map((result) => valid(() => checkDocument(result.scenario.document, { registry })));
  const page = await renderPage({
    results,
    digests,
    explanations: scenarios.flatMap((loaded, index) => valid(() => explain(loaded, results[index]!, index)) ?? []),
    findings: scenarios.flatMap(findings),
    differences:
      results.length === 2 ? scenarioDifferences(results[0]!.scenario.document, results[1]!.scenario.document) : [],
    command: ['sim', ...process.argv.slice(2).map(shellWord)].join(' '),
    clientScript: builtScript('page-client.js'),
    whatIf: builtScript('page-engine.js'),
  });
  writeText('--html', path, page);
  say(`sim: ${path} written`);
}

/** Writes each chart of each result as an SVG file, named after its scenario. @throws Failure (trouble) */
export async function writeDrawings(folder: string, given: readonly (Result | LargeResult)[]): Promise<void> {
  const { renderSvgs } = await import('../../reports/svg.ts');
  const { results } = await drawable(given);
  for (const result of results) {
    const scenario = outputName(result.scenario.file);
    const drawings = await renderSvgs(result);
    for (const { name, svg } of drawings) writeText('--svg', join(folder, `${scenario}-${name}.svg`), svg);
    say(
      `sim: ${drawings.length} ${drawings.length === 1 ? 'drawing' : 'drawings'} of ${visible(scenario)} written to ${visible(folder)}`,
    );
  }
}

interface PlacedExplanation extends Explanation {
  readonly result: number;
  readonly point: number;
}

/** What `make` makes; undefined where a scenario is not valid, as when it cannot be read without its other files. */
function valid<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof ScenarioError) return undefined;
    throw error;
  }
}

/** The arithmetic of a result's points. @throws ScenarioError */
function explain(loaded: LoadedScenario | undefined, result: Result, resultIndex: number): PlacedExplanation[] {
  if (loaded === undefined) return [];
  return result.points.slice(0, EXPLAINED_POINTS).flatMap(({ variables, failed }, point) =>
    failed !== undefined
      ? []
      : explainScenario(loaded.pointOf(variables).scenario, undefined)
          .filter(({ sections }) => sections.length > 0)
          .map((explanation) => ({ ...explanation, result: resultIndex, point })),
  );
}

/** What a check of a result's configuration finds. */
function findings(loaded: LoadedScenario | undefined) {
  if (loaded === undefined) return [];
  return lint(loaded.first, loaded.document).map(({ rule, path, text, hint }) => ({
    rule,
    place: path.join('.'),
    text,
    hint,
  }));
}

/** A script that the build puts beside the command line. */
function builtScript(name: string): string {
  return readText(fileURLToPath(new URL(name, import.meta.url)));
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
