import { figureAt } from '../run/expect.ts';
import type { EdgeResult, PointResult } from '../run/result.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import type { Quantity } from '../units/quantity.ts';
import { writeExactly } from '../units/unit-tables.ts';
import type { Journal } from './journal.ts';
import { readLineHead, resultText } from './point-line.ts';
import { quantityOf, type RefineSpec } from './refine-spec.ts';
import type { PointTask } from './sweep-job.ts';

/** Points that a refinement adds at most. */
export const MOST_ADDED_POINTS = 100_000;

/** Where a figure changes from one value of a variable to the next: a breakpoint of a staircase. */
export type Edge = EdgeResult;

/** A point of a series: the variable's value, and the figure once it is known. */
interface Sample {
  readonly index: number;
  readonly text: string;
  readonly value: number;
  figure: number | undefined;
}

/** Points that differ in the refined variable only, ascending. */
interface Series {
  readonly others: Readonly<Record<string, string>>;
  samples: Sample[];
}

/**
 * Adds points to a finished grid where a figure changes from one point to the next, halving the gap round by round
 * until it is as small as the resolution. Which points are added depends on the results alone, so that a sweep that
 * was interrupted goes on with the same.
 */
export class Refinement {
  readonly #spec: RefineSpec;
  readonly #series: readonly Series[];
  readonly #pattern: Quantity;
  readonly #firstIndex: number;
  #nextIndex: number;

  /** @throws SweepFault (usage) where the variable has a value that is no number */
  constructor(loaded: LoadedScenario, spec: RefineSpec) {
    this.#spec = spec;
    this.#firstIndex = loaded.pointCount;
    this.#nextIndex = loaded.pointCount;
    const series = new Map<string, Series>();
    for (let index = 0; index < loaded.pointCount; index++) {
      const { [spec.variable]: text = '', ...others } = loaded.variablesAt(index);
      const key = JSON.stringify(others);
      if (!series.has(key)) series.set(key, { others, samples: [] });
      series.get(key)!.samples.push({ index, text, value: quantityOf('refine', text).value, figure: undefined });
    }
    this.#series = [...series.values()];
    for (const { samples } of this.#series) samples.sort((a, b) => a.value - b.value);
    this.#pattern = quantityOf('refine', loaded.variablesAt(0)[spec.variable]!);
  }

  /** Whether the most points that may be added were. */
  get isExhausted(): boolean {
    return this.#nextIndex - this.#firstIndex >= MOST_ADDED_POINTS;
  }

  /** Takes in what is finished and returns the points of the next round; none: every edge is found. */
  nextRound(journal: Journal): PointTask[] {
    const tasks: PointTask[] = [];
    for (const series of this.#series) {
      this.#readFigures(series, journal);
      const added: Sample[] = [];
      for (let i = 1; i < series.samples.length && !this.isExhausted; i++) {
        const [below, above] = [series.samples[i - 1]!, series.samples[i]!];
        const value = this.#between(below, above);
        if (value === undefined) continue;
        const text = this.#write(value);
        const index = this.#nextIndex++;
        added.push({ index, text, value, figure: undefined });
        tasks.push({ index, variables: { ...series.others, [this.#spec.variable]: text } });
      }
      series.samples = [...series.samples, ...added].sort((a, b) => a.value - b.value);
    }
    return tasks;
  }

  /** The edges that were found, in the order of the grid. */
  edges(): Edge[] {
    const { variable, figure, resolution } = this.#spec;
    return this.#series.flatMap(({ others, samples }) =>
      samples.slice(1).flatMap((above, i): Edge[] => {
        const below = samples[i]!;
        if (!this.#differ(below, above) || above.value - below.value > resolution) return [];
        return [
          {
            variable,
            below: below.text,
            above: above.text,
            belowValue: below.value,
            aboveValue: above.value,
            others,
            figure: figure.join('.'),
            figureBelow: below.figure!,
            figureAbove: above.figure!,
          },
        ];
      }),
    );
  }

  #readFigures({ samples }: Series, journal: Journal): void {
    for (const sample of samples) {
      if (sample.figure !== undefined || !journal.has(sample.index)) continue;
      const line = journal.line(sample.index);
      const point = JSON.parse(resultText(line, readLineHead(line)!)) as PointResult;
      const figure = figureAt(point, this.#spec.figure);
      sample.figure = typeof figure === 'number' ? figure : undefined;
    }
  }

  /** The value halfway between two points, in whole steps of the resolution; undefined where there is nothing to find. */
  #between(below: Sample, above: Sample): number | undefined {
    const { resolution } = this.#spec;
    const steps = Math.ceil((above.value - below.value) / resolution - 1e-9);
    if (steps < 2 || !this.#differ(below, above)) return undefined;
    return below.value + Math.floor(steps / 2) * resolution;
  }

  #differ(below: Sample, above: Sample): boolean {
    if (below.figure === undefined || above.figure === undefined) return false;
    const larger = Math.max(Math.abs(below.figure), Math.abs(above.figure));
    return Math.abs(above.figure - below.figure) > this.#spec.change * larger;
  }

  #write(value: number): string {
    const { family } = this.#pattern;
    if (family === undefined) return String(Number(value.toPrecision(12)));
    if (family.kind === 'probability') return `${Number((value * 100).toPrecision(12))}%`;
    return writeExactly(Math.round(value), family.units);
  }
}
