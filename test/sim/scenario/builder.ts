import { type LoadedScenario, type LoadOptions, loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { formatPath, type Problem, ScenarioError } from '../../../sim/scenario/problem.ts';
import { fakeRegistry } from './fake-models.ts';

/** Parts of a scenario that a test says; the others are the smallest that run. */
export interface Parts {
  /** Lines at the top. */
  readonly top?: string;
  /** Keys of the hop `wan`, in flow style. */
  readonly hop?: string;
  /** Keys of the flow `a` beside source and via, in flow style. */
  readonly flow?: string;
  /** Lines at the end. */
  readonly tail?: string;
}

/** The text of a scenario of one hop, `wan`, and one flow, `a`. */
export function scenarioText({ top = '', hop = 'link: { rate: 1gbit }', flow = '', tail = '' }: Parts): string {
  return `duration: 1s\n${top}\nhops:\n  wan: { ${hop} }\nflows:\n  a: { source: steady, via: [wan]${flow && ', '}${flow} }\n${tail}\n`;
}

/** Loads a scenario made of parts. */
export function load(parts: Parts, options: Partial<LoadOptions> = {}): LoadedScenario {
  return loadScenario(scenarioText(parts), 'test.yaml', { registry: fakeRegistry, ...options });
}

/** The problems that an action throws; none if it succeeds. */
export function problemsOf(action: () => unknown): readonly Problem[] {
  try {
    action();
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems;
    throw error;
  }
}

/** Problems in short: `path: expected X but received Y`. */
export function brief(action: () => unknown): string[] {
  return problemsOf(action).map(
    ({ path, expected, received }) => `${formatPath(path)}: expected ${expected} but received ${received}`,
  );
}
