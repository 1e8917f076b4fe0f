/** Why a text is not known. */
export interface UnknownReason {
  readonly text: string;
  readonly variable?: string;
}

/** Marks in a text what nobody knows without running the script: the number of a reason between two private characters. */
const MARK = /\uE000(\d+)\uE001/;
const MARKS = /\uE000\d+\uE001/g;
/** Most items of an array. */
const MOST_ITEMS = 4096;

/** Takes the characters that mark what is unknown out of a text from outside. */
export function withoutMarkCharacters(text: string): string {
  return text.replaceAll(/[\uE000\uE001]/g, ' ');
}

/** Variables, arrays and arguments of a script, as far as they are known from its text. */
export class ShellVariables {
  readonly #values = new Map<string, string>();
  readonly #arrays = new Map<string, Map<string, string>>();
  /** Given from outside: what the script itself sets them to does not count. */
  readonly #given: ReadonlySet<string>;
  readonly #unread: Set<string>;
  readonly #reasons: UnknownReason[] = [];
  /** Numbers of the reasons, by variable and text. */
  readonly #numbers = new Map<string, number>();
  /** Arguments of the functions that are being called, innermost last; those of the script are not known. */
  readonly #frames: { arguments: string[]; saved: Map<string, string | undefined> }[] = [];
  /** Arguments of the script, where `set --` or a choice made them known. */
  #own: string[] | undefined;

