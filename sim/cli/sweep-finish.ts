import { join } from 'node:path';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { journalTable } from '../output/journal-table.ts';
import { CSV_NAME, EDGES_NAME, LINES_NAME, PARQUET_NAME, RESULT_NAME } from '../output/sweep-file-names.ts';
import { resultParts, type SweepRun, type SweepTotals, writeSweepFiles } from '../output/sweep-files.ts';
import { sweepSummary } from '../output/sweep-summary.ts';
import { styleOf } from '../output/terminal.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import type { Journal } from '../sweep/journal.ts';
import { JOURNAL_NAME } from '../sweep/journal-format.ts';
import type { Edge } from '../sweep/refine.ts';
import { fileFailure } from './files.ts';
import { refuseInput } from './input-files.ts';
import { printParts, say, show, stdoutTerminal } from './streams.ts';

/** Points that the table shows. */
const ROWS = 40;

/** What a finished sweep is told with. */
export interface FinishedSweep {
  /** Folder for the files; absent: none. */
  readonly out: string | undefined;
  readonly journal: Journal;
  /** To show its points in a table; absent: none is shown. */
  readonly loaded?: LoadedScenario;
  readonly edges: readonly Edge[] | undefined;
  readonly run: SweepRun;
  readonly json: boolean;
}

/** Refuses a folder in which the files of a sweep would take the place of what was read. @throws Failure (usage) */
export function refuseInputsIn(out: string | undefined): void {
  if (out === undefined) return;
  for (const name of [JOURNAL_NAME, RESULT_NAME, LINES_NAME, CSV_NAME, PARQUET_NAME, EDGES_NAME]) {
    refuseInput('--out', join(out, name));
  }
}

/** Writes what is in the journal: files into a folder, the result or a summary to stdout. */
export async function finishSweep({ out, journal, loaded, edges, run, json }: FinishedSweep): Promise<ExitCode> {
  const totals = await writeFiles(out, journal, edges, run);
  if (json) await printParts(resultParts(journal, edges, run));
  else {
    const terminal = stdoutTerminal();
    const style = styleOf(terminal);
    const rest = out === undefined ? '--out DIR keeps all' : `all are in ${join(out, CSV_NAME)}`;
    const table = loaded === undefined ? [] : journalTable(journal, loaded, { most: ROWS, rest }, terminal, style);
    show(`${sweepSummary(journal.header, totals, run.wallSeconds, table, style).join('\n')}\n`);
    if (out === undefined && journal.size > ROWS) say('sim: --out DIR keeps every point, in JSON, CSV and Parquet');
  }
  if (out !== undefined) say(`sim: ${join(out, RESULT_NAME)} written, and beside it points.jsonl, .csv and .parquet`);
  return exitCodeOf(totals);
}

async function writeFiles(
  out: string | undefined,
  journal: Journal,
  edges: readonly Edge[] | undefined,
  run: SweepRun,
): Promise<SweepTotals> {
  try {
    return await writeSweepFiles(out, journal, edges, run);
  } catch (error) {
    throw out === undefined ? error : fileFailure(error, 'write the results to', out);
  }
}

/** A fault of the program weighs more than an invalid point, that more than one out of time or an expectation. */
function exitCodeOf({ failed, failedExpectations }: SweepTotals): ExitCode {
  if (failed.fault > 0) return EXIT.internal;
  if (failed.invalid > 0) return EXIT.invalid;
  return failed.timeout + failedExpectations > 0 ? EXIT.failed : EXIT.ok;
}
