import { join } from 'node:path';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { RESULT_NAME } from '../output/sweep-file-names.ts';
import { resultParts, type SweepRun, type SweepTotals, writeSweepFiles } from '../output/sweep-files.ts';
import { sweepSummary } from '../output/sweep-summary.ts';
import { styleOf } from '../output/terminal.ts';
import type { Journal } from '../sweep/journal.ts';
import type { Edge } from '../sweep/refine.ts';
import { fileFailure } from './files.ts';
import { print, printParts, say, stdoutTerminal } from './streams.ts';

/** Writes what is in the journal: files into a folder, the result or a summary to stdout. */
export async function finishSweep(
  out: string | undefined,
  journal: Journal,
  edges: readonly Edge[] | undefined,
  run: SweepRun,
  json: boolean,
): Promise<ExitCode> {
  const totals = await writeFiles(out, journal, edges, run);
  if (json) await printParts(resultParts(journal, edges, run));
  else print(`${sweepSummary(journal.header, totals, run.wallSeconds, styleOf(stdoutTerminal())).join('\n')}\n`);
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
