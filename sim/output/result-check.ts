import type { Result } from '../run/result.ts';
import { describe } from '../scenario/messages.ts';
import { formatPath, type Message } from '../scenario/problem.ts';

/** The format that {@link checkResult} knows. */
export const RESULT_FORMAT: Result['format'] = 'shaperlab-result/1';

/** Deepest nesting of a result; that of a scenario inside of it is less. */
const MAXIMUM_DEPTH = 100;

/** What stands at a place of a result; names that are not listed may be there as well, whatever they hold. */
type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'plain value'
  | 'anything'
  | { readonly optional: Shape }
  | { readonly list: Shape }
  | { readonly each: Shape }
  | { readonly parts: Readonly<Record<string, Shape>> }
  | { readonly both: readonly Shape[] };

const NUMBERS: Shape = { list: 'number' };

function numbers(...names: string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.map((name) => [name, 'number']));
}

const SERIES: Shape = {
  parts: { ...numbers('startSeconds', 'stepSeconds'), min: NUMBERS, max: NUMBERS, mean: NUMBERS },
};

const TRANSFER: Shape = {
  parts: {
    ...numbers('bytes', 'seconds', 'bitsPerSecond', 'limitBitsPerSecond', 'deviationPercent'),
    completed: 'boolean',
  },
};

const FLOW: Shape = {
  parts: {
    ...numbers('sentPackets', 'sentBytes', 'droppedPackets', 'receivedPackets', 'receivedBytes', 'packetsPerSecond'),
    bitsPerSecond: { parts: numbers('offered', 'goodput', 'accounted', 'frame', 'wire') },
    delaySeconds: { parts: numbers('min', 'mean', 'p50', 'p95', 'p99', 'max') },
    transfer: { optional: TRANSFER },
    transfers: { optional: { list: TRANSFER } },
    counters: { optional: { each: 'number' } },
    series: {
      optional: {
        parts: {
          throughput: { optional: { each: SERIES } },
          delay: { optional: { parts: { upperSeconds: NUMBERS, counts: NUMBERS } } },
          received: { optional: { parts: { seconds: NUMBERS, bytes: NUMBERS } } },
        },
      },
    },
  },
};

const CLASS: Shape = {
  parts: {
    ...numbers('sentPackets', 'sentBytes', 'droppedPackets', 'backlogPackets', 'bitsPerSecond', 'packetsPerSecond'),
    parent: { optional: 'text' },
    level: { optional: 'number' },
    mode: { optional: 'text' },
    series: {
      optional: {
        parts: {
          throughput: { optional: { each: SERIES } },
          backlogBytes: { optional: SERIES },
          tokens: { optional: SERIES },
          ctokens: { optional: SERIES },
          mode: { optional: { parts: { cantSend: NUMBERS, mayBorrow: NUMBERS, canSend: NUMBERS } } },
        },
      },
    },
  },
};

/** A qdisc; its children are qdiscs again. */
const QDISC_PARTS: Record<string, Shape> = {
  kind: { optional: 'text' },
  counters: { each: 'number' },
  classes: { each: CLASS },
};
const QDISC: Shape = { parts: QDISC_PARTS };
QDISC_PARTS.children = { optional: { each: QDISC } };

const HOP: Shape = {
  both: [
    QDISC,
    {
      parts: {
        link: { parts: numbers('busyFraction', 'sentPackets', 'droppedPackets', 'lostPackets') },
        series: { optional: { parts: { backlogBytes: { optional: SERIES } } } },
      },
    },
  ],
};

const POINT: Shape = {
  parts: {
    variables: { each: 'text' },
    ...numbers('durationSeconds', 'warmupSeconds', 'events'),
    flows: { each: FLOW },
    hops: { each: HOP },
    expectations: {
      list: { parts: { text: 'text', passed: 'boolean', actual: 'plain value', expected: 'plain value' } },
    },
    failed: { optional: 'text' },
  },
};

const REFERENCE: Shape = {
  parts: {
    label: 'text',
    variable: 'text',
    figure: { list: 'text' },
    rows: { list: { parts: { ...numbers('x', 'y'), where: { optional: { each: 'text' } } } } },
  },
};

