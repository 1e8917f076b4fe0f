import { EXIT } from '../output/exit-codes.ts';
import { exportTc } from '../tc/export.ts';
import { type Command, usageFailure } from './command.ts';
import { writeText } from './files.ts';
import { checkFormat } from './import.ts';
import { assignments, readScenario } from './scenario-files.ts';
import { print, say } from './streams.ts';

/** `sim export`. */
export const exportScript: Command = {
  options: {
    dev: {
      kind: 'text',
      help: 'Device of the first hop with a shaper, for example eth0; the next get the next numbers',
    },
    out: { kind: 'text', help: 'File for the script; default stdout', short: 'o' },
    set: { kind: 'texts', help: 'Value of a variable, name=value' },
  },
  async run(args) {
    checkFormat(args);
    const device = args.text('dev') ?? 'eth0';
    if (!/^[\w.@-]{1,15}$/.test(device))
      throw usageFailure(`--dev: expected a device such as eth0 but received ${JSON.stringify(device)}`);
    const { path, loaded } = readScenario(args.text('file')!, { set: assignments('set', args.texts('set')) });
    const { script, left } = exportTc(loaded.pointAt(0), loaded.document, device);
    for (const part of left) say(`${path}: warning: not exported: ${part}`);
    const out = args.text('out');
    if (out === undefined) print(script);
    else writeText(out, script);
    return EXIT.ok;
  },
};
