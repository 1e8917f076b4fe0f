/**
 * Goes through all that changes in a model, number by number, always in the same order.
 *
 * What decides the model's future is told by `plain` (as it is) and `instant`, `due` and `ticks` (as distances from the
 * present); two moments at which all of it is equal are followed by the same events. What only counts is told by
 * `counter` and `counts`. Each method returns what the model is to store: the same number, or, when the run is moved
 * ahead by whole periods, the number as it will then be.
 */
export interface RecurrencePass {
  /** Whether the rest can be left out: a difference has been found. Loops over many numbers ask. */
  readonly done: boolean;
  /** Whether packets that wait are left out: where they are many, the rest says almost as much. */
  readonly isBrief: boolean;
  plain(value: number): number;
  /** An instant (ns); may be Infinity. */
  instant(timeNs: number): number;
  /** An instant in ticks of `tickNs` since the clock's zero; the phase of the clock counts too. */
  ticks(timeTicks: number, tickNs: number): number;
  /** As {@link ticks}, for an instant of which only matters how far it lies ahead: all in the past are alike. */
  due(timeTicks: number, tickNs: number): number;
  /**
   * An instant in ticks at which something harmless but not periodic happens: it is not compared, and nothing is left
   * out that comes near it. It stays where it is.
   */
  horizon(timeTicks: number, tickNs: number): void;
  /**
   * An instant in ticks up to which something was counted last. As {@link ticks}, except that one which is at least
   * `staleTicks` past has no effect any more: while it stays what it is, it is not compared.
   */
  since(timeTicks: number, tickNs: number, staleTicks: number): number;
  /** Where within a tick of a clock the present lies matters. */
  phase(tickNs: number): void;
  /** There is randomness in it, or it cannot tell its state: it never repeats. */
  never(): void;
  counter(value: number): number;
  /** Changes the array in place. */
  counts(values: Float64Array): void;
}

/** Tells of a model that is part of another. */
export function visitPart(part: Partial<Recurrent>, pass: RecurrencePass): void {
  if (part.visit === undefined) pass.never();
  else part.visit(pass);
}

/** A model whose state can be compared between two moments, so that a run which repeats is advanced by whole periods. */
export interface Recurrent {
  visit(pass: RecurrencePass): void;
}
