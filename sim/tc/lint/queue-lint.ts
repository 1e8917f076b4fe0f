import type { NestedModel } from '../../../models/model.ts';
import { formatDuration } from '../../units/duration.ts';
import { formatRate } from '../../units/rate.ts';
import { formatSize } from '../../units/size.ts';
import type { LintFinding } from './finding.ts';

/** A queue that takes longer to drain is worth a word (s). */
const LONG_SECONDS = 2;

/** A queue, and the rate at which what waits in it can leave. */
export interface QueueView {
  readonly what: string;
  readonly path: readonly string[];
  /** Absent: the plain queue of the class. */
  readonly qdisc: NestedModel | undefined;
  /** Packets of the plain queue. */
  readonly limitPackets: number;
  readonly bitsPerSecond: number;
  readonly packetBytes: number;
}

/** How long the queue takes to drain when it is full (s); undefined: it is no FIFO, or keeps itself short. */
export function drainSeconds({ qdisc, limitPackets, bitsPerSecond, packetBytes }: QueueView): number | undefined {
  const packets = (count: number): number => (count * packetBytes * 8) / bitsPerSecond;
  if (qdisc === undefined) return packets(limitPackets);
  const { limit } = qdisc.values;
  if (typeof limit !== 'number') return undefined;
  if (/^pfifo/.test(qdisc.kind)) return packets(limit);
  return qdisc.kind === 'bfifo' ? (limit * 8) / bitsPerSecond : undefined;
}

/** Finds one thing for all queues of a hop that take seconds to drain. */
export function longQueueFindings(queues: readonly QueueView[]): LintFinding[] {
  const long = queues.filter((queue) => (drainSeconds(queue) ?? 0) > LONG_SECONDS);
  const [first, ...others] = long;
  if (first === undefined) return [];
  const seconds = drainSeconds(first)!;
  const limit = (first.qdisc?.values.limit as number | undefined) ?? first.limitPackets;
  const amount = first.qdisc?.kind === 'bfifo' ? formatSize(limit) : `${limit} packets`;
  const also =
    others.length === 0
      ? ''
      : others.length === 1
        ? '; another queue is as long'
        : `; ${others.length} others are as long`;
  return [
    {
      rule: 'queue-of-seconds',
      path: first.path,
      text: `${first.what}, ${amount}, takes ${formatDuration(Math.round(seconds * 10) * 1e8)} to drain at ${formatRate(first.bitsPerSecond)}: a packet waits that long behind a full queue${also}`,
      hint: 'put fq_codel, sfq or a shorter pfifo below',
    },
  ];
}

/** Finds a CoDel that takes the time of a single packet for a standing queue. */
export function codelFindings({ what, path, qdisc, bitsPerSecond, packetBytes }: QueueView): LintFinding[] {
  if (qdisc === undefined || !/^(?:fq_)?codel$/.test(qdisc.kind)) return [];
  const targetNs = qdisc.values.target as number;
  const packetNs = (packetBytes * 8e9) / bitsPerSecond;
  if (packetNs <= targetNs) return [];
  const needed = `${Math.ceil((packetNs * 1.5) / 1e6)}ms`;
  return [
    {
      rule: 'codel-target-below-packet',
      path: [...path, 'target'],
      text: `${what}: a packet of ${formatSize(packetBytes)} takes ${formatDuration(Math.round(packetNs / 1e5) * 1e5)} at ${formatRate(bitsPerSecond)}, longer than the target of ${formatDuration(targetNs)}: ${qdisc.kind} drops where nothing stands in line`,
      hint: `set target: ${needed} or more`,
    },
  ];
}

/** Finds a netem that drops because more is under way than it holds. */
export function netemFindings({ what, path, qdisc, bitsPerSecond, packetBytes }: QueueView): LintFinding[] {
  if (qdisc?.kind !== 'netem') return [];
  const { delay, limit, rate = bitsPerSecond } = qdisc.values as { delay: number; limit: number; rate?: number };
  const underWay = Math.ceil((rate * delay) / 8e9 / packetBytes);
  if (rate === 0 || underWay <= limit) return [];
  const most = (limit * packetBytes * 8e9) / delay;
  return [
    {
      rule: 'netem-limit-below-delay',
      path: [...path, ...(limit === NETEM_LIMIT_PACKETS ? [] : ['limit'])],
      text: `${what} holds ${limit} packets, but at ${formatRate(rate)} and ${formatDuration(delay)} ${underWay} are under way: it drops all above ${formatRate(most)}`,
      hint: `set limit: ${Math.ceil((underWay * 1.5) / 1000) * 1000}`,
    },
  ];
}

const NETEM_LIMIT_PACKETS = 1000;
