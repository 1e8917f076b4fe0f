/** Thrown for a text that is no quantity of the kind asked for; the parts are what a message to the user is made of. */
export class UnitError extends Error {
  override readonly name = 'UnitError';
  /** What would have been right, e.g. `a rate such as 100mbit`. */
  readonly expected: string;
  /** What came, quoted. */
  readonly received: string;
  /** What to do about it. */
  readonly hint?: string;

  constructor(expected: string, received: string, hint?: string) {
    super(`expected ${expected} but received ${received}`);
    this.expected = expected;
    this.received = received;
    if (hint !== undefined) this.hint = hint;
  }
}
