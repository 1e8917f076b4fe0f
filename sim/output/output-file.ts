import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Text is gathered up to this length before it is written (characters). */
const GATHERED = 1 << 20;

/** A file that appears under its name only when it is complete. Errors of the system are thrown as they are. */
export class OutputFile {
  readonly path: string;
  readonly #part: string;
  readonly #file: number;
  #text = '';
  #isOpen = true;

  constructor(path: string) {
    this.path = path;
    this.#part = `${path}.part`;
    this.#file = openSync(this.#part, 'w');
  }

  /** Adds text. */
  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= GATHERED) this.#flush();
  }

  /** Adds bytes. */
  writeBytes(bytes: Uint8Array): void {
    this.#flush();
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }

  /** Ends the file, which has no name yet. */
  end(): void {
    this.#flush();
    this.#close();
  }

  /** Gives an ended file its name. */
  publish(): void {
    renameSync(this.#part, this.path);
  }

  /** Leaves no trace of a file that cannot be completed. */
  discard(): void {
    if (this.#isOpen) this.#close();
    rmSync(this.#part, { force: true });
  }

  #close(): void {
    this.#isOpen = false;
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }
}
