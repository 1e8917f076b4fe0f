import type { ReadBytes } from '../../models/model.ts';
import type { PointResult } from '../run/result.ts';
import type { Scenario, ScenarioPoint } from '../scenario/scenario.ts';
import { burstAdviser, policeAdviser, tbfAdviser } from './bucket-advice.ts';
import { type Adviser, applyProposals, type Outcome, type Proposal } from './proposal.ts';
import { quantumAdviser } from './quantum-advice.ts';
import { RateAdviser } from './rate-advice.ts';
import { treeAdviser } from './tree-advice.ts';

/** What is proposed for a scenario. */
export interface Advice {
  /** What the simulation shows to be better. */
  readonly proposals: readonly Proposal[];
  /** What got better by them, beside the rates and delays of the flows. */
  readonly gains: readonly string[];
  /** What is sound, but changes no figure of this scenario. */
  readonly idle: readonly Proposal[];
  /** What no simulation of this scenario can show. */
  readonly remarks: readonly string[];
  readonly before: PointResult;
  /** With all proposals, without the idle ones. */
  readonly after: PointResult;
}

/** What {@link advise} is handed of the outside. */
export interface AdviceTools {
  /** Checks a document without sweep and makes its point. @throws ScenarioError */
  pointOf(document: unknown): ScenarioPoint;
  simulate(point: ScenarioPoint): PointResult;
  readonly readBytes: ReadBytes | undefined;
}

/**
 * Proposes better values for a point of a document. Each kind of advice is simulated on top of those that are taken
 * already, and taken only if it makes something better and nothing worse.
 */
export function advise(document: unknown, point: ScenarioPoint, tools: AdviceTools): Advice {
  const { variables } = point;
  const before = tools.simulate(point);
  const taken: Proposal[] = [];
  const gains: string[] = [];
  const idle: Proposal[] = [];
  let now: Outcome = { scenario: point.scenario, point: before };
  const advisers = advisersBy(tools.readBytes);
  for (const { name } of point.scenario.hops) {
    for (const adviser of advisers(kindOf(now.scenario, name))) {
      const trial = adviser.propose(hopOf(now.scenario, name), now);
      if (trial === undefined) continue;
      const tried = tools.pointOf(applyProposals(document, variables, [...taken, ...trial.proposals]));
      const then: Outcome = { scenario: tried.scenario, point: tools.simulate(tried) };
      const verdict = trial.verdict(now, then);
      if (verdict === 'same') idle.push(...trial.proposals);
      if (verdict !== 'better') continue;
      taken.push(...trial.proposals);
      if (trial.gain !== undefined) gains.push(trial.gain(now, then));
      now = then;
    }
  }
  const remarks = now.scenario.hops.flatMap((hop) =>
    advisers(hop.shaper?.kind).flatMap((adviser) => adviser.remark?.(hop, now) ?? []),
  );
  return { proposals: lastOf(taken), gains, idle: lastOf(idle), remarks, before, after: now.point };
}

/** The advisers of a kind of shaper, in the order in which one builds on the other. */
function advisersBy(readBytes: ReadBytes | undefined): (kind: string | undefined) => readonly Adviser[] {
  const rates = new RateAdviser(readBytes);
  const kinds: Readonly<Record<string, readonly Adviser[]>> = {
    htb: [treeAdviser, rates, quantumAdviser, burstAdviser],
    tbf: [tbfAdviser],
    police: [policeAdviser],
  };
  return (kind = '') => kinds[kind] ?? [];
}

function kindOf(scenario: Scenario, hopName: string): string | undefined {
  return hopOf(scenario, hopName).shaper?.kind;
}

function hopOf({ hops }: Scenario, name: string) {
  return hops.find((hop) => hop.name === name)!;
}

/** Where one place is proposed a value twice, the later one counts. */
function lastOf(proposals: readonly Proposal[]): Proposal[] {
  const byPath = new Map(proposals.map((proposal) => [JSON.stringify(proposal.path), proposal]));
  return [...byPath.values()];
}
