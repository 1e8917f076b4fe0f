import { allModels } from '../../models/registry.ts';
import { EXIT } from '../output/exit-codes.ts';
import { modelPage, modelsList } from '../output/model-pages.ts';
import { nearestName } from '../scenario/nearest.ts';
import { type Command, usageFailure } from './command.ts';
import { show, stdoutTerminal } from './streams.ts';

/** `sim models`. */
export const models: Command = {
  options: {},
  async run(args) {
    const kind = args.text('kind');
    if (kind === undefined) {
      show(modelsList(allModels(), stdoutTerminal()));
      return EXIT.ok;
    }
    const found = allModels().filter((model) => model.kind === kind);
    if (found.length === 0) {
      const nearest = nearestName(
        kind,
        allModels().map((model) => model.kind),
      );
      throw usageFailure(
        `no model of kind ${JSON.stringify(kind)}`,
        nearest === undefined ? 'sim models lists them' : `did you mean ${nearest}?`,
      );
    }
    show(found.map((model) => modelPage(model, stdoutTerminal())).join('\n'));
    return EXIT.ok;
  },
};
