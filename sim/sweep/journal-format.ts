import type { ReferenceSpec } from '../scenario/scenario.ts';

/** The first line of a journal: what its points are points of. */
export interface JournalHeader {
  readonly format: typeof JOURNAL_FORMAT;
  /** Of the program. */
  readonly version: string;
  /** Names what decides the figures, see {@link hashOf}. */
  readonly job: string;
  /** Points of the grid; those that a refinement adds come behind them. */
  readonly points: number;
  /** Whether a refinement may add points. */
  readonly refined: boolean;
  /** Variables that the sweep sets, in order. */
  readonly sweptNames: readonly string[];
  /** What a result says of its scenario. */
  readonly head: ResultHead;
}

/** A result without its points, and without what differs from run to run. */
export interface ResultHead {
  readonly title: string;
  readonly about: string;
  readonly scenario: { readonly file: string; readonly sha256: string; readonly document: unknown };
  readonly seed: number;
  readonly references: readonly ReferenceSpec[];
}

export const JOURNAL_FORMAT = 'shaperlab-journal/1';
/** The name of a journal in the folder of its sweep. */
export const JOURNAL_NAME = 'journal.jsonl';

/** Reads the first line; undefined where it is none. */
export function readHeader(line: string): JournalHeader | undefined {
  try {
    const value = JSON.parse(line) as Partial<JournalHeader> | null;
    return value?.format === JOURNAL_FORMAT ? (value as JournalHeader) : undefined;
  } catch {
    return undefined;
  }
}
