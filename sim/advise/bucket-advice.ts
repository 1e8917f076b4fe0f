import { htbRules, htbValues } from '../../models/linux/htb/class-figures.ts';
import { policeSettings } from '../../models/linux/police-settings.ts';
import type { PointResult } from '../run/result.ts';
import type { HopSpec, Scenario } from '../scenario/scenario.ts';
import { roundTripNs } from '../tc/lint/bucket-lint.ts';
import { flowsOf, isTcp, largestPacketBytes } from '../tc/lint/finding.ts';
import { formatDuration } from '../units/duration.ts';
import { formatRate } from '../units/rate.ts';
import { writeSize } from '../units/size.ts';
import { treeOf } from './htb-tree.ts';
import { judgeFaults, judgeFlows, judgePromises } from './judge.ts';
import type { Adviser, Outcome, Proposal, Verdict } from './proposal.ts';

/** A timer that is later than that is unusual on a machine that is not overloaded (ns). */
const PRUDENT_LATENESS_NS = 1_000_000;
/** Round-trip time to provide for where no flow says one (ns). */
const USUAL_RTT_NS = 40_000_000;
/** Depth of a bucket that was far too deep. */
const FIFTY_MS = 0.05;

/** A bucket that a late timer empties the rate of. */
interface Need {
  readonly wantedBytes: number;
  /** Why so many. */
  readonly text: string;
}

/** What a bucket must hold so that a late timer loses nothing: what its rate makes meanwhile, and one packet. */
function needOf(outcome: Outcome, hop: HopSpec, bytesPerSecond: number, hz: number | undefined): Need {
  const context = { scenario: outcome.scenario, imported: false };
  const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  const jiffyNs = hz === undefined || hz >= 1e9 ? 0 : 1e9 / hz;
  const { resolutionNs, latencyNs } = hop.timer;
  const known = jiffyNs + (resolutionNs > 1 ? resolutionNs : 0) + latencyNs;
  const lateNs = Math.round(Math.max(PRUDENT_LATENESS_NS, known));
  const madeBytes = Math.ceil((bytesPerSecond * lateNs) / 1e9);
  const timer =
    known < PRUDENT_LATENESS_NS ? 'a timer' : jiffyNs > 0 ? `a timer of hz ${hz}` : 'the timer of the scenario';
  const text = `${madeBytes} are what ${formatRate(bytesPerSecond * 8)} makes while ${timer} is ${formatDuration(lateNs)} late, and ${packetBytes} a packet`;
  return { wantedBytes: madeBytes + packetBytes, text };
}

/** How late a timer of the scenario can be (ns). */
function latenessNs({ timer: { latencyNs, resolutionNs } }: HopSpec): number {
  return latencyNs + resolutionNs - 1;
}

interface HtbNeed extends Need {
  readonly path: readonly string[];
  readonly heldBytes: number;
  /** Whether a timer of the scenario is later than the bucket lasts. */
  readonly shows: boolean;
}

function htbNeeds(hop: HopSpec, outcome: Outcome): HtbNeed[] {
  const values = htbValues(hop.shaper!.values);
  const { kernel } = htbRules(values);
  return treeOf(values).flatMap(({ name, figures }) =>
    (['burst', 'cburst'] as const).flatMap((key) => {
      const { bufferTicks, bytesPerSecond } = key === 'burst' ? figures.rate : figures.ceil;
      const heldBytes = Math.floor((bufferTicks * kernel.tickNs * bytesPerSecond) / 1e9);
      const need = needOf(outcome, hop, bytesPerSecond, values.hz);
      if (heldBytes >= need.wantedBytes) return [];
      const shows = latenessNs(hop) > bufferTicks * kernel.tickNs;
      return [{ ...need, path: ['hops', hop.name, 'classes', name, key], heldBytes, shows }];
    }),
  );
}

