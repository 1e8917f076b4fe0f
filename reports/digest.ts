import type { ExpectationResult, PointResult, Result } from '../sim/run/result.ts';
import { mappingOf, textOf } from './document.ts';
import { type Level, levelsOf, type ReadPoint, readOne } from './reading.ts';
import { orderedValues } from './variables.ts';

/** Runs that a page takes in whole; of more, so many at most are drawn. */
export const WHOLE_LIMIT = 10_000;
const DRAWN_LIMIT = 4000;
/** Runs that are listed because they stray farthest, and runs that are listed because they failed. */
const FARTHEST = 20;
const EXAMPLES = 5;
/** Shares below which a deviation lies. */
export const SHARES = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1] as const;

/** A result of very many runs: all but its points, and a way to go through these again and again. */
export interface LargeResult {
  readonly head: Omit<Result, 'points'>;
  readonly points: () => Iterable<PointResult>;
  /** Where every run can be found, in words. */
  readonly place: string;
}

/** How far one flow strays from what is configured, over all runs (percent). */
export interface FlowDigest {
  readonly flow: string;
  /** Runs with a configured rate. */
  readonly runs: number;
  /** Runs that miss it by 1 % or more. */
  readonly missed: number;
  /** By {@link SHARES}. */
  readonly quantiles: readonly number[];
}

/** A run that is named. */
export interface NamedRun {
  readonly variables: Readonly<Record<string, string>>;
  readonly flow: string;
  readonly configuredBitsPerSecond: number;
  readonly receivedBitsPerSecond: number;
  readonly deviationPercent: number;
}

/** What became of one line of `expect:` over all runs. */
export interface ExpectationDigest {
  /** As the scenario writes it. */
  readonly written: string;
  readonly runs: number;
  readonly failed: number;
  readonly examples: readonly {
    readonly variables: PointResult['variables'];
    readonly expectation: ExpectationResult;
  }[];
}

/** What is told of all runs of a result of which a page draws some. */
export interface SweepDigest {
  readonly runs: number;
  readonly drawn: number;
  readonly broken: number;
  readonly brokenExamples: readonly PointResult[];
  readonly expectations: readonly ExpectationDigest[];
  readonly flows: readonly FlowDigest[];
  /** Farthest first. */
  readonly farthest: readonly NamedRun[];
  /** Where every run can be found, in words. */
  readonly place: string;
}

/** Goes through all runs and keeps, beside the digest, a regular part of them to draw, the one that strays farthest with it. */
export function digestOf(large: LargeResult, resultIndex: number): { result: Result; digest: SweepDigest } {
  const survey = new Survey(large, resultIndex);
  let index = 0;
  for (const point of large.points()) survey.add(point, index++);
  const isDrawn = survey.selection();
  const points: PointResult[] = [];
  index = 0;
  for (const point of large.points()) if (isDrawn(point, index++)) points.push(point);
  return { result: { ...large.head, points }, digest: survey.digest(points.length) };
}

class Survey {
  readonly #large: LargeResult;
  readonly #resultIndex: number;
  #levels: Map<string, Level | undefined> | undefined;
  #runs = 0;
  #broken = 0;
  readonly #brokenExamples: PointResult[] = [];
  readonly #expectations = new Map<
    string,
    { runs: number; failed: number; examples: ExpectationDigest['examples'][number][] }
  >();
  readonly #deviations = new Map<string, number[]>();
  #farthest: NamedRun[] = [];
  #farthestIndex = 0;
  readonly #values = new Map<string, Set<string>>();

  constructor(large: LargeResult, resultIndex: number) {
    this.#large = large;
    this.#resultIndex = resultIndex;
  }

