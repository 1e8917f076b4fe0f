import type { ParameterProblem, ShaperDeclaration, Values } from '../model.ts';
import { handleMajorOf, handleParameter } from './handle.ts';
import { kernelParameter, kernelReleaseOf, release, tcParameter, versionProblems } from './kernel-parameters.ts';
import { deviceFrameBytes, deviceParameters, qdiscCounters } from './qdisc-base.ts';
import { redLawCounters, redLawParameters } from './red.ts';
import { type RedParameters, redParameters, redProblems } from './red-tc.ts';
import { Sfq } from './sfq.ts';
import { SfqClassic, type SfqClassicSettings } from './sfq-classic.ts';

const DEFAULT_SLOTS = 128;
const MOST_SLOTS = 65_408;
const DEFAULT_DIVISOR = 1024;
const MOST_DIVISOR = 65_536;
const MOST_DEPTH = 127;
const DEFAULT_LIMIT = 127;
const LEAST_QUANTUM = 256;
const MOST_QUANTUM = 1 << 20;
/** Average packet that tc takes for RED in sfq where none is given (bytes). */
const DEFAULT_AVERAGE_BYTES = 1000;

/** What sfq is set to. */
export interface SfqSettings {
  readonly limitPackets: number;
  readonly depthPackets: number;
  readonly slots: number;
  readonly divisor: number;
  readonly quantumBytes: number;
  /** The quantum in units of the allotment. */
  readonly quantumUnits: number;
  /** Bytes of a unit: 1, or 8 where allotments are kept in 16 bits. */
  readonly allotUnitBytes: number;
  readonly headdrop: boolean;
  /** Period of the new hash key; 0: never. */
  readonly perturbNs: number;
  readonly handleMajor: number;
  readonly red?: { readonly parameters: RedParameters; readonly ecn: boolean; readonly harddrop: boolean };
}

/** Allotments in bytes, and quanta held within bounds, as read in 6.12; to 5.10 in 8-byte units of 16 bits. */
const ALLOT_IN_BYTES = release(6, 12);

/** Kernels 2.6 have the sfq of fixed sizes, as read in 2.6.24. */
const SIZES_SETTABLE = release(3, 0);
const CLASSIC_LIMIT = 128;

/** Computes what a kernel 2.6 makes of the values; it knows no others. */
function classicSettings(values: Values): SfqClassicSettings {
  return {
    limitPackets: Math.min((values.limit as number | undefined) ?? CLASSIC_LIMIT, CLASSIC_LIMIT),
    quantumBytes: (values.quantum as number | undefined) ?? deviceFrameBytes(values),
    perturbNs: (values.perturb as number | undefined) ?? 0,
    handleMajor: handleMajorOf(values),
  };
}

/** What only the sfq with settable sizes knows. */
const newerNames = ['depth', 'flows', 'divisor', 'redflowlimit'] as const;

function redOf(values: Values): RedParameters | undefined {
  const limit = values.redflowlimit as number | undefined;
  if (limit === undefined) return undefined;
  return redParameters({ avpkt: DEFAULT_AVERAGE_BYTES, ...values }, limit, false);
}

/** Computes what the kernel makes of the values (sch_sfq.c: sfq_init, sfq_change). */
export function sfqSettings(values: Values): SfqSettings {
  const given = values as Record<string, number | undefined>;
  const inBytes = kernelReleaseOf(values) >= ALLOT_IN_BYTES;
  const frameBytes = deviceFrameBytes(values);
  const standard = inBytes ? Math.min(Math.max(frameBytes, LEAST_QUANTUM), MOST_QUANTUM) : frameBytes;
  const asked =
    given.quantum === undefined ? standard : inBytes ? Math.max(LEAST_QUANTUM, given.quantum) : given.quantum;
  const depth = Math.min(given.depth ?? MOST_DEPTH, MOST_DEPTH);
  let slots = Math.min(given.flows ?? DEFAULT_SLOTS, MOST_SLOTS);
  if (given.divisor !== undefined) slots = Math.min(slots, given.divisor);
  let limit = DEFAULT_LIMIT;
  if (given.limit !== undefined) {
    limit = Math.min(given.limit, depth * slots);
    slots = Math.min(slots, limit);
  }
  const allotUnitBytes = inBytes ? 1 : 8;
  const parameters = redOf(values);
  return {
    limitPackets: limit,
    depthPackets: depth,
    slots,
    divisor: given.divisor ?? DEFAULT_DIVISOR,
    quantumBytes: asked,
    quantumUnits: Math.ceil(asked / allotUnitBytes),
    allotUnitBytes,
    headdrop: values.headdrop as boolean,
    perturbNs: (values.perturb as number | undefined) ?? 0,
    handleMajor: handleMajorOf(values),
    ...(parameters === undefined
      ? {}
      : { red: { parameters, ecn: values.ecn as boolean, harddrop: values.harddrop as boolean } }),
  };
}

