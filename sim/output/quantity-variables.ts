import { parseFigure } from '../units/quantity.ts';
import { UnitError } from '../units/unit-error.ts';

/** Keys whose values are versions: `3.10` comes behind `3.6`, and is no number. */
const VERSION_KEY = /^(?:kernel|tc|version)$/;

/** A text as a number in the units of a result; undefined for words. */
export function figureOf(text: string): number | undefined {
  try {
    return parseFigure(text);
  } catch (error) {
    if (error instanceof UnitError) return undefined;
    throw error;
  }
}

/**
 * The variables of a sweep that are quantities: none that is a version anywhere in the scenario, and none that takes a
 * value that is no number.
 *
 * @param document the scenario as written
 */
export function quantityVariables(document: unknown, names: readonly string[]): ReadonlySet<string> {
  const versions = new Set<string>();
  collectVersions(document, versions);
  return new Set(names.filter((name) => !versions.has(name) && listOf(document, name).every(isFigure)));
}

function isFigure(value: unknown): boolean {
  return typeof value === 'number' || figureOf(String(value)) !== undefined;
}

function collectVersions(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'string') collectVersions(value, names);
    else if (VERSION_KEY.test(key)) for (const [, name] of value.matchAll(/\$\{([^}]+)\}/g)) names.add(name!);
  }
}

/** The values that a scenario lists for a variable; empty where it gives a range, or the command line gives them. */
function listOf(document: unknown, name: string): readonly unknown[] {
  const { sweep } = mappingOf(document);
  const axes = mappingOf(sweep);
  const given = axes[name] ?? mappingOf(axes.zip)[name];
  if (Array.isArray(given)) return given;
  return typeof given === 'string' && !given.includes('..') ? given.split(',') : [];
}

function mappingOf(node: unknown): Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {};
}
