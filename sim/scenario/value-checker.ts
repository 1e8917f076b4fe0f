import type {
  ModelDeclaration,
  ModelRole,
  NestedModel,
  Parameter,
  Parameters,
  ParameterType,
  ReadBytes,
  Values,
} from '../../models/model.ts';
import { parseClassId } from '../units/class-id.ts';
import { parseCurlLimit } from '../units/curl-limit.ts';
import { parseDuration } from '../units/duration.ts';
import { splitNumber } from '../units/number-text.ts';
import { parseProbability } from '../units/probability.ts';
import { parseQueueLimit } from '../units/queue-limit.ts';
import { parseRate } from '../units/rate.ts';
import { parseSize } from '../units/size.ts';
import { UnitError } from '../units/unit-error.ts';
import type { Finding } from './findings.ts';
import { isComposite, Memo, NO_MEMO, remember } from './memo.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import type { Message } from './problem.ts';
import { UNRESOLVED } from './template.ts';
import { describeType, shapeOf, shapeOfNode, writeBound } from './type-words.ts';
import { versionHint } from './version-words.ts';

/** Where the checks find the models. */
export interface ModelRegistry {
  modelsOf(role: ModelRole): ReadonlyMap<string, ModelDeclaration>;
}

/** The outcome of a check that reported something. */
export const INVALID: unique symbol = Symbol('invalid');

interface CompiledParameter {
  readonly name: string;
  readonly parameter: Parameter;
  /** Checked; undefined: none. */
  readonly defaultValue: unknown;
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:+-]*$/u;

/** Whether a word can name a hop, a flow, or what a model lets name. */
export function isName(word: string): boolean {
  return NAME.test(word) && word !== '__proto__';
}

/** Whether a value is a mapping of a document. */
export function isMapping(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Reads the scalar types; text is all that they need, so that a variable can stand for any of them. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  rate: parseRate,
  size: parseSize,
  duration: parseDuration,
  probability: parseProbability,
  'curl-limit': parseCurlLimit,
  queue: parseQueueLimit,
  'class-id': parseClassId,
};

/**
 * Turns mappings of a document into what the declarations of the models promise, and reports all that does not fit.
 *
 * It walks with its own place in the document; `findings` grows in the order of the walk.
 */
export class ValueChecker {
  findings: Finding[] = [];
  readonly #registry: ModelRegistry;
  readonly #readBytes: ReadBytes | undefined;
  readonly #path: string[] = [];
  readonly #compiled = new WeakMap<Parameters, ReadonlyMap<string, CompiledParameter>>();
  readonly #nestedParameters = new WeakMap<ModelDeclaration, Parameters>();

  /** With `readBytes`, models also look at the files that they are to read. */
  constructor(registry: ModelRegistry, readBytes?: ReadBytes) {
    this.#registry = registry;
    this.#readBytes = readBytes;
  }

