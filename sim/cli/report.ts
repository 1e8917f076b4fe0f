import { EXIT } from '../output/exit-codes.ts';
import type { Command } from './command.ts';
import { usageFailure } from './command.ts';
import { writeDrawings, writePage } from './page.ts';
import { readResults } from './result-files.ts';

/** `sim report`. */
export const report: Command = {
  options: {
    html: { kind: 'text', help: 'File to write the page to' },
    svg: { kind: 'text', help: 'Folder to write each chart to, as SVG' },
  },
  async run(args) {
    const path = args.text('html');
    const folder = args.text('svg');
    if (path === undefined && folder === undefined) {
      throw usageFailure('expected --html FILE or --svg FOLDER', 'sim report result.json --html page.html');
    }
    const results = args.texts('results').flatMap(readResults);
    if (path !== undefined) await writePage(path, results);
    if (folder !== undefined) await writeDrawings(folder, results);
    return EXIT.ok;
  },
};
