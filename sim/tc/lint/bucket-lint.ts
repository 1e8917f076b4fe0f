import { tbfSettings } from '../../../models/linux/tbf-settings.ts';
import type { NestedModel, Values } from '../../../models/model.ts';
import type { HopSpec } from '../../scenario/scenario.ts';
import { formatDuration } from '../../units/duration.ts';
import { formatRate } from '../../units/rate.ts';
import { formatSize, writeSize } from '../../units/size.ts';
import { flowsOf, isTcp, type LintContext, type LintFinding, largestPacketBytes } from './finding.ts';
import { codelFindings, longQueueFindings, netemFindings, type QueueView } from './queue-lint.ts';

/** A real timer is about that late where a scenario lets it be exact (ns). */
const USUAL_LATENESS_NS = 20_000;
/** A burst that lasts longer than that at its rate is worth a word (s). */
const LONG_BURST_SECONDS = 1;
/** Round-trip time of a usual access line, where no TCP flow says one (ns). */
const USUAL_RTT_NS = 40_000_000;
/** A policer with tc's default table lets no longer packet conform (bytes). */
const POLICE_MTU_BYTES = 2040;
/** A queue that takes longer to drain is worth a word (s). */
const LONG_QUEUE_SECONDS = 2;

/** One bucket as configured and as the kernel holds it. */
export interface BucketView {
  readonly what: string;
  readonly path: readonly string[];
  readonly configuredBytes: number;
  readonly isDefault: boolean;
  /** After tc's rounding. */
  readonly heldBytes: number;
  readonly bytesPerSecond: number;
  readonly packetBytes: number;
  readonly hop: HopSpec;
  /** Timer interrupts a second; absent: high-resolution timers. */
  readonly hz: number | undefined;
}

/** Finds buckets that are too small for a packet or for the timer, or that last for seconds. */
export function burstFindings(bucket: BucketView): LintFinding[] {
  const { what, path, bytesPerSecond, heldBytes, packetBytes } = bucket;
  const findings: LintFinding[] = [];
  const seconds = heldBytes / bytesPerSecond;
  const given = bucket.isDefault
    ? `${what}, by default ${formatSize(bucket.configuredBytes)}`
    : `${what}, ${formatSize(bucket.configuredBytes)}`;
  if (!bucket.isDefault && bucket.configuredBytes < packetBytes) {
    findings.push({
      rule: 'burst-below-packet',
      path,
      text: `${given}, is smaller than a packet of ${formatSize(packetBytes)}`,
      hint: `take at least ${packetBytes}b`,
    });
  }
  const { resolutionNs, latencyNs } = bucket.hop.timer;
  const coarse = Math.max(
    resolutionNs > 1 ? resolutionNs : 0,
    bucket.hz === undefined || bucket.hz >= 1e9 ? 0 : 1e9 / bucket.hz,
  );
  const known = coarse + latencyNs;
  const lateNs = known > 0 ? known : USUAL_LATENESS_NS;
  if (seconds * 1e9 < lateNs) {
    const needed = Math.ceil((bytesPerSecond * lateNs) / 1e9) + packetBytes;
    findings.push({
      rule: 'burst-below-latency',
      path,
      text: `${given}, lasts ${formatDuration(Math.round(seconds * 1e9))} at ${formatRate(bytesPerSecond * 8)}; a timer that is ${formatDuration(Math.round(lateNs))} late${known > 0 ? '' : ', as real ones are,'} loses rate for good`,
      hint: `take at least ${needed}b`,
    });
  }
  if (seconds > LONG_BURST_SECONDS && !bucket.isDefault && bucket.configuredBytes > packetBytes * 2) {
    findings.push({
      rule: 'burst-of-seconds',
      path,
      text: `${given}, is a burst of ${formatDuration(Math.round(seconds * 1e6) * 1000)}: so long traffic passes at line rate`,
      hint: `${writeSize(Math.max(packetBytes, Math.ceil(bytesPerSecond / 20)))} are 50 ms of the rate`,
    });
  }
  return findings;
}

/** The rate to which a qdisc limits all that passes it (bit/s); undefined: it does not. */
export function rateOf(model: NestedModel): number | undefined {
  const { rate } = model.values;
  if (typeof rate === 'number' && /^(?:tbf|police|netem)$/.test(model.kind)) return rate;
  const child = model.values.qdisc as NestedModel | undefined;
  return child === undefined ? undefined : rateOf(child);
}

