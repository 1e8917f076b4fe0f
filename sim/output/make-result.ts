import { createHash } from 'node:crypto';
import type { PointResult, Result } from '../run/result.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';

/** Puts a result together: what was run, what came out, and what may differ between two runs of the same input. */
export function makeResult(
  loaded: LoadedScenario,
  text: string,
  points: readonly PointResult[],
  run: { readonly wallSeconds: number; readonly version: string },
): Result {
  const { first, file, document, references } = loaded;
  return {
    format: 'shaperlab-result/1',
    title: first.title,
    about: first.about,
    scenario: { file, sha256: createHash('sha256').update(text).digest('hex'), document },
    seed: first.seed,
    references,
    points,
    run: { wallSeconds: run.wallSeconds, version: run.version, node: process.version },
  };
}
