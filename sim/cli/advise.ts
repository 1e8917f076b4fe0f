import * as registry from '../../models/registry.ts';
import { adviceText } from '../advise/advice-text.ts';
import { advise as adviseOn } from '../advise/advise.ts';
import { EXIT } from '../output/exit-codes.ts';
import { simulate } from '../run/simulate.ts';
import { checkDocument } from '../scenario/load-scenario.ts';
import { visible } from '../scenario/visible-text.ts';
import { pathBeside } from '../sweep/named-files.ts';
import type { Command } from './command.ts';
import { readText } from './files.ts';
import { assignments, readScenario } from './scenario-files.ts';
import { print, say, show, stdoutTerminal } from './streams.ts';

/** `sim advise`. */
export const advise: Command = {
  options: {
    set: { kind: 'texts', help: 'Value of a variable, name=value' },
    json: { kind: 'flag', help: 'Print the proposals and both results as JSON' },
  },
  async run(args) {
    const { path, loaded } = readScenario(args.text('file')!, { set: assignments('set', args.texts('set')) });
    const { readBytes } = loaded;
    const point = loaded.pointAt(0);
    const named = (name: string): string => readText(pathBeside(path, name));
    const advice = adviseOn(loaded.document, point, {
      pointOf: (document) => checkDocument(document, { registry, readText: named, readBytes }).pointAt(0),
      simulate: (each) => simulate(each, { buckets: 0, readBytes }),
      readBytes,
    });
    if (args.flag('json')) print(`${JSON.stringify(advice, null, 2)}\n`);
    else show(adviceText(visible(path), advice, stdoutTerminal().columns));
    if (loaded.pointCount > 1) {
      const values = Object.entries(point.variables).map(([name, value]) => visible(`${name}=${value}`));
      say(
        `sim: this is the first of ${loaded.pointCount} points, ${values.join(' ')}; --set name=value chooses another`,
      );
    }
    return EXIT.ok;
  },
};
