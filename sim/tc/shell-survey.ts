import { keyword, type RawWord, type ShellList, walk } from './shell-syntax.ts';
import type { ShellVariables } from './shell-variables.ts';
import type { WordPart } from './shell-words.ts';

/** What commands that are not interpreted would have done. */
export interface Survey {
  /** Lines of tc commands, each once. */
  readonly tcLines: readonly number[];
  /** Whether those only delete and show. */
  readonly onlyDeletes: boolean;
  /** Whether a root or ingress qdisc is set up: without them nothing else has a place. */
  readonly setsUpRoot: boolean;
  /** Variables that they set. */
  readonly assigned: ReadonlySet<string>;
}

const TALKERS = new Set([
  'echo',
  'printf',
  'which',
  'command',
  'type',
  'hash',
  'logger',
  'man',
  'apt-get',
  'apt',
  'yum',
  'log',
  'die',
]);
const HARMLESS = /^(?:d|de|del|dele|delet|delete|s|sh|sho|show|l|ls|lst|list|get|monitor|help)$/;
/** What follows the name of a function that hands its arguments to tc. */
const OBJECT = /^(?:qdisc|class|filter)$/;
const MOST_CALLS = 200;

/** Surveys a list of commands, with the bodies of the functions that they call. */
export function surveyOf(
  list: ShellList,
  bodyOf: (name: string) => ShellList | undefined,
  variables: ShellVariables,
): Survey {
  const tcLines: number[] = [];
  const assigned = new Set<string>();
  const seen = new Set<string>();
  let onlyDeletes = true;
  let setsUpRoot = false;
  const visit = (inner: ShellList, callLine: number | undefined): void => {
    walk(inner, (node) => {
      if (node.kind === 'for') assigned.add(node.name);
      if (node.kind !== 'simple') return;
      for (const { name } of node.arrays) assigned.add(name);
      for (const name of assignedNames(node.words)) assigned.add(name);
      const first = node.words.map((word) => keyword(word.parts)).find((word) => word !== '' && !word.includes('='));
      const texts = node.words.map((word) => keyword(word.parts));
      const wraps =
        first !== undefined && bodyOf(first) !== undefined && OBJECT.test(texts[texts.indexOf(first) + 1] ?? '');
      const calls = node.words.some((word) => namesTc(plainText(word.parts), variables)) && !TALKERS.has(first ?? '');
      if (wraps || calls) {
        tcLines.push(callLine ?? node.line);
        const isHarmless = texts.some((word) => HARMLESS.test(word));
        onlyDeletes &&= isHarmless;
        setsUpRoot ||= !isHarmless && texts.some((word) => /^(?:root|ingress|clsact)$/.test(word));
      }
      if (wraps) return;
      const body = first === undefined || seen.has(first) || seen.size > MOST_CALLS ? undefined : bodyOf(first);
      if (body === undefined) return;
      seen.add(first!);
      visit(body, callLine ?? node.line);
    });
  };
  visit(list, undefined);
  return { tcLines: [...new Set(tcLines)].sort((a, b) => a - b), onlyDeletes, setsUpRoot, assigned };
}

function assignedNames(words: readonly RawWord[]): string[] {
  const names: string[] = [];
  const head = words[0] === undefined ? '' : keyword(words[0].parts);
  const declares = /^(?:export|local|declare|typeset|readonly)$/.test(head);
  for (const { parts } of words) {
    const [first] = parts;
    const name =
      first?.kind === 'text' && !first.quoted ? /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(first.text)?.[1] : undefined;
    if (name !== undefined) names.push(name);
    else if (!declares) break;
  }
  if (head === 'read')
    names.push(
      ...words
        .slice(1)
        .map((word) => keyword(word.parts))
        .filter((word) => /^[A-Za-z_]\w*$/.test(word)),
    );
  return names;
}

function plainText(parts: readonly WordPart[]): string {
  return parts
    .map((part) => (part.kind === 'text' ? part.text : part.kind === 'parameter' ? `$${part.name}` : ''))
    .join('');
}

/** Whether a word runs tc: `tc`, `/sbin/tc`, or a variable that holds it. */
function namesTc(text: string, variables: ShellVariables): boolean {
  if (/^(?:\S*\/)?tc$/.test(text)) return true;
  if (!/^\$[A-Za-z_]\w*$/.test(text)) return false;
  return text === '$TC' || /(?:^|[\s/])tc(?:\s|$)/.test(variables.peek(text.slice(1)) ?? '');
}
