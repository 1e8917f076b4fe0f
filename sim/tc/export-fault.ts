/** One thing that keeps a scenario from being exported. */
export interface ExportProblem {
  readonly text: string;
  readonly hint: string | undefined;
}

/** Thrown where commands would set up something else than the scenario says; carries every problem found. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
  /** What must be changed. */
  readonly where: 'command line' | 'scenario';
  readonly problems: readonly ExportProblem[];

  constructor(where: ExportFault['where'], problems: readonly ExportProblem[]) {
    super(problems.map(({ text }) => text).join('\n'));
    this.where = where;
    this.problems = problems;
  }
}
