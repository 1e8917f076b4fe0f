import type { ClassResult, HopResult, Result, TransferResult } from '../sim/run/result.ts';
import type { Table } from './chart.ts';
import { formatNumber, formatQuantity } from './format.ts';
import { type Html, html, shown } from './html.ts';
import { type ChartSource, pointWords, type ReadPoint, resultName } from './reading.ts';
import { valuesOf } from './variables.ts';
import { measureOf } from './verdict.ts';

const ROW_LIMIT = 200;

/** Writes a table; cells that hold no number are marked so that they sort last. */
export function tableHtml(table: Table, id: string): Html {
  const head = table.columns.map(
    (c) =>
      html`<th scope="col"${c.number ? html` class="n"` : undefined}>${shown(c.label, 60)}${
        c.unit === undefined || c.unit === '' ? undefined : html` <span class="unit">${c.unit}</span>`
      }</th>`,
  );
  const body = table.rows.map((row) => {
    const cells = row.map((cell, i) => {
      const number = table.columns[i]?.number === true;
      const content = cell === null ? html`–` : number ? html`${String(cell)}` : shown(String(cell), 400);
      const rank = table.columns[i]?.order?.indexOf(String(cell)) ?? -1;
      const order = rank < 0 ? undefined : html` data-order="${rank}"`;
      return i === 0 && !number
        ? html`<th scope="row"${order}>${content}`
        : number
          ? html`<td class="n">${content}`
          : html`<td${order}>${content}`;
    });
    return html`<tr>${cells}\n`;
  });
  return html`<div class="scroll" role="group" tabindex="0" aria-labelledby="${id}"><table><caption id="${id}">${shown(
    table.caption,
    200,
  )}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${
    table.note === undefined ? undefined : html`<p class="note">${table.note}</p>`
  }`;
}

/** All runs of a grid, one row for each flow. */
export function pointsTable(source: ChartSource, points: readonly ReadPoint[]): Table | undefined {
  if (points.length < 2) return undefined;
  const many = source.results.length > 1;
  const judged = points.some((p) => p.point.expectations.length > 0);
  const transfers = points.some((p) => p.readings.some((r) => r.level === 'transfer'));
  const rows = points.slice(0, ROW_LIMIT).flatMap((read) => {
    const names = source.varying.map((name) => read.point.variables[name] ?? null);
    const base = many ? [resultName(source.results, read.resultIndex).replace('result ', ''), ...names] : names;
    if (read.point.failed !== undefined)
      return [
        [
          ...base,
          'did not run',
          null,
          null,
          null,
          null,
          null,
          null,
          ...(transfers ? [null] : []),
          ...(judged ? [null] : []),
        ],
      ];
    const failed = read.point.expectations.filter((e) => !e.passed).length;
    return read.readings.map((r) => {
      const flow = r.point.flows[r.flow];
      return [
        ...base,
        r.flow,
        r.configuredBitsPerSecond === undefined ? null : formatNumber(r.configuredBitsPerSecond / 1e6, 6),
        formatNumber(r.receivedBitsPerSecond / 1e6, 6),
        r.deviationPercent === undefined ? null : formatNumber(r.deviationPercent, 3),
        formatNumber(flow?.packetsPerSecond ?? 0, 7),
        formatNumber(flow?.droppedPackets ?? 0, 15),
        formatQuantity(flow?.delaySeconds.p99 ?? 0, 'time', 3),
        ...(transfers ? [r.level === 'transfer' ? timeOf(flow?.transfer) : null] : []),
        ...(judged ? [failed === 0 ? 'passed' : `${failed} failed`] : []),
      ];
    });
  });
  return {
    caption: 'Every run',
    columns: [
      ...(many ? [{ label: 'Result', number: false }] : []),
      ...source.varying.map((label) => ({ label, number: false, order: valuesOf(points, label) })),
      { label: 'Flow', number: false },
      { label: 'Configured', unit: 'Mbit/s', number: true },
      { label: 'Received', unit: 'Mbit/s', number: true },
      { label: 'Deviation', unit: '%', number: true },
      { label: 'Packets', unit: '/s', number: true },
      { label: 'Dropped', number: true },
      { label: 'Delay p99', number: true },
      ...(transfers ? [{ label: 'Transfer took', number: true }] : []),
      ...(judged ? [{ label: 'Expectations', number: false }] : []),
    ],
    rows,
    ...(points.length > ROW_LIMIT
      ? {
          note: `The first ${ROW_LIMIT} of ${formatNumber(points.length, 7)} runs; the CSV file of all runs holds the rest.`,
        }
      : {}),
  };
}

