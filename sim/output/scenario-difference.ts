/** A place where two scenarios differ; undefined where one of them does not set it. */
export interface ScenarioDifference {
  /** Dotted path in the scenario as written. */
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** What tells scenarios apart without changing a run. */
const WORDS_ONLY = new Set(['title', 'about', '$schema']);

/**
 * Where two scenarios differ, in the order of the first; what only one of them has is not taken apart.
 *
 * @param a scenario as plain data
 * @param b the other one
 */
export function scenarioDifferences(a: unknown, b: unknown): ScenarioDifference[] {
  const differences: ScenarioDifference[] = [];
  compare(a, b, [], differences);
  return differences;
}

function compare(a: unknown, b: unknown, path: readonly string[], differences: ScenarioDifference[]): void {
  if (isMapping(a) && isMapping(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (path.length > 0 || !WORDS_ONLY.has(key)) compare(a[key], b[key], [...path, key], differences);
    }
    return;
  }
  const [textA, textB] = [textOf(a), textOf(b)];
  if (textA !== textB) differences.push({ path: path.join('.'), a: textA, b: textB });
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item) ?? '').join(', ')}]`;
  if (!isMapping(value)) return String(value);
  const entries = Object.entries(value).map(([key, item]) => `${key}: ${textOf(item) ?? ''}`);
  return `{ ${entries.join(', ')} }`;
}