function classicProblems(values: Values): ParameterProblem[] {
  const given: readonly string[] = newerNames.filter((name) => values[name] !== undefined);
  const names = values.headdrop === true ? [...given, 'headdrop'] : given;
  return names.map((name) => ({
    path: [name],
    expected: 'Linux 3.0 or later',
    received: `kernel ${values.kernel as string}`,
    hint: 'the sfq of 2.6 can only be given limit, quantum and perturb',
  }));
}

function check(values: Values): ParameterProblem[] {
  const problems = versionProblems(values);
  if (problems.length === 0 && kernelReleaseOf(values) < SIZES_SETTABLE) return classicProblems(values);
  const divisor = values.divisor as number | undefined;
  if (divisor !== undefined && (divisor & (divisor - 1)) !== 0) {
    const below = 2 ** Math.floor(Math.log2(divisor));
    problems.push({
      path: ['divisor'],
      expected: `a power of two up to ${MOST_DIVISOR}`,
      received: `${divisor}`,
      hint: `the nearest are ${below} and ${below * 2}`,
    });
  }
  for (const name of ['min', 'max', 'burst', 'avpkt', 'probability']) {
    if (values[name] === undefined || values.redflowlimit !== undefined) continue;
    problems.push({
      path: [name],
      expected: 'redflowlimit as well',
      received: `${name} alone`,
      hint: 'redflowlimit turns RED on for each flow, e.g. "redflowlimit: 60k"',
    });
  }
  if (problems.length > 0) return problems;
  const parameters = redOf(values);
  if (parameters !== undefined) {
    problems.push(...redProblems({ avpkt: DEFAULT_AVERAGE_BYTES, ...values }, parameters));
  }
  if (sfqSettings(values).limitPackets === 1) {
    problems.push({
      path: ['limit'],
      expected: 'a limit of at least 2 packets',
      received: '1, the least of limit and depth times flows',
      hint: 'the kernel refuses a limit of 1',
    });
  }
  return problems;
}

/** `sfq`: stochastic fairness queueing. */
export const sfq: ShaperDeclaration = {
  kind: 'sfq',
  role: 'shaper',
  summary: 'Stochastic fairness queueing: round robin among hashed flows (sch_sfq).',
  parameters: {
    limit: { type: 'integer', help: 'Packets held at most; default 127.', minimum: 1, maximum: 0xffffffff },
    depth: {
      type: 'integer',
      help: 'Packets of one flow held at most; default and at most 127.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    flows: { type: 'integer', help: 'Flows held at a time; default 128.', minimum: 1, maximum: 0xffffffff },
    divisor: {
      type: 'integer',
      help: 'Buckets of the hash, a power of two; default 1024.',
      minimum: 1,
      maximum: MOST_DIVISOR,
    },
    quantum: {
      type: 'size',
      help: 'Bytes that a flow may send in one turn; default the longest frame of the device.',
      minimum: 1,
      maximum: MOST_QUANTUM,
    },
    perturb: { type: 'duration', help: 'Period after which flows are hashed anew; default never.', minimum: 0 },
    headdrop: { type: 'boolean', help: 'Drop the oldest packet of a flow instead of the newest.', default: false },
    redflowlimit: {
      type: 'size',
      help: 'Turns RED on for each flow; gives the default of max.',
      minimum: 1,
      maximum: 0xffffffff,
    },
    avpkt: {
      type: 'size',
      help: 'Average length of a packet, for RED; default 1000 bytes.',
      minimum: 1,
      maximum: 0xffff,
    },
    ...redLawParameters,
    ecn: { type: 'boolean', help: 'Let RED mark ECN-capable packets instead of dropping them.', default: false },
    handle: handleParameter,
    kernel: kernelParameter,
    tc: tcParameter,
    ...deviceParameters,
  },
  counters: {
    ...qdiscCounters,
    ...redLawCounters,
    limit: 'The limit (packets).',
    maxdepth: 'Packets of one flow held at most.',
    maxflows: 'Flows held at a time.',
    divisor: 'Buckets of the hash.',
    quantum: 'The quantum (bytes).',
    curDepth: 'Packets in the longest flow at the end.',
    probMarkHead: 'Oldest packets marked at random in place of the new one.',
    forcedMarkHead: 'Oldest packets marked above max in place of the new one.',
  },
  check,
  create: (values, surroundings) =>
    kernelReleaseOf(values) < SIZES_SETTABLE
      ? new SfqClassic(classicSettings(values), surroundings)
      : new Sfq(sfqSettings(values), surroundings),
};
