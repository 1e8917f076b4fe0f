import { EXIT } from '../output/exit-codes.ts';
import { fixed } from '../output/figures.ts';
import { parseText } from '../scenario/yaml-document.ts';
import { lint } from '../tc/lint/lint.ts';
import { formatLintFinding } from '../tc/report.ts';
import type { Command } from './command.ts';
import { assignments, readScenarios } from './scenario-files.ts';
import { say, show } from './streams.ts';

/** `sim validate`. */
export const validate: Command = {
  options: { set: { kind: 'texts', help: 'Value of a variable, name=value' } },
  async run(args) {
    const { files, exitCode } = readScenarios(args.texts('files'), { set: assignments('set', args.texts('set')) });
    for (const { path, text, loaded } of files) {
      const { locate } = parseText(text, path);
      for (const finding of lint(loaded.first, loaded.document)) {
        const { line, column } = locate(finding.path, 'value');
        say(formatLintFinding(`${path}:${line}:${column}`, finding));
      }
      const points = loaded.pointCount === 1 ? '' : `, ${fixed(loaded.pointCount, 0)} points`;
      show(`${path}: valid${points}\n`);
    }
    return exitCode === EXIT.ok ? EXIT.ok : exitCode;
  },
};
