import * as registry from '../../models/registry.ts';
import { EXIT } from '../output/exit-codes.ts';
import { buildSchema } from '../scenario/schema.ts';
import type { Command } from './command.ts';
import { print } from './streams.ts';

/** `sim schema`. */
export const schema: Command = {
  options: {},
  async run() {
    print(`${JSON.stringify(buildSchema(registry), null, 2)}\n`);
    return EXIT.ok;
  },
};
