import { figure, fixed } from './figures.ts';

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
