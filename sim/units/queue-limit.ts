import { parseDuration } from './duration.ts';
import { splitNumber } from './number-text.ts';
import { parseSize } from './size.ts';
import { UnitError } from './unit-error.ts';

/** A limit of a queue: packets, bytes, or the time that it takes to drain. */
export type QueueLimit = { readonly packets: number } | { readonly bytes: number } | { readonly ns: number };

/**
 * Reads the limit of a queue: packets (`1000p`), bytes as tc reads sizes (`64kb`, `9000b`) or time (`40ms`). A bare
 * number is refused, as it could be packets or bytes. `m` is 1024² bytes here, as in tc.
 *
 * @throws UnitError
 */
export function parseQueueLimit(text: string): QueueLimit {
  const number = splitNumber(text);
  const received = JSON.stringify(text);
  if (number === undefined || number.suffix === '') {
    const hint = number === undefined ? undefined : `a bare number has no unit; did you mean ${text}p or ${text}b?`;
    throw new UnitError('a queue limit such as 1000p, 64kb or 40ms', received, hint);
  }
  if (/^(p|packets?|pkts?)$/i.test(number.suffix)) {
    if (Number.isSafeInteger(number.value) && number.value >= 0) return { packets: number.value };
    throw new UnitError('a whole number of packets', received);
  }
  for (const read of [
    (): QueueLimit => ({ bytes: parseSize(text) }),
    (): QueueLimit => ({ ns: parseDuration(text) }),
  ]) {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
    }
  }
  throw new UnitError('a queue limit such as 1000p, 64kb or 40ms', received);
}
