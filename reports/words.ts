import type { Result } from '../sim/run/result.ts';
import { type Mapping, mappingOf, resolveDocument, textOf } from './document.ts';
import { counted, formatNumber, formatQuantity, listWords } from './format.ts';
import { type Html, html, shown } from './html.ts';
import { rateOfText, sizeOfText } from './quantity.ts';
import { type ChartSource, deciderOf, differingVariables, valueWords } from './reading.ts';
import { quantityVaried, valuesOf } from './variables.ts';

const CLASSES_IN_WORDS = 8;
const VALUES_IN_WORDS = 5;
/** Values that are no quantities are not told by the first and the last of them. */
const NAMES_IN_WORDS = 12;

const SHAPERS: Readonly<Record<string, string>> = {
  htb: 'Linux HTB (hierarchical token bucket)',
  tbf: 'Linux TBF (token bucket filter)',
  police: 'a Linux policer, which drops what is too fast',
  policer: 'a Linux policer, which drops what is too fast',
  pfifo: 'a first-in first-out queue',
  bfifo: 'a first-in first-out queue',
  codel: 'CoDel, which drops by time spent waiting',
  fq_codel: 'FQ-CoDel, fair queues that drop by time spent waiting',
  prio: 'strict priority bands',
  'token-bucket': 'a textbook token bucket',
  'leaky-bucket': 'a textbook leaky bucket',
  gcra: 'GCRA, the cell rate algorithm',
  'fixed-window': 'a counter that starts afresh every window',
  'sliding-window': 'a sliding window counter',
};

function rateWords(text: string | undefined): string {
  if (text === undefined) return '';
  const rate = rateOfText(text);
  return rate === undefined ? text : formatQuantity(rate, 'rate');
}

function sizeWords(text: string): string {
  const bytes = sizeOfText(text);
  return bytes === undefined ? text : `${formatNumber(bytes, 7)}-byte`;
}

function packetsWords(flow: Mapping): string {
  const size = textOf(flow.size);
  return size === undefined ? 'packets' : `${sizeWords(size)} packets`;
}

function paceWords(flow: Mapping): string {
  const rate = textOf(flow.rate);
  if (rate !== undefined) return ` at ${rateWords(rate)}`;
  const interval = textOf(flow.interval);
  if (interval !== undefined && /^0+[a-z]*$/.test(interval)) return ', all at once';
  return interval === undefined ? '' : `, one every ${interval}`;
}

function tcpWords(flow: Mapping): string {
  const congestion = textOf(mappingOf(flow.tcp).congestion);
  return congestion === undefined ? 'TCP' : `TCP (${congestion})`;
}

function limitWords(flow: Mapping): string {
  const limit = textOf(flow.limit);
  if (limit === undefined) return 'without a limit';
  const bytes = sizeOfText(limit);
  return bytes === undefined
    ? `told to keep to ${limit}`
    : `told to take no more than ${limit} bytes a second (${formatQuantity(8 * bytes, 'rate', 4)})`;
}

function sourceWords(flow: Mapping): string {
  const source = textOf(flow.source) ?? '';
  const bytes = textOf(flow.bytes);
  switch (source) {
    case 'cbr':
      return `sends ${packetsWords(flow)} evenly${paceWords(flow)}`;
    case 'poisson':
      return `sends ${packetsWords(flow)} at random moments (Poisson)${paceWords(flow)} on average`;
    case 'on-off':
      return `sends ${packetsWords(flow)} in bursts${paceWords(flow)}`;
    case 'trace':
      return 'repeats a recorded trace of packets';
    case 'bulk':
      return bytes === undefined
        ? `sends as much as ${tcpWords(flow)} lets it`
        : `sends ${bytes} over ${tcpWords(flow)}`;
    case 'curl': {
      const direction = textOf(flow.direction) ?? 'download';
      // A direction that is varied is neither.
      const doing = direction === 'upload' ? 'uploading' : direction === 'download' ? 'downloading' : 'moving';
      const http = textOf(flow.http);
      const client = textOf(flow.client) === 'lib' ? 'an application with libcurl' : 'the curl command';
      return `is ${client}, version ${textOf(flow.version) ?? 'unknown'}, ${doing} ${
        textOf(flow.size) ?? 'a file'
      } over ${tcpWords(flow)}${http === undefined ? '' : ` and HTTP/${http}`}, ${limitWords(flow)}`;
    }
    case 'download': {
      const limiter = mappingOf(flow.limiter);
      const kind = textOf(flow.limiter) ?? textOf(limiter.kind) ?? 'limiter';
      const rate = textOf(limiter.rate);
      return `is an application with a ${kind.replaceAll('_', ' ')}${rate === undefined ? '' : ` of ${rate}`}, downloading ${
        textOf(flow.size) ?? 'a file'
      } over ${tcpWords(flow)}`;
    }
    default:
      return `sends packets from the source ${source}`;
  }
}

