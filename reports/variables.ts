import { mappingOf } from './document.ts';
import { type QuantityKind, quantityOf } from './quantity.ts';
import type { ReadPoint } from './reading.ts';

/** Keys of a scenario whose values are versions: `3.10` comes behind `3.6`, and is no number. */
const VERSION_KEY = /^(?:kernel|tc|version)$/;

/** Whether a variable is a version anywhere in the scenario, as written. */
export function isVersion(document: unknown, name: string): boolean {
  if (typeof document !== 'object' || document === null) return false;
  return Object.entries(document).some(([key, value]) =>
    typeof value === 'string' ? VERSION_KEY.test(key) && value.includes(`\${${name}}`) : isVersion(value, name),
  );
}

/** What a variable of some scenarios measures; undefined where it is a version or a choice of words. */
export function quantityOfVariable(
  documents: readonly unknown[],
  name: string,
  values: readonly string[],
): QuantityKind | undefined {
  return documents.some((document) => isVersion(document, name)) ? undefined : quantityOf(name, values);
}

/** Values in the order that people expect: quantities by size, all others as the scenario lists them. */
export function orderedValues(documents: readonly unknown[], name: string, values: Iterable<string>): string[] {
  const distinct = [...new Set(values)];
  const quantity = quantityOfVariable(documents, name, distinct);
  if (quantity === undefined) return distinct;
  const size = new Map(distinct.map((value) => [value, quantity.read(value) as number]));
  return distinct.sort((a, b) => (size.get(a) as number) - (size.get(b) as number));
}

function documentsOf(points: readonly ReadPoint[]): unknown[] {
  return [...new Set(points.map(({ result }) => mappingOf(result.scenario.document)))];
}

/** Distinct values of a variable, in the order that people expect. */
export function valuesOf(points: readonly ReadPoint[], name: string): string[] {
  return orderedValues(
    documentsOf(points),
    name,
    points.map(({ point }) => point.variables[name] ?? ''),
  );
}

/** What a variable measures at all points; undefined where it is a version or a choice of words. */
export function quantityVaried(points: readonly ReadPoint[], name: string): QuantityKind | undefined {
  return quantityOfVariable(documentsOf(points), name, valuesOf(points, name));
}
