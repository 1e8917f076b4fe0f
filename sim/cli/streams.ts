import { once } from 'node:events';
import { EXIT } from '../output/exit-codes.ts';
import { type Terminal, terminalOf } from '../output/terminal.ts';
import { visibleLines } from '../scenario/visible-text.ts';
import { systemReason } from './files.ts';

/** Writes text for people to stdout; what a terminal would obey in it is made visible. */
export function show(text: string): void {
  print(visibleLines(text));
}

/** Writes data, or a file that goes to stdout, as it is. */
export function print(text: string): void {
  process.stdout.write(text);
}

/** Writes a result to stdout part by part, no faster than its reader takes it. */
export async function printParts(parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  }
}

/** Tells the user something on stderr; what a terminal would obey in it is made visible. */
export function say(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`);
}

/** What stdout can show. */
export function stdoutTerminal(): Terminal {
  return terminalOf(process.stdout, process.env);
}

/** What stderr can show. */
export function stderrTerminal(): Terminal {
  return terminalOf(process.stderr, process.env);
}

/** Ends quietly when the reader of a stream has gone, as `sim … | head` does, and in words when it cannot be written. */
export function watchStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) say(`sim: cannot write the result: ${systemReason(error)}`);
      process.exit(EXIT.trouble);
    });
  }
}
