import { bucketCost, classFigures, type HtbValues, htbRules, htbValues } from '../../models/linux/htb/class-figures.ts';
import type { NestedModel, Values } from '../../models/model.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { formatDuration } from '../units/duration.ts';
import { formatRate, writeRate } from '../units/rate.ts';
import { writeSize } from '../units/size.ts';
import { roundTripNs } from './lint/bucket-lint.ts';
import { flowsOf, isTcp, type LintContext, largestPacketBytes } from './lint/finding.ts';
import { pointDocument } from './point-document.ts';

/** A value that a scenario should rather have. */
export interface Proposal {
  /** Place in the document, e.g. `hops.bridge.classes.1:10.burst`. */
  readonly path: readonly string[];
  /** As the scenario writes it. */
  readonly value: string;
  /** Why, and what it was. */
  readonly reason: string;
}

/** A timer that is later than that is unusual on a machine that is not overloaded (ns). */
const PRUDENT_LATENESS_NS = 1_000_000;
/** Round-trip time to provide for where no flow says one (ns). */
const USUAL_RTT_NS = 40_000_000;
const LEAST_QUANTUM_BYTES = 1000;
const LARGEST_QUANTUM_BYTES = 200_000;
/** Configured rates tried above the wanted one, and the step between them. */
const RATE_REACH = 1.35;
const RATE_STEPS = 700;

/**
 * Proposes bursts, quanta, the burst of a policer, and on kernels that price from a table the rate to configure in
 * order to get the one that is written.
 */
export function propose(scenario: Scenario): Proposal[] {
  const context = { scenario, imported: false };
  return scenario.hops.flatMap((hop) => (hop.shaper === undefined ? [] : proposeFor(context, hop, hop.shaper)));
}

function proposeFor(context: LintContext, hop: HopSpec, shaper: NestedModel): Proposal[] {
  const path = ['hops', hop.name];
  if (shaper.kind === 'htb') return htbProposals(context, hop, htbValues(shaper.values), path);
  if (shaper.kind === 'police') return policeProposals(context, hop, shaper.values, path);
  return shaper.kind === 'tbf' ? tbfProposals(context, hop, shaper.values, path) : [];
}

/** Bytes that the rate makes while a timer is late, and one packet. */
function burstFor(context: LintContext, hop: HopSpec, bytesPerSecond: number, hz: number | undefined): number {
  const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  const jiffyNs = hz === undefined || hz >= 1e9 ? 0 : 1e9 / hz;
  const { resolutionNs, latencyNs } = hop.timer;
  const lateNs = Math.max(PRUDENT_LATENESS_NS, jiffyNs + (resolutionNs > 1 ? resolutionNs : 0) + latencyNs);
  return Math.ceil((bytesPerSecond * lateNs) / 1e9) + packetBytes;
}

function htbProposals(context: LintContext, hop: HopSpec, values: HtbValues, path: readonly string[]): Proposal[] {
  const proposals: Proposal[] = [];
  const { kernel } = htbRules(values);
  const leaves = leavesOf(values);
  for (const name of Object.keys(values.classes)) {
    const figures = classFigures(values, name);
    const own = values.classes[name]!;
    const at = [...path, 'classes', name];
    for (const [key, bucket] of [
      ['burst', figures.rate],
      ['cburst', figures.ceil],
    ] as const) {
      const held = Math.floor((bucket.bufferTicks * kernel.tickNs * bucket.bytesPerSecond) / 1e9);
      const wanted = burstFor(context, hop, bucket.bytesPerSecond, values.hz);
      if (held >= wanted) continue;
      const reason = `the bucket holds ${held} bytes; ${wanted} are 1 ms of ${formatRate(bucket.bytesPerSecond * 8)}, or what a late timer needs, and one packet`;
      proposals.push({ path: [...at, key], value: writeSize(wanted), reason });
    }
    if (!leaves.includes(name)) continue;
    const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
    const isFine = figures.quantumRule === 'r2q' || figures.quantumRule === 'given';
    const fits =
      figures.quantumBytes >= Math.max(packetBytes, LEAST_QUANTUM_BYTES) &&
      figures.quantumBytes <= LARGEST_QUANTUM_BYTES;
    if (leaves.length > 1 && (!isFine || !fits)) {
      const quantum = quantumFor(values, name, packetBytes);
      const reason = `the quantum is ${figures.quantumBytes} bytes${isFine ? '' : ', set by the kernel'}; ${quantum} keeps the proportion of the rates and holds a packet`;
      if (quantum !== figures.quantumBytes)
        proposals.push({ path: [...at, 'quantum'], value: writeSize(quantum), reason });
    }
    if (own.prio > 7) proposals.push({ path: [...at, 'prio'], value: '7', reason: `prio ${own.prio} acts as 7` });
    const rate = rateToConfigure(values, name, packetBytes);
    if (rate !== undefined) proposals.push({ path: [...at, 'rate'], ...rate });
  }
  return proposals;
}