  /** Reports at the present place, or at a part below it. */
  report(message: Message, below: readonly string[] = [], part: 'key' | 'value' = 'value'): void {
    this.findings.push({ ...message, path: [...this.#path, ...below], part });
  }

  /** Does what `check` does, one key farther down. */
  within<T>(key: string, check: () => T): T {
    this.#path.push(key);
    const result = check();
    this.#path.pop();
    return result;
  }

  /** Checks a mapping against declared parameters; keys that are not declared are reported. */
  checkMapping(node: unknown, parameters: Parameters, memo: Memo): Values | typeof INVALID {
    if (memo.node === node && memo.type === parameters && node !== undefined) return memo.value as Values;
    if (!isMapping(node)) return this.#fail(node, 'a mapping');
    const keysFit = this.checkKeys(node, parameters);
    const values = this.checkEntries(node, parameters, memo);
    if (!keysFit || values === INVALID) return INVALID;
    remember(memo, node, parameters, values);
    return values;
  }

  /** Reports keys that are not among the known ones. */
  checkKeys(node: Readonly<Record<string, unknown>>, known: Readonly<Record<string, unknown>>, hint?: string): boolean {
    let allKnown = true;
    for (const key of Object.keys(node)) {
      if (Object.hasOwn(known, key)) continue;
      allKnown = false;
      const words = Object.keys(known);
      this.report(messages.unknownKey(key, words, nearestName(key, words), hint), [key], 'key');
    }
    return allKnown;
  }

  /** Checks the values of the declared keys, and fills in the defaults. */
  checkEntries(node: Readonly<Record<string, unknown>>, parameters: Parameters, memo: Memo): Values | typeof INVALID {
    const values: Record<string, unknown> = {};
    let isValid = true;
    for (const { name, parameter, defaultValue } of this.#compile(parameters).values()) {
      if (!Object.hasOwn(node, name)) {
        if (defaultValue !== undefined) values[name] = defaultValue;
        if (parameter.required !== true) continue;
        this.report(messages.missingKey(name, parameter.help), [name], 'key');
        isValid = false;
        continue;
      }
      if (node[name] === null && parameter.required === true) {
        this.report(messages.missingKey(name, parameter.help), [name], 'key');
        isValid = false;
        continue;
      }
      this.#path.push(name);
      const value = this.#checkParameter(node[name], parameter, memo, name);
      this.#path.pop();
      if (value === INVALID) isValid = false;
      else values[name] = value;
    }
    return isValid ? values : INVALID;
  }

  /** Checks a model's values among themselves; `written` is the mapping that they were read from. */
  checkModel(declaration: ModelDeclaration, values: Values, written: Values): boolean {
    const problems = declaration.check?.(values, written) ?? [];
    if (problems.length === 0 && this.#readBytes !== undefined && declaration.checkFiles !== undefined) {
      problems.push(...declaration.checkFiles(values, this.#readBytes));
    }
    for (const { path, ...message } of problems) this.report(message, path);
    return problems.length === 0;
  }

  /** Finds the declaration of a kind, or reports that there is none. */
  findModel(role: ModelRole, kind: unknown, below: readonly string[] = []): ModelDeclaration | undefined {
    const models = this.#registry.modelsOf(role);
    const declaration = typeof kind === 'string' ? models.get(kind) : undefined;
    if (declaration === undefined && kind !== UNRESOLVED) {
      const kinds = [...models.keys()];
      const nearest = typeof kind === 'string' ? nearestName(kind, kinds) : undefined;
      this.report(messages.unknownKind(role, kind, kinds, nearest), below);
    }
    return declaration;
  }

  /** Checks one value. */
  checkValue(node: unknown, type: ParameterType, memo: Memo): unknown {
    if (node === UNRESOLVED) return INVALID;
    if (typeof type === 'string') return this.#checkScalar(node, type);
    if ('choice' in type) return this.#checkChoice(node, type.choice);
    if ('record' in type) return this.checkMapping(node, type.record, memo);
    if ('oneOf' in type) return this.#checkOneOf(node, type.oneOf, memo);
    if (memo.node === node && memo.type === type && node !== undefined) return memo.value;
    const value =
      'listOf' in type
        ? this.#checkList(node, type.listOf, memo)
        : 'mapOf' in type
          ? this.#checkMap(node, type, memo)
          : this.#checkNested(node, type.model, memo);
    if (value !== INVALID) remember(memo, node, type, value);
    return value;
  }

  #checkParameter(node: unknown, parameter: Parameter, memo: Memo, name: string): unknown {
    const { type, minimum, maximum, boundsHint: hint } = parameter;
    const value = this.checkValue(node, type, isComposite(node) ? memo.child(name) : NO_MEMO);
    if (typeof value !== 'number') return value;
    if ((minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum)) return value;
    const write = (bound: number | undefined) => (bound === undefined ? undefined : writeBound(bound, type));
    this.report(messages.outOfBounds({ minimum: write(minimum), maximum: write(maximum) }, node, hint));
    return INVALID;
  }

  #checkScalar(node: unknown, type: string): unknown {
    if (typeof node !== 'string' && typeof node !== 'number' && typeof node !== 'boolean') {
      return this.#fail(node, describeType(type as ParameterType));
    }
    if (type === 'string') return typeof node === 'boolean' ? this.#fail(node, 'text') : String(node);
    if (type === 'boolean') {
      if (node === true || node === 'true') return true;
      return node === false || node === 'false' ? false : this.#reject(messages.notBoolean(node));
    }
    const text = String(node);
    if (type === 'integer' || type === 'number') {
      const number = splitNumber(text);
      const isPlain = number?.suffix === '' && Number.isFinite(number.value);
      if (type === 'number') return isPlain ? number.value : this.#reject(messages.notNumber(node));
      return isPlain && Number.isSafeInteger(number.value) ? number.value : this.#reject(messages.notInteger(node));
    }
    try {
      return READERS[type]!(text);
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      return this.#reject({ expected: error.expected, received: error.received, hint: error.hint });
    }
  }

  #checkChoice(node: unknown, choices: readonly string[]): unknown {
    const word = isComposite(node) ? undefined : String(node);
    if (word !== undefined && choices.includes(word)) return word;
    const message = messages.notChoice(node, choices, word === undefined ? undefined : nearestName(word, choices));
    const hint = (word === undefined ? undefined : versionHint(word, choices)) ?? message.hint;
    return this.#reject({ ...message, expected: describeType({ choice: choices }), hint });
  }

  #checkList(node: unknown, type: ParameterType, memo: Memo): unknown {
    if (!Array.isArray(node)) {
      const hint = isComposite(node) || node === null || node === undefined ? undefined : `write [${String(node)}]`;
      return this.#fail(node, `a list, each ${describeType(type)}`, hint);
    }
    const values: unknown[] = [];
    let isValid = true;
    for (const [i, item] of node.entries()) {
      this.#path.push(String(i));
      const value = this.checkValue(item, type, isComposite(item) ? memo.child(String(i)) : NO_MEMO);
      this.#path.pop();
      if (value === INVALID) isValid = false;
      values.push(value);
    }
    return isValid ? values : INVALID;
  }

  #checkMap(
    node: unknown,
    type: { readonly mapOf: Parameters; readonly key: 'class-id' | 'name' },
    memo: Memo,
  ): unknown {
    if (!isMapping(node)) return this.#fail(node, describeType(type));
    const values: Record<string, unknown> = {};
    const classes = new Map<number, string>();
    let isValid = true;
    for (const key of Object.keys(node)) {
      this.#path.push(key);
      const keyFits = type.key === 'name' ? this.checkName(key) : this.#checkClassKey(key, classes);
      const value = this.checkMapping(node[key], type.mapOf, memo.child(key));
      this.#path.pop();
      if (!keyFits || value === INVALID) isValid = false;
      else values[key] = value;
    }
    return isValid ? values : INVALID;
  }

