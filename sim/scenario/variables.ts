import type { Report } from './findings.ts';
import * as messages from './messages.ts';
import { compileTemplate, type Environment, instantiate, isVariableName, namesOf, type Template } from './template.ts';
import { isMapping } from './value-checker.ts';

/** A use of a variable. */
export interface Reference {
  readonly name: string;
  readonly path: readonly string[];
}

/** The variables of a scenario, in an order in which each comes after those that it refers to. */
export class Variables {
  readonly #definitions: ReadonlyMap<string, Template>;
  readonly #ordered: readonly (readonly [name: string, definition: Template])[];

  /**
   * @param node `vars:` of a document
   * @param references filled with what the values refer to
   */
  constructor(node: unknown, report: Report, references: Reference[]) {
    const definitions = new Map<string, Template>();
    if (node !== undefined && !isMapping(node))
      report(messages.wrongOptional('a mapping of variables', node), ['vars']);
    for (const [name, value] of Object.entries(isMapping(node) ? node : {})) {
      const path = ['vars', name];
      if (!isVariableName(name)) report(messages.notVariableName(name), path, 'key');
      const text = scalarText(value);
      if (text === undefined) report(messages.notVariableValue(value), path);
      // A variable without a proper value is still known by name.
      definitions.set(
        name,
        compileTemplate(text, path, {
          onReference: (reference, at) => references.push({ name: reference, path: at }),
          onProblem: report,
        }),
      );
    }
    this.#definitions = definitions;
    this.#ordered = this.#sort(report);
  }

  /** Names in the order of the file. */
  get names(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** The values of all variables, given those that the sweep sets; what refers to something unknown is left out. */
  evaluate(given: Environment): Environment {
    const environment = new Map(given);
    for (const [name, definition] of this.#ordered) {
      if (environment.has(name)) continue;
      const value = instantiate(definition, environment);
      if (typeof value === 'string') environment.set(name, value);
    }
    return environment;
  }

  /** Everything but the variables in `without`, and what refers to them. */
  evaluateWithout(without: ReadonlySet<string>): Environment {
    const environment = new Map<string, string>();
    for (const [name, definition] of this.#ordered) {
      const value = without.has(name) ? undefined : instantiate(definition, environment);
      if (typeof value === 'string') environment.set(name, value);
    }
    return environment;
  }

  /** The variables, swept or without others in them, from which the values of some are made. */
  rootsOf(names: readonly string[], swept: readonly string[]): readonly string[] {
    const roots = new Set<string>();
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      const definition = swept.includes(name) ? undefined : this.#definitions.get(name);
      const below = definition === undefined ? [] : namesOf(definition);
      if (below.length === 0) roots.add(name);
      for (const each of below) visit(each);
    };
    for (const name of names) visit(name);
    return [...roots];
  }

  /** Depth-first; variables that refer to themselves are reported once a circle, and left without value. */
  #sort(report: Report): readonly (readonly [string, Template])[] {
    const ordered: [string, Template][] = [];
    const finished = new Set<string>();
    const open: string[] = [];
    const visit = (name: string): void => {
      const definition = this.#definitions.get(name);
      if (definition === undefined || finished.has(name)) return;
      const start = open.indexOf(name);
      if (start !== -1) {
        report(messages.circularVariable([...open.slice(start), name]), ['vars', name]);
        return;
      }
      open.push(name);
      for (const reference of namesOf(definition)) visit(reference);
      open.pop();
      finished.add(name);
      ordered.push([name, definition]);
    };
    for (const name of this.#definitions.keys()) visit(name);
    return ordered;
  }
}

/** The text of a scalar, as a variable's value; undefined for what is none. */
export function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
