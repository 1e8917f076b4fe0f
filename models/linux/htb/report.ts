import type { ClassReport, QdiscReport } from '../../model.ts';
import type { PacketQueue } from '../../packet.ts';
import type { KernelRules } from '../kernels.ts';
import type { HtbCounters } from './htb.ts';
import type { HtbClass } from './htb-class.ts';

/** Name of the direct queue among the classes. */
export const DIRECT_NAME = 'direct';

const MODE_NAMES = ['cant-send', 'may-borrow', 'can-send'] as const;

/** What the HTB holds at the time of a report. */
export interface HtbHoldings {
  readonly packets: number;
  readonly bytes: number;
  readonly direct: PacketQueue;
}

/** The report of an HTB in tc's words; the direct queue is told of if a packet ever came to it. */
export function reportHtb(
  kernel: KernelRules,
  tree: readonly HtbClass[],
  limitReached: number,
  counters: HtbCounters,
  held: HtbHoldings,
  nowNs: number,
): QdiscReport {
  const classes: Record<string, ClassReport> = {};
  const children: Record<string, QdiscReport> = {};
  for (const entry of tree) {
    classes[entry.figures.name] = reportClass(kernel, entry);
    if (entry.nested !== undefined) children[entry.figures.name] = entry.nested.report(nowNs);
  }
  if (counters.directEnqueued + counters.directDropped > 0) {
    classes[DIRECT_NAME] = {
      counters: {
        sentPackets: counters.directDepartedPackets,
        sentBytes: counters.directDepartedBytes,
        droppedPackets: counters.directDropped,
        backlogPackets: held.direct.lengthPackets,
        backlogBytes: held.direct.backlogBytes,
      },
    };
  }
  return {
    counters: {
      sentPackets: counters.sentPackets,
      sentBytes: counters.sentBytes,
      droppedPackets: counters.droppedPackets,
      overlimits: kernel.overlimits === 'cant-send' ? limitReached : counters.idleDequeues,
      requeues: 0,
      backlogPackets: held.packets,
      backlogBytes: held.bytes,
      directPackets: counters.directEnqueued,
    },
    classes,
    children,
  };
}

function reportClass(kernel: KernelRules, entry: HtbClass): ClassReport {
  const atEnqueue = entry.level === 0 && kernel.leafSentAt === 'enqueue';
  return {
    ...(entry.parent === undefined ? {} : { parent: entry.parent.figures.name }),
    level: entry.level,
    mode: MODE_NAMES[entry.mode as 0 | 1 | 2],
    counters: {
      sentPackets: atEnqueue ? entry.enqueuedPackets : entry.departedPackets,
      sentBytes: atEnqueue ? entry.enqueuedBytes : entry.departedBytes,
      droppedPackets: entry.droppedPackets,
      backlogPackets: entry.backlogPackets,
      backlogBytes: entry.backlogBytes,
      overlimits: kernel.classOverlimits ? entry.overlimits : 0,
      lended: entry.lended,
      borrowed: entry.borrowed,
      giants: entry.giants,
      tokens: entry.tokens,
      ctokens: entry.ctokens,
      tokensShown: shownTokens(kernel, entry.tokens),
      ctokensShown: shownTokens(kernel, entry.ctokens),
    },
  };
}

/** Tokens as tc shows them: in ticks of the netlink interface, within 32 bits. */
export function shownTokens(kernel: KernelRules, tokens: number): number {
  const shown = Math.floor((tokens * kernel.tickNs) / kernel.netlinkTickNs);
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, shown));
}