/** Where a refinement found that a figure changes; undefined for a result that was not refined. */
export function edgesTable({ edges }: Result): Table | undefined {
  const [first] = edges ?? [];
  if (edges === undefined || first === undefined) return undefined;
  const measure = measureOf(first.figure);
  const others = Object.keys(first.others);
  return {
    caption: `Edges of ${first.figure}`,
    columns: [
      ...others.map((label) => ({ label, number: false })),
      { label: `${first.variable} up to`, number: false },
      { label: 'Figure', number: true },
      { label: `${first.variable} from`, number: false },
      { label: 'Figure', number: true },
      { label: 'Change', unit: '%', number: true },
    ],
    rows: edges
      .slice(0, ROW_LIMIT)
      .map((edge) => [
        ...others.map((name) => edge.others[name] ?? null),
        edge.below,
        formatQuantity(edge.figureBelow, measure, 6),
        edge.above,
        formatQuantity(edge.figureAbove, measure, 6),
        edge.figureBelow === 0 ? null : formatNumber(100 * (edge.figureAbove / edge.figureBelow - 1), 3),
      ]),
    ...(edges.length > ROW_LIMIT ? { note: `The first ${ROW_LIMIT} of ${edges.length} edges.` } : {}),
  };
}

function timeOf(transfer: TransferResult | undefined): string | null {
  if (transfer === undefined) return null;
  return transfer.completed ? formatQuantity(transfer.seconds, 'time', 4) : 'not completed';
}

function flowsTable(read: ReadPoint): Table {
  const flows = Object.entries(read.point.flows);
  const mbit = (value: number): string => formatNumber(value / 1e6, 6);
  return {
    caption: 'Flows',
    columns: [
      { label: 'Flow', number: false },
      ...['Offered', 'Payload', 'As tc counts', 'Frames', 'Wire'].map((label) => ({
        label,
        unit: 'Mbit/s',
        number: true,
      })),
      { label: 'Packets', unit: '/s', number: true },
      { label: 'Sent', unit: 'packets', number: true },
      { label: 'Received', unit: 'packets', number: true },
      { label: 'Dropped', unit: 'packets', number: true },
      { label: 'Delay p50', number: true },
      { label: 'p99', number: true },
    ],
    rows: flows
      .slice(0, ROW_LIMIT)
      .map(([name, f]) => [
        name,
        ...[
          f.bitsPerSecond.offered,
          f.bitsPerSecond.goodput,
          f.bitsPerSecond.accounted,
          f.bitsPerSecond.frame,
          f.bitsPerSecond.wire,
        ].map(mbit),
        formatNumber(f.packetsPerSecond, 7),
        formatNumber(f.sentPackets, 15),
        formatNumber(f.receivedPackets, 15),
        formatNumber(f.droppedPackets, 15),
        formatQuantity(f.delaySeconds.p50, 'time', 4),
        formatQuantity(f.delaySeconds.p99, 'time', 4),
      ]),
    ...(flows.length > ROW_LIMIT ? { note: `The first ${ROW_LIMIT} of ${flows.length} flows.` } : {}),
  };
}

function transfersTable(read: ReadPoint): Table | undefined {
  const rows = Object.entries(read.point.flows).flatMap(([name, f]) => {
    const list = f.transfers ?? (f.transfer === undefined ? [] : [f.transfer]);
    return list
      .slice(0, ROW_LIMIT)
      .map((t, i) => [
        list.length > 1 ? `${name} ${i + 1}` : name,
        formatNumber(t.bytes, 15),
        formatNumber(t.seconds, 6),
        formatNumber(t.bitsPerSecond / 1e6, 6),
        t.limitBitsPerSecond > 0 ? formatNumber(t.limitBitsPerSecond / 1e6, 6) : null,
        t.limitBitsPerSecond > 0 ? formatNumber(t.deviationPercent, 3) : null,
        t.completed ? 'yes' : 'no',
      ]);
  });
  if (rows.length === 0) return undefined;
  return {
    caption: 'Transfers',
    columns: [
      { label: 'Flow', number: false },
      { label: 'Bytes', number: true },
      { label: 'Took', unit: 's', number: true },
      { label: 'Rate', unit: 'Mbit/s', number: true },
      { label: 'Limit', unit: 'Mbit/s', number: true },
      { label: 'Deviation', unit: '%', number: true },
      { label: 'Finished', number: false },
    ],
    rows,
  };
}

const SHOWN_BY_NAME = new Set([
  'parent',
  'level',
  'sentPackets',
  'sentBytes',
  'droppedPackets',
  'backlogPackets',
  'mode',
  'bitsPerSecond',
  'packetsPerSecond',
  'series',
  // The same in the ticks of tc.
  'tokensShown',
  'ctokensShown',
]);

