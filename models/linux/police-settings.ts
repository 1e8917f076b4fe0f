import type { NestedModel, ParameterProblem, ShaperDeclaration, Values } from '../model.ts';
import {
  kernelOf,
  kernelParameter,
  kernelReleaseOf,
  release,
  tcOf,
  tcParameter,
  versionProblems,
} from './kernel-parameters.ts';
import { fixedPointRate } from './packet-cost.ts';
import { Police, type Verdict } from './police.ts';
import { deviceParameters, qdiscCounters, txQueueLenOf } from './qdisc-base.ts';
import { type EstimatorSettings, estimatorSettings } from './rate-estimator.ts';
import { type Bucket, framingOf, framingParameters, sentRate } from './tbf-settings.ts';
import { bytesPerSecond, cellLogOf, transmitTime } from './tc.ts';

/** `mtu` of a policer that has no rate and was told none. */
const UNLIMITED_BYTES = 0xffffffff;

/** Slot numbers of a rate table run to 255; what is longer exceeds a policer with a table of its own. */
const LAST_SLOT = 255;

/**
 * From this kernel on a packet is classified anew 16 times, before 4 times (net/sched/cls_api.c: max_reclassify_loop;
 * sch_api.c: MAX_REC_LOOP).
 */
const MANY_RECLASSIFICATIONS = release(5, 14);

/** What a policer is set to. */
export interface PoliceSettings {
  readonly tickNs: number;
  readonly main?: Bucket;
  readonly peak?: Bucket;
  /** Bucket of `pktsRate`; a packet costs the same whatever its length. */
  readonly packetRate?: { readonly bufferTicks: number; readonly costTicks: number };
  /** Rate from which all exceeds, whatever the buckets say, and how it is measured. */
  readonly average?: { readonly bytesPerSecond: number; readonly estimator: EstimatorSettings };
  readonly mtuBytes: number;
  readonly conform: Verdict;
  readonly exceed: Verdict;
  readonly ingress: boolean;
  /** Whether a super-packet is measured against `mtu` by its segments, and the Ethernet header counted in on ingress. */
  readonly mtuBySegment: boolean;
  readonly sentAtEnqueue: boolean;
  /** How often a packet is classified anew before it is dropped. */
  readonly reclassifications: number;
}

function bucketOf(values: Values, rateBitsPerSecond: number, burstBytes: number): Bucket {
  const kernel = kernelOf(values);
  const tc = tcOf(values);
  const rate = sentRate(kernel, tc, rateBitsPerSecond, framingOf(values, (values.mtu as number | undefined) ?? 0));
  const { ticks } = transmitTime(tc, rate.bytesPerSecond, burstBytes, kernel.netlinkTickNs);
  return { bufferTicks: ticks * (kernel.netlinkTickNs / kernel.tickNs), cost: rate.cost };
}

/** The peak rate's bucket holds what a packet of `mtu` bytes costs. */
function peakBucketOf(values: Values, rateBitsPerSecond: number, mtuBytes: number): Bucket {
  const rate = sentRate(kernelOf(values), tcOf(values), rateBitsPerSecond, framingOf(values, mtuBytes));
  return { bufferTicks: rate.cost.ticks(mtuBytes), cost: rate.cost };
}

function packetBucketOf(values: Values, packetsPerSecond: number, burstPackets: number): PoliceSettings['packetRate'] {
  const kernel = kernelOf(values);
  const { mult, shift } = fixedPointRate(packetsPerSecond);
  const { ticks } = transmitTime(tcOf(values), packetsPerSecond, burstPackets, kernel.netlinkTickNs);
  return { bufferTicks: ticks * (kernel.netlinkTickNs / kernel.tickNs), costTicks: Math.floor(mult / 2 ** shift) };
}

/** How the average of `avrate` is measured; undefined where there is none, or tc refuses its times. */
function averageOf(values: Values, kernelRelease: number): EstimatorSettings | undefined {
  const { avrate, estimator } = values as { avrate?: number; estimator?: { interval: number; average: number } };
  if (avrate === undefined || estimator === undefined) return undefined;
  return estimatorSettings(estimator.interval, estimator.average, kernelRelease);
}

