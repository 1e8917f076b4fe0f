import * as registry from '../../models/registry.ts';
import { adviceText } from '../output/advice-text.ts';
import { EXIT } from '../output/exit-codes.ts';
import { simulate } from '../run/simulate.ts';
import { checkDocument } from '../scenario/load-scenario.ts';
import { pathBeside } from '../sweep/named-files.ts';
import { applyProposals, propose } from '../tc/advise.ts';
import type { Command } from './command.ts';
import { readText } from './files.ts';
import { assignments, readScenario } from './scenario-files.ts';
import { print, show } from './streams.ts';

/** `sim advise`. */
export const advise: Command = {
  options: {
    set: { kind: 'texts', help: 'Value of a variable, name=value' },
    json: { kind: 'flag', help: 'Print the proposals and both results as JSON' },
  },
  async run(args) {
    const { path, loaded } = readScenario(args.text('file')!, { set: assignments('set', args.texts('set')) });
    const point = loaded.pointAt(0);
    const proposals = propose(point.scenario);
    const document = applyProposals(loaded.document, point.variables, proposals);
    const changed = checkDocument(document, {
      registry,
      readText: (name) => readText(pathBeside(path, name)),
      readBytes: loaded.readBytes,
    });
    const options = { buckets: 0, readBytes: loaded.readBytes };
    const before = simulate(point, options);
    const after = proposals.length === 0 ? before : simulate(changed.pointAt(0), options);
    if (args.flag('json')) print(`${JSON.stringify({ proposals, before, after }, null, 2)}\n`);
    else show(adviceText(path, proposals, before, after));
    return EXIT.ok;
  },
};
