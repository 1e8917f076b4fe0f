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

/** A finding and all that say the same of others. */
export interface FindingGroup {
  readonly first: LintFinding;
  /** Further ones, with the name of what each is about: `1:11`. */
  readonly alike: readonly { readonly finding: LintFinding; readonly name: string }[];
}

/** Fewer findings than that are shown one by one. */
const LEAST_GROUP = 3;

/** Puts together findings that differ in nothing but the class or hop that they are about, in the order of the first. */
export function groupFindings(findings: readonly LintFinding[]): FindingGroup[] {
  const groups = new Map<string, { finding: LintFinding; name: string }[]>();
  for (const finding of findings) {
    const name = nameIn(finding);
    const key = JSON.stringify([finding.rule, ...[finding.text, finding.hint].map((text) => blanked(text, name))]);
    groups.set(key, [...(groups.get(key) ?? []), { finding, name }]);
  }
  return [...groups.values()].flatMap((members) =>
    members.length < LEAST_GROUP
      ? members.map(({ finding }) => ({ first: finding, alike: [] }))
      : [{ first: members[0]!.finding, alike: members.slice(1) }],
  );
}

/** The class, or else the hop or flow, that a finding is about. */
function nameIn({ path }: LintFinding): string {
  const at = path.lastIndexOf('classes');
  return (at >= 0 ? path[at + 1] : path[1]) ?? '';
}

function blanked(text: string, name: string): string {
  return name === '' ? text : text.replaceAll(name, '…');
}