/** Computes what tc and the kernel make of the values. */
export function policeSettings(values: Values): PoliceSettings {
  const kernelRelease = kernelReleaseOf(values);
  const { rate, burst, peakrate, mtu, pktsRate, pktsBurst } = values as Record<string, number | undefined>;
  const main = rate === undefined ? undefined : bucketOf(values, rate, burst!);
  const peak = peakrate === undefined ? undefined : peakBucketOf(values, peakrate, mtu!);
  const packetRate = pktsRate === undefined ? undefined : packetBucketOf(values, pktsRate, pktsBurst!);
  const estimator = averageOf(values, kernelRelease);
  const standardMtu = main === undefined ? UNLIMITED_BYTES : LAST_SLOT * 2 ** cellLogOf(0);
  return {
    tickNs: kernelOf(values).tickNs,
    ...(main === undefined ? {} : { main }),
    ...(peak === undefined ? {} : { peak }),
    ...(packetRate === undefined ? {} : { packetRate }),
    ...(estimator === undefined
      ? {}
      : { average: { bytesPerSecond: bytesPerSecond(values.avrate as number), estimator } }),
    mtuBytes: mtu ?? standardMtu,
    conform: values.conform as Verdict,
    exceed: values.exceed as Verdict,
    ingress: values.ingress as boolean,
    mtuBySegment: kernelRelease >= release(5, 18),
    sentAtEnqueue: kernelRelease < release(3, 0),
    reclassifications: kernelRelease < MANY_RECLASSIFICATIONS ? 4 : 16,
  };
}

/** A parameter that another one needs. */
function missing(name: string, because: string, hint: string): ParameterProblem {
  return { path: [name], expected: `${name}, because of ${because}`, received: 'none', hint };
}

function averageProblems(values: Values): ParameterProblem[] {
  const { avrate, estimator } = values as { avrate?: number; estimator?: { interval: number; average: number } };
  if (avrate === undefined && estimator === undefined) return [];
  if (estimator === undefined) {
    return [
      missing('estimator', 'avrate', 'how the average is measured, e.g. "estimator: { interval: 250ms, average: 1s }"'),
    ];
  }
  if (avrate === undefined) return [missing('avrate', 'estimator', 'the rate that the average is compared with')];
  if (estimatorSettings(estimator.interval, estimator.average, release(6, 0)) !== undefined) return [];
  return [
    {
      path: ['estimator'],
      expected: 'an interval of at most 8 s and an average of about two intervals or more',
      received: 'times that tc refuses',
    },
  ];
}

function check(values: Values): ParameterProblem[] {
  const problems = versionProblems(values);
  const given = (name: string): boolean => values[name] !== undefined;
  if (given('rate') && !given('burst')) {
    problems.push(
      missing('burst', 'rate', 'a packet that costs more than the burst never conforms, e.g. "burst: 20k"'),
    );
  }
  if (given('peakrate') && !given('rate'))
    problems.push(missing('rate', 'peakrate', 'peakrate bounds the bursts of a rate'));
  if (given('peakrate') && !given('mtu')) {
    problems.push(missing('mtu', 'peakrate', 'it is the depth of the peak rate\'s bucket, e.g. "mtu: 2k"'));
  }
  if (given('pktsRate') && !given('pktsBurst'))
    problems.push(missing('pktsBurst', 'pktsRate', 'the bucket, in packets'));
  if (given('pktsRate') && given('rate')) {
    problems.push({ path: ['pktsRate'], expected: 'either rate or pktsRate', received: 'both' });
  }
  problems.push(...averageProblems(values));
  if (!given('rate') && !given('pktsRate') && !given('mtu') && !given('avrate')) {
    problems.push({
      path: [],
      expected: 'rate, pktsRate, avrate or mtu',
      received: 'none',
      hint: 'a policer without any lets everything pass',
    });
  }
  if (problems.length === 0 && given('pktsRate') && kernelReleaseOf(values) < release(5, 13)) {
    problems.push({
      path: ['pktsRate'],
      expected: 'Linux 5.13 or later',
      received: `kernel ${values.kernel as string}`,
    });
  }
  return problems;
}

