import type { LargeResult } from '../../reports/digest.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Result } from '../run/result.ts';
import { type Command, type CommandArguments, STDIN, usageFailure } from './command.ts';
import { refuseInput } from './input-files.ts';
import { openLargeResult } from './large-results.ts';
import { writeDrawings, writePage } from './page.ts';
import { readResults } from './result-files.ts';
import { withSweepFaults } from './sweep-faults.ts';

/** `sim report`. */
export const report: Command = {
  options: {
    html: { kind: 'text', help: 'File to write the page to' },
    svg: { kind: 'text', help: 'Folder to write each chart to, as SVG' },
  },
  run: (args) => withSweepFaults(() => makeReport(args)),
};

async function makeReport(args: CommandArguments): Promise<ExitCode> {
  const path = args.text('html');
  const folder = args.text('svg');
  if (path === undefined && folder === undefined) {
    throw usageFailure('expected --html FILE or --svg FOLDER', 'sim report result.json --html page.html');
  }
  const { WHOLE_LIMIT } = await import('../../reports/digest.ts');
  const results = args.texts('results').flatMap((given): (Result | LargeResult)[] => {
    const large = given === STDIN ? undefined : openLargeResult(given, WHOLE_LIMIT);
    return large === undefined ? readResults(given) : [large];
  });
  refuseInput('--html', path);
  if (path !== undefined) await writePage(path, results);
  if (folder !== undefined) await writeDrawings(folder, results);
  return EXIT.ok;
}
