import { EXIT } from '../output/exit-codes.ts';
import type { Command } from './command.ts';
import { usageFailure } from './command.ts';
import { writePage } from './page.ts';
import { readResults } from './result-files.ts';

/** `sim report`. */
export const report: Command = {
  options: { html: { kind: 'text', help: 'File to write the page to' } },
  async run(args) {
    const path = args.text('html');
    if (path === undefined) throw usageFailure('expected --html FILE', 'sim report result.json --html page.html');
    await writePage(path, args.texts('results').flatMap(readResults));
    return EXIT.ok;
  },
};