const verdicts = { choice: ['ok', 'drop', 'pipe', 'reclassify', 'continue'] } as const;

/** `police`: what exceeds the rate is dropped, nothing waits. */
export const police: ShaperDeclaration = {
  kind: 'police',
  role: 'shaper',
  summary: 'Policer: drops what exceeds a rate and burst, nothing waits (act_police).',
  parameters: {
    rate: { type: 'rate', help: 'Rate at which the bucket fills.', minimum: 8 },
    burst: { type: 'size', help: 'Depth of the bucket (bytes); required with rate.', minimum: 1, maximum: 0xffffffff },
    peakrate: { type: 'rate', help: 'Rate of a second bucket, of the depth mtu.', minimum: 8 },
    mtu: {
      type: 'size',
      help: 'Longest packet that can conform; with a rate 2040 bytes unless set, whatever the rate.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    pktsRate: {
      type: 'integer',
      help: 'Packets per second, instead of a rate in bits.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    pktsBurst: {
      type: 'integer',
      help: 'Depth of the bucket of pktsRate (packets); it starts empty.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    avrate: {
      type: 'rate',
      help: 'Everything exceeds while the average of all that comes is this rate or more; needs estimator.',
      minimum: 8,
    },
    estimator: {
      type: {
        record: {
          interval: {
            type: 'duration',
            help: 'Time between two looks, rounded up to 250 ms, 500 ms, 1 s, 2 s, 4 s or 8 s.',
            required: true,
            minimum: 1,
          },
          average: { type: 'duration', help: 'Time over which the rate is averaged.', required: true, minimum: 1 },
        },
      },
      help: 'How the average of avrate is measured.',
    },
    conform: { type: verdicts, help: 'What becomes of a packet within the rate.', default: 'ok' },
    exceed: {
      type: verdicts,
      help: "What becomes of a packet beyond it. drop ends it, and so does tc's default, reclassify, once the kernel has asked the filters in vain; ok, pipe and continue let it pass.",
      default: 'reclassify',
    },
    ingress: {
      type: 'boolean',
      help: 'Whether it stands where packets come in: a packet is then 14 bytes shorter, a super-packet counts no headers of segments.',
      default: false,
    },
    ...framingParameters,
    qdisc: { type: { model: 'shaper' }, help: "Qdisc behind the policer; default pfifo of the device's length." },
    kernel: kernelParameter,
    tc: tcParameter,
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    exceeded: 'Packets beyond the rate or the mtu (overlimits of the action), those of reclassify each time anew.',
    ok: 'Packets with the verdict ok.',
    shot: 'Packets with the verdict drop.',
    other: 'Packets with another verdict; those of reclassify are dropped.',
    policedPackets:
      'Packets that came, whatever became of them (segments of a super-packet counted singly, those of reclassify each time anew).',
    policedBytes: 'Bytes that came.',
    lastUseNs: 'When the last packet came (ns).',
    averageRate: 'The estimated average (bytes per second); 0 without avrate.',
    tokens: "Tokens after the last conforming packet, in ticks of the kernel's clock (3.8 on: ns).",
    ptokens: "Tokens of the peak rate's bucket.",
    packetTokens: 'Tokens of the bucket in packets.',
    checkpoint: 'Instant of the last conforming packet, in ticks.',
    burst: 'Depth of the bucket in ticks.',
    mtu: 'Longest packet that can conform (bytes).',
    mtuTokens: "Depth of the peak rate's bucket in ticks.",
  },
  check,
  create(values, surroundings, build) {
    const settings = policeSettings(values);
    const child = (values.qdisc as NestedModel | undefined) ?? {
      kind: 'pfifo',
      values: { limit: txQueueLenOf(values) },
    };
    return new Police(settings, child, values, surroundings, build);
  },
};
