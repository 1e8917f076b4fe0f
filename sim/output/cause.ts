import type { CurlPlan } from '../../models/curl/client.ts';
import type { PredictionLine } from '../../models/curl/predict.ts';
import { figure, fixed } from './figures.ts';

/** Why a transfer by curl misses its limit, in a sentence or two; undefined where nothing limits it. */
export function curlCause(plan: CurlPlan, lines: readonly PredictionLine[]): string | undefined {
  if (plan.limitBytesPerSecond === 0) return undefined;
  const of = (label: string): number | undefined => lines.find((line) => line.label === label)?.value;
  const [step, lump, lumps] = [of('step'), of('lump'), of('lumps')];
  if (step !== undefined && lump !== undefined && lumps !== undefined) {
    return lumpsCause(plan, { step, lump, lumps, last: of('last lump')! });
  }
  const last = of('last visit');
  return last === undefined
    ? 'curl waits after each send until the average is down to the limit again, also after the last one.'
    : `curl waits after each read until the average is down to the limit again, but not after the last one: ` +
        `${bytes(last)} of ${bytes(plan.sizeBytes)} are not waited for.`;
}

interface Lumps {
  readonly step: number;
  readonly lump: number;
  readonly lumps: number;
  readonly last: number;
}

function lumpsCause(plan: CurlPlan, { step, lump, lumps, last }: Lumps): string {
  const given = `The limiter gives the bytes of a whole step of ${figure(step, 'time')} at once, ${bytes(lump)}, and those of the first step at the start`;
  const isAnswerAwaited = plan.direction === 'upload' && last === lump;
  const waits = lumps - 1 + (isAnswerAwaited ? 1 : 0);
  if (waits === 0) return `${given}: all of the ${bytes(plan.sizeBytes)} fit into that and pass without being limited.`;
  const due = figure(plan.sizeBytes / plan.limitBytesPerSecond, 'time');
  const waited =
    waits === 1
      ? `once, ${figure(step, 'time')}`
      : `${fixed(waits, 0)} times, ${figure(waits * step, 'time')} together`;
  const end = isAnswerAwaited
    ? 'the answer waits for one more step'
    : `the last one, ${bytes(last)}, is not waited for any longer`;
  return (
    `${given}. ${bytes(plan.sizeBytes)} are ${fixed(lumps, 0)} such lumps: the first passes at once, and ${end}. ` +
    `So curl waits ${waited}, where the limit asks for ${due}.`
  );
}

/** Why less comes out than is configured, and between which deviations (percent) that is the reason. */
export interface CauseOfLess {
  readonly cause: string;
  readonly causePercent: readonly [number, number];
}

/** How far TCP stays below a policer's rate by its sawtooth alone (percent). */
const SAWTOOTH_PERCENT = -30;

/**
 * Why TCP gets less than a policer's rate.
 *
 * @param rttNs the longest round-trip time of its TCP flows without queues (ns)
 */
export function policerCause(rateBitsPerSecond: number, burstBytes: number, rttNs: number): CauseOfLess {
  const neededBytes = (rateBitsPerSecond / 8) * (rttNs / 1e9);
  const needed = `${bytes(neededBytes)} (rate × round-trip time, ${figure(rateBitsPerSecond, 'rate')} × ${figure(rttNs / 1e9, 'time')})`;
  if (burstBytes < neededBytes) {
    return {
      cause:
        `The policer lets a burst of ${bytes(burstBytes)} pass, less than the ${needed} that TCP must have under way: ` +
        `nothing waits, what is beyond the burst is dropped, and each drop shrinks TCP's window, which stays too small for the rate.`,
      causePercent: [-100, 0],
    };
  }
  return {
    cause:
      `The policer lets a burst of ${bytes(burstBytes)} pass, no less than the ${needed} that TCP must have under way: ` +
      `packets are dropped only once TCP's window has grown beyond what the rate needs, so that it stays near the rate.`,
    causePercent: [SAWTOOTH_PERCENT, 0],
  };
}

function bytes(count: number): string {
  return `${fixed(count, 0)} B`;
}
