import { ZIP } from './sweep-grid.ts';
import { SAMPLE, type SampleSpec } from './sweep-sample.ts';
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
  /** The same for variables that go in step. */
  readonly zip?: Readonly<Record<string, string>>;
  /** A sample in place of the whole grid. */
  readonly sample?: SampleSpec;
  readonly seed?: number | string;
  readonly duration?: string;
}

/** The document with the overrides written into it; a document that is no mapping stays as it is. */
export function applyOverrides(document: unknown, overrides: Overrides): unknown {
  if (!isMapping(document)) return document;
  const { vary = {}, zip = {}, sample, seed, duration } = overrides;
  const set = { ...zippedWith(document.sweep, overrides.set ?? {}), ...overrides.set };
  const result: Record<string, unknown> = { ...document };
  if (seed !== undefined) result.seed = seed;
  if (duration !== undefined) result.duration = duration;
  if (Object.keys(set).length > 0 && (isMapping(document.vars) || document.vars === undefined)) {
    result.vars = { ...(document.vars as object | undefined), ...set };
  }
  const named = { ...set, ...vary, ...zip };
  if (
    (Object.keys(named).length > 0 || sample !== undefined) &&
    (isMapping(document.sweep) || document.sweep === undefined)
  ) {
    const kept = withoutNames(document.sweep ?? {}, named);
    const sweep: Record<string, unknown> = { ...kept, ...vary };
    if (Object.keys(zip).length > 0) sweep[ZIP] = { ...(kept[ZIP] as object | undefined), ...zip };
    if (sample !== undefined) sweep[SAMPLE] = sample;
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

/** The option that gave what stands at a path of the document, as `--set rate`; undefined: the file. */
export function optionAt(path: readonly string[], overrides: Overrides): string | undefined {
  const { set = {}, vary = {}, zip = {}, sample, seed, duration } = overrides;
  const [section, name = '', zipped = ''] = path;
  if (section === 'seed') return seed === undefined ? undefined : '--seed';
  if (section === 'duration') return duration === undefined ? undefined : '--duration';
  if (section === 'vars') return Object.hasOwn(set, name) ? `--set ${name}` : undefined;
  if (section !== 'sweep') return undefined;
  if (name === SAMPLE) return sample === undefined ? undefined : '--sample';
  const zips = Object.keys(zip).map((each) => `--zip ${each}`);
  // Of a grid as a whole, whatever the command line adds to it.
  if (name === '') return [...Object.keys(vary).map((each) => `--vary ${each}`), ...zips].join(', ') || undefined;
  if (name === ZIP && zipped === '') return zips.join(', ') || undefined;
  if (name === ZIP) return Object.hasOwn(zip, zipped) ? `--zip ${zipped}` : undefined;
  return Object.hasOwn(vary, name) ? `--vary ${name}` : undefined;
}

/** The option that gave a variable its value, or values; undefined: the file. */
export function optionOf(name: string, { set = {}, vary = {}, zip = {} }: Overrides): string | undefined {
  const given = Object.entries({ vary, zip, set }).find(([, values]) => Object.hasOwn(values, name));
  return given === undefined ? undefined : `--${given[0]} ${name}`;
}

function withoutNames(sweep: Readonly<Record<string, unknown>>, names: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sweep)) {
    if (name === ZIP && isMapping(value)) {
      const zipped = withoutNames(value, names);
      if (Object.keys(zipped).length > 0) kept[name] = zipped;
    } else if (!Object.hasOwn(names, name)) kept[name] = value;
  }
  return kept;
}
