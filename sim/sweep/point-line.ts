import type { PointResult } from '../run/result.ts';

/** Why a point failed: its values are invalid, it took too long, or the program is at fault. */
export type FailureCause = 'invalid' | 'timeout' | 'fault';

// A finished point as one line of JSON. The parts stand in this order, so that the result can be cut out of a line
// without reading it: {"point":17,"result":{…}} or {"point":17,"cause":"timeout","result":{…}}.
const LINE = /^\{"point":(\d{1,15}),(?:"cause":"(invalid|timeout|fault)",)?"result":(?=\{)/;

/** What stands at the beginning of a line. */
export interface LineHead {
  readonly index: number;
  readonly cause: FailureCause | undefined;
  /** Where the result's JSON begins; it ends one character before the line does. */
  readonly resultAt: number;
}

/** Writes the line of a finished point, without its end. */
export function pointLine(index: number, result: PointResult, cause?: FailureCause): string {
  const why = cause === undefined ? '' : `"cause":"${cause}",`;
  return `{"point":${index},${why}"result":${JSON.stringify(result)}}`;
}

/** Reads the beginning of a line; undefined where it is none of {@link pointLine}. */
export function readLineHead(line: string): LineHead | undefined {
  const match = LINE.exec(line);
  if (match === null || !line.endsWith('}}')) return undefined;
  return { index: Number(match[1]), cause: match[2] as FailureCause | undefined, resultAt: match[0].length };
}

/** The JSON of the result that a line holds. */
export function resultText(line: string, head: LineHead): string {
  return line.slice(head.resultAt, -1);
}
