/** Whose fault it is: the command line's, an input file's, or the machine's. */
export type SweepFaultKind = 'usage' | 'invalid' | 'trouble';

/** Thrown where a sweep cannot go on for a reason that its user can do something about. */
export class SweepFault extends Error {
  override readonly name = 'SweepFault';
  readonly kind: SweepFaultKind;
  readonly hint: string | undefined;

  constructor(kind: SweepFaultKind, message: string, hint?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

/** Thrown where the system refuses a file; `cause` is its error. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  /** Verb: `read`, `write`, … */
  readonly doing: string;
  readonly path: string;

  constructor(doing: string, path: string, cause: unknown) {
    super(`cannot ${doing} ${path}`, { cause });
    this.doing = doing;
    this.path = path;
  }
}
