import type { HopSpec, Scenario } from '../../scenario/scenario.ts';
import { lintBuckets } from './bucket-lint.ts';
import type { LintContext, LintFinding } from './finding.ts';
import { lintFraming } from './framing-lint.ts';
import { lintHtb } from './htb-lint.ts';
import { lintPaths } from './path-lint.ts';
import { lintUnits } from './unit-lint.ts';

/** Settings of {@link lint}. */
export interface LintOptions {
  /** Whether the scenario was just made of a script, so that its flows are not the owner's traffic. */
  readonly imported?: boolean;
}

/**
 * Finds what is allowed in a scenario and probably a mistake; looks at the configuration alone, nothing is simulated.
 *
 * @param document as written, for what the checked scenario no longer shows (units)
 * @returns findings in the order of the document's hops
 */
export function lint(scenario: Scenario, document: unknown, options: LintOptions = {}): LintFinding[] {
  const context: LintContext = { scenario, imported: options.imported === true };
  return [...lintUnits(document), ...scenario.hops.flatMap((hop) => lintHop(context, hop)), ...lintPaths(context)];
}

function lintHop(context: LintContext, hop: HopSpec): LintFinding[] {
  const path = ['hops', hop.name];
  if (hop.shaper === undefined) return [];
  const { shaper } = hop;
  const found =
    shaper.kind === 'htb' ? lintHtb(context, hop, shaper.values, path) : lintBuckets(context, hop, shaper, path);
  return [...found, ...lintFraming(shaper, path)];
}
