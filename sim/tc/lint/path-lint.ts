import { type HtbValues, htbValues } from '../../../models/linux/htb/class-figures.ts';
import type { Values } from '../../../models/model.ts';
import type { FlowSpec, HopSpec, Scenario } from '../../scenario/scenario.ts';
import { parseClassId } from '../../units/class-id.ts';
import { formatRate } from '../../units/rate.ts';
import { rateOf } from './bucket-lint.ts';
import { type LintContext, type LintFinding, priorityAt } from './finding.ts';

/** Two limits closer than that are the same limit. */
const SAME_WITHIN = 0.03;
/** Lines over ATM are slower than that (bit/s). */
const FASTEST_ATM = 30e6;
const ATM_NAME = /^(?:ppp\d|pppoe|nas\d|atm|adsl|dsl)/i;
const ATM_WORD = /\b(?:adsl2?\+?|atm)\b/i;

/** Finds mistakes that concern the whole path of a flow, and lines that are known to be ATM. */
export function lintPaths(context: LintContext): LintFinding[] {
  const { scenario } = context;
  return [...sameLimits(scenario), ...scenario.hops.flatMap((hop) => atm(scenario, hop))];
}

function sameLimits(scenario: Scenario): LintFinding[] {
  const findings: LintFinding[] = [];
  const told = new Set<string>();
  for (const flow of scenario.flows) {
    const limits = flow.via.flatMap((name) => {
      const hop = scenario.hops.find((candidate) => candidate.name === name);
      const limit = hop === undefined ? undefined : limitOf(hop, flow);
      return limit === undefined ? [] : [{ name, limit }];
    });
    for (const [i, second] of limits.entries()) {
      const first = limits.slice(0, i).find(({ limit }) => Math.abs(limit / second.limit - 1) <= SAME_WITHIN);
      if (first === undefined || told.has(`${first.name} ${second.name}`)) continue;
      told.add(`${first.name} ${second.name}`);
      findings.push({
        rule: 'same-limit-twice',
        path: ['hops', second.name],
        text: `${first.name} and ${second.name} limit ${flow.name} to the same rate (${formatRate(first.limit)}, ${formatRate(second.limit)}): which of them holds the queue is left to chance`,
        hint: 'make the one whose queue you control some percent slower',
      });
    }
  }
  return findings;
}

/** What a hop's shaper lets a flow have at most (bit/s); undefined: it does not limit it. */
function limitOf(hop: HopSpec, flow: FlowSpec): number | undefined {
  if (hop.shaper === undefined) return undefined;
  if (hop.shaper.kind !== 'htb') return rateOf(hop.shaper);
  const { classes, fallback } = tableOf(hop, hop.shaper.values);
  const priority = priorityAt(flow, hop);
  let limit: number | undefined;
  for (let entry = classes.get(priority) ?? classes.get(fallback); entry !== undefined; ) {
    const { rate, ceil = rate, parent } = entry;
    // A class without a parent has nobody to borrow from, whatever its ceil.
    const most = parent === undefined ? rate : Math.max(rate, ceil);
    limit = Math.min(limit ?? most, most);
    entry = parent === undefined ? undefined : classes.get(parent);
  }
  return limit;
}

/** Classes of an HTB by their id, and the id of the default class (-1: none). */
interface ClassTable {
  readonly classes: ReadonlyMap<number, HtbValues['classes'][string]>;
  readonly fallback: number;
}

/** Tables that were made before: each flow of a scenario asks the same one. */
const tables = new WeakMap<HopSpec, ClassTable>();

function tableOf(hop: HopSpec, values: Values): ClassTable {
  let table = tables.get(hop);
  if (table === undefined) {
    const { classes, default: fallback } = htbValues(values);
    const byId = new Map(Object.entries(classes).map(([name, entry]) => [parseClassId(name), entry] as const));
    const isDefault = (id: number): boolean => fallback !== undefined && id % 0x10000 === fallback % 0x10000;
    table = { classes: byId, fallback: [...byId.keys()].find(isDefault) ?? -1 };
    tables.set(hop, table);
  }
  return table;
}

function atm(scenario: Scenario, hop: HopSpec): LintFinding[] {
  const { shaper } = hop;
  const isNamed = ATM_NAME.test(hop.name) || ATM_WORD.test(`${scenario.title} ${scenario.about}`);
  if (shaper === undefined || !isNamed) return [];
  const path = ['hops', hop.name];
  const finding = (below: readonly string[], what: string): LintFinding => ({
    rule: 'atm-without-linklayer',
    path: [...path, ...below],
    text: `${what} prices packets as Ethernet, but the line is ATM by its name: small packets take up to twice what they are charged`,
    hint: 'add linklayer: atm and the overhead of the line, for example overhead: 40b for PPPoE',
  });
  if (shaper.kind === 'htb') {
    const { classes } = htbValues(shaper.values);
    const roots = Object.entries(classes).filter(
      ([, { parent, rate, linklayer }]) => parent === undefined && rate <= FASTEST_ATM && linklayer === 'ethernet',
    );
    return roots.map(([name]) => finding(['classes', name], `class ${name}`));
  }
  const rate = rateOf(shaper);
  return rate !== undefined && rate <= FASTEST_ATM && shaper.values.linklayer === 'ethernet'
    ? [finding([], `the ${shaper.kind}`)]
    : [];
}
