import type { PointResult } from '../run/result.ts';

/** Why a point failed: its values are invalid, it took too long, or the program is at fault. */
export type FailureCause = 'invalid' | 'timeout' | 'fault';

// A finished point as one line of JSON. The parts stand in this order, so that the result can be cut out of a line
// without reading it: {"point":17,"result":{…}} or {"point":17,"cause":"fault","result":{…}},
// or {"point":17,"cause":"timeout","limitMs":30000,"result":{…}}.
const LINE =
  /^\{"point":(\d{1,15}),(?:"cause":"(invalid|timeout|fault)",(?:"limitMs":([\d.]{1,20}),)?)?"result":(?=\{)/;

/** What stands at the beginning of a line. */
export interface LineHead {
  readonly index: number;
  readonly cause: FailureCause | undefined;
  /** How long the point was allowed to take, where that was too short (ms). */
  readonly limitMs: number;
  /** Where the result's JSON begins; it ends one character before the line does. */
  readonly resultAt: number;
}

/** Writes the line of a finished point, without its end; `limitMs` goes with the cause `timeout`. */
export function pointLine(index: number, result: PointResult, cause?: FailureCause, limitMs?: number): string {
  const limit = limitMs === undefined ? '' : `"limitMs":${limitMs},`;
  const why = cause === undefined ? '' : `"cause":"${cause}",${limit}`;
  return `{"point":${index},${why}"result":${JSON.stringify(result)}}`;
}

/** Reads the beginning of a line; undefined where it is none of {@link pointLine}. */
export function readLineHead(line: string): LineHead | undefined {
  const match = LINE.exec(line);
  if (match === null || !line.endsWith('}}')) return undefined;
  const [head, index, cause, limitMs = 0] = match;
  return {
    index: Number(index),
    cause: cause as FailureCause | undefined,
    limitMs: Number(limitMs),
    resultAt: head.length,
  };
}

/** Whether a line of a point that took too long counts no more beside another, for which more time was taken. */
export function givesWay(line: LineHead, other: LineHead): boolean {
  return line.cause === 'timeout' && (other.cause !== 'timeout' || other.limitMs > line.limitMs);
}

/** The JSON of the result that a line holds. */
export function resultText(line: string, head: LineHead): string {
  return line.slice(head.resultAt, -1);
}
