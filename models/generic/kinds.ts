import type { ParameterProblem, Parameters, Values } from '../model.ts';
import { CellRateMeter, type Meter, TokenBucketMeter } from './meter.ts';
import { FixedWindowMeter, quotaBytes, SlidingCounterMeter, SlidingLogMeter } from './window-meters.ts';

/** A textbook limiter, whoever obeys it. */
export interface MeterKind {
  readonly kind: string;
  /** What it is, as the object of "… that shapes", without a full stop. */
  readonly summary: string;
  /** Beside `rate`. */
  readonly parameters: Parameters;
  /** A meter that begins, empty of debts, at `startNs`. */
  createMeter(values: Values, startNs: number): Meter;
}

/** The rate that all of them keep. */
export const rateParameter = {
  type: 'rate',
  help: 'Rate to keep in the long run.',
  required: true,
  minimum: 8,
  maximum: 1e12,
} as const satisfies Parameters[string];

const windowParameter = {
  type: 'duration',
  help: 'Length of the window; rate times window may pass in each.',
  default: '1s',
  minimum: 1000,
} as const satisfies Parameters[string];

function rateOf(values: Values): number {
  return values.rate as number;
}

function windowKind(
  kind: string,
  summary: string,
  create: new (quota: number, windowNs: number, startNs: number) => Meter,
): MeterKind {
  return {
    kind,
    summary,
    parameters: { window: windowParameter },
    createMeter(values, startNs) {
      const windowNs = values.window as number;
      return new create(quotaBytes(rateOf(values), windowNs), windowNs, startNs);
    },
  };
}

/** Every textbook limiter. */
export const meterKinds: readonly MeterKind[] = [
  {
    kind: 'token_bucket',
    summary: 'Token bucket: tokens at the rate, saved up to the burst',
    parameters: {
      burst: { type: 'size', help: 'Tokens that may be saved up; full at the start.', required: true, minimum: 1 },
    },
    createMeter: (values, startNs) => new TokenBucketMeter(rateOf(values), values.burst as number, startNs),
  },
  {
    kind: 'leaky_bucket',
    summary: 'Leaky bucket: what comes in drips out at the rate, never faster',
    parameters: {},
    createMeter: (values, startNs) => new CellRateMeter(rateOf(values), 0, startNs),
  },
  {
    kind: 'gcra',
    summary: 'Generic cell rate algorithm: each at its due time, or up to the tolerance before it',
    parameters: {
      tolerance: { type: 'duration', help: 'How early one may come.', default: '0s', minimum: 0 },
    },
    createMeter: (values, startNs) => new CellRateMeter(rateOf(values), values.tolerance as number, startNs),
  },
  windowKind(
    'fixed_window',
    'Fixed window: a quota for each window, lost where it is not used; two quotas may meet at a boundary',
    FixedWindowMeter,
  ),
  windowKind('sliding_log', 'Sliding log: never more than the quota within any window', SlidingLogMeter),
  windowKind(
    'sliding_counter',
    'Sliding counter: the last window estimated from the counts of this one and the one before',
    SlidingCounterMeter,
  ),
];

/**
 * Finds a meter that lets nothing of `unitBytes` through.
 *
 * @param name Parameter that gives the unit, to be blamed where it is too large.
 */
export function unitProblems(kind: MeterKind, values: Values, name: string, unitBytes: number): ParameterProblem[] {
  const { largestBytes } = kind.createMeter(values, 0);
  if (unitBytes <= largestBytes) return [];
  const source = values.burst === undefined ? 'what the rate earns in a window' : 'the burst';
  return [
    {
      path: [name],
      expected: `at most ${source}, ${largestBytes} bytes`,
      received: `${unitBytes} bytes`,
      hint: 'a larger piece than that would never pass',
    },
  ];
}
