import { LONGEST_PACKET_BYTES } from '../../models/packet.ts';
import { EXIT } from '../output/exit-codes.ts';
import { explainScenario } from '../output/explain.ts';
import { explanationText } from '../output/explanation-text.ts';
import { visible } from '../scenario/visible-text.ts';
import { parseSize } from '../units/size.ts';
import { UnitError } from '../units/unit-error.ts';
import { type Command, usageFailure } from './command.ts';
import { assignments, readScenario } from './scenario-files.ts';
import { print, say, show, stdoutTerminal } from './streams.ts';

/** `sim explain`. */
export const explain: Command = {
  options: {
    size: { kind: 'text', help: 'Packet size to explain, as tc counts it; default: those that the flows send' },
    set: { kind: 'texts', help: 'Value of a variable, name=value' },
    json: { kind: 'flag', help: 'Print the steps as JSON' },
  },
  async run(args) {
    const sizeBytes = sizeOf(args.text('size'));
    const { path, loaded } = readScenario(args.text('file')!, { set: assignments('set', args.texts('set')) });
    const explanations = explainScenario(loaded.first, sizeBytes);
    if (args.flag('json')) print(`${JSON.stringify(explanations, null, 2)}\n`);
    else if (explanations.length > 0) show(explanationText(explanations, stdoutTerminal()));
    if (explanations.length === 0) {
      say(
        `sim: ${visible(path)}: no hop has a shaper and no flow is a transfer of curl, so there is no arithmetic to explain`,
      );
    }
    if (loaded.pointCount > 1) {
      const values = Object.entries(loaded.variablesAt(0)).map(([name, value]) => visible(`${name}=${value}`));
      say(
        `sim: this is the first of ${loaded.pointCount} points, ${values.join(' ')}; --set name=value chooses another`,
      );
    }
    return EXIT.ok;
  },
};

function sizeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const bytes = parseSize(text);
    if (bytes >= 1 && bytes <= LONGEST_PACKET_BYTES) return bytes;
  } catch (error) {
    if (!(error instanceof UnitError)) throw error;
  }
  throw usageFailure(
    `--size: expected a packet size up to ${LONGEST_PACKET_BYTES} such as 836 or 1500b but received ${JSON.stringify(text)}`,
  );
}
