import type { ReadBytes } from '../../models/model.ts';
import type { Finding, Report } from './findings.ts';
import { LinkTraces, type ReadText } from './link-trace.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import { applyOverrides, type Overrides, optionAt, optionOf } from './overrides.ts';
import { type Problem, ScenarioError, sortProblems } from './problem.ts';
import { readReferences } from './reference.ts';
import type { Shape } from './result-shape.ts';
import type { ReferenceSpec, Scenario, ScenarioPoint } from './scenario.ts';
import { ScenarioChecker } from './scenario-checker.ts';
import { readSweep, type SweepGrid, sweptNames, ZIP } from './sweep-grid.ts';
import { compileTemplate, type Environment, instantiate, LongTextError, namesOf, type Template } from './template.ts';
import { isMapping, type ModelRegistry } from './value-checker.ts';
import { type Reference, Variables } from './variables.ts';
import { type ParsedText, parseText } from './yaml-document.ts';

/** Points of a sweep that a run takes on unless told otherwise. */
export const MAXIMUM_POINTS = 1_000_000;
/** Values of each variable looked at when a scenario is loaded; the others are checked when their turn comes. */
const PROBED_VALUES = 250;
/** Problems after which no further points are looked at. */
const ENOUGH_PROBLEMS = 50;

/** What a scenario is loaded with. */
export interface LoadOptions {
  readonly registry: ModelRegistry;
  readonly overrides?: Overrides;
  /** Reads the files that a scenario names (reference data, link traces), relative to it. */
  readonly readText?: ReadText;
  /** Reads the files that models name, relative to the scenario; absent: they are not looked at. */
  readonly readBytes?: ReadBytes | undefined;
  /** Default {@link MAXIMUM_POINTS}. */
  readonly maximumPoints?: number;
}

/**
 * Reads a scenario from the text of a file and checks it.
 *
 * @param file as it is to appear in messages
 * @throws ScenarioError with every problem found
 */
export function loadScenario(text: string, file: string, options: LoadOptions): LoadedScenario {
  const parsed = parseText(text, file);
  return boundTexts(() => new LoadedScenario(parsed.document, file, options, parsed), file, parsed);
}

/**
 * Checks a scenario that is plain data already, as a result carries it (`scenario.document`); messages then name paths
 * but no lines. Without `readText`, the figures of `reference:` are left out.
 *
 * @throws ScenarioError with every problem found
 */
export function checkDocument(document: unknown, options: LoadOptions): LoadedScenario {
  return boundTexts(() => new LoadedScenario(document, 'scenario', options, undefined), 'scenario', undefined);
}

/** Tells of a text that its variables make too long; nothing can be said of the rest. @throws ScenarioError */
function boundTexts<T>(make: () => T, file: string, parsed: ParsedText | undefined): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof LongTextError)) throw error;
    const place = parsed?.locate(error.path, 'value');
    throw new ScenarioError(file, [{ ...error.told, path: error.path, ...(place === undefined ? {} : { place }) }]);
  }
}

/** A scenario without known problems, whose points are made one at a time. */
export class LoadedScenario {
  readonly file: string;
  /** As written, with the overrides in it: plain data, enough to load it again. */
  readonly document: unknown;
  readonly references: readonly ReferenceSpec[];
  /** What the simulation of its points reads files with. */
  readonly readBytes: ReadBytes | undefined;
  /** Points of the sweep; 1 without any. */
  readonly pointCount: number;
  /** Variables that the sweep sets, in the order of the file. */
  readonly sweptNames: readonly string[];
  /** All variables, swept or not. */
  readonly variableNames: readonly string[];
  /** The first point. */
  readonly first: Scenario;
  /** The figures that a result of the first point has. */
  readonly shape: Shape;
  readonly #grid: SweepGrid;
  readonly #variables: Variables;
  readonly #template: Template;
  readonly #checker: ScenarioChecker;
  readonly #parsed: ParsedText | undefined;
  readonly #overrides: Overrides;

