/** How the program ends; the one list of exit codes. */
export const EXIT = {
  /** All went well. */
  ok: 0,
  /** An expectation failed, or a difference is outside the tolerance. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A scenario or another input file is invalid; of an imported script not everything could be taken over. */
  invalid: 3,
  /** A file or the network gave trouble. */
  trouble: 4,
  /** A fault of the program. */
  internal: 70,
  /** Interrupted; what is finished is kept. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The list as people read it, for `sim --help`. */
export const EXIT_CODES_HELP =
  'Exit codes: 0 ok · 1 an expectation failed, or a difference is outside the tolerance · 2 wrong command line · ' +
  '3 invalid scenario, result or script · 4 trouble with a file or the network · 70 internal fault · 130 interrupted';
