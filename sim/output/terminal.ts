/** Columns of a table or message where no terminal says how wide it is. */
const DEFAULT_COLUMNS = 120;
const LEAST_COLUMNS = 40;

/** What a stream can show. */
export interface Terminal {
  readonly colour: boolean;
  readonly columns: number;
}

/** What {@link terminalOf} asks of a stream. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds out what a stream can show.
 *
 * Colour: FORCE_COLOR (other than 0 or false) wins, then NO_COLOR (if not empty) and TERM=dumb forbid it, otherwise a
 * terminal has it and a pipe or file has not. Width: the terminal's, else COLUMNS, else 120.
 */
export function terminalOf(stream: TerminalStream, environment: Environment): Terminal {
  const columns = stream.columns ?? (Number(environment.COLUMNS) || DEFAULT_COLUMNS);
  return { colour: hasColour(stream, environment), columns: Math.max(LEAST_COLUMNS, columns) };
}

function hasColour(stream: TerminalStream, environment: Environment): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = environment;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return term !== 'dumb' && stream.isTTY === true;
}

/** Ways to set text off. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warning(text: string): string;
}

/** The style of a terminal: ANSI sequences, or the text as it is. */
export function styleOf(terminal: Terminal): Style {
  const wrap = (on: number, off: number) => (text: string) =>
    terminal.colour && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), good: wrap(32, 39), bad: wrap(31, 39), warning: wrap(33, 39) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI sequences begin with ESC
const ANSI = /\u001b\[[0-9;]*m/g;

/** Columns that a text takes, ANSI sequences not counted; every character counts as one. */
export function widthOf(text: string): number {
  return [...text.replace(ANSI, '')].length;
}