/** Bursts of HTB for timers that are late. Where the scenario's are on time, nothing could show that they help. */
export const burstAdviser: Adviser = {
  propose(hop, outcome) {
    const needs = htbNeeds(hop, outcome).filter(({ shows }) => shows);
    if (needs.length === 0) return undefined;
    const proposals = needs.map(({ path, wantedBytes, heldBytes, text }) => ({
      path,
      value: writeSize(wantedBytes),
      reason: `the bucket holds ${heldBytes} bytes; ${text}`,
    }));
    return {
      proposals,
      verdict(before, after) {
        const promises = judgePromises(before, after, hop.name);
        return promises === 'same' ? judgeFlows(before.point, after.point) : promises;
      },
    };
  },
  remark(hop, outcome) {
    const needs = htbNeeds(hop, outcome).filter(({ shows }) => !shows);
    const [first] = needs;
    if (first === undefined) return undefined;
    const many = needs.length === 1 ? 'one bucket is' : `${needs.length} buckets are`;
    return (
      `${many} smaller than a late timer needs (${first.path.slice(1).join('.')} holds ${first.heldBytes} bytes; ${first.text}). ` +
      `The timers of ${hop.name} are on time, so that larger ones would change nothing here; give it timer: { latency: … } to see what they are worth`
    );
  },
};

/** The burst of a tbf: enough for a late timer, and not for a second of the rate. */
export const tbfAdviser: Adviser = {
  propose(hop, outcome) {
    const { rate, burst, hz } = hop.shaper!.values as { rate: number; burst: number; hz?: number };
    const { wantedBytes, text } = needOf(outcome, hop, Math.floor(rate / 8), hz);
    const path = ['hops', hop.name, 'burst'];
    if (burst < wantedBytes) {
      const reason = `the burst is ${burst} bytes; ${text}`;
      return bucketTrial(hop, rate, [{ path, value: writeSize(wantedBytes), reason }]);
    }
    if (burst * 8 <= rate) return undefined;
    const lasts = formatDuration(Math.round((burst * 8e6) / rate) * 1000);
    const lessBytes = Math.max(wantedBytes, Math.ceil((rate / 8) * FIFTY_MS));
    const reason = `the burst lasts ${lasts}; ${lessBytes} bytes are 50 ms of the rate`;
    return bucketTrial(hop, rate, [{ path, value: writeSize(lessBytes), reason }]);
  },
};

/** The burst of a policer, for TCP twice rate × round-trip time, and the longest packet that it lets conform. */
export const policeAdviser: Adviser = {
  propose(hop, { scenario }) {
    const { values } = hop.shaper!;
    const { rate, burst, mtu } = values as { rate?: number; burst?: number; mtu?: number };
    if (rate === undefined || burst === undefined) return undefined;
    const context = { scenario, imported: false };
    const tcp = flowsOf(context, hop).filter(isTcp);
    const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
    const rttNs =
      Math.max(0, ...tcp.map((flow) => roundTripNs(context, flow.via, flow.source.values.returnDelay))) || USUAL_RTT_NS;
    const forTcpBytes = Math.ceil(((rate / 8) * 2 * rttNs) / 1e9);
    const wantedBytes = Math.max(packetBytes, tcp.length === 0 ? 0 : forTcpBytes);
    const proposals: Proposal[] = [];
    if (burst < wantedBytes) {
      const why = tcp.length === 0 ? 'is one packet' : `is twice rate × round-trip time (${formatDuration(rttNs)})`;
      const reason = `the burst is ${burst} bytes; ${wantedBytes} ${why}`;
      proposals.push({ path: ['hops', hop.name, 'burst'], value: writeSize(wantedBytes), reason });
    }
    const longestBytes = policeSettings(values).mtuBytes;
    if (longestBytes < packetBytes) {
      const reason = `a packet above ${longestBytes} bytes always exceeds${mtu === undefined ? ', as no mtu is given' : ''}; the largest has ${packetBytes}`;
      proposals.push({ path: ['hops', hop.name, 'mtu'], value: writeSize(packetBytes), reason });
    }
    return proposals.length === 0 ? undefined : bucketTrial(hop, rate, proposals);
  },
};

/** Proposals that bring what passes a bucket closer to its rate, or to what is offered where that is less. */
function bucketTrial(hop: HopSpec, rate: number, proposals: readonly Proposal[]) {
  const strayed = ({ scenario, point }: { scenario: Scenario; point: PointResult }): number => {
    const flows = flowsOf({ scenario, imported: false }, hop);
    const sum = (level: 'offered' | 'accounted'): number =>
      flows.reduce((total, { name }) => total + point.flows[name]!.bitsPerSecond[level], 0);
    return Math.abs(sum('accounted') / Math.max(1, flows.some(isTcp) ? rate : Math.min(rate, sum('offered'))) - 1);
  };
  return {
    proposals,
    verdict(before: Outcome, after: Outcome): Verdict {
      const rates = judgeFaults(strayed(before), strayed(after));
      return rates === 'same' ? judgeFlows(before.point, after.point) : rates;
    },
  };
}
