import { compareResults } from '../output/diff.ts';
import { diffReport } from '../output/diff-report.ts';
import { EXIT } from '../output/exit-codes.ts';
import { scenarioDifferences } from '../output/scenario-difference.ts';
import type { Result } from '../run/result.ts';
import { parseProbability } from '../units/probability.ts';
import { UnitError } from '../units/unit-error.ts';
import { type Command, usageFailure } from './command.ts';
import { refuseInput } from './input-files.ts';
import { writePage } from './page.ts';
import { readResults } from './result-files.ts';
import { show, stdoutTerminal } from './streams.ts';

/** `sim diff`. */
export const diff: Command = {
  options: {
    tolerance: {
      kind: 'text',
      help: 'Relative difference up to which figures count as the same, such as 1%; default 0',
    },
    html: { kind: 'text', help: 'Write a page with both results to this file' },
  },
  async run(args) {
    const tolerance = toleranceOf(args.text('tolerance'));
    const [left, right] = [args.text('left')!, args.text('right')!];
    const [leftResults, rightResults] = [readResults(left), readResults(right)];
    const page = args.text('html');
    refuseInput('--html', page);
    const comparison = compareResults(leftResults, rightResults);
    const names = [titleOf(left, leftResults), titleOf(right, rightResults)] as const;
    const scenarios = scenarioDifferences(leftResults[0]?.scenario.document, rightResults[0]?.scenario.document);
    show(diffReport(comparison, { titles: names, scenarios }, tolerance, stdoutTerminal()));
    if (page !== undefined) await writePage(page, [...leftResults, ...rightResults]);
    return comparison.differences.some(({ relative }) => relative > tolerance) ? EXIT.failed : EXIT.ok;
  },
};

/** What a file holds, by its name and the title of its first result. */
function titleOf(path: string, results: readonly Result[]): string {
  const title = results[0]?.title ?? '';
  return title === '' ? path : `${path}: ${title}`;
}

function toleranceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  try {
    return parseProbability(text);
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
    throw usageFailure(`--tolerance: expected a share such as 1% or 0.01 but received ${JSON.stringify(text)}`);
  }
}
