import type { FlowSpec, HopSpec, Scenario } from '../../scenario/scenario.ts';

/** Something in a scenario that is allowed and probably a mistake. */
export interface LintFinding {
  /** Short name of the rule, e.g. `quantum-out-of-range`. */
  readonly rule: LintRule;
  /** Place in the document. */
  readonly path: readonly string[];
  /** What is so, and what comes of it. */
  readonly text: string;
  /** What to do about it. */
  readonly hint: string;
}

/** Every rule with one sentence on what it finds. */
export const LINT_RULES = {
  'bytes-for-bits': 'a rate in bytes a second where bits were probably meant',
  'root-ceil-above-rate': 'a class without parent cannot use a ceil above its rate',
  'child-above-parent': 'a class is promised more than its parent has',
  'children-above-parent': 'the rates of the children exceed the parent together',
  'burst-below-packet': 'a bucket smaller than one packet',
  'burst-below-latency': 'a bucket that fills before a late timer fires',
  'burst-of-seconds': 'a bucket that holds more than a second of the rate',
  'no-default-class': 'packets that name no class pass unshaped',
  'default-is-inner': 'the default class has children, so that its packets pass unshaped',
  'prio-above-7': 'HTB knows the priorities 0 to 7',
  'quantum-out-of-range': 'a quantum outside 1,000 to 200,000 bytes',
  'quantum-below-packet': 'a quantum smaller than one packet',
  'ceil-below-rate': 'a ceil below the rate',
  'double-limit': 'a limiter inside a limiter',
  'same-limit-twice': 'two hops on one path limit to the same rate',
  'atm-without-linklayer': 'packets of an ATM line are not priced in cells',
  'framing-ignored': 'a linklayer, overhead or mpu that the kernel takes and ignores',
  'large-packets-small-table': 'packets beyond the rate table of an old kernel',
  'queue-of-seconds': 'a queue that takes seconds to drain',
  'queue-below-packet': 'a queue in which no more than one packet can wait',
  'netem-limit-below-delay': 'a netem that holds fewer packets than are under way at once',
  'codel-target-below-packet': 'a CoDel target shorter than one packet takes',
  'rate-in-bits': 'a rate of a few bits a second, where a prefix was probably left out',
  'police-mtu': 'packets beyond the mtu of a policer always exceed',
  'police-lets-pass': 'a policer that lets what exceeds pass',
  'police-burst-below-rtt': 'a policer whose bucket is smaller than rate × round-trip time',
} as const;

export type LintRule = keyof typeof LINT_RULES;

/** Frame of a full Ethernet packet as tc counts it (bytes). */
export const FULL_FRAME_BYTES = 1514;

/** What the rules look at beside a hop itself. */
export interface LintContext {
  readonly scenario: Scenario;
  /** Whether the scenario was just made of a script, so that its flows are not the owner's traffic. */
  readonly imported: boolean;
}

/** Flows that cross a hop. */
export function flowsOf(context: LintContext, hop: HopSpec): readonly FlowSpec[] {
  return context.scenario.flows.filter((flow) => flow.via.includes(hop.name));
}

/** Whether a flow is TCP. */
export function isTcp(flow: FlowSpec): boolean {
  return flow.source.values.tcp !== undefined || /^(?:bulk|curl|download)$/.test(flow.source.kind);
}

/** Largest packet of the flows (bytes, as tc counts); a full frame where they do not say, or for an import. */
export function largestPacketBytes(context: LintContext, flows: readonly FlowSpec[]): number {
  const sizes = flows.map((flow) => {
    const { size } = flow.source.values;
    return !isTcp(flow) && typeof size === 'number' ? size : FULL_FRAME_BYTES;
  });
  return context.imported ? Math.max(FULL_FRAME_BYTES, ...sizes) : Math.max(0, ...sizes) || FULL_FRAME_BYTES;
}

/** Class that a flow's packets name at a hop (u32, 0: none). */
export function priorityAt(flow: FlowSpec, hop: HopSpec): number {
  return flow.priorities?.[flow.via.indexOf(hop.name)] ?? flow.priority;
}
