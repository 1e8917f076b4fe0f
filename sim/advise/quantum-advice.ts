import { htbValues } from '../../models/linux/htb/class-figures.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import { flowsOf, largestPacketBytes } from '../tc/lint/finding.ts';
import { writeSize } from '../units/size.ts';
import { resultOf, type TreeClass, treeOf } from './htb-tree.ts';
import { contenders, contests, judgeShares, misplacedShare, percent } from './judge.ts';
import type { Adviser, Outcome, Proposal } from './proposal.ts';

const LARGEST_QUANTUM_BYTES = 200_000;
/** Shares that stray no further do so by whole bytes alone. */
const NOTHING_MISPLACED = 0.001;

/**
 * Quanta for all leaves that share by them, where the kernel or a packet spoils the proportion of some: the smallest is
 * one packet, the others follow in proportion. A quantum that is given is kept by the kernel also above 200,000 bytes.
 */
export const quantumAdviser: Adviser = {
  propose(hop, outcome) {
    const context = { scenario: outcome.scenario, imported: false };
    const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
    const groups = contests(treeOf(htbValues(hop.shaper!.values))).filter((group) => isSpoilt(group, packetBytes));
    const proposals = groups.flatMap((group) => quantaFor(hop, group, packetBytes));
    if (proposals.length === 0) return undefined;
    const strayed = (before: Outcome, of: Outcome): number => strayedShare(hop, groups, before, of);
    return {
      proposals,
      verdict: (before, after) => judgeShares(strayed(before, before), strayed(before, after)),
      gain: (before, after) =>
        `of what the leaves of ${hop.name} share, ${percent(strayed(before, before))} went to the wrong one, now ${percent(strayed(before, after))}`,
    };
  },
};

/** Whether packets, or the bounds of the kernel, keep a leaf from a share in proportion to what the leaves share by. */
function isSpoilt(group: readonly TreeClass[], packetBytes: number): boolean {
  const { weights } = weightsOf(group);
  const quanta = group.map(({ figures: { quantumBytes } }) => Math.max(packetBytes, quantumBytes));
  return (
    misplacedShare(quanta, weights) > NOTHING_MISPLACED ||
    group.some(
      ({ figures: { quantumRule, quantumBytes } }) => quantumRule === 'given' && quantumBytes > LARGEST_QUANTUM_BYTES,
    )
  );
}

/** What leaves share by: the quanta where each is given, otherwise their rates. */
function weightsOf(group: readonly TreeClass[]): { readonly weights: readonly number[]; readonly of: string } {
  const areGiven = group.every(({ figures }) => figures.quantumRule === 'given');
  return areGiven
    ? { weights: group.map(({ figures }) => figures.quantumBytes), of: 'quanta' }
    : { weights: group.map(({ given }) => given.rate), of: 'rates' };
}

function quantaFor(hop: HopSpec, group: readonly TreeClass[], packetBytes: number): Proposal[] {
  const { weights, of } = weightsOf(group);
  const smallest = Math.min(...weights);
  const quanta = weights.map((weight) => Math.round((weight / smallest) * packetBytes));
  const largest = Math.max(...quanta);
  const beyond = largest > LARGEST_QUANTUM_BYTES ? `, the largest ${largest}: the kernel warns of it and keeps it` : '';
  return group.flatMap(({ name, figures }, i) => {
    if (quanta[i] === figures.quantumBytes && figures.quantumRule === 'given') return [];
    const ruled = figures.quantumRule === 'raised' || figures.quantumRule === 'lowered' ? ', set by the kernel' : '';
    const reason =
      `the quantum is ${figures.quantumBytes} bytes${ruled}; the ${group.length} leaves of priority ${figures.priority} ` +
      `share in proportion to their ${of} with quanta in that proportion, the smallest one packet of ${packetBytes}${beyond}`;
    return [{ path: ['hops', hop.name, 'classes', name, 'quantum'], value: writeSize(quanta[i]!), reason }];
  });
}

/** Of what leaves share by quantum, the part that goes to the wrong one; contests as they were before. */
function strayedShare(
  hop: HopSpec,
  groups: readonly (readonly TreeClass[])[],
  before: Outcome,
  { point }: Outcome,
): number {
  return groups.reduce((sum, group) => {
    const contending = contenders(group, before.point, hop);
    const inIt = group.filter(({ name }) => contending.has(name));
    if (inIt.length < 2) return sum;
    const rates = inIt.map(({ name }) => resultOf(point, hop, name)!.bitsPerSecond);
    const { weights } = weightsOf(group);
    const ofThem = weights.filter((_, i) => contending.has(group[i]!.name));
    return Math.max(sum, misplacedShare(rates, ofThem));
  }, 0);
}
