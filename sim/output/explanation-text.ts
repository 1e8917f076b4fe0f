import type { Explanation } from './explanation.ts';
import { styleOf, type Terminal } from './terminal.ts';
import { wrapText } from './wrap.ts';

/** Values longer than this have their rule on the next line. */
const WIDEST_VALUE = 44;
const LABEL_COLUMNS = 14;
const LABEL_GAP = 2;
const NARROWEST_TEXT = 30;
const WARNING = '  warning: ';

/** Explanations as people read them. */
export function explanationText(explanations: readonly Explanation[], terminal: Terminal): string {
  return `${explanations.map((explanation) => explanationLines(explanation, terminal).join('\n')).join('\n\n')}\n`;
}

function explanationLines(
  { subject, cause, conclusion, sections, warnings }: Explanation,
  terminal: Terminal,
): string[] {
  const style = styleOf(terminal);
  const values = sections.flatMap((section) => section.lines.map(({ value }) => value.length));
  const width = Math.min(WIDEST_VALUE, Math.max(0, ...values));
  const labels = sections.flatMap((section) => section.lines.map(({ label }) => label.length));
  const labelColumns = Math.max(LABEL_COLUMNS, ...labels.map((length) => length + LABEL_GAP));
  const lines = [style.bold(subject)];
  if (cause !== undefined) lines.push(...hanging('  ', cause, terminal));
  if (conclusion !== undefined) lines.push(...hanging('  ', conclusion, terminal));
  for (const { title, lines: steps } of sections) {
    lines.push(`  ${title}`);
    for (const { label, value, rule } of steps) {
      const start = `    ${label.padEnd(labelColumns)}${value.padEnd(width)}`;
      const blank = ' '.repeat(4 + labelColumns + width);
      if (value.length > width) lines.push(start);
      lines.push(...hanging(`${value.length > width ? blank : start}  `, rule, terminal, style.dim));
    }
  }
  for (const warning of warnings) lines.push(...hanging(WARNING, warning, terminal).map(style.warning));
  return lines;
}

/** Wraps a text behind `start`, further lines below its first word. */
function hanging(start: string, text: string, terminal: Terminal, paint = (line: string) => line): string[] {
  const width = Math.max(NARROWEST_TEXT, terminal.columns - start.length);
  return wrapText(text, width).map((line, index) => (index === 0 ? start : ' '.repeat(start.length)) + paint(line));
}
