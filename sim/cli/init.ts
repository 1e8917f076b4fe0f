import { existsSync } from 'node:fs';
import { EXIT } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { nearestName } from '../scenario/nearest.ts';
import { type Command, usageFailure } from './command.ts';
import { writeText } from './files.ts';
import { print, say } from './streams.ts';
import { TEMPLATES } from './templates.ts';

/** `sim init`. */
export const init: Command = {
  options: {
    out: { kind: 'text', help: 'File to write, which must not exist; default: the template’s name with .yaml' },
    print: { kind: 'flag', help: 'Print the scenario, write no file' },
  },
  async run(args) {
    const name = args.text('template') ?? 'htb';
    const template = TEMPLATES.get(name);
    if (template === undefined) {
      const names = [...TEMPLATES.keys()];
      const nearest = nearestName(name, names);
      const hint = nearest === undefined ? `the templates are ${names.join(', ')}` : `did you mean ${nearest}?`;
      throw usageFailure(`no template ${JSON.stringify(name)}`, hint);
    }
    if (args.flag('print')) {
      if (args.text('out') !== undefined) throw usageFailure('--print and --out cannot both be given');
      print(template);
      return EXIT.ok;
    }
    const path = args.text('out') ?? `${name}.yaml`;
    if (existsSync(path)) {
      throw new Failure(EXIT.trouble, `${path} exists already`, `choose another file: sim init ${name} --out FILE`);
    }
    writeText('--out', path, template);
    say(`sim: ${path} written; next: sim run ${path}`);
    return EXIT.ok;
  },
};
