/** A token of JSON with the blanks before it. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: strings hold none
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** A string that the end cuts off is known as such where no more of it is left (characters). */
const LONGEST_CUT = 100_000;

/** Which kind of token may come next. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'more' | 'end';

/**
 * Finds where a text that is no JSON stops being some: the offset of what does not fit, or the length of the text where
 * it ends too early. (Node's own message names the place of some faults only.)
 */
export function jsonFaultAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  TOKEN.lastIndex = 0;
  for (;;) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    const next: Expected | undefined = match === null ? undefined : after(expected, match, open);
    if (next === undefined) {
      const rest = text.slice(start).trimStart();
      // A word or string that the end cuts off.
      return /^(?:[\w.+-]*|"(?:[^"\\]|\\.)*\\?)$/s.test(rest.slice(0, LONGEST_CUT))
        ? text.length
        : text.length - rest.length;
    }
    expected = next;
  }
}

/** What may come after a token, or undefined where it may not be there. `open` holds the brackets that are open. */
function after(expected: Expected, [, sign, string]: RegExpExecArray, open: string[]): Expected | undefined {
  const isValueNext = expected === 'value' || expected === 'value or ]';
  const behindValue = (): Expected => (open.length === 0 ? 'end' : 'more');
  if (expected === 'name' || expected === 'name or }') {
    if (string !== undefined) return ':';
  } else if (expected === ':') return sign === ':' ? 'value' : undefined;
  else if (isValueNext) {
    if (sign === '{' || sign === '[') {
      open.push(sign);
      return sign === '{' ? 'name or }' : 'value or ]';
    }
    if (sign === undefined) return behindValue();
  } else if (expected === 'more' && sign === ',') return open.at(-1) === '{' ? 'name' : 'value';
  const closes = expected === 'more' || expected === 'name or }' || expected === 'value or ]';
  if (!closes || sign !== (open.at(-1) === '{' ? '}' : ']')) return undefined;
  open.pop();
  return behindValue();
}