  /** Use {@link loadScenario} or {@link checkDocument}. */
  constructor(source: unknown, file: string, options: LoadOptions, parsed: ParsedText | undefined) {
    const { registry, overrides = {}, readText, readBytes, maximumPoints = MAXIMUM_POINTS } = options;
    this.file = file;
    this.readBytes = readBytes;
    this.#parsed = parsed;
    this.#overrides = overrides;
    this.document = applyOverrides(source, overrides);
    const { vars, sweep, reference, ...points } = isMapping(this.document) ? this.document : {};
    const findings: Finding[] = [];
    const report: Report = (message, path, part = 'value') => findings.push({ ...message, path, part });
    const uses: Reference[] = [];
    const onUse = {
      onReference: (name: string, path: readonly string[]) => uses.push({ name, path }),
      onProblem: report,
    };

    this.#variables = new Variables(vars, report, uses);
    const swept = sweptNames(sweep);
    this.#grid = readSweep(sweep, this.#variables.evaluateWithout(swept), report);
    this.#template = compileTemplate(isMapping(this.document) ? points : this.document, [], onUse);
    const referenceTemplate = compileTemplate(reference, ['reference'], onUse);
    this.pointCount = this.#grid.pointCount;
    this.sweptNames = this.#grid.names;
    this.variableNames = [...new Set([...this.#variables.names, ...swept])];
    reportUnknown(uses, this.variableNames, report);
    reportUnused(source, overrides, uses, report);
    if (this.pointCount > maximumPoints) report(messages.tooManyPoints(this.pointCount, maximumPoints), ['sweep']);

    this.#checker = new ScenarioChecker(registry, new LinkTraces(readText), readBytes);
    const environment = this.#environment(this.#grid.at(0));
    const { scenario, findings: atFirst } = this.#checker.check(instantiate(this.#template, environment));
    const problems = [...findings, ...atFirst].map((finding) => this.#problem(finding));
    const { shape } = this.#checker;
    this.references = [];
    if (reference !== undefined && (readText !== undefined || parsed !== undefined)) {
      const { values } = this.#checker;
      values.findings = [];
      this.references = values.within('reference', () =>
        readReferences(
          instantiate(referenceTemplate, environment),
          values,
          readText,
          this.variableNames,
          this.#checker.shape,
        ),
      );
      problems.push(...values.findings.map((finding) => this.#problem(finding)));
    }
    this.#probe(problems);
    if (problems.length > 0 || scenario === undefined || shape === undefined)
      throw new ScenarioError(file, sortProblems(problems, this.document));
    this.first = scenario;
    this.shape = shape;
  }

  /** Variables of a point of the sweep, without checking it. */
  variablesAt(index: number): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#grid.at(index));
  }

  /**
   * A point of the sweep, `index` from 0 to pointCount - 1; the first variable changes the slowest.
   *
   * @throws ScenarioError that names the point's variables
   */
  pointAt(index: number): ScenarioPoint {
    if (!(index >= 0 && index < this.pointCount)) throw new RangeError(`point ${index} of ${this.pointCount}`);
    return this.#point(this.#grid.at(index));
  }

  /**
   * The point with these variables, whether or not the sweep has it; swept variables that are not named have their
   * first value.
   *
   * @throws ScenarioError that names the point's variables, or a variable that the scenario does not have
   */
  pointOf(variables: Readonly<Record<string, string>>): ScenarioPoint {
    const unknown = Object.keys(variables).filter((name) => !this.variableNames.includes(name));
    if (unknown.length > 0) {
      const problems = unknown.map((name) => {
        const message = messages.unusedVariable(name, this.variableNames, nearestName(name, this.variableNames));
        return { ...message, path: [] };
      });
      throw new ScenarioError(this.file, problems);
    }
    return this.#point(new Map([...this.#grid.at(0), ...Object.entries(variables)]));
  }

  /** All points in order. */
  *points(): Generator<ScenarioPoint> {
    for (let i = 0; i < this.pointCount; i++) yield this.pointAt(i);
  }

  #point(given: Environment): ScenarioPoint {
    const document = boundTexts(() => instantiate(this.#template, this.#environment(given)), this.file, this.#parsed);
    const { scenario, findings } = this.#checker.check(document);
    const variables = Object.fromEntries(given);
    if (scenario !== undefined) return { variables, scenario };
    const problems = findings.map((finding) => this.#problem(finding, variables));
    throw new ScenarioError(this.file, sortProblems(problems, this.document));
  }

  #environment(given: Environment): Environment {
    return this.#variables.evaluate(given);
  }

  /** Looks at further points, and adds what is wrong with them and was not seen before. */
  #probe(problems: Problem[]): void {
    const seen = new Set(problems.map(identity));
    for (const index of this.#grid.probes(PROBED_VALUES)) {
      if (problems.length >= ENOUGH_PROBLEMS) return;
      const given = this.#grid.at(index);
      const { findings } = this.#checker.check(instantiate(this.#template, this.#environment(given)));
      for (const finding of findings) {
        const problem = this.#problem(finding, Object.fromEntries(given));
        if (seen.has(identity(problem))) continue;
        seen.add(identity(problem));
        problems.push(problem);
      }
    }
  }

  /** The options that gave all of the variables in a text of the document; undefined: some are the file's. */
  #optionOfVariables(path: readonly string[]): string | undefined {
    const text = compileTemplate(valueAt(this.document, path), path, { onReference() {}, onProblem() {} });
    const options = this.#variables
      .rootsOf(namesOf(text), this.sweptNames)
      .map((name) => optionOf(name, this.#overrides));
    return options.length === 0 || options.includes(undefined) ? undefined : options.join(', ');
  }

  /** Adds the place in the text, and how a value with variables is written there. */
  #problem({ part, ...finding }: Finding, variables?: Readonly<Record<string, string>>): Problem {
    const written = valueAt(this.document, finding.path);
    const isReplaced =
      part === 'value' && typeof written === 'string' && written.includes('${') && !finding.received.includes('${');
    const received = isReplaced ? `${finding.received}, written ${JSON.stringify(written)}` : finding.received;
    const option =
      optionAt(finding.path, this.#overrides) ?? (isReplaced ? this.#optionOfVariables(finding.path) : undefined);
    const place = option === undefined ? this.#parsed?.locate(finding.path, part) : undefined;
    return {
      ...finding,
      received,
      ...(option === undefined ? {} : { option }),
      ...(place === undefined ? {} : { place }),
      ...(variables === undefined || Object.keys(variables).length === 0 ? {} : { variables }),
    };
  }
}

function identity({ path, expected, received }: Problem): string {
  return JSON.stringify([path, expected, received]);
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let node = document;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function reportUnknown(uses: readonly Reference[], known: readonly string[], report: Report): void {
  for (const { name, path } of uses) {
    if (!known.includes(name)) report(messages.unknownVariable(name, known, nearestName(name, known)), path);
  }
}

/** A variable that is set or swept, but neither declared nor used, is a slip. */
function reportUnused(source: unknown, overrides: Overrides, uses: readonly Reference[], report: Report): void {
  const document = isMapping(source) ? source : {};
  const declared = isMapping(document.vars) ? Object.keys(document.vars) : [];
  const used = uses.map(({ name }) => name);
  const inFile = [...new Set([...declared, ...used])];
  const check = (name: string, known: readonly string[], path: readonly string[]): void => {
    if (!known.includes(name)) report(messages.unusedVariable(name, known, nearestName(name, known)), path, 'key');
  };
  const swept = sweptNames(document.sweep);
  const zipped = isMapping(document.sweep) ? document.sweep[ZIP] : undefined;
  for (const name of swept) {
    const path = isMapping(zipped) && Object.hasOwn(zipped, name) ? ['sweep', ZIP, name] : ['sweep', name];
    check(name, inFile, path);
  }
  for (const name of Object.keys(overrides.set ?? {})) check(name, [...inFile, ...swept], ['vars', name]);
  for (const name of Object.keys(overrides.vary ?? {})) check(name, [...inFile, ...swept], ['sweep', name]);
  for (const name of Object.keys(overrides.zip ?? {})) check(name, [...inFile, ...swept], ['sweep', ZIP, name]);
}
