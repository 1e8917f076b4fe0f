import type { SweepProgress } from '../sweep/run-tasks.ts';
import { concise, fixed } from './figures.ts';
import type { ProgressStream } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** On a terminal the line is written anew so often (ms), elsewhere a new line is written so often. */
const TERMINAL_MS = 100;
const LOG_MS = 30_000;
/** Nothing is shown before so long (ms). */
const QUIET_MS = 1000;

/** Shows how far a sweep is: points, rate, remaining time, failures. A line on a terminal, now and then one in a log. */
export class SweepProgressLine {
  readonly #stream: ProgressStream;
  readonly #columns: number;
  readonly #startMs: number;
  #shownMs: number;

  constructor(stream: ProgressStream, terminal: Terminal, nowMs: number) {
    this.#stream = stream;
    this.#columns = terminal.columns;
    this.#startMs = nowMs;
    this.#shownMs = nowMs + QUIET_MS - TERMINAL_MS;
  }

  /** Tells how many points were looked at before the first is run. */
  look(done: number, points: number, nowMs: number): void {
    this.#write(() => `looking at the points: ${fixed(done, 0)} of ${fixed(points, 0)}`, nowMs);
  }

  show(progress: SweepProgress, nowMs: number): void {
    this.#write(() => progressText(progress, nowMs - this.#startMs), nowMs);
  }

  #write(text: () => string, nowMs: number): void {
    const isTerminal = this.#stream.isTTY === true;
    if (nowMs - this.#shownMs < (isTerminal ? TERMINAL_MS : LOG_MS)) return;
    this.#shownMs = nowMs;
    this.#stream.write(isTerminal ? `\r\u001b[2K${text().slice(0, this.#columns - 1)}` : `sim: ${text()}\n`);
  }

  /** Erases the line on a terminal. */
  clear(): void {
    if (this.#stream.isTTY === true) this.#stream.write('\r\u001b[2K');
  }
}

/** `1,200 of 9,000 points, 85 /s, 92 s left, 2 failed`. */
export function progressText({ pointsDone, points, failed, share }: SweepProgress, elapsedMs: number): string {
  const seconds = elapsedMs / 1000;
  const parts = [`${fixed(pointsDone, 0)} of ${fixed(points, 0)} points`, `${concise(pointsDone / seconds)} /s`];
  if (share > 0) parts.push(`${timeText((seconds * (1 - share)) / share)} left`);
  if (failed > 0) parts.push(`${fixed(failed, 0)} failed`);
  return parts.join(', ');
}

/** A time as people say it, rounded up: `35 ms`, `12 s`, `8 min`, `3.5 h`. */
export function timeText(seconds: number): string {
  if (seconds < 1) return `${fixed(Math.ceil(seconds * 1000), 0)} ms`;
  if (seconds < 120) return `${fixed(Math.ceil(seconds), 0)} s`;
  return seconds < 7200 ? `${fixed(Math.ceil(seconds / 60), 0)} min` : `${fixed(Math.ceil(seconds / 360) / 10, 1)} h`;
}
