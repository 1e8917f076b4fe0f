import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { jsonFaultAt } from '../output/json-fault.ts';
import { checkResult, formatResultProblem, RESULT_FORMAT } from '../output/result-check.ts';
import { RESULT_NAME } from '../output/sweep-file-names.ts';
import type { Result } from '../run/result.ts';
import { encodingOf } from '../scenario/text-encoding.ts';
import { visible } from '../scenario/visible-text.ts';
import { STDIN } from './command.ts';
import { inputName, readText } from './files.ts';

/**
 * Reads a file that `--json` or `--out` wrote, a result or a list of them, or the folder of a sweep; `-` is standard
 * input.
 *
 * @throws Failure (trouble, invalid)
 */
export function readResults(given: string): Result[] {
  const path = given !== STDIN && isFolder(given) ? join(given, RESULT_NAME) : given;
  const name = inputName(path);
  const document = parseJson(readText(path), name);
  const results = Array.isArray(document) ? document : [document];
  if (results.length === 0)
    throw notResult(name, `expected a result (format ${RESULT_FORMAT}) but received an empty list`);
  for (const [index, result] of results.entries()) {
    const problem = checkResult(result);
    if (problem === undefined) continue;
    const path = Array.isArray(document) ? [String(index), ...problem.path] : problem.path;
    throw notResult(name, formatResultProblem({ ...problem, path }));
  }
  return results as Result[];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function parseJson(text: string, name: string): unknown {
  const expected = `expected a result (format ${RESULT_FORMAT}) but received`;
  const encoding = encodingOf(text);
  if (encoding !== undefined) {
    throw new Failure(
      EXIT.invalid,
      `${visible(name)}: expected UTF-8 without a byte order mark but received ${encoding}`,
      'a shell that writes > in another encoding does this; sim run FILE --out FOLDER writes the file itself',
    );
  }
  if (text.trim() === '') throw notResult(name, `${expected} an empty file`);
  try {
    return JSON.parse(text);
  } catch {
    const offset = jsonFaultAt(text);
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    const found =
      offset === text.length ? 'the text ends there' : `at ${JSON.stringify(text.slice(offset, offset + 20))}`;
    throw notResult(`${name}:${line}:${column}`, `${expected} no JSON: ${found}`);
  }
}

function notResult(place: string, sentence: string): Failure {
  return new Failure(EXIT.invalid, visible(`${place}: ${sentence}`), 'sim run FILE --json > result.json makes one');
}
