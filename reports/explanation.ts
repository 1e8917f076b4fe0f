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

/** A rate that the arithmetic comes to under one condition, to be held against what a run came to. */
export interface Prediction {
  readonly bitsPerSecond: number;
  /** What it counts: packets as tc counts them, or the payload of a whole transfer. */
  readonly level: 'accounted' | 'transfer';
  /** Of one packet size, so that a mix of sizes lies between; absent: of a whole transfer. */
  readonly sizeBytes?: number;
  /** Whether the class borrows as much as its ceil allows. */
  readonly onLoan?: boolean;
  /** How it comes about, in a sentence or two. */
  readonly words: string;
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
  /** Rates that it may come to: one for each packet size, at its own rate and on loan. */
  readonly predictions?: readonly Prediction[];
  /** Between which deviations from the configured rate (percent) the cause is the reason; absent: where a prediction fits. */
  readonly causePercent?: readonly [number, number];
  readonly sections: readonly ExplanationSection[];
  /** What will not go as one might expect. */
  readonly warnings?: readonly string[];
}
