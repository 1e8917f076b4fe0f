import { join } from 'node:path';
import type { ExpectationResult, PointResult } from '../run/result.ts';
import type { Journal } from '../sweep/journal.ts';
import { makeFolder } from '../sweep/make-folder.ts';
import { type FailureCause, readLineHead, resultText } from '../sweep/point-line.ts';
import type { Edge } from '../sweep/refine.ts';
import { csvLine } from './csv.ts';
import { edgesCsv } from './edges.ts';
import { OutputFile } from './output-file.ts';
import { ParquetTable } from './parquet-table.ts';
import { pointColumns, pointRows } from './point-table.ts';
import { quantityVariables } from './quantity-variables.ts';
import { CSV_NAME, EDGES_NAME, LINES_NAME, PARQUET_NAME, RESULT_NAME } from './sweep-file-names.ts';

/** What may differ between two runs of the same sweep. */
export interface SweepRun {
  readonly wallSeconds: number;
  readonly version: string;
  readonly node: string;
}

/** What a sweep came to. */
export interface SweepTotals {
  readonly points: number;
  readonly failed: Readonly<Record<FailureCause, number>>;
  readonly expectations: number;
  readonly failedExpectations: number;
  /** Some of those that failed, with the point's variables. */
  readonly examples: readonly FailedExample[];
  /** What sources had to tell, each once. */
  readonly warnings: ReadonlySet<string>;
}

/** A point that failed, or an expectation of one. */
export interface FailedExample {
  readonly variables: PointResult['variables'];
  readonly cause: string | ExpectationResult;
}

/** Examples that are kept. */
const EXAMPLES = 10;

/**
 * Writes the finished points of a journal in their order, one at a time: `result.json`, `points.jsonl`, `points.csv`
 * and `points.parquet`, and `edges.csv` where there are edges.
 *
 * @param folder absent: nothing is written, the points are only counted
 * @throws what the system says of a file, with its `path`
 */
export async function writeSweepFiles(
  folder: string | undefined,
  journal: Journal,
  edges: readonly Edge[] | undefined,
  run: SweepRun,
): Promise<SweepTotals> {
  const totals = new TotalsCounter();
  if (folder === undefined) {
    for (const index of journal.indexes()) totals.add(JSON.parse(journal.line(index)).result, journal.line(index));
    return totals.totals();
  }
  makeFolder(folder);
  const { sweptNames, head } = journal.header;
  const columns = pointColumns(sweptNames, quantityVariables(head.scenario.document, sweptNames));
  const names = [RESULT_NAME, LINES_NAME, CSV_NAME, PARQUET_NAME, ...(edges === undefined ? [] : [EDGES_NAME])];
  const files: OutputFile[] = [];
  try {
    for (const name of names) files.push(new OutputFile(join(folder, name)));
    const [result, lines, csv, parquet, edgesFile] = files as [
      OutputFile,
      OutputFile,
      OutputFile,
      OutputFile,
      OutputFile?,
    ];
    const table = new ParquetTable(parquet, columns, `shaperlab version ${run.version}`);
    csv.write(csvLine(columns.map(({ name }) => name)));
    for (const text of resultParts(journal, edges, run)) result.write(text);
    for (const index of journal.indexes()) {
      const line = journal.line(index);
      const text = resultText(line, readLineHead(line)!);
      const point = JSON.parse(text) as PointResult;
      totals.add(point, line);
      lines.write(`${text}\n`);
      for (const row of pointRows(index, point)) {
        csv.write(csvLine(columns.map(({ of }) => of(row) ?? '')));
        await table.add(row);
      }
    }
    await table.finish();
    if (edges !== undefined) edgesFile?.write(edgesCsv(edges));
    for (const file of files) file.end();
    for (const file of files) file.publish();
    return totals.totals();
  } catch (error) {
    for (const file of files) file.discard();
    throw error;
  }
}

/** The JSON of a sweep's result in parts, however many points there are. */
export function* resultParts(journal: Journal, edges: readonly Edge[] | undefined, run: SweepRun): Generator<string> {
  const head = JSON.stringify({ format: 'shaperlab-result/1', ...journal.header.head });
  yield `${head.slice(0, -1)},"points":[`;
  let separator = '';
  for (const index of journal.indexes()) {
    const line = journal.line(index);
    yield separator + resultText(line, readLineHead(line)!);
    separator = ',';
  }
  const tail = JSON.stringify({ ...(edges === undefined ? {} : { edges }), run });
  yield `],${tail.slice(1)}\n`;
}

class TotalsCounter {
  #points = 0;
  readonly #failed = { invalid: 0, timeout: 0, fault: 0 };
  #expectations = 0;
  #failedExpectations = 0;
  readonly #examples: FailedExample[] = [];
  readonly #warnings = new Set<string>();

  add(point: PointResult, line: string): void {
    const { variables, failed, expectations } = point;
    this.#points++;
    for (const { warning } of Object.values(point.flows)) if (warning !== undefined) this.#warnings.add(warning);
    const { cause } = readLineHead(line)!;
    if (cause !== undefined) this.#failed[cause]++;
    if (failed !== undefined) this.#keep({ variables, cause: failed });
    this.#expectations += expectations.length;
    for (const expectation of expectations) {
      if (expectation.passed) continue;
      this.#failedExpectations++;
      this.#keep({ variables, cause: expectation });
    }
  }

  totals(): SweepTotals {
    return {
      points: this.#points,
      failed: this.#failed,
      expectations: this.#expectations,
      failedExpectations: this.#failedExpectations,
      examples: this.#examples,
      warnings: this.#warnings,
    };
  }

  #keep(example: FailedExample): void {
    if (this.#examples.length < EXAMPLES) this.#examples.push(example);
  }
}
