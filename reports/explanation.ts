/** A step of the arithmetic from configured to effective rate. */
export interface ExplanationLine {
  /** What is computed: `price of a packet`. */
  readonly label: string;
  /** Its value with unit: `10 ticks = 10.24 µs`. */
  readonly value: string;
  /** How it comes about: `832 B × 8 / 555 Mbit/s = 11.99 µs, cut to 11 µs`. */
  readonly rule: string;
}

/** Steps that belong together, such as "what tc sends" and "what the kernel charges". */
export interface ExplanationSection {
  readonly title: string;
  readonly lines: readonly ExplanationLine[];
}

/** The arithmetic of one class (or shaper, or limiter) at one point. */
export interface Explanation {
  /** Index of the result, and of the point in it. */
  readonly result: number;
  readonly point: number;
  /** What is explained: `class 1:108 of bridge`. */
  readonly subject: string;
  /** What makes it stray from what is configured, in a sentence or two. */
  readonly cause?: string;
  /** One sentence for somebody in a hurry: why it comes out as it does. */
  readonly conclusion?: string;
  readonly sections: readonly ExplanationSection[];
  /** What will not go as one might expect. */
  readonly warnings?: readonly string[];
}
