import type { PointResult, RateLevels, Result } from '../sim/run/result.ts';
import { type Mapping, mappingOf, resolveDocument } from './document.ts';
import { Entitlements, type Excuse } from './entitlement.ts';
import { formatBytes, formatNumber, formatQuantity } from './format.ts';
import { rateOfText, sizeOfText } from './quantity.ts';

/** Which of a flow's rates is compared with the configured one. */
export type Level = keyof RateLevels | 'transfer';

/** What one flow was allowed and what it got, at one point. */
export interface Reading {
  readonly result: Result;
  readonly resultIndex: number;
  readonly point: PointResult;
  readonly pointIndex: number;
  readonly flow: string;
  /** Rate that the scenario sets for the flow (bit/s), the least upper bound of its way. */
  readonly configuredBitsPerSecond: number | undefined;
  /** What sets it: `class 1:108`, `ceil of class 1:108`, `its own limit`, `the link of wan`. */
  readonly configuredBy: string;
  /** The hop where that is; empty for a limit of the flow's own. */
  readonly configuredHop: string;
  readonly receivedBitsPerSecond: number;
  readonly level: Level;
  /** 100 * (received / configured - 1); undefined where less than that is what the flow is entitled to. */
  readonly deviationPercent: number | undefined;
  /** Why it is entitled to less. */
  readonly excuse: Excuse | undefined;
}

/** A point with the scenario that it ran. */
export interface ReadPoint {
  readonly result: Result;
  readonly resultIndex: number;
  readonly point: PointResult;
  readonly pointIndex: number;
  readonly document: Mapping;
  readonly readings: readonly Reading[];
}

const LEVELS: readonly string[] = ['offered', 'goodput', 'accounted', 'frame', 'wire'];

/** What the levels are called in sentences. */
export const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  offered: 'what is offered',
  goodput: 'payload',
  accounted: 'bytes as tc counts them',
  frame: 'frames with their checksum',
  wire: 'frames with all that takes time on the wire',
  transfer: 'the payload of whole transfers',
};

/** The level that references and expectations speak of; undefined where they speak of none. */
function levelOf(result: Result, flow: string): Level | undefined {
  const paths = [
    ...result.references.map((r) => r.figure),
    ...result.points.slice(0, 1).flatMap((p) => p.expectations.map((e) => (e.text.split(/\s/)[0] ?? '').split('.'))),
  ];
  for (const path of paths) {
    if (path[0] !== 'flows' || path[1] !== flow) continue;
    if (path[2] === 'bitsPerSecond' && LEVELS.includes(path[3] ?? '')) return path[3] as Level;
    if (path[2] === 'transfer') return 'transfer';
  }
  return undefined;
}

/** Reads one point of a result; `levels` are those of {@link levelsOf}. */
export function readOne(
  result: Result,
  resultIndex: number,
  point: PointResult,
  pointIndex: number,
  levels: ReadonlyMap<string, Level | undefined>,
): ReadPoint {
  const document = resolveDocument(result.scenario.document, point.variables);
  const entitlements = new Entitlements(document, point);
  const readings = Object.entries(point.flows).map(([flow, figures]): Reading => {
    const spokenOf = levels.get(flow);
    // A limiter that keeps its word lets through what it counts itself: a link counts all that takes time on the wire.
    let level: Level = spokenOf ?? entitlements.boundOf(flow)?.level ?? 'accounted';
    const transfer = figures.transfer;
    // What has come to its end is idle for the rest of the window: its rates there say how long that is.
    if (transfer !== undefined && (transfer.completed || transfer.limitBitsPerSecond > 0 || spokenOf === undefined)) {
      level = 'transfer';
    }
    const received = level === 'transfer' ? (transfer?.bitsPerSecond ?? 0) : figures.bitsPerSecond[level];
    const entitled = entitlements.of(flow, received, level, transfer?.limitBitsPerSecond ?? 0);
    return {
      result,
      resultIndex,
      point,
      pointIndex,
      flow,
      configuredBitsPerSecond: entitled.bound?.bitsPerSecond,
      configuredBy: entitled.bound?.by ?? '',
      configuredHop: entitled.bound?.hop ?? '',
      receivedBitsPerSecond: received,
      level,
      deviationPercent: entitled.deviationPercent,
      excuse: entitled.excuse,
    };
  });
  return { result, resultIndex, point, pointIndex, document, readings };
}

/** Which rate of each flow the scenario speaks of; that of any other is compared as its limiter counts. */
export function levelsOf(result: Result): Map<string, Level | undefined> {
  const levels = new Map<string, Level | undefined>();
  for (const point of result.points) {
    for (const flow of Object.keys(point.flows)) if (!levels.has(flow)) levels.set(flow, levelOf(result, flow));
  }
  return levels;
}

/** Reads every point of the results; points that failed have no readings. */
export function readPoints(results: readonly Result[]): ReadPoint[] {
  return results.flatMap((result, resultIndex) => {
    const levels = levelsOf(result);
    return result.points.map((point, pointIndex) => readOne(result, resultIndex, point, pointIndex, levels));
  });
}

/** The reading that strays farthest from what is configured; the first where none strays. */
export function farthest(readings: readonly Reading[]): Reading {
  return readings.reduce((a, b) =>
    Math.abs(b.deviationPercent ?? 0) > Math.abs(a.deviationPercent ?? 0) + 1e-9 ||
    (a.deviationPercent === undefined && b.deviationPercent !== undefined)
      ? b
      : a,
  );
}

