import type { LintFinding } from './lint/finding.ts';
import type { TcMessage } from './model.ts';

/** A message of an import as a terminal shows it: `file:line: severity: text`, and the way out below. */
export function formatTcMessage(file: string, { line, severity, text, hint }: TcMessage): string {
  const head = `${file}:${line}: ${severity === 'info' ? '' : `${severity}: `}${text}`;
  return hint === undefined ? head : `${head}\n  hint: ${hint}`;
}

/** A finding of the lint as a terminal shows it; `where` is a file with a line, or a file alone. */
export function formatLintFinding(where: string, { rule, text, hint }: LintFinding): string {
  return `${where}: warning: ${text} (${rule})\n  hint: ${hint}`;
}