  /** Checks a key of the user's own choosing, at whose place the checker stands. */
  checkName(key: string): boolean {
    if (isName(key)) return true;
    this.report(messages.notName(key), [], 'key');
    return false;
  }

  #checkClassKey(key: string, seen: Map<number, string>): boolean {
    const classId = this.#checkScalar(key, 'class-id');
    if (typeof classId !== 'number') return false;
    const other = seen.get(classId);
    seen.set(classId, key);
    if (other === undefined) return true;
    this.report(messages.classTwice(key, other), [], 'key');
    return false;
  }

  #checkNested(node: unknown, role: ModelRole, memo: Memo): NestedModel | typeof INVALID {
    const isWord = typeof node === 'string';
    if (!isWord && !isMapping(node)) return this.#fail(node, describeType({ model: role }));
    const declaration = isWord ? this.findModel(role, node) : this.findModel(role, node.kind, ['kind']);
    if (declaration === undefined) return INVALID;
    let parameters = this.#nestedParameters.get(declaration);
    if (parameters === undefined) {
      parameters = { kind: { type: 'string', help: `Kind of ${role}.` }, ...declaration.parameters };
      this.#nestedParameters.set(declaration, parameters);
    }
    const written = isWord ? {} : node;
    const checked = this.checkMapping(written, parameters, memo.child('kind'));
    if (checked === INVALID) return INVALID;
    const { kind: _, ...values } = checked;
    return this.checkModel(declaration, values, written) ? { kind: declaration.kind, values } : INVALID;
  }

  /** The first type that accepts; where none does, the complaints of the only one of that shape, or all types named. */
  #checkOneOf(node: unknown, types: readonly ParameterType[], memo: Memo): unknown {
    const before = this.findings;
    const complaints: Finding[][] = [];
    for (const type of types) {
      this.findings = [];
      const value = this.checkValue(node, type, memo);
      if (value !== INVALID) {
        this.findings = before;
        return value;
      }
      if (shapeOf(type) === shapeOfNode(node)) complaints.push(this.findings);
    }
    this.findings = before;
    const [only] = complaints;
    if (complaints.length === 1) before.push(...only!);
    else {
      const expected = describeType({ oneOf: types });
      const hint = complaints.map((complaint) => complaint[0]?.hint).find((text) => text !== undefined);
      this.report({ ...messages.wrongOptional(expected, node), ...(hint === undefined ? {} : { hint }) });
    }
    return INVALID;
  }

  #compile(parameters: Parameters): ReadonlyMap<string, CompiledParameter> {
    let compiled = this.#compiled.get(parameters);
    if (compiled === undefined) {
      compiled = new Map(
        Object.entries(parameters).map(([name, parameter]) => {
          return [name, { name, parameter, defaultValue: this.#readDefault(name, parameter) }];
        }),
      );
      this.#compiled.set(parameters, compiled);
    }
    return compiled;
  }

  /** A default is written as in a scenario, and read alike; one that cannot be read is the model's fault. */
  #readDefault(name: string, parameter: Parameter): unknown {
    if (parameter.default === undefined) return undefined;
    const checker = new ValueChecker(this.#registry);
    const value = checker.checkValue(parameter.default, parameter.type, new Memo());
    const [finding] = checker.findings;
    if (finding === undefined) return value;
    throw new Error(`default of ${name}: expected ${finding.expected} but received ${finding.received}`);
  }

  #fail(node: unknown, expected: string, hint?: string): typeof INVALID {
    if (node === UNRESOLVED) return INVALID;
    const message = messages.wrongOptional(expected, node);
    return this.#reject(hint === undefined ? message : { ...message, hint });
  }

  #reject(message: Message): typeof INVALID {
    this.report(message);
    return INVALID;
  }
}