/** Finds mistakes in the buckets of tbf and police, also those inside of other qdiscs. */
export function lintBuckets(
  context: LintContext,
  hop: HopSpec,
  model: NestedModel,
  path: readonly string[],
): LintFinding[] {
  const { values } = model;
  const findings: LintFinding[] = [];
  if (model.kind === 'tbf') findings.push(...lintTbf(context, hop, values, path));
  if (model.kind === 'police') findings.push(...lintPolice(context, hop, values, path));
  if (model.kind === 'netem' && path.length === 2)
    findings.push(...netemFindings(queueOf(context, hop, model, hop.link.rateBitsPerSecond, path)));
  const child = values.qdisc as NestedModel | undefined;
  const limit = rateOf({ kind: model.kind, values: { rate: values.rate } });
  if (child !== undefined && limit !== undefined) {
    const queue = queueOf(context, hop, child, limit, [...path, 'qdisc']);
    findings.push(...longQueueFindings([queue]), ...codelFindings(queue), ...netemFindings(queue));
  }
  if (child !== undefined) {
    const inner = rateOf(child);
    if (inner !== undefined && limit !== undefined) {
      findings.push({
        rule: 'double-limit',
        path: [...path, 'qdisc'],
        text: `the ${model.kind} holds a ${child.kind} of ${formatRate(inner)}: packets are limited twice`,
        hint: 'one of them is enough',
      });
    }
    findings.push(...lintBuckets(context, hop, child, [...path, 'qdisc']));
  }
  const bands = (model.kind === 'prio' ? (values.classes ?? {}) : {}) as Readonly<
    Record<string, { qdisc?: NestedModel }>
  >;
  for (const [name, { qdisc }] of Object.entries(bands)) {
    if (qdisc !== undefined) findings.push(...lintBuckets(context, hop, qdisc, [...path, 'classes', name, 'qdisc']));
  }
  return findings;
}

function queueOf(
  context: LintContext,
  hop: HopSpec,
  qdisc: NestedModel,
  bitsPerSecond: number,
  path: readonly string[],
): QueueView {
  const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  return { what: `the ${qdisc.kind}`, path, qdisc, limitPackets: 0, bitsPerSecond, packetBytes };
}

function lintTbf(context: LintContext, hop: HopSpec, values: Values, path: readonly string[]): LintFinding[] {
  const { rate, burst } = values as { rate: number; burst: number };
  const packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  const { maxSizeBytes } = tbfSettings({ deviceMtu: 1500, ...values });
  const findings = burstFindings({
    what: 'the burst of the tbf',
    path: [...path, 'burst'],
    configuredBytes: burst,
    isDefault: false,
    heldBytes: burst,
    bytesPerSecond: Math.floor(rate / 8),
    packetBytes: 0,
    hop,
    hz: values.hz as number | undefined,
  });
  if (maxSizeBytes < packetBytes) {
    findings.push({
      rule: 'burst-below-packet',
      path: [...path, 'burst'],
      text: `the tbf drops every packet above ${formatSize(maxSizeBytes)}, as its bucket holds no more; packets have up to ${formatSize(packetBytes)}`,
      hint: `take a burst${values.peakrate === undefined ? '' : ' and an mtu'} of at least ${packetBytes}b`,
    });
  }
  const limitBytes = tbfLimitBytes(values);
  if (limitBytes !== undefined && values.qdisc === undefined && limitBytes < 2 * packetBytes) {
    const what =
      limitBytes < packetBytes
        ? `less than a packet of ${formatSize(packetBytes)}: all is dropped`
        : `one packet of ${formatSize(packetBytes)}: what comes while it waits is dropped, as by a policer`;
    findings.push({
      rule: 'queue-below-packet',
      path: [...path, values.limit === undefined ? 'latency' : 'limit'],
      text: `the queue of the tbf holds ${formatSize(limitBytes)}, ${what}`,
      hint: 'take latency: 50ms, or a limit of some packets',
    });
  } else if (limitBytes !== undefined && (limitBytes * 8) / rate > LONG_QUEUE_SECONDS && values.qdisc === undefined) {
    findings.push({
      rule: 'queue-of-seconds',
      path: [...path, values.limit === undefined ? 'latency' : 'limit'],
      text: `the queue of the tbf, ${formatSize(limitBytes)}, takes ${formatDuration(Math.round((limitBytes * 80) / rate) * 1e8)} to drain at ${formatRate(rate)}: a packet waits that long behind a full queue`,
      hint: 'take a shorter latency or limit',
    });
  }
  return findings;
}

