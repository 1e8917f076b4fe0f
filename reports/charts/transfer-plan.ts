import type { FlowResult, TransferResult } from '../../sim/run/result.ts';
import { mappingOf, textOf } from '../document.ts';
import { timeOfText } from '../quantity.ts';
import type { ReadPoint } from '../reading.ts';

/** All the transfers of one flow together: how many at a time, how often, and when they are due by their limit. */
export interface TransferPlan {
  readonly startSeconds: number;
  /** Clients at work at the same time. */
  readonly clients: number;
  /** Transfers of each client, one after the other. */
  readonly rounds: number;
  readonly pauseSeconds: number;
  /** Of each transfer. */
  readonly bytes: number;
  /** Of each client (bit/s); 0: none. */
  readonly limitBitsPerSecond: number;
  /** From the start to the last byte of the last transfer; undefined where the run ends before. */
  readonly tookSeconds: number | undefined;
  /** The same if each client kept its limit exactly; undefined without a limit. */
  readonly dueSeconds: number | undefined;
}

/** Reads what the scenario asks of a flow of transfers, and when it was done. */
export function planOf({ document }: ReadPoint, name: string, figures: FlowResult): TransferPlan {
  const written = mappingOf(mappingOf(document.flows)[name]);
  const secondsOf = (value: unknown): number => timeOfText(textOf(value) ?? '') ?? 0;
  const clients = Number(textOf(written.parallel) ?? 1);
  const rounds = Number(textOf(written.repeat) ?? 1);
  const pauseSeconds = secondsOf(written.pause);
  const transfers = figures.transfers ?? (figures.transfer === undefined ? [] : [figures.transfer]);
  const bytes = Math.max(0, ...transfers.map((t) => t.bytes));
  const limitBitsPerSecond = figures.transfer?.limitBitsPerSecond ?? 0;
  const pauses = (rounds - 1) * pauseSeconds;
  const isDone = transfers.length === clients * rounds && transfers.every((t) => t.completed);
  return {
    startSeconds: secondsOf(written.start),
    clients,
    rounds,
    pauseSeconds,
    bytes,
    limitBitsPerSecond,
    tookSeconds: isDone ? longestOf(transfers, rounds) + pauses : undefined,
    dueSeconds: limitBitsPerSecond > 0 ? (rounds * 8 * bytes) / limitBitsPerSecond + pauses : undefined,
  };
}

/** The time that the slowest client is at work: a result lists the transfers client by client. */
function longestOf(transfers: readonly TransferResult[], rounds: number): number {
  let longest = 0;
  for (let first = 0; first < transfers.length; first += rounds) {
    const seconds = transfers.slice(first, first + rounds).reduce((sum, t) => sum + t.seconds, 0);
    longest = Math.max(longest, seconds);
  }
  return longest;
}

/** 100 * (rate over all the transfers / the limit's - 1); undefined where there is no limit or no end. */
export function planDeviationPercent({ tookSeconds, dueSeconds }: TransferPlan): number | undefined {
  return tookSeconds === undefined || dueSeconds === undefined || tookSeconds === 0
    ? undefined
    : 100 * (dueSeconds / tookSeconds - 1);
}

/** Payload of all the transfers over the time they took (bit/s); undefined where they have no end. */
export function planRate({ clients, rounds, bytes, tookSeconds }: TransferPlan): number | undefined {
  return tookSeconds === undefined || tookSeconds === 0 ? undefined : (8 * clients * rounds * bytes) / tookSeconds;
}

/** What the limit allows all the clients together: a rise for each round and a level part for each pause, in (s, bytes). */
export function allowedLine(
  plan: TransferPlan,
): { readonly from: readonly [number, number]; readonly to: readonly [number, number] }[] {
  const { clients, rounds, pauseSeconds, bytes, limitBitsPerSecond, startSeconds } = plan;
  const roundSeconds = (8 * bytes) / limitBitsPerSecond;
  const roundBytes = clients * bytes;
  // Without pauses the rounds are one straight line.
  const rises = pauseSeconds === 0 ? 1 : rounds;
  const [riseSeconds, riseBytes] = [(rounds / rises) * roundSeconds, (rounds / rises) * roundBytes];
  return Array.from({ length: rises }, (_, i) => {
    const begin = startSeconds + i * (riseSeconds + pauseSeconds);
    const end = begin + riseSeconds;
    const top = (i + 1) * riseBytes;
    const rise = { from: [begin, i * riseBytes], to: [end, top] } as const;
    return i === rises - 1 ? [rise] : [rise, { from: [end, top], to: [end + pauseSeconds, top] } as const];
  }).flat();
}