  add(point: PointResult, index: number): void {
    this.#runs++;
    for (const [name, value] of Object.entries(point.variables)) {
      const values = this.#values.get(name) ?? new Set();
      this.#values.set(name, values.add(value));
    }
    if (point.failed !== undefined) {
      this.#broken++;
      if (this.#brokenExamples.length < EXAMPLES) this.#brokenExamples.push(point);
      return;
    }
    this.#judge(point);
    const result = { ...this.#large.head, points: [point] };
    this.#levels ??= levelsOf(result);
    this.#measure(readOne(result, this.#resultIndex, point, index, this.#levels), index);
  }

  /** The points to draw: of a grid, every so many values of each variable; of anything else, every so many points. */
  selection(): (point: PointResult, index: number) => boolean {
    const axes = [...this.#values].filter(([, values]) => values.size > 1);
    const size = axes.reduce((product, [, values]) => product * values.size, 1);
    if (size !== this.#runs) {
      const step = Math.ceil(this.#runs / DRAWN_LIMIT);
      return (_, index) => index % step === this.#farthestIndex % step;
    }
    const steps = axes.map(([name, values]) => ({
      name,
      step: 1,
      ranks: new Map(
        orderedValues([this.#large.head.scenario.document], name, values).map((value, rank) => [value, rank]),
      ),
    }));
    const drawn = ({ ranks, step }: (typeof steps)[number]): number => Math.ceil(ranks.size / step);
    while (steps.reduce((product, axis) => product * drawn(axis), 1) > DRAWN_LIMIT) {
      steps.reduce((most, axis) => (drawn(axis) > drawn(most) ? axis : most)).step++;
    }
    const worst = this.#farthest[0]?.variables ?? {};
    return ({ variables }) =>
      steps.every(({ name, step, ranks }) => {
        const rank = ranks.get(variables[name] ?? '') ?? 0;
        return (rank - (ranks.get(worst[name] ?? '') ?? 0)) % step === 0;
      });
  }

  digest(drawn: number): SweepDigest {
    return {
      runs: this.#runs,
      drawn,
      broken: this.#broken,
      brokenExamples: this.#brokenExamples,
      expectations: [...this.#expectations].map(([written, counts]) => ({ written, ...counts })),
      flows: [...this.#deviations].map(([flow, deviations]) => flowDigest(flow, Float64Array.from(deviations).sort())),
      farthest: this.#farthest,
      place: this.#large.place,
    };
  }

  #judge({ variables, expectations }: PointResult): void {
    const lines = mappingOf(this.#large.head.scenario.document).expect;
    const written = Array.isArray(lines) && lines.length === expectations.length ? lines : undefined;
    expectations.forEach((expectation, i) => {
      const name = textOf(written?.[i]) ?? expectation.text;
      const counts = this.#expectations.get(name) ?? { runs: 0, failed: 0, examples: [] };
      this.#expectations.set(name, counts);
      counts.runs++;
      if (expectation.passed) return;
      counts.failed++;
      if (counts.examples.length < EXAMPLES) counts.examples.push({ variables, expectation });
    });
  }

  #measure({ point, readings }: ReadPoint, index: number): void {
    for (const { flow, configuredBitsPerSecond, receivedBitsPerSecond, deviationPercent } of readings) {
      if (configuredBitsPerSecond === undefined || deviationPercent === undefined) continue;
      const deviations = this.#deviations.get(flow) ?? [];
      this.#deviations.set(flow, deviations);
      deviations.push(deviationPercent);
      const least = this.#farthest.at(-1);
      if (this.#farthest.length === FARTHEST && !strays(deviationPercent, least!.deviationPercent)) continue;
      const { variables } = point;
      const run = { variables, flow, configuredBitsPerSecond, receivedBitsPerSecond, deviationPercent };
      const place = this.#farthest.findIndex((other) => strays(deviationPercent, other.deviationPercent));
      if (place === 0 || this.#farthest.length === 0) this.#farthestIndex = index;
      this.#farthest.splice(place < 0 ? this.#farthest.length : place, 0, run);
      this.#farthest = this.#farthest.slice(0, FARTHEST);
    }
  }
}

/** Whether one deviation is farther from 0 than another; a hair is not. */
function strays(one: number, other: number): boolean {
  return Math.abs(one) > Math.abs(other) * (1 + 1e-9);
}

function flowDigest(flow: string, deviations: Float64Array): FlowDigest {
  return {
    flow,
    runs: deviations.length,
    missed: deviations.reduce((count, deviation) => count + (Math.abs(deviation) >= 1 ? 1 : 0), 0),
    quantiles: SHARES.map((share) => deviations[Math.max(0, Math.ceil(share * deviations.length) - 1)]!),
  };
}
