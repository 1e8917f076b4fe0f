/** The result of a sweep in its folder, in the form of every result. */
export const RESULT_NAME = 'result.json';
/** Its points, one a line. */
export const LINES_NAME = 'points.jsonl';
/** Its points and flows as tables. */
export const CSV_NAME = 'points.csv';
export const PARQUET_NAME = 'points.parquet';
/** Breakpoints that a refinement found. */
export const EDGES_NAME = 'edges.csv';
