/**
 * Makes a regular expression of a shell pattern: `*`, `?`, `[…]`; all other characters stand for themselves.
 *
 * @param any what `*` stands for: `.*` for the longest, `.*?` for the shortest match
 */
export function patternSource(pattern: string, any = '.*'): string {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    const close = character === '[' ? pattern.indexOf(']', i + 2) : -1;
    if (character === '*') source += any;
    else if (character === '?') source += '.';
    else if (close > 0) {
      const set = pattern.slice(i + 1, close).replace(/^!/, '^');
      source += `[${set.replaceAll(/[\\[\]]/g, '\\$&')}]`;
      i = close;
    } else source += character.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  }
  return source;
}

/** Whether a text matches a shell pattern as a whole; a pattern that is no pattern matches itself alone. */
export function matchesPattern(text: string, pattern: string): boolean {
  // Two or more stars in a row mean the same as one, and would make the search slow.
  const expression = safeRegExp(`^${patternSource(pattern.replaceAll(/\*+/g, '*'))}$`);
  return expression === undefined ? text === pattern : expression.test(text);
}

/** What is left of `text` without the part that matches at its start (`#`) or end (`%`); doubled: the longest such part. */
export function withoutMatch(text: string, operator: string, pattern: string): string {
  const source = patternSource(pattern.replaceAll(/\*+/g, '*'));
  const [isStart, isLongest] = [operator.startsWith('#'), operator.length === 2];
  const whole = safeRegExp(`^(?:${source})$`);
  if (whole === undefined) return text;
  // From the shortest to the longest candidate, or the other way round.
  for (let i = 0; i <= text.length; i++) {
    const length = isLongest ? text.length - i : i;
    const part = isStart ? text.slice(0, length) : text.slice(text.length - length);
    if (whole.test(part)) return isStart ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}

/** The text with the first (or, for `all`, each) match replaced. */
export function replaceMatch(text: string, pattern: string, replacement: string, all: boolean): string {
  const expression = safeRegExp(patternSource(pattern.replaceAll(/\*+/g, '*')), all ? 'gs' : 's');
  return expression === undefined || pattern === '' ? text : text.replace(expression, () => replacement);
}

/** A set such as `[z-a]` is a mistake in the script, not one of ours. */
function safeRegExp(source: string, flags = 's'): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