/** What a result is called among several: `A` and `B` of two, else `result 3`. */
export function resultName(results: readonly Result[], index: number): string {
  return results.length === 2 ? (['A', 'B'][index] as string) : `result ${index + 1}`;
}

/** The point of a reading. */
export function readOf({ points }: { readonly points: readonly ReadPoint[] }, reading: Reading): ReadPoint | undefined {
  return points.find((p) => p.pointIndex === reading.pointIndex && p.resultIndex === reading.resultIndex);
}

/** The point that the page looks at closely: the one whose flow strays farthest from what was configured. */
export function closestLook(points: readonly ReadPoint[]): ReadPoint | undefined {
  let best: ReadPoint | undefined;
  let farthest = -1;
  for (const read of points) {
    if (read.point.failed !== undefined) continue;
    for (const reading of read.readings) {
      const size = Math.abs(reading.deviationPercent ?? 0);
      if (best === undefined || size > farthest * (1 + 1e-9)) {
        best = read;
        farthest = size;
      }
    }
  }
  return best;
}

/** Whether the scenario of a point hangs on a variable: what only `expect:` uses changes no run. */
function matters(points: readonly ReadPoint[], name: string): boolean {
  const document = mappingOf(points[0]?.result.scenario.document);
  const { expect: _, sweep: __, vars: ___, reference: ____, ...run } = document;
  return JSON.stringify(run).includes(`\${${name}}`);
}

/** Whether each value of `one` goes with a single value of `other`, as in a zipped grid. */
function determines(points: readonly ReadPoint[], one: string, other: string): boolean {
  const seen = new Map<string, string>();
  return points.every(({ point: { variables } }) => {
    const value = variables[one] ?? '';
    const partner = variables[other] ?? '';
    const before = seen.get(value);
    if (before === undefined) seen.set(value, partner);
    return before === undefined || before === partner;
  });
}

/** Names of all variables that differ between the points and that their runs hang on, in the order of their appearance. */
export function differingVariables(points: readonly ReadPoint[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const read of points) {
    for (const [name, value] of Object.entries(read.point.variables)) {
      const set = values.get(name) ?? new Set();
      set.add(value);
      values.set(name, set);
    }
  }
  const differing = [...values].filter(([, set]) => set.size > 1).map(([name]) => name);
  const used = differing.filter((name) => matters(points, name));
  return used.length > 0 ? used : differing;
}

/** The variable whose values decide those of another, as in a zipped grid; undefined where none does. */
export function deciderOf(points: readonly ReadPoint[], names: readonly string[], name: string): string | undefined {
  return names.find((other) => determines(points, other, name));
}

/** Names of the variables that tell the points apart, in the order of their first appearance; none that follows from another. */
export function varyingVariables(points: readonly ReadPoint[]): string[] {
  const kept: string[] = [];
  for (const name of differingVariables(points)) {
    if (deciderOf(points, kept, name) === undefined) kept.push(name);
  }
  return kept;
}

/** A variable's value in words: `kernel 2.6.25`, `836-byte packets`, `limit 16 Mbit/s`. */
export function variableWords(name: string, value: string): string {
  if (name === 'size' || name === 'packet') {
    const bytes = sizeOfText(value);
    if (bytes !== undefined) return bytes < 10_000 ? `${bytes}-byte packets` : formatBytes(bytes);
  }
  if (/rate|ceil|limit/i.test(name)) {
    const rate = rateOfText(value);
    if (rate !== undefined && /bit|bps/i.test(value)) return `${name} ${formatQuantity(rate, 'rate')}`;
  }
  return `${name} ${valueWords(value)}`;
}

/** A value as people write it: tc's `3750b` reads as bits, `3,750 B` does not. */
export function valueWords(value: string): string {
  const bytes = /^\d+(\.\d+)?b$/.test(value) ? sizeOfText(value) : undefined;
  return bytes === undefined ? value : `${formatNumber(bytes, 15)}\u00a0B`;
}

/** The point's variables in words, those of `names` only; empty where there are none. */
export function pointWords(read: ReadPoint, names: readonly string[]): string {
  return names
    .filter((name) => read.point.variables[name] !== undefined)
    .map((name) => variableWords(name, read.point.variables[name] as string))
    .join(', ');
}

/** The variable that sets the configured rate: its values order the points as the configured rates do. */
export function rateVariable(readings: readonly Reading[], names: readonly string[]): string | undefined {
  return names.find((name) =>
    readings.every((r) => {
      const text = r.point.variables[name];
      const rate = text === undefined ? undefined : rateOfText(text);
      const configured = r.configuredBitsPerSecond;
      if (rate === undefined || configured === undefined) return false;
      const meant = [rate, 8 * rate, 8 * (sizeOfText(text as string) ?? 0)];
      return meant.some((value) => Math.abs(value - configured) <= 1e-6 * configured);
    }),
  );
}

/** What the charts are chosen from. */
export interface ChartSource {
  readonly results: readonly Result[];
  /** Points that ran. */
  readonly points: readonly ReadPoint[];
  /** Variables that differ between them. */
  readonly varying: readonly string[];
  /** The point that charts over time look at. */
  readonly look: ReadPoint | undefined;
}

/** Prepares the results for the charts. */
export function chartSource(results: readonly Result[]): ChartSource {
  const points = readPoints(results).filter((p) => p.point.failed === undefined);
  return { results, points, varying: varyingVariables(points), look: closestLook(points) };
}