/** Bytes that wait in a tbf at most, the bucket's included where they follow from a latency (tc/q_tbf.c). */
function tbfLimitBytes(values: Values): number | undefined {
  const { rate, burst, limit, latency } = values as { rate: number; burst: number; limit?: number; latency?: number };
  if (limit !== undefined) return limit;
  return latency === undefined ? undefined : Math.floor((rate / 8) * (latency / 1e9)) + burst;
}

function lintPolice(context: LintContext, hop: HopSpec, values: Values, path: readonly string[]): LintFinding[] {
  const { rate, burst, mtu } = values as { rate?: number; burst?: number; mtu?: number };
  // What passes all the same does not suffer from a small bucket.
  if (!/^(?:drop|reclassify)$/.test(values.exceed as string)) {
    return [
      {
        rule: 'police-lets-pass',
        path: [...path, 'exceed'],
        text: `with exceed: ${values.exceed as string} the policer lets what exceeds pass: nothing is limited`,
        hint: 'exceed: drop limits',
      },
    ];
  }
  if (rate === undefined || burst === undefined) return [];
  const flows = flowsOf(context, hop);
  const packetBytes = largestPacketBytes(context, flows);
  const findings: LintFinding[] = [];
  if (burst < packetBytes) {
    findings.push({
      rule: 'burst-below-packet',
      path: [...path, 'burst'],
      text: `the policer's burst, ${formatSize(burst)}, is smaller than a packet of ${formatSize(packetBytes)}, which therefore never conforms`,
      hint: `take at least ${packetBytes}b; for TCP rate × round-trip time`,
    });
  }
  if (packetBytes > (mtu ?? POLICE_MTU_BYTES)) {
    findings.push({
      rule: 'police-mtu',
      path: [...path, ...(mtu === undefined ? [] : ['mtu'])],
      text: `packets of ${formatSize(packetBytes)} always exceed, as the policer's mtu is ${formatSize(mtu ?? POLICE_MTU_BYTES)}`,
      hint: `set mtu: ${packetBytes}b, or switch TSO and GRO off`,
    });
  }
  const tcp = flows.filter(isTcp);
  if (tcp.length === 0 && !context.imported) return findings;
  const rtts = tcp
    .map((flow) => roundTripNs(context, flow.via, flow.source.values.returnDelay))
    .filter((rtt) => rtt > 0);
  if (tcp.length > 0 && rtts.length === 0) return findings;
  const rttNs = Math.max(0, ...rtts) || USUAL_RTT_NS;
  const needed = Math.ceil((rate / 8) * (rttNs / 1e9));
  if (burst >= needed) return findings;
  const assumed = tcp.length === 0 ? ' (as an access line has)' : '';
  findings.push({
    rule: 'police-burst-below-rtt',
    path: [...path, 'burst'],
    text: `the policer's burst, ${bytesWords(burst)}, is below rate × round-trip time, ${bytesWords(needed)} at ${formatDuration(rttNs)}${assumed}: TCP stays well below ${formatRate(rate)}`,
    hint: `take ${writeSize(Math.ceil(needed / 1000) * 2000)} (twice that), or shape instead of policing${values.ingress === true && mtu === undefined ? '; with GRO on, set mtu: 64kb as well' : ''}`,
  });
  return findings;
}

/** Sizes to compare by eye: whole bytes, thousands grouped. */
function bytesWords(bytes: number): string {
  return `${String(bytes).replace(/\B(?=(\d{3})+$)/g, ',')} B`;
}

/** Round-trip time of a flow without queues (ns). */
export function roundTripNs(context: LintContext, via: readonly string[], returnDelay: unknown): number {
  const forwardNs = context.scenario.hops
    .filter((hop) => via.includes(hop.name))
    .reduce((sum, hop) => sum + hop.link.delayNs, 0);
  return forwardNs + (typeof returnDelay === 'number' ? returnDelay : forwardNs);
}
