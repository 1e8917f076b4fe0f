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

/** Writes a result to stdout part by part, no faster than its reader takes it, and no longer than there is one. */
export async function printParts(parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (lost.has(process.stdout)) return;
    if (process.stdout.write(part)) continue;
    // What keeps the stream from being written is told by those who watch it.
    await once(process.stdout, 'drain').catch(() => {});
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

/** Streams that can be written no more. */
const lost = new Set<NodeJS.WriteStream>();

/**
 * Lets a command go on to its files when a stream can be written no more: quietly when its reader has gone, as `sim … |
 * head` does, and with a message and an exit code otherwise.
 */
export function watchStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isFirst = !lost.has(stream);
      lost.add(stream);
      if (!isFirst || error.code === 'EPIPE') return;
      if (stream === process.stdout) say(`sim: cannot write the result: ${systemReason(error)}`);
      process.on('exit', () => {
        process.exitCode = EXIT.trouble;
      });
    });
  }
}
