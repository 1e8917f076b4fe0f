import { EXIT } from '../output/exit-codes.ts';
import { say } from './streams.ts';

/** Catches Ctrl-C: the first one asks to finish and keep what is done, the second one ends at once. */
export function catchInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    say('sim: interrupted, keeping what is finished; once more to end at once');
  });
  return controller.signal;
}
