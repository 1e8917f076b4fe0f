import { LONGEST_PACKET_BYTES } from '../packet.ts';
import type { ByteWindow } from './byte-window.ts';
import { CaptureError } from './capture-error.ts';
import type { PacketRecords } from './packet-records.ts';

/** Longer lines are no packets (bytes). */
const LONGEST_LINE_BYTES = 4096;
const NEWLINE = 0x0a;
/** Before the text of some programs: UTF-8. */
export const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Decimals of a second in the column of instants, by its name. */
const INSTANTS: Readonly<Record<string, number>> = { time_s: 0, time_ns: 9 };
const COLUMNS = 'the columns time_s (or time_ns) and size';

/** The packets of a CSV: a line with the column names `time_s` or `time_ns`, and `size` (bytes as tc counts them), then one a packet. */
export class PacketCsvRecords implements PacketRecords {
  seconds = 0;
  nanoseconds = 0;
  sizeBytes = 0;
  readonly #window: ByteWindow;
  #line = 0;
  /** Decimals that the instants have been shifted by. */
  readonly #shift: number;
  readonly #timeColumn: number;

  /** @throws CaptureError */
  constructor(window: ByteWindow) {
    this.#window = window;
    window.fill(BYTE_ORDER_MARK.length);
    if (BYTE_ORDER_MARK.every((byte, index) => window.bytes[window.at + index] === byte)) {
      window.skip(BYTE_ORDER_MARK.length);
    }
    const header = this.#nextLine() ?? '';
    const names = cellsOf(header);
    const sizeColumn = names.indexOf('size');
    this.#timeColumn = 1 - sizeColumn;
    const shift = INSTANTS[names[this.#timeColumn] ?? ''];
    if (names.length !== 2 || sizeColumn < 0 || shift === undefined) this.#fail(COLUMNS, header);
    this.#shift = shift;
  }

  get place(): string {
    return `line ${this.#line}`;
  }

  next(): boolean {
    const line = this.#nextLine();
    if (line === undefined) return false;
    const cells = cellsOf(line);
    const time = cells[this.#timeColumn] ?? '';
    const size = cells[1 - this.#timeColumn] ?? '';
    if (cells.length !== 2) this.#fail('two cells', line);
    if (!this.#readInstant(time)) {
      this.#fail(this.#shift === 0 ? 'an instant in seconds, such as 0.00125' : 'an instant in whole ns', time);
    }
    this.sizeBytes = /^\d{1,8}$/.test(size) ? Number(size) : 0;
    if (!(this.sizeBytes >= 1 && this.sizeBytes <= LONGEST_PACKET_BYTES)) this.#fail('a size in whole bytes', size);
    return true;
  }

  /** Reads digits, so that instants since 1970 keep their ns. */
  #readInstant(text: string): boolean {
    if (this.#shift > 0) {
      if (!/^\d{1,20}$/.test(text)) return false;
      this.seconds = Number(text.slice(0, -this.#shift));
      this.nanoseconds = Number(text.slice(-this.#shift));
      return true;
    }
    const match = /^(\d{1,12})(?:\.(\d*))?$/.exec(text);
    if (match !== null) {
      const decimals = (match[2] ?? '').slice(0, 9);
      this.seconds = Number(match[1]);
      this.nanoseconds = Number(decimals.padEnd(9, '0'));
      return true;
    }
    // As programs write small numbers: 1e-05.
    if (!/^\d(?:\.\d+)?e-\d{1,3}$/i.test(text)) return false;
    this.seconds = 0;
    this.nanoseconds = Math.round(Number(text) * 1e9);
    if (this.nanoseconds === 1e9) {
      this.seconds = 1;
      this.nanoseconds = 0;
    }
    return true;
  }

  /** The next line that is not empty. */
  #nextLine(): string | undefined {
    const window = this.#window;
    for (;;) {
      const there = window.fill(LONGEST_LINE_BYTES);
      if (there === 0) return undefined;
      this.#line++;
      const { at, end } = window;
      const most = Math.min(end, at + LONGEST_LINE_BYTES);
      let stop = at;
      while (stop < most && window.bytes[stop] !== NEWLINE) stop++;
      if (stop === at + LONGEST_LINE_BYTES) this.#fail(`at most ${LONGEST_LINE_BYTES} bytes`, 'more');
      let line = '';
      for (let index = at; index < stop; index++) line += String.fromCharCode(window.bytes[index]!);
      window.skip(stop - at + 1);
      if (line.trim() !== '') return line.trimEnd();
    }
  }

  #fail(expected: string, received: string): never {
    const shown = received.length > 60 ? `${received.slice(0, 57)}…` : received;
    throw new CaptureError(this.#window.file, { place: this.place, expected, received: JSON.stringify(shown) });
  }
}

/** The cells of a line, without blanks and without the quotes that some programs write around each. */
function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => {
    const text = cell.trim();
    return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).trim() : text;
  });
}
