import { figureAt } from '../run/expect.ts';
import type { FlowResult, PointResult, RateLevels, TransferResult } from '../run/result.ts';
import type { FlowSpec, ReferenceSpec, Scenario } from '../scenario/scenario.ts';
import { parseFigure } from '../units/quantity.ts';
import { type ConfiguredRate, ConfiguredRates, isOpenLoop } from './configured-rate.ts';
import { payloadBytesPerSecond } from './curl-path.ts';

/** Which rate of a flow is compared with the configured one. */
export type Level = keyof RateLevels | 'transfer';

/** What a flow was allowed and what it got. */
export interface FlowReading {
  readonly flow: string;
  readonly via: readonly string[];
  readonly className: string | undefined;
  readonly configured: ConfiguredRate | undefined;
  readonly level: Level;
  readonly receivedBitsPerSecond: number;
  /** 100 * (received / configured - 1); absent where nothing is configured, or more than that decides. */
  readonly deviationPercent: number | undefined;
  /** Whether less was offered than allowed. */
  readonly unsaturated: boolean;
  /** What keeps a transfer below the limit that it sets itself, where the path carries no more: `the link`, `class 1:10`. */
  readonly limitedBy?: string;
}

/** A figure of the point beside one that was measured elsewhere. */
export interface ReferenceReading {
  readonly label: string;
  readonly figure: readonly string[];
  readonly measured: number;
  readonly actual: number;
  /** 100 * (actual / measured - 1). */
  readonly deviationPercent: number;
}

/** A point's figures, read against its scenario and the references. */
export interface PointReading {
  readonly point: PointResult;
  readonly flows: readonly FlowReading[];
  readonly references: readonly ReferenceReading[];
}

/** Reads a point. */
export function readPoint(scenario: Scenario, point: PointResult, references: readonly ReferenceSpec[]): PointReading {
  const spoken = [...references.map(({ figure }) => figure), ...scenario.expect.map(({ path }) => path)];
  const flows = point.failed === undefined ? scenario.flows : [];
  const levels = levelsSpokenOf(spoken);
  const allowed = new ConfiguredRates(scenario);
  return {
    point,
    flows: flows.map((flow) => readFlow(scenario, flow, allowed.of(flow), point, levels.get(flow.name))),
    references: references.flatMap((reference) => readReference(reference, point)),
  };
}

function readFlow(
  scenario: Scenario,
  flow: FlowSpec,
  allowed: ConfiguredRate | undefined,
  point: PointResult,
  spokenOf: Level | undefined,
): FlowReading {
  const result = point.flows[flow.name]!;
  const { transfer, bitsPerSecond } = result;
  let configured = allowed;
  let level: Level = spokenOf ?? configured?.level ?? 'accounted';
  // What has come to its end is idle for the rest of the window: its rates there say how long that is.
  if (transfer !== undefined && (transfer.completed || spokenOf === undefined)) level = 'transfer';
  if (transfer !== undefined && transfer.limitBitsPerSecond > 0) {
    configured = { bitsPerSecond: transfer.limitBitsPerSecond, by: 'its own limit', level: 'goodput', shared: false };
    level = 'transfer';
  }
  const receivedBitsPerSecond = level === 'transfer' ? (transfer?.bitsPerSecond ?? 0) : bitsPerSecond[level];
  const unsaturated = isOpenLoop(flow) && configured !== undefined && isUnsaturated(result, configured.bitsPerSecond);
  const limitedBy = transfer === undefined ? undefined : whatLimits(scenario, flow, allowed, transfer);
  const comparable =
    configured?.shared === false &&
    configured.guaranteedBitsPerSecond === undefined &&
    !unsaturated &&
    limitedBy === undefined &&
    // Lumps and visits that are not all there yet say nothing of a limit of its own.
    !(transfer?.completed === false && transfer.limitBitsPerSecond > 0);
  return {
    flow: flow.name,
    via: flow.via,
    className: flow.className,
    configured,
    level,
    receivedBitsPerSecond,
    deviationPercent: comparable ? 100 * (receivedBitsPerSecond / configured!.bitsPerSecond - 1) : undefined,
    unsaturated,
    ...(limitedBy === undefined ? {} : { limitedBy }),
  };
}

/** What carries no more payload than a transfer's own limit, so that the limit has no say. */
function whatLimits(
  scenario: Scenario,
  flow: FlowSpec,
  allowed: ConfiguredRate | undefined,
  { limitBitsPerSecond }: TransferResult,
): string | undefined {
  if (allowed === undefined || limitBitsPerSecond === 0) return undefined;
  if (8 * payloadBytesPerSecond(scenario, flow, allowed) > limitBitsPerSecond) return undefined;
  return allowed.by.startsWith('link of') ? 'the link' : allowed.by;
}

/** Whether a flow that sends as it likes asked for less than it was allowed, and has no more to send. */
function isUnsaturated(flow: FlowResult, allowedBitsPerSecond: number): boolean {
  const { offered, accounted } = flow.bitsPerSecond;
  const waiting = flow.sentPackets - flow.receivedPackets - flow.droppedPackets;
  const asked = Math.max(offered, accounted);
  return waiting <= Math.max(2, flow.sentPackets * 0.01) && asked < allowedBitsPerSecond * 0.999;
}

/** By flow, the level that expectations and references speak of first. */
function levelsSpokenOf(spoken: readonly (readonly string[])[]): ReadonlyMap<string, Level> {
  const levels = new Map<string, Level>();
  for (const [top, name, figure, level] of spoken) {
    if (top !== 'flows' || name === undefined || levels.has(name)) continue;
    if (figure === 'transfer') levels.set(name, 'transfer');
    if (figure === 'bitsPerSecond' && level !== undefined) levels.set(name, level as Level);
  }
  return levels;
}

function readReference(reference: ReferenceSpec, point: PointResult): ReferenceReading[] {
  const text = point.variables[reference.variable];
  const actual = figureAt(point, reference.figure);
  if (text === undefined || typeof actual !== 'number') return [];
  const x = numberOf(text);
  return reference.rows
    .filter((row) => row.x === x && matches(row.where, point.variables))
    .map(({ y }) => ({
      label: reference.label,
      figure: reference.figure,
      measured: y,
      actual,
      deviationPercent: 100 * (actual / y - 1),
    }));
}

function matches(where: Readonly<Record<string, string>> | undefined, variables: Readonly<Record<string, string>>) {
  return Object.entries(where ?? {}).every(([name, value]) => variables[name] === value);
}

function numberOf(text: string): number {
  try {
    return parseFigure(text);
  } catch {
    return Number.NaN;
  }
}