function flowWords(name: string, flow: Mapping): Html {
  const via = Array.isArray(flow.via) ? flow.via.map(String) : [];
  const className = textOf(flow.class);
  const way = via.length === 0 ? '' : `, through ${listWords(via)}`;
  return html`<li><strong>${shown(name)}</strong> ${shown(
    `${sourceWords(flow)}${way}${className === undefined ? '' : `, in class ${className}`}.`,
    400,
  )}</li>`;
}

function classesWords(classes: Mapping): string {
  const names = Object.keys(classes);
  if (names.length === 0) return '';
  if (names.length > CLASSES_IN_WORDS) return `, with ${counted(names.length, 'class')}`;
  const words = names.map((name) => {
    const c = mappingOf(classes[name]);
    const parent = textOf(c.parent);
    const ceil = textOf(c.ceil);
    return `${name}${parent === undefined ? '' : ` below ${parent}`} with ${rateWords(textOf(c.rate))}${
      ceil === undefined || ceil === textOf(c.rate) ? '' : ` (up to ${rateWords(ceil)} when others leave it)`
    }`;
  });
  return `; its classes are ${listWords(words)}`;
}

function kernelWords(hop: Mapping): string {
  const kernel = textOf(hop.kernel);
  const tc = textOf(hop.tc);
  const hz = textOf(hop.hz);
  const parts: string[] = [];
  if (kernel !== undefined) {
    parts.push(
      kernel === 'thread' ? 'with the accounting that the thread of 2009 describes' : `as kernel ${kernel} computes it`,
    );
  }
  if (tc !== undefined) parts.push(`set up by tc ${tc}`);
  if (hz !== undefined) parts.push(`with a timer of ${hz} Hz`);
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

function traceWords({ trace }: Mapping): string {
  return typeof trace === 'string' ? ` (${trace})` : '';
}

function linkWords(link: Mapping): string {
  const rate = textOf(link.rate);
  const constant = rate === undefined || rate === '0' ? 'a link that is never busy' : `a link of ${rateWords(rate)}`;
  const parts = [link.trace === undefined ? constant : `a link that can send at recorded instants${traceWords(link)}`];
  const delay = textOf(link.delay);
  const queue = textOf(link.queue);
  const loss = textOf(link.loss);
  if (delay !== undefined && !/^0+[a-z]*$/.test(delay)) parts.push(`${delay} of delay`);
  if (queue !== undefined) parts.push(`a queue of ${/^\d+p$/.test(queue) ? queue.replace('p', ' packets') : queue}`);
  if (loss !== undefined) parts.push(`${loss} of the packets lost at random`);
  return listWords(parts);
}

function hopWords(name: string, hop: Mapping): Html {
  const shaper = textOf(hop.shaper) ?? textOf(mappingOf(hop.shaper).kind);
  const rate = textOf(hop.rate);
  const text =
    shaper === undefined
      ? `is ${linkWords(mappingOf(hop.link))}.`
      : `is ${shaper.startsWith('police') ? 'policed' : 'shaped'} by ${SHAPERS[shaper] ?? shaper}${kernelWords(hop)}${
          rate === undefined ? '' : `, to ${rateWords(rate)}`
        }${classesWords(mappingOf(hop.classes))}. Behind it is ${linkWords(mappingOf(hop.link))}.`;
  return html`<li><strong>${shown(name)}</strong> ${shown(text, 900)}</li>`;
}

/** How often and how long the simulation ran: `28 runs of 1 s each; the first 100 ms count in no rate`. */
function runWords(result: Result): string {
  const first = result.points[0];
  if (first === undefined) return 'Nothing was simulated.';
  const time = formatQuantity(first.durationSeconds, 'time', 4);
  const warmup =
    first.warmupSeconds > 0 ? ` Rates leave out the first ${formatQuantity(first.warmupSeconds, 'time', 3)}.` : '';
  return result.points.length === 1
    ? `One run of ${time} simulated time.${warmup}`
    : `${formatNumber(result.points.length, 7)} runs of ${time} simulated time each.${warmup}`;
}

function variableLine(source: ChartSource, name: string): Html {
  const values = valuesOf(source.points, name).map(valueWords);
  const isNamed = quantityVaried(source.points, name) === undefined;
  const text =
    values.length <= (isNamed ? NAMES_IN_WORDS : VALUES_IN_WORDS)
      ? `is ${values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`}`
      : `takes ${values.length} values from ${values[0]} to ${values.at(-1)}`;
  const decider = source.varying.includes(name) ? undefined : deciderOf(source.points, source.varying, name);
  const follows = decider === undefined ? '' : `, as ‹${decider}› decides`;
  return html`<li><strong>‹${shown(name)}›</strong> ${shown(`${text}${follows}.`, 400)}</li>`;
}

const TERMS: readonly (readonly [RegExp, string, string])[] = [
  [/\btick/i, 'tick', 'The unit in which a kernel counts time: 1024 ns up to 2.6.30, 64 ns up to 3.7, then 1 ns.'],
  [/\bceil\b/i, 'ceil', 'The most a class may send when it borrows what others leave.'],
  [/\btokens\b/i, 'tokens', 'What a class has saved up for sending; ctokens are the same for its ceil.'],
  [
    /\blended\b/i,
    'lended',
    'Packets that a class paid for itself, in the words of tc. Borrowed ones were paid for by a class above.',
  ],
  [/\boverlimits\b/i, 'overlimits', 'How often a queue had to wait although packets were there.'],
  [/\bbacklog\b/i, 'backlog', 'What waits in a queue.'],
  [/\bburst\b/i, 'burst', 'How much may be sent at once after a pause.'],
  [
    /\bgoodput\b|payload/i,
    'payload, frame, wire',
    'Payload leaves out all headers; frames count the checksum; on the wire preamble and gap count as well.',
  ],
  [/\bp99\b/i, 'p50, p95, p99', 'Half, 95 % and 99 % of the packets took at most so long.'],
];

/** Explains the words of the trade that `text` uses. */
export function glossary(text: string): Html {
  const used = TERMS.filter(([pattern]) => pattern.test(text));
  if (used.length === 0) return html``;
  return html`<details class="fold" open><summary>Words used here</summary><dl class="glossary">${used.map(
    ([, term, meaning]) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`,
  )}</dl></details>`;
}

/** Says in words what was simulated: who sends what, through which limiter, over which link, how often. */
export function simulatedWords(source: ChartSource, result: Result): Html {
  const differing = differingVariables(source.points);
  const marks = Object.fromEntries(differing.map((name) => [name, `‹${name}›`]));
  const document = resolveDocument(result.scenario.document, { ...result.points[0]?.variables, ...marks });
  const flows = Object.entries(mappingOf(document.flows));
  const hops = Object.entries(mappingOf(document.hops));
  const items = [
    ...flows.slice(0, 12).map(([name, flow]) => flowWords(name, mappingOf(flow))),
    ...(flows.length > 12 ? [html`<li>… and ${flows.length - 12} more flows.</li>`] : []),
    ...hops.map(([name, hop]) => hopWords(name, mappingOf(hop))),
    ...differing.map((name) => variableLine(source, name)),
  ];
  return html`${result.about === '' ? undefined : html`<p class="about">${shown(result.about, 3000)}</p>`}
<ul class="facts">${items}</ul>
<p>${runWords(result)}</p>`;
}
