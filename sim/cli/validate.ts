import { EXIT } from '../output/exit-codes.ts';
import { fixed } from '../output/figures.ts';
import { visible } from '../scenario/visible-text.ts';
import { parseText } from '../scenario/yaml-document.ts';
import type { LintFinding } from '../tc/lint/finding.ts';
import { lint } from '../tc/lint/lint.ts';
import { formatLintFinding, groupFindings } from '../tc/report.ts';
import type { Command } from './command.ts';
import { assignments, readScenarios } from './scenario-files.ts';
import { say, show } from './streams.ts';

/** A longer list is cut before its last member. */
const LISTED = 8;

/** `sim validate`. */
export const validate: Command = {
  options: { set: { kind: 'texts', help: 'Value of a variable, name=value' } },
  async run(args) {
    const { files, exitCode } = readScenarios(args.texts('files'), { set: assignments('set', args.texts('set')) });
    for (const { path, text, loaded } of files) {
      const { locate } = parseText(text, path);
      const name = visible(path);
      const lineOf = (finding: LintFinding) => locate(finding.path, 'value');
      for (const { first, alike } of groupFindings(lint(loaded.first, loaded.document))) {
        const { line, column } = lineOf(first);
        say(formatLintFinding(`${name}:${line}:${column}`, first));
        if (alike.length === 0) continue;
        const others = alike.map(({ finding, name }) => `${name} (line ${lineOf(finding).line})`);
        say(`  the same of ${fixed(alike.length, 0)} more: ${shortList(others)}`);
      }
      const points = loaded.pointCount === 1 ? '' : `, ${fixed(loaded.pointCount, 0)} points`;
      show(`${name}: valid${points}\n`);
    }
    return exitCode === EXIT.ok ? EXIT.ok : exitCode;
  },
};

function shortList(members: readonly string[]): string {
  if (members.length <= LISTED) return members.join(', ');
  return `${members.slice(0, LISTED - 1).join(', ')}, … ${members.at(-1)!}`;
}
