import { allModels } from '../../models/registry.ts';
import { EXIT } from '../output/exit-codes.ts';
import { modelPage, modelsList, partPage } from '../output/model-pages.ts';
import { nearestName } from '../scenario/nearest.ts';
import { SCENARIO_PARTS } from '../scenario/scenario-parts.ts';
import { type Command, usageFailure } from './command.ts';
import { show, stdoutTerminal } from './streams.ts';

/** `sim models`. */
export const models: Command = {
  options: {},
  async run(args) {
    const kind = args.text('kind');
    const terminal = stdoutTerminal();
    if (kind === undefined) {
      show(modelsList(allModels(), SCENARIO_PARTS, terminal));
      return EXIT.ok;
    }
    const pages = [
      ...allModels().flatMap((model) => (model.kind === kind ? [modelPage(model, terminal)] : [])),
      ...SCENARIO_PARTS.flatMap((part) => (part.name === kind || part.key === kind ? [partPage(part, terminal)] : [])),
    ];
    if (pages.length === 0) {
      const names = [...allModels().map((model) => model.kind), ...SCENARIO_PARTS.map(({ name }) => name)];
      const nearest = nearestName(kind, names);
      throw usageFailure(
        `no model or part of a scenario is called ${JSON.stringify(kind)}`,
        nearest === undefined ? 'sim models lists them' : `did you mean ${nearest}?`,
      );
    }
    show(pages.join('\n'));
    return EXIT.ok;
  },
};
