import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import * as messages from './messages.ts';
import { type Message, type Place, type Problem, ScenarioError } from './problem.ts';
import { encodingOf } from './text-encoding.ts';

/** Longest text that is read (characters). */
const MAXIMUM_CHARACTERS = 8 * 1024 * 1024;
/** Deepest nesting of mappings and lists. */
const MAXIMUM_DEPTH = 64;
/** Most values in a document as written, and most that aliases may add. */
const MAXIMUM_NODES = 500_000;
const MAXIMUM_ALIASED = 10_000;

/** Open brackets in the text, those in quotes counted too. */
const MAXIMUM_BRACKETS = 1000;

/** Which part of a `key: value` pair a problem is about. */
export type Part = 'key' | 'value';

/** A document as plain data, and where each part of it stands in the text. */
export interface ParsedText {
  /** Mappings, lists, text, numbers and booleans; numbers that would print otherwise than written stay text (`6.10`). */
  readonly document: unknown;
  /** The place of a path; where there is nothing, that of the nearest part above it. */
  locate(path: readonly string[], part: Part): Place;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells binary data
const CONTROL = /[\u0000-\u0008\u000e-\u001f]/;

/**
 * Reads YAML 1.2 with positions.
 *
 * @throws ScenarioError for a text that is empty, binary, too large or deep, no valid YAML, more than one document,
 *   has a key twice, or grows out of bounds by its aliases
 */
export function parseText(text: string, file: string): ParsedText {
  const lines = new LineFinder(text);
  const place = (offset: number): Place => lines.placeAt(offset);
  const fail = (message: Message, offset: number, path: readonly string[] = []): never => {
    throw new ScenarioError(file, [{ ...message, path, place: place(offset) }]);
  };
  if (text.length > MAXIMUM_CHARACTERS) fail(messages.tooLarge(MAXIMUM_CHARACTERS), 0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells binary data
  const binary = /[\u0000-\u0008\u000e-\u001f\ufffd]/.exec(text);
  if (binary?.[0] === '\ufffd' && !CONTROL.test(text)) fail(messages.notUtf8(), binary.index);
  if (binary !== null) throw new ScenarioError(file, [{ ...messages.notText(encodingOf(text)), path: [] }]);

  if (isDeeplyNested(text)) fail(messages.tooDeep(MAXIMUM_DEPTH), 0);

  let yaml: Document.Parsed;
  try {
    yaml = parseDocument(text, { uniqueKeys: false, logLevel: 'error', prettyErrors: false });
  } catch (error) {
    // The parser descends by recursion: nesting of thousands of levels exhausts the stack.
    if (error instanceof RangeError) return fail(messages.tooDeep(MAXIMUM_DEPTH), 0);
    throw error;
  }
  const [error] = yaml.errors;
  if (error !== undefined) {
    // What the parser says after its first complaint is mostly about what it lost track of.
    const { sourceLine } = place(error.pos[0]);
    const message =
      error.code === 'MULTIPLE_DOCS' ? messages.severalDocuments() : messages.notYaml(error.message, sourceLine);
    fail(message, error.pos[0]);
  }
  if (yaml.contents === null || (isScalar(yaml.contents) && yaml.contents.value === null)) {
    const source = yaml.contents?.source ?? '';
    return fail(messages.emptyDocument(source !== '' ? source : text.trim() === '' ? 'an empty file' : 'no value'), 0);
  }
  const reader = new PlainReader(yaml, place);
  const document = reader.read(yaml.contents, []);
  if (reader.problems.length > 0) throw new ScenarioError(file, reader.problems);
  return { document, locate: (path, part) => place(offsetOf(yaml, path, part)) };
}

/** Turns nodes into plain data, noting what plain data cannot hold. */
class PlainReader {
  readonly problems: Problem[] = [];
  readonly #yaml: Document.Parsed;
  readonly #place: (offset: number) => Place;
  /** Mappings and lists that are being read, among them what aliases stand for. */
  readonly #open = new Set<Node>();
  #nodes = 0;
  #aliased = 0;
  /** The alias as written that is being expanded, with its path; those inside of it are not at a place of their own. */
  #outermost: { readonly node: Alias; readonly path: readonly string[] } | undefined;
  #stopped = false;

  constructor(yaml: Document.Parsed, place: (offset: number) => Place) {
    this.#yaml = yaml;
    this.#place = place;
  }

  read(node: Node | null, path: readonly string[]): unknown {
    if (node === null || this.#stopped) return null;
    if (this.#outermost !== undefined && ++this.#aliased > MAXIMUM_ALIASED) {
      return this.#stop(messages.tooManyAliased(MAXIMUM_ALIASED), this.#outermost.node, this.#outermost.path);
    }
    if (++this.#nodes > MAXIMUM_NODES) return this.#stop(messages.tooManyNodes(MAXIMUM_NODES), node, path);
    if (path.length > MAXIMUM_DEPTH) return this.#stop(messages.tooDeep(MAXIMUM_DEPTH), node, path.slice(0, 1));
    if (isAlias(node)) return this.#readAlias(node, path);
    if (isScalar(node)) return plainScalar(node.value, node.source);
    this.#open.add(node);
    const value = isSeq(node)
      ? node.items.map((item, i) => this.read(item as Node, [...path, String(i)]))
      : this.#readMap(node as YAMLMap, path);
    this.#open.delete(node);
    return value;
  }

  #readMap(node: YAMLMap, path: readonly string[]): unknown {
    const entries = new Map<string, unknown>();
    const offsets = new Map<string, number>();
    for (const pair of node.items) {
      const key = keyText(pair.key as Node | null);
      const offset = offsetOfNode(pair.key as Node | null);
      if (key === undefined) {
        this.#note(messages.keyNotText(), offset, path);
        continue;
      }
      if (key === '<<' && (pair.key as Scalar).type === 'PLAIN') {
        this.#note(messages.mergeKey(), offset, [...path, key]);
        continue;
      }
      const earlier = offsets.get(key);
      if (earlier === undefined) offsets.set(key, offset);
      else this.#note(messages.duplicateKey(key, this.#place(earlier).line), offset, [...path, key]);
      entries.set(key, this.read(pair.value as Node | null, [...path, key]));
    }
    return Object.fromEntries(entries);
  }

  #readAlias(node: Alias, path: readonly string[]): unknown {
    const target = node.resolve(this.#yaml);
    if (target === undefined) return this.#stop(messages.unknownAlias(node.source), node, path);
    if (this.#open.has(target)) return this.#stop(messages.circularAlias(node.source), node, path);
    const outermost = this.#outermost;
    this.#outermost ??= { node, path };
    const value = this.read(target, path);
    this.#outermost = outermost;
    return value;
  }

  #note(message: Message, offset: number, path: readonly string[]): void {
    this.problems.push({ ...message, path, place: this.#place(offset) });
  }

  #stop(message: Message, node: Node, path: readonly string[]): null {
    this.#note(message, offsetOfNode(node), path);
    this.#stopped = true;
    return null;
  }
}

/** A number stays one only if it prints as written: 6.10 is a version, 0x10 and 1e6 are read by who knows the unit. */
function plainScalar(value: unknown, source: string | undefined): unknown {
  if (typeof value === 'number') return source === undefined || String(value) === source ? value : source;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  return source ?? String(value);
}

function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function offsetOfNode(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

function offsetOf(yaml: Document.Parsed, path: readonly string[], part: Part): number {
  let node: Node | null = yaml.contents;
  let offset = offsetOfNode(node);
  for (const [depth, key] of path.entries()) {
    if (isAlias(node)) node = node.resolve(yaml) ?? null;
    if (isMap(node)) {
      const pair = node.items.find((candidate) => keyText(candidate.key as Node | null) === key);
      if (pair === undefined) return offset;
      const value = pair.value as Node | null;
      const isLast = depth === path.length - 1;
      offset = isLast && part === 'value' && value?.range != null ? value.range[0] : offsetOfNode(pair.key as Node);
      node = value;
    } else if (isSeq(node)) {
      const item = node.items[Number(key)] as Node | undefined;
      if (item === undefined) return offset;
      offset = offsetOfNode(item);
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}

/** Finds line and column of offsets; the starts of the lines are looked for once, when first asked. */
class LineFinder {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  placeAt(offset: number): Place {
    this.#starts ??= lineStarts(this.#text);
    const starts = this.#starts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const sourceLine = this.#text.slice(starts[low], starts[low + 1]).replace(/\r?\n$/, '');
    return { line: low + 1, column: offset - starts[low]! + 1, sourceLine };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Whether brackets are nested deeper than any scenario's; the parser's time grows with the square of that depth. */
function isDeeplyNested(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x5b || character === 0x7b) depth++;
    else if ((character === 0x5d || character === 0x7d) && depth > 0) depth--;
    if (depth > MAXIMUM_BRACKETS) return true;
  }
  return false;
}
