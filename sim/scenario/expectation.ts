import type { ModelDeclaration } from '../../models/model.ts';
import { parseQuantity, type Quantity } from '../units/quantity.ts';
import { UnitError } from '../units/unit-error.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import { formatPath, type Message } from './problem.ts';
import { type FigureKind, flowShape, hopShape, POINT_PARTS, type Shape } from './result-shape.ts';
import type { ExpectationSpec } from './scenario.ts';
import type { CheckedHop } from './scenario-checker.ts';

/** Members of a scenario by name; undefined where a member has problems of its own. */
type Members<T> = ReadonlyMap<string, T | undefined>;

/** How a figure can be held against a value. */
export const RELATIONS = ['within', 'below', 'above', 'equals'] as const;
/** Words of a line; a name with spaces or points is quoted. */
const WORD = /(?:"[^"]*"|[^\s"])+/g;
/** Names of a path; a quoted one may hold points. */
const SEGMENT = /"([^"]*)"|([^."]+)/g;

/** Thrown within this module where a line cannot be read. */
class UnreadableLine {
  readonly message: Message;
  constructor(message: Message) {
    this.message = message;
  }
}

/** Reads lines of `expect:`; a line that was fine for the point before, with the same hops and flows, is not read again. */
export class ExpectationReader {
  /** What each line was read as last. */
  #known: ExpectationSpec[] = [];
  #shape: Shape | undefined;
  #declarations: readonly unknown[] = [];

  /** What figures there will be; known once {@link prepare} was called. */
  get shape(): Shape | undefined {
    return this.#shape;
  }

