import { once } from 'node:events';
import { EXIT } from '../output/exit-codes.ts';
import { type Terminal, terminalOf } from '../output/terminal.ts';

/** Writes a result to stdout. */
export function print(text: string): void {
  process.stdout.write(text);
}

/** Writes a result to stdout part by part, no faster than its reader takes it. */
export async function printParts(parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  }
}

/** Tells the user something on stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
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
      if (stream === process.stdout) say(`sim: cannot write the result: ${error.code}`);
      process.exit(EXIT.trouble);
    });
  }
}
