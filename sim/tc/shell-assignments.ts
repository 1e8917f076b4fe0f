import type { ShellExpansion } from './shell-expand.ts';
import { keyword, type RawWord } from './shell-syntax.ts';
import type { Truth } from './shell-tests.ts';
import { tokenize, type WordPart } from './shell-words.ts';

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=/;

/** `NAME=…`, `NAME+=…` or `NAME[INDEX]=…`. */
export interface Assignment {
  readonly name: string;
  readonly index: string | undefined;
  readonly append: boolean;
  readonly parts: readonly WordPart[];
}

/** `((…))`: an assignment, an increment or a comparison. */
export function runArithmetic(expansion: ShellExpansion, text: string): Truth {
  const { variables } = expansion;
  const expanded = expansion.expandToText(wordsOf(text), 1).trim();
  if (expanded === '') return true;
  const assignment = /^([A-Za-z_]\w*)\s*([-+*/]?)=(?!=)([\s\S]*)$/.exec(expanded);
  const increment = /^(?:([A-Za-z_]\w*)(\+\+|--)|(\+\+|--)([A-Za-z_]\w*))$/.exec(expanded);
  let value: string;
  if (assignment !== null) {
    const [, name, operator, right] = assignment as unknown as [string, string, string, string];
    value = expansion.arithmetic(operator === '' ? right : `${name} ${operator} (${right})`);
    variables.set(name, value);
  } else if (increment !== null) {
    const name = increment[1] ?? increment[4]!;
    value = expansion.arithmetic(`${name} ${(increment[2] ?? increment[3]!)[0]} 1`);
    variables.set(name, value);
  } else value = expansion.arithmetic(expanded);
  return variables.isUnknown(value) ? undefined : value !== '0';
}

/** Carries out `local`, `declare`, `export` and the like for one of their words. */
export function declare(expansion: ShellExpansion, name: string, word: RawWord, line: number): void {
  const assignment = splitAssignment(word);
  const plain = keyword(word.parts);
  if (name === 'local' || name === 'declare' || name === 'typeset') {
    const variable = assignment?.name ?? plain;
    if (/^[A-Za-z_]\w*$/.test(variable)) {
      expansion.variables.makeLocal(variable);
      if (assignment === undefined && name === 'local') expansion.variables.set(variable, '');
    }
  }
  if (assignment !== undefined) assign(expansion, assignment, line);
}

/** Carries out an assignment. */
export function assign(expansion: ShellExpansion, { name, index, append, parts }: Assignment, line: number): void {
  const { variables } = expansion;
  const value = variables.named(expansion.expandToText(parts, line), name);
  if (index !== undefined) {
    variables.setItem(name, expansion.arithmeticIndex(index, line), value);
    return;
  }
  const text = append ? `${variables.get(name) ?? ''}${value}` : value;
  variables.set(name, text.length > 65536 ? variables.mark('it expands to more than 64 KiB') : text);
}

function wordsOf(text: string): WordPart[] {
  const { tokens } = tokenize(`"${text.replaceAll('"', '')}"`);
  const word = tokens[0];
  return word?.kind === 'word' ? [...word.parts] : [];
}

/** The assignments at the head of a command. */
export function leadingAssignments(words: readonly RawWord[]): Assignment[] {
  const assignments: Assignment[] = [];
  for (const word of words) {
    const assignment = splitAssignment(word);
    if (assignment === undefined) break;
    assignments.push(assignment);
  }
  return assignments;
}

function splitAssignment({ parts }: RawWord): Assignment | undefined {
  const first = parts[0];
  if (first?.kind !== 'text' || first.quoted) return undefined;
  const match = ASSIGNMENT.exec(first.text);
  if (match === null) return undefined;
  const rest: WordPart = { kind: 'text', text: first.text.slice(match[0].length), quoted: false };
  return { name: match[1]!, index: match[2], append: match[3] === '+', parts: [rest, ...parts.slice(1)] };
}