  constructor(given: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(given)) this.#values.set(name, withoutMarkCharacters(text));
    this.#given = new Set(Object.keys(given));
    this.#unread = new Set(Object.keys(given));
  }

  /** Variables given from outside whose value was never asked for. */
  get unused(): readonly string[] {
    return [...this.#unread];
  }

  /** The text of a variable or argument, marked where it is not known; undefined: it has none. */
  get(name: string): string | undefined {
    this.#unread.delete(name);
    if (/^\d+$/.test(name)) return this.#argument(Number(name));
    if (name === '#') return this.#count();
    if (/^[?$!-]$/.test(name)) return this.mark(`$${name} is known only while the script runs`);
    return this.#values.get(name) ?? this.#arrays.get(name)?.get('0');
  }

  /** As {@link get}, without taking it for used. */
  peek(name: string): string | undefined {
    return this.#values.get(name);
  }

  set(name: string, text: string): void {
    if (this.#given.has(name)) return;
    this.#arrays.delete(name);
    this.#values.set(name, text);
  }

  setUnknown(name: string, reason: string): void {
    this.set(name, this.mark(reason, name));
  }

  unset(name: string): void {
    if (this.#given.has(name)) return;
    this.#arrays.delete(name);
    this.#values.set(name, '');
  }

  setArray(name: string, items: readonly string[], append: boolean): void {
    if (this.#given.has(name)) return;
    const array = append ? (this.#arrays.get(name) ?? new Map<string, string>()) : new Map<string, string>();
    let index = append ? array.size : 0;
    for (const item of items.slice(0, MOST_ITEMS)) {
      const keyed = /^\[([^\]]*)\]=([\s\S]*)$/.exec(item);
      if (keyed === null) array.set(String(index++), item);
      else array.set(keyed[1]!, keyed[2]!);
    }
    this.#values.delete(name);
    this.#arrays.set(name, array);
  }

  setItem(name: string, index: string, text: string): void {
    const array = this.#arrays.get(name) ?? new Map<string, string>();
    if (this.#given.has(name) || array.size >= MOST_ITEMS) return;
    array.set(index, text);
    this.#arrays.set(name, array);
  }

  /** The items of an array; of a plain variable its text; none of one that nobody sets. */
  items(name: string): string[] {
    const array = this.#arrays.get(name);
    if (array !== undefined) return [...array.values()];
    const value = this.get(name);
    return value === undefined || this.#isSetNowhere(value) ? [] : [value];
  }

  /** The keys of an array. */
  keys(name: string): string[] {
    return [...(this.#arrays.get(name)?.keys() ?? [])];
  }

  item(name: string, index: string): string | undefined {
    const array = this.#arrays.get(name);
    if (array === undefined) return index === '0' ? this.get(name) : undefined;
    return this.isUnknown(index) ? index : array.get(index);
  }

  /** All arguments. */
  arguments(): string[] {
    return this.#frames.at(-1)?.arguments ?? this.#own ?? [this.mark('$@ are the arguments of the script', '@')];
  }

  setArguments(items: readonly string[]): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#own = [...items];
    else frame.arguments = [...items];
  }

  /** Takes what a variable or argument holds for known, wherever it was handed on to. */
  choose(variable: string, text: string): void {
    const settle = (old: string): string =>
      old.replaceAll(MARKS, (mark) => (this.reasonIn(mark)?.variable === variable ? text : mark));
    for (const [name, old] of this.#values) this.#values.set(name, settle(old));
    for (const array of this.#arrays.values()) for (const [key, old] of array) array.set(key, settle(old));
    for (const frame of this.#frames) frame.arguments = frame.arguments.map(settle);
    if (variable === '@') this.setArguments([text]);
    else if (!/^\d+$/.test(variable)) this.set(variable, text);
    else if (this.#own === undefined) this.#values.set(variable, text);
    else this.#own[Number(variable) - 1] = text;
  }

  shift(count: number): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.arguments.splice(0, count);
    else if (this.#own !== undefined) this.#own.splice(0, count);
    else {
      const given = [...this.#values].filter(([name]) => /^\d+$/.test(name) && name !== '0');
      for (const [name] of given) this.#values.delete(name);
      for (const [name, text] of given) if (Number(name) > count) this.#values.set(String(Number(name) - count), text);
    }
  }

  /** Begins the call of a function. */
  enter(items: readonly string[]): void {
    this.#frames.push({ arguments: [...items], saved: new Map() });
  }

  /** Ends the call and gives back what `local` hid. */
  leave(): void {
    for (const [name, text] of this.#frames.pop()?.saved ?? []) {
      if (text === undefined) this.#values.delete(name);
      else this.#values.set(name, text);
    }
  }

  /** Keeps the value of a variable for the end of the call. */
  makeLocal(name: string): void {
    const saved = this.#frames.at(-1)?.saved;
    if (saved !== undefined && !saved.has(name)) saved.set(name, this.#values.get(name));
  }

  get depth(): number {
    return this.#frames.length;
  }

  /** A mark for a text that is not known. */
  mark(text: string, variable?: string): string {
    const key = `${variable ?? ''} ${text}`;
    const index =
      this.#numbers.get(key) ?? this.#reasons.push(variable === undefined ? { text } : { text, variable }) - 1;
    this.#numbers.set(key, index);
    return `\uE000${index}\uE001`;
  }

  /** A mark for what nobody sets. */
  missing(name: string): string {
    if (/^\d+$/.test(name)) return this.mark(`$${name} is an argument of the script`, name);
    return this.mark(`${name} is set nowhere before`, name);
  }

  /** The text with what is unknown in it under the name of the variable that holds it, where it has no other. */
  named(text: string, variable: string): string {
    return text.replaceAll(MARKS, (mark) => {
      const reason = this.reasonIn(mark);
      return reason === undefined || reason.variable !== undefined ? mark : this.mark(reason.text, variable);
    });
  }

  isUnknown(text: string): boolean {
    return MARK.test(text);
  }

  firstMark(text: string): string {
    return MARK.exec(text)?.[0] ?? '';
  }

  reasonIn(text: string): UnknownReason | undefined {
    const index = MARK.exec(text)?.[1];
    return index === undefined ? undefined : this.#reasons[Number(index)];
  }

  /** The text with the names of variables in place of what is not known, to be read as a script again. */
  withNames(text: string): string {
    return text.replaceAll(MARKS, (mark) => {
      const name = this.reasonIn(mark)?.variable;
      return name !== undefined && /^\w+$/.test(name) ? `\${${name}}` : '$(only a run knows)';
    });
  }

  withoutMarks(text: string): string {
    return text.replaceAll(MARKS, '');
  }

  #isSetNowhere(text: string): boolean {
    return MARK.exec(text)?.[0] === text && /is set nowhere before$/.test(this.reasonIn(text)?.text ?? '');
  }

  #argument(index: number): string | undefined {
    if (index === 0) return 'script';
    const frame = this.#frames.at(-1);
    if (frame !== undefined) return frame.arguments[index - 1] ?? '';
    return this.#own === undefined ? this.#values.get(String(index)) : (this.#own[index - 1] ?? '');
  }

  #count(): string {
    const items = this.#frames.at(-1)?.arguments ?? this.#own;
    return items === undefined ? this.mark('$# is the number of arguments of the script', '#') : String(items.length);
  }
}
