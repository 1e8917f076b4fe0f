/** A step of the arithmetic from the configured to the effective rate. */
export interface ExplanationLine {
  /** What is computed: `price`. */
  readonly label: string;
  /** Its value with unit: `10 ticks = 10.24 µs`. */
  readonly value: string;
  /** How it comes about: `832 B / 69,375,000 B/s = 11.993 µs, cut to 11 µs`. */
  readonly rule: string;
}

/** Steps that belong together. */
export interface ExplanationSection {
  readonly title: string;
  readonly lines: readonly ExplanationLine[];
}

/** The arithmetic of one class, shaper or limiter. */
export interface Explanation {
  /** What is explained: `class 1:108 of bridge`. */
  readonly subject: string;
  /** What makes it stray from what is configured. */
  readonly cause?: string;
  /** One sentence for somebody in a hurry. */
  readonly conclusion?: string;
  readonly sections: readonly ExplanationSection[];
  /** What will not go as one might expect. */
  readonly warnings: readonly string[];
}
