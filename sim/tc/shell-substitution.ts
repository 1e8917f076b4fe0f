import { ArithmeticFault, evaluateArithmetic } from './arithmetic.ts';
import type { ShellExpansion } from './shell-expand.ts';
import { parseShell } from './shell-syntax.ts';

/** Substitutions whose outcome is known without running anything: they ask where tc is. */
const WHERE_IS_TC = /^\s*(?:which|command\s+-v|type\s+-[pP])\s+(?:\S*\/)?tc\s*$/;
const PLAIN_ARITHMETIC = /^[\d\s+\-*/%()]+$/;
const LONGEST_SEQUENCE = 2000;

/**
 * What `$(…)` gives where that is plain to see (`seq`, `expr`, `echo`, `printf`, arithmetic for `bc`); otherwise a mark.
 * Nothing is executed.
 */
export function outputOf(text: string, line: number, expansion: ShellExpansion): string {
  if (WHERE_IS_TC.test(text)) return 'tc';
  const { variables } = expansion;
  const commands = simpleCommands(text);
  const words = commands?.map((command) => command.words.flatMap((word) => expansion.expand(word.parts, line))) ?? [];
  const unknown = words.flat().find((word) => word.unknown !== undefined);
  const output = unknown === undefined ? compute(words.map((list) => list.map((word) => word.text))) : undefined;
  if (output !== undefined) return output.replace(/\n+$/, '');
  const isKnownCommand = /^(?:seq|expr|echo|printf)$/.test(words[0]?.[0]?.text ?? '') && words.length === 1;
  if (isKnownCommand && unknown?.unknown !== undefined) return variables.mark(unknown.unknown, unknown.variable);
  return variables.mark(`line ${line} takes it from the output of "${text.trim().slice(0, 60)}"`);
}

function simpleCommands(
  text: string,
): { words: readonly { parts: Parameters<ShellExpansion['expand']>[0] }[] }[] | undefined {
  if (text.length > 1000) return undefined;
  const { list, faults } = parseShell(text);
  const [only, ...more] = list;
  if (faults.length > 0 || only === undefined || more.length > 0) return undefined;
  const simple = only.commands.flatMap((node) => (node.kind === 'simple' && node.inputs.length === 0 ? [node] : []));
  return simple.length === only.commands.length ? simple : undefined;
}

function compute(commands: readonly (readonly string[])[]): string | undefined {
  const [first, second, ...more] = commands;
  if (first === undefined || more.length > 0) return undefined;
  const [name, ...given] = first;
  const output =
    name === 'echo'
      ? echoed(given)
      : name === 'printf'
        ? printed(given)
        : name === 'seq'
          ? sequence(given)
          : name === 'expr'
            ? arithmetic(given.join(' '))
            : undefined;
  if (second === undefined || output === undefined) return output;
  return second.length === 1 && second[0] === 'bc' ? arithmetic(output) : undefined;
}

function arithmetic(expression: string): string | undefined {
  if (!PLAIN_ARITHMETIC.test(expression)) return undefined;
  // A leading zero is no octal number here.
  const decimal = expression.replaceAll(/\b0+(?=\d)/g, '');
  try {
    return evaluateArithmetic(decimal, () => undefined);
  } catch (error) {
    if (!(error instanceof ArithmeticFault)) throw error;
    return undefined;
  }
}

/** What `echo` prints. */
export function echoed(given: readonly string[]): string {
  const words = [...given];
  let hasEscapes = false;
  while (/^-[neE]+$/.test(words[0] ?? '')) hasEscapes ||= words.shift()!.includes('e');
  const text = words.join(' ');
  return hasEscapes ? unescaped(text) : text;
}

/** What `printf` prints, for %d, %i, %s, %x and %X; undefined for other formats. */
export function printed(given: readonly string[]): string | undefined {
  const words = given[0] === '--' ? given.slice(1) : given;
  const [format = '', ...values] = words;
  let isKnown = true;
  let next = 0;
  const once = (): string =>
    format.replaceAll(/%(%|(-?\d*)([a-zA-Z]))/g, (_, all: string, width: string, type: string) => {
      if (all === '%') return '%';
      const value = values[next++] ?? '';
      const number = /^(?:\d+|0x[\da-f]+)$/i.test(value) ? Number(value) : Number.NaN;
      if (!/[disxX]/.test(type) || (type !== 's' && !Number.isSafeInteger(number))) isKnown = false;
      const text =
        type === 's'
          ? value
          : type === 'x'
            ? number.toString(16)
            : type === 'X'
              ? number.toString(16).toUpperCase()
              : String(number);
      return width.startsWith('0') ? text.padStart(Math.min(99, Number(width)), '0') : text;
    });
  let text = once();
  while (isKnown && next > 0 && next < values.length && text.length < 65536) text += once();
  return isKnown ? unescaped(text) : undefined;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([nt\\])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : '\\'));
}

function sequence(given: readonly string[]): string | undefined {
  const numbers = given.filter((word) => word !== '-w').map(Number);
  if (numbers.length < 1 || numbers.length > 3 || !numbers.every(Number.isSafeInteger)) return undefined;
  const [first, step, last] = [
    numbers.length > 1 ? numbers[0]! : 1,
    numbers.length === 3 ? numbers[1]! : 1,
    numbers.at(-1)!,
  ];
  const count = step === 0 ? -1 : Math.floor((last - first) / step) + 1;
  if (count < 0 || count > LONGEST_SEQUENCE) return step === 0 || count > LONGEST_SEQUENCE ? undefined : '';
  return Array.from({ length: count }, (_, i) => String(first + i * step)).join('\n');
}
