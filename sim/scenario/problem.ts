import { visible, visibleLines } from './visible-text.ts';

/** A position in the text of a scenario, 1-based, and the line that it stands in. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly sourceLine: string;
}

/** What is wrong, in the words of a message: expected X but received Y. */
export interface Message {
  readonly expected: string;
  readonly received: string;
  readonly hint?: string | undefined;
}

/** One thing wrong with a scenario, and where. */
export interface Problem extends Message {
  /** Keys from the top of the document, e.g. `['hops', 'bridge', 'link', 'rate']`; list items by index. */
  readonly path: readonly string[];
  /** Absent where the document came without text. */
  readonly place?: Place;
  /** Variables of the sweep's point in which it shows; absent where it shows in every one. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where the command line said it, not the file: the option, as `--set rate`. */
  readonly option?: string;
}

/** Thrown for a scenario that cannot be run; carries every problem found, in the order of the file. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly file: string;
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(problem, file)).join('\n'));
    this.file = file;
    this.problems = problems;
  }

  /** Whether nothing is wrong with the file itself. */
  get isOfCommandLine(): boolean {
    return this.problems.every(({ option }) => option !== undefined);
  }
}

/** Formats a path as messages and `expect:` lines write it: joined by points, names with points in quotes. */
export function formatPath(path: readonly string[]): string {
  return path.map((name) => (/[.\s"]/.test(name) || name === '' ? `"${name}"` : name)).join('.');
}

/** Formats a problem for a terminal: place and sentence, the source line with a caret, and the hint. */
export function formatProblem(problem: Problem, file: string): string {
  const { place, path, variables, option, hint } = problem;
  const where = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  const subject = path.length === 0 ? '' : `${formatPath(path)}: `;
  const lines = [visible(`${where}: ${subject}expected ${problem.expected} but received ${problem.received}`)];
  if (place !== undefined && place.sourceLine.trim() !== '') lines.push(...formatExcerpt(place));
  if (variables !== undefined) {
    const values = Object.entries(variables).map(([name, value]) => visible(`${name}=${value}`));
    lines.push(`  at the point ${values.join(' ')}`);
  }
  if (option !== undefined) lines.push(`  given on the command line: ${visible(option)}`);
  if (hint !== undefined) lines.push(`  hint: ${visible(hint)}`);
  return lines.join('\n');
}

const EXCERPT_COLUMNS = 100;

/** The source line and a caret below; of a long line the part around the caret. */
function formatExcerpt({ line, column, sourceLine }: Place): string[] {
  const start = column > EXCERPT_COLUMNS ? column - EXCERPT_COLUMNS / 2 : 0;
  const excerpt = sourceLine.slice(start, start + EXCERPT_COLUMNS);
  const margin = `  ${line} | `;
  // A tab stays a tab, so that the caret stands below its character.
  const indent = visibleLines(excerpt.slice(0, column - 1 - start)).replaceAll(/[^\t]/g, ' ');
  return [margin + visibleLines(excerpt), `${' '.repeat(margin.length - 2)}| ${indent}^`];
}

/**
 * Sorts problems into the order of the text; those without a place in it come first, in the order of the document.
 * Problems of one place stay as they came.
 */
export function sortProblems(problems: readonly Problem[], document: unknown): Problem[] {
  const keyed = problems.map((problem) => {
    const { place, path } = problem;
    return { problem, order: place === undefined ? [0, ...documentOrder(document, path)] : [place.line, place.column] };
  });
  keyed.sort((a, b) => compareOrders(a.order, b.order));
  return keyed.map(({ problem }) => problem);
}

function documentOrder(document: unknown, path: readonly string[]): number[] {
  const order: number[] = [];
  let node = document;
  for (const key of path) {
    if (typeof node !== 'object' || node === null) break;
    const index = Array.isArray(node) ? Number(key) : Object.keys(node).indexOf(key);
    if (!(index >= 0)) break;
    order.push(index);
    node = (node as Record<string, unknown>)[key];
  }
  return order;
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}
