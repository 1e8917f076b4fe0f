import type { FlowResult } from '../sim/run/result.ts';
import { Bounds } from './bounds.ts';
import { mappingOf, textOf } from './document.ts';
import type { Excuse } from './entitlement.ts';
import { counted, formatDifference, formatNumber, formatQuantity } from './format.ts';
import type { Reading, ReadPoint } from './reading.ts';
import type { About } from './why.ts';

/** A link that is busy for this share of the time is full. */
const FULL = 0.98;
const SHARERS_NAMED = 4;

/** What a finding on a flow's rate is about. */
export function aboutReading(read: ReadPoint, reading: Reading): About {
  const { flow, configuredBy, configuredHop, point } = reading;
  const bounds = new Bounds(read.document);
  const limiter = configuredBy.replace(/^ceil of /, '');
  const hops = [configuredHop, ...Object.keys(point.hops)];
  const classes = hops.flatMap((hop) => {
    const name = bounds.classOf(flow, hop);
    return name === undefined ? [] : [`class ${name} of ${hop}`];
  });
  return {
    result: reading.resultIndex,
    point: reading.pointIndex,
    subjects: [...new Set([`flow ${flow}`, ...classes, limiter, `${limiter} of ${configuredHop}`])],
    bitsPerSecond: reading.receivedBitsPerSecond,
    accountedBitsPerSecond: point.flows[flow]?.bitsPerSecond.accounted ?? 0,
    deviationPercent: reading.deviationPercent,
    known: knownOf(read, reading, bounds),
  };
}

/** A flow's rate against what is configured, in a sentence without its full stop. */
export function readingWords(reading: Reading): string {
  const received = formatQuantity(reading.receivedBitsPerSecond, 'rate', 4);
  const { flow, configuredBitsPerSecond, configuredBy, deviationPercent, excuse } = reading;
  if (configuredBitsPerSecond === undefined) return `${flow} gets ${received}; nothing limits it`;
  const configured = `${formatQuantity(configuredBitsPerSecond, 'rate', 4)} (${configuredBy})`;
  if (deviationPercent !== undefined) {
    const difference = formatDifference(deviationPercent);
    return difference === 'the same'
      ? `${flow} gets what is configured, ${configured}`
      : `${flow} gets ${received} where ${configured} is configured, ${difference}`;
  }
  return excuse === 'offers less'
    ? `${flow} gets the ${received} that it offers; it might have ${configured}`
    : `${flow} gets ${received} of at most ${configured}`;
}

/** What is known of a flow's rate without any arithmetic: what it offers, whom it shares with, what was lost. */
function knownOf(read: ReadPoint, reading: Reading, bounds: Bounds): string {
  const figures = reading.point.flows[reading.flow] as FlowResult;
  return [
    excuseWords(read, reading, bounds),
    ...classWords(read, reading, bounds),
    ...linkWords(read, reading),
    ...((reading.deviationPercent ?? 0) > 0 ? [] : lossWords(figures)),
  ]
    .filter((words) => words !== '')
    .join(' ');
}

/** Why a flow is entitled to no more than it gets. */
function excuseWords({ document }: ReadPoint, reading: Reading, bounds: Bounds): string {
  const { flow, point, configuredBy } = reading;
  const offered = formatQuantity(point.flows[flow]?.bitsPerSecond.offered ?? 0, 'rate', 4);
  const least = bounds.of(flow).find(({ by }) => by === configuredBy);
  const sharers = bounds
    .of(flow)
    .filter(({ flows }) => flows.length > 1)
    .map(({ by, flows }) => ({ by, others: flows.filter((name) => name !== flow) }))
    .at(0);
  const written = mappingOf(mappingOf(document.flows)[flow]);
  const texts: Readonly<Record<Excuse, () => string>> = {
    'offers less': () => `It offers ${offered}, less than ${configuredBy} allows, so that nothing holds it back.`,
    'comes in bursts': () =>
      `It offers ${offered} on average, in bursts; ${configuredBy} allows ${formatQuantity(reading.configuredBitsPerSecond ?? 0, 'rate', 4)}. Between the bursts there is nothing to send, so that the average is less.`,
    pauses: () =>
      `It pauses${written.idle === undefined ? '' : ` for ${textOf(written.idle)}`} between its transfers, and is not held back by any limiter meanwhile.`,
    'runs for a part of the time': () =>
      'It sends for a part of the time only, over all of which its rates are averages.',
    shares: () => {
      if (sharers === undefined) return '';
      const names = sharers.others.slice(0, SHARERS_NAMED).join(', ');
      const more = sharers.others.length - SHARERS_NAMED;
      return `It shares ${sharers.by} with ${names}${more > 0 ? ` and ${counted(more, 'other')}` : ''}, which together use all of it.`;
    },
    'link is full': () => '',
    headers: () => 'The rest are headers, which the figure leaves out.',
    'class unknown': () => 'Filters choose its class by what its packets hold.',
  };
  return reading.excuse === undefined || least === undefined ? '' : texts[reading.excuse]();
}

function classWords({ point }: ReadPoint, { flow }: Reading, bounds: Bounds): string[] {
  return Object.entries(point.hops).flatMap(([hop, { classes }]) => {
    const name = bounds.classOf(flow, hop);
    const figures = name === undefined ? undefined : classes[name];
    if (name === undefined || figures === undefined) return [];
    const count = (counter: string): number =>
      typeof figures[counter] === 'number' ? (figures[counter] as number) : 0;
    const [own, borrowed] = [count('lended'), count('borrowed')];
    return borrowed === 0
      ? []
      : [
          `Its class ${name} paid for ${formatNumber(own, 15)} packets out of its own rate and borrowed for ${formatNumber(borrowed, 15)}.`,
        ];
  });
}

function linkWords({ document, point }: ReadPoint, { flow }: Reading): string[] {
  const via = mappingOf(mappingOf(document.flows)[flow]).via;
  return (Array.isArray(via) ? via.map(String) : []).flatMap((hop) => {
    const link = point.hops[hop]?.link;
    if (link === undefined) return [];
    const words: string[] = [];
    if (link.busyFraction >= FULL)
      words.push(`The link of ${hop} is busy ${formatNumber(100 * link.busyFraction, 3)}\u00a0% of the time.`);
    if (link.lostPackets > 0) words.push(`The link of ${hop} loses ${counted(link.lostPackets, 'packet')} on the way.`);
    return words;
  });
}

function lossWords({ sentPackets, droppedPackets, counters }: FlowResult): string[] {
  const words: string[] = [];
  if (droppedPackets > 0 && sentPackets > 0) {
    words.push(
      `${formatNumber(droppedPackets, 15)} of its ${formatNumber(sentPackets, 15)} packets (${formatNumber((100 * droppedPackets) / sentPackets, 2)}\u00a0%) are dropped.`,
    );
  }
  const again = counters?.retransmittedSegments ?? 0;
  if (again > 0) words.push(`TCP sends ${counted(again, 'segment')} again and slows down each time.`);
  return words;
}
