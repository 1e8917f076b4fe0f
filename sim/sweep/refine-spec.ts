import { figureKindAt, splitPath } from '../scenario/expectation.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import { parseProbability } from '../units/probability.ts';
import { parseQuantity, type Quantity } from '../units/quantity.ts';
import { UnitError } from '../units/unit-error.ts';
import { SweepFault } from './sweep-fault.ts';

/** A figure that changes by this share from one point to the next has an edge between them. */
const USUAL_CHANGE = 0.005;

/** How a sweep is refined. */
export interface RefineSpec {
  readonly variable: string;
  /** In bit/s, bytes, ns or as it stands. */
  readonly resolution: number;
  /** Path into a point of the result. */
  readonly figure: readonly string[];
  /** Change of the figure, relative to the larger value, above which there is an edge. */
  readonly change: number;
}

/** What the command line says of a refinement. */
export interface RefineTexts {
  /** `rate/1kbit`. */
  readonly refine: string;
  /** `flows.generator.bitsPerSecond.frame`. */
  readonly figure: string | undefined;
  /** `0.5%`. */
  readonly change: string | undefined;
}

/** Reads how a sweep is to be refined. @throws SweepFault (usage) */
export function readRefineSpec({ refine, figure, change }: RefineTexts, loaded: LoadedScenario): RefineSpec {
  const match = /^([^/]+)\/(.+)$/.exec(refine);
  if (match === null) throw usage('refine', 'a swept variable and a resolution, such as rate/1kbit', refine);
  const [, variable = '', step = ''] = match;
  if (!loaded.sweptNames.includes(variable)) {
    throw usage('refine', `a variable that is swept (${loaded.sweptNames.join(', ') || 'there is none'})`, variable);
  }
  const resolution = quantityOf('refine', step);
  const first = quantityOf('refine', loaded.variablesAt(0)[variable]!);
  if (resolution.kind !== first.kind) throw usage('refine', `a resolution in the unit of ${variable}`, step);
  if (resolution.value <= 0) throw usage('refine', 'a resolution above 0', step);
  return {
    variable,
    resolution: resolution.value,
    figure: figure === undefined ? usualFigure(loaded) : figureOf(figure, loaded),
    change: change === undefined ? USUAL_CHANGE : shareOf(change),
  };
}

/** Reads the path of a figure that is a number, as `expect:` would. */
function figureOf(text: string, { shape }: LoadedScenario): readonly string[] {
  const path = splitPath(text);
  const kind = figureKindAt(path, shape);
  if (typeof kind === 'object') {
    const { expected, received, hint } = kind;
    throw new SweepFault('usage', `--figure: expected ${expected} but received ${received}`, hint);
  }
  if (kind === 'text' || kind === 'boolean') throw usage('figure', 'a figure that is a number', text);
  return path;
}

/** What the scenario itself speaks of: the figure of its reference, of its first expectation, or its first flow's rate. */
function usualFigure(loaded: LoadedScenario): readonly string[] {
  const { expect, flows } = loaded.first;
  return loaded.references[0]?.figure ?? expect[0]?.path ?? ['flows', flows[0]!.name, 'bitsPerSecond', 'accounted'];
}

/** Reads a number with or without a unit. @throws SweepFault (usage) */
export function quantityOf(option: string, text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    throw usage(option, 'numbers, with or without a unit', text);
  }
}

function shareOf(text: string): number {
  try {
    return parseProbability(text);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    throw usage('change', 'a share such as 0.5%', text);
  }
}

function usage(option: string, expected: string, received: string): SweepFault {
  return new SweepFault('usage', `--${option}: expected ${expected} but received ${JSON.stringify(received)}`);
}
