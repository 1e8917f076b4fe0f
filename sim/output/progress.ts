import { fixed } from './figures.ts';
import type { Terminal } from './terminal.ts';

/** Nothing is shown before so long (ms), and then not more often than this. */
const QUIET_MS = 1000;
const REPEAT_MS = 100;
const BAR_COLUMNS = 24;

/** Where progress is shown. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** A line that shows how far a long run is, on a terminal only; erased at the end. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #columns: number;
  readonly #startMs: number;
  #shownMs: number | undefined;

  constructor(stream: ProgressStream, terminal: Terminal, nowMs: number) {
    this.#stream = stream;
    this.#columns = terminal.columns;
    this.#startMs = nowMs;
  }

  /** Tells that `done` of `total` parts are done (`done` may have a fraction) and what is being done. */
  show(done: number, total: number, what: string, nowMs: number): void {
    if (this.#stream.isTTY !== true || nowMs - this.#startMs < QUIET_MS) return;
    if (this.#shownMs !== undefined && nowMs - this.#shownMs < REPEAT_MS) return;
    this.#shownMs = nowMs;
    const share = Math.min(1, done / total);
    const bar = '█'.repeat(Math.floor(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '░');
    const leftSeconds = share === 0 ? undefined : ((nowMs - this.#startMs) * (1 - share)) / share / 1000;
    const left = leftSeconds === undefined ? '' : `, ${fixed(Math.ceil(leftSeconds), 0)} s left`;
    const line = `${bar} ${fixed(100 * share, 0)} %${left}  ${what}`;
    this.#stream.write(`\r\u001b[2K${line.slice(0, this.#columns - 1)}`);
  }

  /** Erases the line. */
  clear(): void {
    if (this.#shownMs !== undefined) this.#stream.write('\r\u001b[2K');
    this.#shownMs = undefined;
  }
}
