import type { PointResult } from '../run/result.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { pointDocument } from '../tc/point-document.ts';

/** A value that a scenario should rather have. */
export interface Proposal {
  /** Place in the document, e.g. `hops.bridge.classes.1:10.burst`. */
  readonly path: readonly string[];
  /** As the scenario writes it. */
  readonly value: string;
  /** Why, and what it was. */
  readonly reason: string;
}

/** A scenario and what its simulation gave. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly point: PointResult;
}

/** What a simulation with the proposals showed. */
export type Verdict = 'better' | 'same' | 'worse';

/** Proposals that only make sense together: tried, judged, and taken or left as one. */
export interface Trial {
  readonly proposals: readonly Proposal[];
  verdict(before: Outcome, after: Outcome): Verdict;
  /** What a verdict of better rests on, beside the rates and delays of the flows. */
  gain?(before: Outcome, after: Outcome): string;
}

/** A kind of advice: looks at one hop of a scenario that was simulated. */
export interface Adviser {
  propose(hop: HopSpec, outcome: Outcome): Trial | undefined;
  /** What to say of a hop that is no proposal, as no simulation of the scenario could show its effect. */
  remark?(hop: HopSpec, outcome: Outcome): string | undefined;
}

/** The document of a point with the proposals in it. */
export function applyProposals(
  document: unknown,
  variables: Readonly<Record<string, string>>,
  proposals: readonly Proposal[],
): unknown {
  const changed = structuredClone(pointDocument(document, variables));
  for (const { path, value } of proposals) {
    let node = changed;
    for (const key of path.slice(0, -1)) node = node[key] as Record<string, unknown>;
    node[path.at(-1)!] = /^\d+$/.test(value) ? Number(value) : value;
  }
  return changed;
}
