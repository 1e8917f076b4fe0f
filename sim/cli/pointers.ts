import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { lint } from '../tc/lint/lint.ts';
import { shellWord } from './page.ts';

/**
 * Points to `sim validate` where a configuration is allowed but looks wrong; undefined where it does not.
 *
 * @param set what `--set` was given
 */
export function lintPointer(path: string, loaded: LoadedScenario, set: readonly string[]): string | undefined {
  const count = lint(loaded.first, loaded.document).length;
  if (count === 0) return undefined;
  const what = count === 1 ? '1 thing in the configuration looks' : `${count} things in the configuration look`;
  const words = ['sim', 'validate', path, ...set.flatMap((text) => ['--set', text])];
  return `sim: ${what} wrong: ${words.map(shellWord).join(' ')}`;
}

/** Whether a scenario has anything that tc could show. */
export function hasShaper({ first }: LoadedScenario): boolean {
  return first.hops.some(({ shaper }) => shaper !== undefined);
}
