import type { Message } from './problem.ts';

/** A problem before it is known where in the text its path stands. */
export interface Finding extends Message {
  readonly path: readonly string[];
  /** Whether the key is wrong, or its value. */
  readonly part: 'key' | 'value';
}

/** Takes what a check finds. */
export type Report = (message: Message, path: readonly string[], part?: 'key' | 'value') => void;