/** Counters by the words of this page, in the order of their columns. */
const COUNTER_LABELS: Readonly<Record<string, { readonly label: string; readonly unit?: string }>> = {
  backlogBytes: { label: 'Backlog', unit: 'B' },
  lended: { label: 'Lended', unit: 'packets' },
  borrowed: { label: 'Borrowed', unit: 'packets' },
  overlimits: { label: 'Overlimits' },
  giants: { label: 'Giants', unit: 'packets' },
  tokens: { label: 'Tokens', unit: 'ticks' },
  ctokens: { label: 'Ctokens', unit: 'ticks' },
};

/** Where the words of this page are none: the name of a counter, taken apart. */
function counterLabel(name: string): string {
  const words = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function countersOf(classes: readonly ClassResult[]): string[] {
  const names = new Set<string>();
  for (const c of classes) {
    for (const [name, value] of Object.entries(c))
      if (!SHOWN_BY_NAME.has(name) && typeof value === 'number' && value !== 0) names.add(name);
  }
  const known = Object.keys(COUNTER_LABELS);
  return [...known.filter((name) => names.has(name)), ...[...names].filter((name) => !known.includes(name))];
}

function classesTable(hopName: string, hop: HopResult): Table | undefined {
  const classes = Object.entries(hop.classes);
  if (classes.length === 0) return undefined;
  const counters = countersOf(classes.map(([, c]) => c));
  return {
    caption: `Classes of ${hopName}`,
    columns: [
      { label: 'Class', number: false },
      { label: 'Parent', number: false },
      { label: 'Mode', number: false },
      { label: 'Got', unit: 'Mbit/s', number: true },
      { label: 'Sent', unit: 'packets', number: true },
      { label: 'Dropped', unit: 'packets', number: true },
      { label: 'Backlog', unit: 'packets', number: true },
      ...counters.map((name) => ({ ...(COUNTER_LABELS[name] ?? { label: counterLabel(name) }), number: true })),
    ],
    rows: classes.slice(0, ROW_LIMIT).map(([name, c]) => [
      name,
      c.parent ?? null,
      c.mode?.replace('-', '\u00a0') ?? null,
      formatNumber(c.bitsPerSecond / 1e6, 6),
      formatNumber(c.sentPackets, 15),
      formatNumber(c.droppedPackets, 15),
      formatNumber(c.backlogPackets, 15),
      ...counters.map((counter) => {
        const value = c[counter];
        return typeof value === 'number' ? formatNumber(value, 15) : null;
      }),
    ]),
    ...(classes.length > ROW_LIMIT ? { note: `The first ${ROW_LIMIT} of ${classes.length} classes.` } : {}),
  };
}

/** Counters of a hop that its link's columns or the flows tell as well. */
const IN_OTHER_COLUMNS = new Set(['sentPackets', 'sentBytes', 'droppedPackets']);

function hopsTable(read: ReadPoint): Table {
  const rows: (string | null)[][] = [];
  const add = (name: string, hop: Omit<HopResult, 'link'>, link: HopResult['link'] | undefined): void => {
    rows.push([
      name,
      hop.kind ?? (link === undefined ? null : 'link'),
      link === undefined ? null : formatNumber(100 * link.busyFraction, 4),
      ...[link?.sentPackets, link?.droppedPackets, link?.lostPackets].map((count) =>
        count === undefined ? null : formatNumber(count, 15),
      ),
      Object.entries(hop.counters)
        .filter(([counter, value]) => value !== 0 && !IN_OTHER_COLUMNS.has(counter))
        .map(([counter, value]) => `${counterLabel(counter).toLowerCase()} ${formatNumber(value, 15)}`)
        .join(', ') || null,
    ]);
    for (const [child, report] of Object.entries(hop.children ?? {})) add(`${name} › ${child}`, report, undefined);
  };
  for (const [name, hop] of Object.entries(read.point.hops)) add(name, hop, hop.link);
  return {
    caption: 'Hops and their links',
    columns: [
      { label: 'Hop', number: false },
      { label: 'Kind', number: false },
      { label: 'Link busy', unit: '%', number: true },
      { label: 'Sent', unit: 'packets', number: true },
      { label: 'Dropped', unit: 'packets', number: true },
      { label: 'Lost', unit: 'packets', number: true },
      { label: 'Counters', number: false },
    ],
    rows: rows.slice(0, ROW_LIMIT),
  };
}

/** The tables of one run: flows, transfers, classes, hops. */
export function runTables(read: ReadPoint): Table[] {
  return [
    flowsTable(read),
    transfersTable(read),
    ...Object.entries(read.point.hops).map(([name, hop]) => classesTable(name, hop)),
    hopsTable(read),
  ].filter((t) => t !== undefined);
}

/** The name of a run in headings. */
export function runName(source: ChartSource, read: ReadPoint): string {
  const words = pointWords(read, source.varying);
  return words === '' ? 'the run' : `the run with ${words}`;
}
