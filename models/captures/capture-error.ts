/** Where a capture is not what it should be, and how. */
export interface CaptureProblem {
  /** `byte 24`, or `line 3` of a CSV. */
  readonly place: string;
  readonly expected: string;
  readonly received: string;
  readonly hint?: string;
}

/** Thrown for a file of packets that is truncated, damaged, foreign or out of order. */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
  readonly file: string;
  readonly problem: CaptureProblem;

  constructor(file: string, problem: CaptureProblem) {
    super(`${file}, ${problem.place}: expected ${problem.expected} but received ${problem.received}`);
    this.file = file;
    this.problem = problem;
  }

  get hint(): string | undefined {
    return this.problem.hint;
  }
}