  /** Reads the line at `index` against the figures that there will be. */
  read(text: string, index: number): ExpectationSpec | Message {
    const known = this.#known[index];
    if (known?.text === text) return known;
    try {
      const expectation = readLine(text, this.#shape!);
      this.#known[index] = expectation;
      return expectation;
    } catch (error) {
      if (error instanceof UnreadableLine) return error.message;
      throw error;
    }
  }

  /** Takes the hops and flows of a point; shapes change with the kinds of models only, as names cannot vary. */
  prepare(hops: Members<CheckedHop>, sources: Members<ModelDeclaration>): void {
    const declarations = [...hops.values()].map((hop) => hop?.declaration).concat([...sources.values()]);
    const isSame =
      this.#shape !== undefined &&
      declarations.length === this.#declarations.length &&
      declarations.every((declaration, i) => declaration === this.#declarations[i]);
    if (isSame) return;
    this.#known = [];
    this.#declarations = declarations;
    this.#shape = pointShape(hops, sources);
  }
}

/** The shape of a point's result. */
export function pointShape(hops: Members<CheckedHop>, sources: Members<ModelDeclaration>): Shape {
  // What a member with problems would report is unknown: any path below it may be right.
  const byName = <T>(members: Members<T>, shape: (member: T) => Shape): Shape => ({
    parts: Object.fromEntries(
      [...members].map(([name, member]) => [name, member === undefined ? 'any' : shape(member)]),
    ),
  });
  return {
    parts: {
      flows: byName(sources, flowShape),
      hops: byName(hops, (hop) => hopShape(hop.declaration, hop.classes?.names.values() ?? [])),
      ...POINT_PARTS,
    },
  };
}

/** Splits a path as `expect:` writes it. */
export function splitPath(text: string): string[] {
  return [...text.matchAll(SEGMENT)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Follows a path through the shape of a result; the message says where it goes wrong. */
export function figureKindAt(path: readonly string[], shape: Shape): FigureKind | Message {
  let at = shape;
  for (const [depth, name] of path.entries()) {
    if (at === 'any') return at;
    if (typeof at === 'string') return messages.unknownFigure(formatPath(path.slice(0, depth)), name, [], undefined);
    if ('each' in at) at = at.each;
    else {
      const part = Object.hasOwn(at.parts, name) ? at.parts[name] : undefined;
      if (part === undefined) {
        const above = formatPath(path.slice(0, depth));
        const names = Object.keys(at.parts);
        const quoted = names.map((known) => formatPath([known]));
        // A name with points in it that was written without quotes.
        const rest = path.slice(depth).join('.');
        const pointed = names.find((known) => known.includes('.') && `${rest}.`.startsWith(`${known}.`));
        const nearest =
          pointed === undefined ? nearestName(name, names) : formatPath([...path.slice(0, depth), pointed]);
        return messages.unknownFigure(above, name, quoted, nearest);
      }
      at = part;
    }
  }
  if (typeof at === 'string') return at;
  return messages.incompletePath(formatPath(path), 'each' in at ? ['its name'] : Object.keys(at.parts));
}

function readLine(text: string, shape: Shape): ExpectationSpec {
  const words = text.match(WORD) ?? [];
  const [pathText = '', relation = ''] = words;
  if (!isRelation(relation)) {
    const word = words.length < 2 ? undefined : relation;
    throw new UnreadableLine(messages.notExpectation(text, word, word && nearestName(word, RELATIONS)));
  }
  const path = splitPath(pathText);
  const kind = kindAt(path, shape);
  const isTolerant = relation === 'within';
  if (words.length !== (isTolerant ? 5 : 3) || (isTolerant && words[3] !== 'of')) {
    const wrong = isTolerant && words[3] !== 'of' ? words[3] : words[isTolerant ? 5 : 3];
    throw new UnreadableLine(messages.notExpectation(text, wrong, undefined));
  }
  const isNumeric = kind !== 'text' && kind !== 'boolean';
  if (!isNumeric && relation !== 'equals') throw new UnreadableLine(messages.onlyEquals(pathText, relation));
  const expected = readExpected(words.at(-1)!, pathText, kind, shape);
  if (!isTolerant) return { text, path, relation, expected };
  return { text, path, relation, tolerance: readTolerance(words[2]!, pathText, kind), expected };
}

function isRelation(word: string): word is ExpectationSpec['relation'] {
  return (RELATIONS as readonly string[]).includes(word);
}

function kindAt(path: readonly string[], shape: Shape): FigureKind {
  const kind = figureKindAt(path, shape);
  if (typeof kind === 'string') return kind;
  throw new UnreadableLine(kind);
}

function readExpected(word: string, pathText: string, kind: FigureKind, shape: Shape): ExpectationSpec['expected'] {
  if (/^(flows|hops)\./.test(word)) {
    const path = splitPath(word);
    kindAt(path, shape);
    return { path };
  }
  if (kind === 'text') return word.replace(/^"(.*)"$/, '$1');
  if (kind !== 'boolean') return inUnitOf(kind, readQuantity(word), pathText, word);
  if (word === 'true' || word === 'false') return word;
  throw new UnreadableLine(messages.wrongKindOfFigure(pathText, 'true or false', word));
}

function readTolerance(word: string, pathText: string, kind: FigureKind): NonNullable<ExpectationSpec['tolerance']> {
  const quantity = readQuantity(word);
  if (quantity.value < 0) {
    const hint = 'a tolerance counts either way';
    throw new UnreadableLine({ expected: 'a tolerance of 0 or more', received: word, hint });
  }
  if (quantity.kind === 'probability') return { relative: quantity.value };
  return { absolute: inUnitOf(kind, quantity, pathText, word) };
}

function readQuantity(word: string): Quantity {
  try {
    const quantity = parseQuantity(word);
    if (Number.isFinite(quantity.value)) return quantity;
    throw new UnitError('a number that a double can hold', word, 'the largest is about 1.8e308');
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    throw new UnreadableLine({ expected: error.expected, received: error.received, hint: error.hint });
  }
}

/** Brings a value into the unit of the figure; a bare number is in it already. */
function inUnitOf(kind: FigureKind, { kind: given, value }: Quantity, pathText: string, word: string): number {
  if (given === 'number') return value;
  if (given === 'duration' && (kind === 'duration' || kind === 'any')) return value / 1e9;
  if (given === 'probability' && kind === 'percent') return value * 100;
  if (given === 'probability' && kind === 'number') return value;
  if (given === 'packets' && kind === 'number') return value;
  if (given === kind || kind === 'any') return value;
  throw new UnreadableLine(messages.wrongKindOfFigure(pathText, messages.FIGURE_WORDS[kind], word));
}
