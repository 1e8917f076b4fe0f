import type { ParameterProblem, Values } from '../model.ts';
import { kernelOf, tcOf } from './kernel-parameters.ts';
import type { TcRules } from './kernels.ts';
import { bytesPerSecond, transmitTime } from './tc.ts';

/** Rate that tc takes for the idle table where none is given (bit/s). */
const DEFAULT_BANDWIDTH = 10_000_000;
const DEFAULT_PROBABILITY = 0.02;
const MOST_SHIFT = 31;
const LAST_CELL = 255;

/** What tc sends for RED, beside the flags; sizes in bytes. */
export interface RedParameters {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly burstPackets: number;
  /** Weight of a packet in the average: 2^-wLog; undefined where no weight fits burst. */
  readonly wLog: number | undefined;
  /** Drop probability per byte of the range, as a power of two; undefined where it is too small. */
  readonly pLog: number | undefined;
  /** Probability at max (1/2^32). */
  readonly maxP: number;
  /** Length of a cell of the idle table, as a power of two. */
  readonly cellLog: number;
  /** By how many bits the average shrinks after an idle time of so many cells. */
  readonly idleShifts: Uint8Array;
}

/** The smallest weight at which a burst of `burstPackets` from an empty queue stays below min (tc/tc_red.c). */
function weightOf(minBytes: number, burstPackets: number, averageBytes: number): number | undefined {
  const room = burstPackets + 1 - minBytes / averageBytes;
  if (room < 1) return undefined;
  for (let log = 1; log <= MOST_SHIFT; log++) {
    const weight = 2 ** -log;
    if (room <= (1 - (1 - weight) ** burstPackets) / weight) return log;
  }
  return undefined;
}

/** The number of doublings that bring the probability per byte above 1 (tc/tc_red.c). */
function probabilityLogOf(minBytes: number, maxBytes: number, probability: number): number | undefined {
  const range = maxBytes - minBytes;
  if (range === 0) return 0;
  if (range < 0) return undefined;
  let perByte = probability / range;
  for (let log = 0; log <= MOST_SHIFT; log++) {
    if (perByte > 1) return log;
    perByte *= 2;
  }
  return undefined;
}

/** The idle table, for a time per average packet in ticks; shifts of ints overflow as they do in tc (tc/tc_red.c). */
function idleTableOf(wLog: number, packetTicks: number): { cellLog: number; idleShifts: Uint8Array } {
  const logPerTick = -Math.log(1 - 2 ** -wLog) / packetTicks;
  const longest = MOST_SHIFT / logPerTick;
  let cellLog = 0;
  while (cellLog < MOST_SHIFT && longest / (1 << cellLog) >= 512) cellLog++;
  const idleShifts = new Uint8Array(LAST_CELL + 1);
  for (let cell = 1; cell < LAST_CELL; cell++) {
    const shift = Math.trunc((cell << cellLog) * logPerTick) & 0xff;
    idleShifts[cell] = Math.min(shift, MOST_SHIFT);
  }
  idleShifts[LAST_CELL] = MOST_SHIFT;
  return { cellLog, idleShifts };
}

/** A table for those who never ask it. */
const noIdleTable = { cellLog: 0, idleShifts: new Uint8Array(0) };

/**
 * Computes what tc sends for RED (tc/q_red.c, tc/tc_red.c; sfq: tc/q_sfq.c).
 *
 * `limitBytes` gives the default of max; the idle table is made only `withIdleTable`.
 */
export function redParameters(values: Values, limitBytes: number, withIdleTable: boolean): RedParameters {
  const given = values as Record<string, number | undefined>;
  const averageBytes = given.avpkt!;
  const maxBytes = given.max ?? (given.min === undefined ? Math.floor(limitBytes / 4) : given.min * 3);
  const minBytes = given.min ?? Math.floor(maxBytes / 3);
  const burstPackets = given.burst ?? Math.floor((2 * minBytes + maxBytes) / (3 * averageBytes));
  const probability = given.probability ?? DEFAULT_PROBABILITY;
  const wLog = weightOf(minBytes, burstPackets, averageBytes);
  const table =
    withIdleTable && wLog !== undefined
      ? idleTableOf(wLog, averagePacketTicks(values, tcOf(values), averageBytes))
      : noIdleTable;
  return {
    minBytes,
    maxBytes,
    burstPackets,
    wLog,
    pLog: probabilityLogOf(minBytes, maxBytes, probability),
    maxP: (probability * 2 ** 32) >>> 0,
    ...table,
  };
}

function averagePacketTicks(values: Values, tc: TcRules, averageBytes: number): number {
  const rate = bytesPerSecond((values.bandwidth as number | undefined) ?? DEFAULT_BANDWIDTH);
  return transmitTime(tc, rate, averageBytes, kernelOf(values).netlinkTickNs).ticks;
}

/** Bits of a number, as the kernel's fls(). */
function bits(value: number): number {
  return 32 - Math.clz32(value);
}

/** What tc and the kernel refuse of RED's parameters. */
export function redProblems(values: Values, parameters: RedParameters): ParameterProblem[] {
  const { minBytes, maxBytes, burstPackets, wLog, pLog } = parameters;
  const problems: ParameterProblem[] = [];
  if (maxBytes < minBytes) {
    problems.push({
      path: ['max'],
      expected: `at least min (${minBytes} bytes)`,
      received: `${maxBytes} bytes`,
      hint: 'max defaults to a quarter of limit, or to three times min',
    });
    return problems;
  }
  if (wLog === undefined) {
    problems.push({
      path: ['burst'],
      expected: `more than min / avpkt = ${minBytes / (values.avpkt as number)} packets`,
      received: `${burstPackets}`,
      hint: 'tc finds no weight for the average; a usual burst is (2 * min + max) / (3 * avpkt)',
    });
  }
  if (pLog === undefined) {
    problems.push({
      path: ['probability'],
      expected: 'a probability that 31 doublings per byte of the range raise above 1',
      received: `${(values.probability as number | undefined) ?? DEFAULT_PROBABILITY}`,
      hint: 'make it larger, or max - min smaller',
    });
  }
  for (const [name, bytes] of [
    ['min', minBytes],
    ['max', maxBytes],
  ] as const) {
    if (wLog !== undefined && bits(bytes) + wLog >= 32) {
      problems.push({
        path: [name],
        expected: `fewer than ${2 ** (31 - wLog)} bytes, for a weight of 2^-${wLog}`,
        received: `${bytes} bytes`,
        hint: 'the kernel keeps the average in 32 bits; a smaller burst gives a larger weight',
      });
    }
  }
  return problems;
}
