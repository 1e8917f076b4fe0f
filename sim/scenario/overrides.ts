import { ZIP } from './sweep-grid.ts';
import { isMapping } from './value-checker.ts';

/** What a command line says against the file; each as text, as it was written. */
export interface Overrides {
  /**
   * Values of variables; a variable of the sweep is swept no more. One that goes in step with others takes them along,
   * if it is set to one of the values that the file lists.
   */
  readonly set?: Readonly<Record<string, string>>;
  /** Values to sweep (a,b,c or from..to/step), in the order of the command line; they go behind the file's. */
  readonly vary?: Readonly<Record<string, string>>;
  readonly seed?: number | string;
  readonly duration?: string;
}

/** The document with the overrides written into it; a document that is no mapping stays as it is. */
export function applyOverrides(document: unknown, overrides: Overrides): unknown {
  if (!isMapping(document)) return document;
  const { vary = {}, seed, duration } = overrides;
  const set = { ...zippedWith(document.sweep, overrides.set ?? {}), ...overrides.set };
  const result: Record<string, unknown> = { ...document };
  if (seed !== undefined) result.seed = seed;
  if (duration !== undefined) result.duration = duration;
  if (Object.keys(set).length > 0 && (isMapping(document.vars) || document.vars === undefined)) {
    result.vars = { ...(document.vars as object | undefined), ...set };
  }
  if (
    Object.keys(set).length + Object.keys(vary).length > 0 &&
    (isMapping(document.sweep) || document.sweep === undefined)
  ) {
    const sweep = { ...withoutNames(document.sweep ?? {}, { ...set, ...vary }), ...vary };
    if (Object.keys(sweep).length > 0) result.sweep = sweep;
    else delete result.sweep;
  }
  return result;
}

/** Values of the variables that go in step with one of `set`, from the row of its value. */
function zippedWith(sweep: unknown, set: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const zip = isMapping(sweep) ? sweep[ZIP] : undefined;
  if (!isMapping(zip)) return {};
  const lists = Object.entries(zip).flatMap(([name, values]) => (Array.isArray(values) ? [{ name, values }] : []));
  for (const { name, values } of lists) {
    const row = Object.hasOwn(set, name) ? values.findIndex((value) => String(value) === set[name]) : -1;
    if (row === -1) continue;
    return Object.fromEntries(
      lists.flatMap((list) => (row in list.values ? [[list.name, String(list.values[row])]] : [])),
    );
  }
  return {};
}

/** Whether what stands at a path of the document came from the overrides. */
export function isOverride(path: readonly string[], { set = {}, vary = {}, seed, duration }: Overrides): boolean {
  const [section, name = ''] = path;
  if (section === 'seed') return seed !== undefined;
  if (section === 'duration') return duration !== undefined;
  return (section === 'vars' && Object.hasOwn(set, name)) || (section === 'sweep' && Object.hasOwn(vary, name));
}

function withoutNames(sweep: Readonly<Record<string, unknown>>, names: Readonly<Record<string, string>>): object {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sweep)) {
    if (name === ZIP && isMapping(value)) {
      const zipped = withoutNames(value, names);
      if (Object.keys(zipped).length > 0) kept[name] = zipped;
    } else if (!Object.hasOwn(names, name)) kept[name] = value;
  }
  return kept;
}
