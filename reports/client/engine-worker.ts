import type { PointResult } from '../../sim/run/result.ts';

/** How a run ended: with a result, with words for the reader, or by a newer run in its place. */
export type Answer =
  | { readonly kind: 'point'; readonly point: PointResult }
  | { readonly kind: 'problem'; readonly text: string }
  | { readonly kind: 'replaced' };

/** A run that takes longer than this is stopped (ms). */
const PATIENCE_MS = 60_000;

/** What the worker does beside the engine: it runs what it is sent and answers with the point or the problem. */
const ANSWERING = `
self.onmessage = async (event) => {
  try {
    self.postMessage({ point: await shaperlab.runPoint(event.data.document, event.data.overrides) });
  } catch (fault) {
    self.postMessage({ problem: String((fault && fault.message) || fault) });
  }
};`;

/**
 * Runs scenarios in a worker made from the page's own text. The engine's text is a classic script that defines
 * `shaperlab.runPoint(document, overrides)`, which gives a {@link PointResult} or a promise of one.
 */
export class EngineWorker {
  readonly #url: string;
  #worker: Worker | undefined;
  #settle: ((answer: Answer) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: string) {
    this.#url = URL.createObjectURL(new Blob([engine, ANSWERING], { type: 'text/javascript' }));
  }

  /** Runs a scenario; a run that is still going gives way to it. */
  run(document: unknown): Promise<Answer> {
    this.#end({ kind: 'replaced' });
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(
        () =>
          this.#end({
            kind: 'problem',
            text: `Stopped after ${PATIENCE_MS / 1000} seconds; a shorter duration may help.`,
          }),
        PATIENCE_MS,
      );
      this.#worker ??= new Worker(this.#url);
      this.#worker.onmessage = ({ data }: MessageEvent<{ point?: PointResult; problem?: string }>) =>
        this.#finish(
          data.point === undefined
            ? { kind: 'problem', text: data.problem ?? 'No answer came.' }
            : { kind: 'point', point: data.point },
        );
      this.#worker.onerror = (event) =>
        this.#end({ kind: 'problem', text: `The engine did not run: ${event.message}` });
      this.#worker.postMessage({ document, overrides: {} });
    });
  }

  /** Stops what is running, at once. */
  stop(): void {
    this.#end({ kind: 'problem', text: 'Stopped.' });
  }

  /** Answers and keeps the worker for the next run. */
  #finish(answer: Answer): void {
    clearTimeout(this.#timer);
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }

  /** Answers and ends the worker, if it was at work. */
  #end(answer: Answer): void {
    if (this.#settle === undefined) return;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#finish(answer);
  }
}
