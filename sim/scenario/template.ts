import * as messages from './messages.ts';
import type { Message } from './problem.ts';

/** Values of variables by name. */
export type Environment = ReadonlyMap<string, string>;

/**
 * A part of a document, ready to have its variables replaced. What holds no variable stays the very same object in
 * every point, and what holds some stays the same as long as their values do: a check need not look at it again.
 */
export type Template = ConstantTemplate | TextTemplate | CompositeTemplate;

/** A part without variables. */
interface ConstantTemplate {
  readonly kind: 'constant';
  readonly value: unknown;
}

/** Text with variables: literal, name, literal, name, …, literal. */
interface TextTemplate {
  readonly kind: 'text';
  readonly parts: readonly string[];
  /** Where it stands in the document. */
  readonly path: readonly string[];
}

/** A mapping (with keys) or a list (without) that holds variables somewhere. */
interface CompositeTemplate {
  readonly kind: 'composite';
  readonly keys: readonly string[] | undefined;
  readonly children: readonly Template[];
  /** Every variable below, and the values for which `last` was made. */
  readonly names: readonly string[];
  readonly lastValues: (string | undefined)[];
  last: unknown;
}

/** Told of each variable that a document names, and of each reference that cannot be read. */
export interface TemplateListener {
  onReference(name: string, path: readonly string[]): void;
  onProblem(message: Message, path: readonly string[]): void;
}

/** Variables, each of which may hold others twice, make a text longer by so much at most (characters). */
const MOST_INSERTED = 10_000;

/** Thrown where variables make a text too long. */
export class LongTextError extends Error {
  override readonly name = 'LongTextError';
  readonly path: readonly string[];

  constructor(path: readonly string[]) {
    super(path.join('.'));
    this.path = path;
  }

  /** What is to be told. */
  get told(): Message {
    return messages.longText(MOST_INSERTED);
  }
}

const REFERENCE = /\$?\$\{([^}]*)(\}?)/g;
const VARIABLE_NAME = /^[A-Za-z_][\w-]*$/;

/** Whether a word can be the name of a variable. */
export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && name !== '__proto__';
}

/** Prepares a document, in which `${name}` stands for a variable and `$${` for a plain `${`. */
export function compileTemplate(node: unknown, path: readonly string[], listener: TemplateListener): Template {
  if (typeof node === 'string') return compileText(node, path, listener);
  if (typeof node !== 'object' || node === null) return { kind: 'constant', value: node };
  const entries = Object.entries(node).filter(([key]) => {
    // The one word that a plain object cannot have as a key of its own by assignment.
    if (key === '__proto__') listener.onProblem(messages.notName(key), [...path, key]);
    return key !== '__proto__';
  });
  const children = entries.map(([key, child]) => compileTemplate(child, [...path, key], listener));
  const isWhole = entries.length === Object.keys(node).length;
  const isUnchanged =
    isWhole && children.every((child, i) => child.kind === 'constant' && child.value === entries[i]![1]);
  if (isUnchanged) return { kind: 'constant', value: node };
  const keys = Array.isArray(node) ? undefined : entries.map(([key]) => key);
  const names = [...new Set(children.flatMap(namesOf))];
  const composite: CompositeTemplate = { kind: 'composite', keys, children, names, lastValues: [], last: undefined };
  return names.length > 0 ? composite : { kind: 'constant', value: build(composite, new Map()) };
}

/** Stands for text with a variable that has no value; the cause is reported elsewhere, so checks pass over it. */
export const UNRESOLVED: unique symbol = Symbol('unresolved');

/** Replaces the variables; text with a variable that the environment lacks becomes {@link UNRESOLVED}. @throws LongTextError */
export function instantiate(template: Template, environment: Environment): unknown {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'text':
      return replace(template, environment);
    case 'composite': {
      const { names, lastValues } = template;
      let isSame = template.last !== undefined;
      for (let i = 0; i < names.length; i++) {
        const value = environment.get(names[i]!);
        if (value !== lastValues[i]) {
          lastValues[i] = value;
          isSame = false;
        }
      }
      if (!isSame) template.last = build(template, environment);
      return template.last;
    }
  }
}

/** Names of the variables that a part of a document holds. */
export function namesOf(template: Template): readonly string[] {
  if (template.kind === 'constant') return [];
  return template.kind === 'text' ? template.parts.filter((_, i) => i % 2 === 1) : template.names;
}

function compileText(text: string, path: readonly string[], listener: TemplateListener): Template {
  if (!text.includes('${')) return { kind: 'constant', value: text };
  const parts: string[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, name = '', brace] = match;
    literal += text.slice(end, match.index);
    end = match.index + whole.length;
    if (whole.startsWith('$$')) {
      literal += whole.slice(1);
    } else if (brace === '' || !isVariableName(name)) {
      listener.onProblem(messages.malformedReference(text), path);
      // No variable is named so: what the text would be is not complained of as well.
      parts.push(literal, '');
      literal = '';
    } else {
      listener.onReference(name, path);
      parts.push(literal, name);
      literal = '';
    }
  }
  literal += text.slice(end);
  return parts.length === 0 ? { kind: 'constant', value: literal } : { kind: 'text', parts: [...parts, literal], path };
}

function replace({ parts, path }: TextTemplate, environment: Environment): string | typeof UNRESOLVED {
  let text = parts[0]!;
  let inserted = 0;
  for (let i = 1; i < parts.length; i += 2) {
    const value = environment.get(parts[i]!);
    if (value === undefined) return UNRESOLVED;
    text += value + parts[i + 1]!;
    inserted += value.length;
    if (inserted > MOST_INSERTED) throw new LongTextError(path);
  }
  return text;
}

function build({ keys, children }: CompositeTemplate, environment: Environment): unknown {
  if (keys === undefined) return children.map((child) => instantiate(child, environment));
  const mapping: Record<string, unknown> = {};
  for (let i = 0; i < keys.length; i++) mapping[keys[i]!] = instantiate(children[i]!, environment);
  return mapping;
}
