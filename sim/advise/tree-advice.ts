import { htbValues } from '../../models/linux/htb/class-figures.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';
import { formatRate, writeRate } from '../units/rate.ts';
import { mostOf, type TreeClass, treeOf } from './htb-tree.ts';
import { judgeFlows, judgePromises, promisesGain } from './judge.ts';
import { meanSizeBytes } from './packet-mix.ts';
import type { Adviser, Proposal } from './proposal.ts';

/** Share of the line that a root is given, so that the queue stays with it. */
const SHARE_OF_LINE = 0.98;
/** Digits of a proposed rate. */
const DIGITS = 4;
/** Share of its rate that a flow may lose where a queue goes from a slow line to the classes. */
const LOSS_FOR_DELAY = 0.03;

/** A line on the way of all flows of a hop, and what of it is left for packets as tc counts them. */
interface Line {
  readonly hop: string;
  readonly rateBitsPerSecond: number;
  readonly accountedBitsPerSecond: number;
}

/** Rates that a tree can keep: roots below the line, no ceil below its rate, children that fit their parent. */
export const treeAdviser: Adviser = {
  propose(hop, { scenario }) {
    const tree = treeOf(htbValues(hop.shaper!.values));
    const roots = tree.filter(({ parent }) => parent === undefined);
    const line = slowestLine(scenario, hop, tree);
    const wanted = roots.reduce((sum, root) => sum + intended(root), 0);
    const share =
      line === undefined || mostOfAll(roots) <= line.accountedBitsPerSecond
        ? 1
        : (line.accountedBitsPerSecond * SHARE_OF_LINE) / wanted;
    const proposals = roots.flatMap((root) => new TreeFit(hop, line).root(root, share));
    if (proposals.length === 0) return undefined;
    return {
      proposals,
      verdict(before, after) {
        const promises = judgePromises(before, after, hop.name);
        const flows = judgeFlows(before.point, after.point, share < 1 ? LOSS_FOR_DELAY : undefined);
        return promises === 'same' ? flows : promises;
      },
      gain: (before, after) => promisesGain(before, after, hop.name),
    };
  },
};

function mostOfAll(roots: readonly TreeClass[]): number {
  return roots.reduce((sum, root) => sum + mostOf(root), 0);
}

/** What the owner of a class meant it to have: a ceil below its rate, or above that of a class nobody lends to, is a slip. */
function intended({ given: { rate, ceil = rate } }: TreeClass): number {
  return Math.max(rate, ceil);
}

/** Goes down a tree and makes its rates fit. */
class TreeFit {
  readonly #proposals: Proposal[] = [];
  readonly #hop: HopSpec;
  readonly #line: Line | undefined;

  constructor(hop: HopSpec, line: Line | undefined) {
    this.#hop = hop;
    this.#line = line;
  }

  /** @param share of what the root was meant to have that the line leaves it */
  root(entry: TreeClass, share: number): readonly Proposal[] {
    const { rate, ceil } = entry.given;
    const line = this.#line;
    const fitting = share < 1 ? rounded(intended(entry) * share) : intended(entry);
    if (fitting !== rate) {
      const reason =
        share < 1
          ? `the line of ${line!.hop} carries ${formatRate(line!.rateBitsPerSecond)}, ${formatRate(line!.accountedBitsPerSecond)} of it as tc counts; only a root below that decides who waits`
          : `a class without parent cannot borrow up to its ceil of ${formatRate(fitting)}: nobody lends to it`;
      this.#add(entry, 'rate', fitting, reason);
    }
    if (ceil !== undefined && ceil !== fitting) {
      this.#add(entry, 'ceil', fitting, share < 1 ? 'its rate, as nobody lends to it' : belowRate(ceil, rate));
    }
    this.#children(entry, fitting, fitting);
    return this.#proposals;
  }

  /** @param most what the parent can have at most */
  #children(parent: TreeClass, parentRate: number, most: number): void {
    const sum = parent.children.reduce((total, { given }) => total + given.rate, 0);
    const share = sum > parentRate ? parentRate / sum : 1;
    for (const entry of parent.children) {
      const { rate, ceil } = entry.given;
      const fitting = share < 1 ? rounded(rate * share) : rate;
      if (fitting !== rate) {
        const together =
          parent.children.length === 1
            ? 'the class is'
            : `the ${parent.children.length} children of ${parent.name} are together`;
        this.#add(
          entry,
          'rate',
          fitting,
          `${together} promised ${formatRate(sum)}, ${parent.name} has ${formatRate(parentRate)}`,
        );
      }
      let ceiling = ceil ?? fitting;
      if (ceil === undefined && fitting < rate) {
        ceiling = Math.min(rate, most);
        this.#add(entry, 'ceil', ceiling, `may still have up to ${formatRate(ceiling)} where others leave it`);
      } else if (ceil !== undefined && ceil < fitting) {
        ceiling = fitting;
        this.#add(entry, 'ceil', ceiling, belowRate(ceil, rate));
      }
      this.#children(entry, fitting, Math.min(ceiling, Math.max(fitting, most)));
    }
  }

  #add({ name }: TreeClass, key: 'rate' | 'ceil', bitsPerSecond: number, reason: string): void {
    this.#proposals.push({
      path: ['hops', this.#hop.name, 'classes', name, key],
      value: writeRate(bitsPerSecond),
      reason,
    });
  }
}

function belowRate(ceil: number, rate: number): string {
  return `the ceil of ${formatRate(ceil)} is below the rate of ${formatRate(rate)}, which the class therefore never gets`;
}

/** A rate of few digits, not above the exact one, and a whole number of bytes. */
function rounded(bitsPerSecond: number): number {
  const step = Math.max(8, 10 ** (Math.floor(Math.log10(bitsPerSecond)) + 1 - DIGITS));
  return Math.max(8, Math.floor(bitsPerSecond / step) * step);
}

/** The slowest line that all flows of a hop cross behind its shaper; undefined where none has a constant rate. */
function slowestLine({ hops, flows }: Scenario, hop: HopSpec, tree: readonly TreeClass[]): Line | undefined {
  const own = flows.filter(({ via }) => via.includes(hop.name));
  const behind = ({ via }: FlowSpec): readonly string[] => via.slice(via.indexOf(hop.name));
  const lines = hops.filter(
    ({ name, link, shaper }) =>
      link.rateBitsPerSecond > 0 &&
      (name === hop.name || shaper === undefined) &&
      own.length > 0 &&
      own.every((flow) => behind(flow).includes(name)),
  );
  const addedBytes = Math.min(...tree.map(({ figures }) => figures.tableFraming.overheadBytes));
  return lines
    .map(({ name, link }): Line => {
      const shares = own.map((flow) => {
        const size = meanSizeBytes(flow);
        return Math.min(1, (size + addedBytes) / (size + link.overheadBytes));
      });
      const { rateBitsPerSecond } = link;
      return { hop: name, rateBitsPerSecond, accountedBitsPerSecond: rateBitsPerSecond * Math.min(...shares) };
    })
    .reduce<Line | undefined>(
      (least, line) =>
        least === undefined || line.accountedBitsPerSecond < least.accountedBitsPerSecond ? line : least,
      undefined,
    );
}