const RESULT: Shape = {
  parts: {
    title: 'text',
    about: 'text',
    scenario: { parts: { file: 'text', sha256: 'text', document: 'anything' } },
    seed: 'number',
    references: { list: REFERENCE },
    points: { list: POINT },
    run: { parts: { wallSeconds: 'number', version: 'text', node: 'text' } },
  },
};

/** What is wrong with a result, and where. */
export interface ResultProblem extends Message {
  readonly path: readonly string[];
}

/** Looks at data that should be a result, and tells the first thing that is not as the commands need it. */
export function checkResult(value: unknown): ResultProblem | undefined {
  const format = isMapping(value) ? value.format : undefined;
  if (format !== RESULT_FORMAT) {
    const received = format === undefined ? 'JSON without that format' : `format ${describe(format)}`;
    return { path: [], expected: `a result (format ${RESULT_FORMAT})`, received };
  }
  return findUnfit(value) ?? checkShape(value, RESULT, []);
}

/** Formats a problem as a sentence behind the name of the file. */
export function formatResultProblem({ path, expected, received }: ResultProblem): string {
  return `${path.length === 0 ? '' : `${formatPath(path)}: `}expected ${expected} but received ${received}`;
}

/** What no part of a result may be, known or not: nested without end, or a number out of bounds, which JSON can write. */
function findUnfit(root: unknown): ResultProblem | undefined {
  const pathTo = (keys: Place | undefined): string[] => (keys === undefined ? [] : [...pathTo(keys.above), keys.key]);
  const waiting: { value: unknown; place: Place | undefined; depth: number }[] = [
    { value: root, place: undefined, depth: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, place, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return { path: pathTo(place), expected: 'a finite number', received: 'one that is larger than any' };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAXIMUM_DEPTH) {
      const path = pathTo(place).slice(0, 3);
      return { path, expected: `at most ${MAXIMUM_DEPTH} levels of nesting`, received: 'more' };
    }
    for (const key of Object.keys(value)) {
      const inner = (value as Record<string, unknown>)[key];
      if (typeof inner === 'number' ? !Number.isFinite(inner) : typeof inner === 'object' && inner !== null) {
        waiting.push({ value: inner, place: { key, above: place }, depth: depth + 1 });
      }
    }
  }
  return undefined;
}

interface Place {
  readonly key: string;
  readonly above: Place | undefined;
}

function checkShape(value: unknown, shape: Shape, path: readonly string[]): ResultProblem | undefined {
  const unless = (fits: boolean, expected: string): ResultProblem | undefined =>
    fits ? undefined : { path, expected, received: describe(value) };
  if (typeof shape === 'string') {
    switch (shape) {
      case 'text':
        return unless(typeof value === 'string', 'text');
      case 'number':
        return unless(typeof value === 'number', 'a number');
      case 'boolean':
        return unless(typeof value === 'boolean', 'true or false');
      case 'plain value':
        return unless(value === null || ['string', 'number', 'boolean'].includes(typeof value), 'one value');
      case 'anything':
        return unless(value !== undefined, 'a value');
    }
  }
  if ('optional' in shape) return value === undefined ? undefined : checkShape(value, shape.optional, path);
  if ('both' in shape) return firstOf(shape.both, (part) => checkShape(value, part, path));
  if ('list' in shape) {
    if (!Array.isArray(value)) return unless(false, 'a list');
    return firstOf(value.keys(), (index) => checkShape(value[index], shape.list, [...path, String(index)]));
  }
  if (!isMapping(value)) return unless(false, 'a mapping');
  if ('each' in shape) {
    return firstOf(Object.keys(value), (key) => checkShape(value[key], shape.each, [...path, key]));
  }
  return firstOf(Object.keys(shape.parts), (key) => {
    const part = Object.hasOwn(value, key) ? value[key] : undefined;
    return checkShape(part, shape.parts[key]!, [...path, key]);
  });
}

function firstOf<T>(items: Iterable<T>, check: (item: T) => ResultProblem | undefined): ResultProblem | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