/** Names of the classes without children. */
function leavesOf(values: HtbValues): string[] {
  const parents = new Set(Object.values(values.classes).map(({ parent }) => parent));
  return Object.keys(values.classes).filter((name) => !parents.has(classFigures(values, name).id));
}

/** A quantum in proportion to the rate among the leaves, the smallest of which gets one packet. */
function quantumFor(values: HtbValues, name: string, packetBytes: number): number {
  const smallest = Math.min(...leavesOf(values).map((leaf) => values.classes[leaf]!.rate));
  const proportional = Math.round((values.classes[name]!.rate / smallest) * packetBytes);
  return Math.min(LARGEST_QUANTUM_BYTES, Math.max(packetBytes, proportional));
}

/** On a kernel with tables, the rate whose rounded price comes closest to the wanted rate from below. */
function rateToConfigure(values: HtbValues, name: string, packetBytes: number): Omit<Proposal, 'path'> | undefined {
  const { kernel } = htbRules(values);
  if (kernel.cost === 'fixed-point') return undefined;
  const wanted = values.classes[name]!.rate;
  const gets = (rate: number): number => {
    const changed = { ...values, classes: { ...values.classes, [name]: { ...values.classes[name]!, rate } } };
    const figures = classFigures(changed, name);
    const ticks = bucketCost(kernel, figures.rate, figures.kernelFraming).ticks(packetBytes);
    return ticks > 0 ? (packetBytes * 8e9) / (ticks * kernel.tickNs) : Number.POSITIVE_INFINITY;
  };
  const now = gets(wanted);
  let best = { rate: wanted, gets: now };
  for (let step = -RATE_STEPS; step <= RATE_STEPS; step++) {
    const rate = Math.round((wanted * RATE_REACH ** (step / RATE_STEPS)) / 1000) * 1000;
    if (rate < 8) continue;
    const gotten = gets(rate);
    const isBetter = Math.abs(gotten - wanted) < Math.abs(best.gets - wanted) * 0.999;
    if (isBetter) best = { rate, gets: gotten };
  }
  if (best.rate === wanted || Math.abs(now / wanted - 1) < 0.005) return undefined;
  return {
    value: writeRate(best.rate),
    reason: `a kernel ${kernel.version} gives ${formatRate(now)} for ${formatRate(wanted)} with packets of ${packetBytes} bytes; ${formatRate(best.rate)} gives ${formatRate(best.gets)}`,
  };
}

function tbfProposals(context: LintContext, hop: HopSpec, values: Values, path: readonly string[]): Proposal[] {
  const { rate, burst } = values as { rate: number; burst: number };
  const wanted = burstFor(context, hop, Math.floor(rate / 8), values.hz as number | undefined);
  const fiftyMs = Math.max(wanted, Math.ceil(rate / 8 / 20));
  if (burst < wanted) {
    const reason = `the burst is ${burst} bytes; ${wanted} are what a late timer needs, and one packet`;
    return [{ path: [...path, 'burst'], value: writeSize(wanted), reason }];
  }
  if (burst * 8 <= rate) return [];
  const lasts = formatDuration(Math.round((burst * 8e6) / rate) * 1000);
  return [
    {
      path: [...path, 'burst'],
      value: writeSize(fiftyMs),
      reason: `the burst lasts ${lasts}; ${fiftyMs} bytes are 50 ms of the rate`,
    },
  ];
}

function policeProposals(context: LintContext, hop: HopSpec, values: Values, path: readonly string[]): Proposal[] {
  const { rate, burst } = values as { rate?: number; burst?: number };
  if (rate === undefined || burst === undefined) return [];
  const tcp = flowsOf(context, hop).filter(isTcp);
  const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  const rttNs =
    Math.max(0, ...tcp.map((flow) => roundTripNs(context, flow.via, flow.source.values.returnDelay))) || USUAL_RTT_NS;
  const forTcp = Math.ceil(((rate / 8) * 2 * rttNs) / 1e9);
  const wanted = Math.max(packetBytes, tcp.length === 0 ? 0 : forTcp);
  if (burst >= wanted) return [];
  const why = tcp.length === 0 ? 'is one packet' : `is twice rate × round-trip time (${formatDuration(rttNs)})`;
  return [
    { path: [...path, 'burst'], value: writeSize(wanted), reason: `the burst is ${burst} bytes; ${wanted} ${why}` },
  ];
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
