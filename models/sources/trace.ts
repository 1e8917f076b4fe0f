import { CaptureError } from '../captures/capture-error.ts';
import { openCapture } from '../captures/open-capture.ts';
import type { PacketRecords } from '../captures/packet-records.ts';
import type { PacketSource, ParameterProblem, RandomStream, ReadBytes, SourceDeclaration, Values } from '../model.ts';

/** Replays lengths and instants of a file, which is read as it goes. */
class TraceReplay implements PacketSource {
  sizeBytes = 0;
  readonly gsoBytes = 0;
  warning: string | undefined;
  readonly #file: string;
  readonly #readBytes: ReadBytes;
  readonly #loop: boolean;
  readonly #speed: number;
  #records: PacketRecords;
  /** Packets of this round so far. */
  #packets = 0;
  /** Of the first packet. */
  #firstSeconds = 0;
  #firstNanoseconds = 0;
  /** Instant of the last packet since the first, in the file's own time (ns). */
  #lastNs = 0;
  /** Length of the rounds before, in the file's own time (ns). */
  #roundsNs = 0;

  constructor(file: string, readBytes: ReadBytes, loop: boolean, speed: number) {
    this.#file = file;
    this.#readBytes = readBytes;
    this.#loop = loop;
    this.#speed = speed;
    this.#records = openCapture(file, readBytes);
  }

  next(): number {
    if (!this.#records.next()) {
      this.warning ??= cutOffWarning(this.#file, this.#records);
      if (this.#packets === 0) throw withoutPackets(this.#file, this.#records);
      if (!this.#loop) return Number.POSITIVE_INFINITY;
      this.#beginRound();
    }
    const { seconds, nanoseconds, sizeBytes } = this.#records;
    if (this.#packets === 0) {
      this.#firstSeconds = seconds;
      this.#firstNanoseconds = nanoseconds;
    }
    const timeNs = (seconds - this.#firstSeconds) * 1e9 + (nanoseconds - this.#firstNanoseconds);
    if (timeNs < this.#lastNs) throw this.#outOfOrder(timeNs);
    this.#packets++;
    this.#lastNs = timeNs;
    this.sizeBytes = sizeBytes;
    const dueNs = this.#roundsNs + timeNs;
    return this.#speed === 1 ? dueNs : Math.round(dueNs / this.#speed);
  }

  /** Begins anew one mean gap after the last packet, so that the mean rate is that of the file. */
  #beginRound(): void {
    if (this.#lastNs === 0) {
      throw new CaptureError(this.#file, {
        place: this.#records.place,
        expected: 'packets at more than one instant, as it is repeated',
        received: `${this.#packets} at the same`,
      });
    }
    this.#roundsNs += this.#lastNs + Math.round(this.#lastNs / (this.#packets - 1));
    this.#packets = 0;
    this.#lastNs = 0;
    this.#records = openCapture(this.#file, this.#readBytes);
    if (!this.#records.next()) throw withoutPackets(this.#file, this.#records);
  }

  #outOfOrder(timeNs: number): CaptureError {
    return new CaptureError(this.#file, {
      place: this.#records.place,
      expected: 'an instant not before that of the packet above',
      received: `one ${this.#lastNs - timeNs} ns before it`,
      hint: '`reordercap IN OUT` sorts a capture',
    });
  }
}

function withoutPackets(file: string, { place, cutOff }: PacketRecords): CaptureError {
  return new CaptureError(file, cutOff ?? { place, expected: 'at least one packet', received: 'none' });
}

function cutOffWarning(file: string, { cutOff }: PacketRecords): string | undefined {
  if (cutOff === undefined) return undefined;
  const { place, expected, received } = cutOff;
  return `${file}, ${place}: expected ${expected} but received ${received}; the packets before, which are whole, are replayed`;
}

/** `source: trace`: packets as somebody recorded them. */
export const trace: SourceDeclaration = {
  kind: 'trace',
  role: 'source',
  summary: 'Packets with the lengths and instants of a capture or CSV, sent whatever becomes of them',
  parameters: {
    file: {
      type: 'string',
      required: true,
      help: 'Capture (pcap, pcapng) or CSV with the columns time_s or time_ns, and size; relative to the scenario. The first packet leaves at the flow’s start.',
    },
    speed: {
      type: 'number',
      default: 1,
      minimum: 0.000001,
      maximum: 1_000_000,
      help: 'How many times as fast as recorded: 2 halves every gap.',
    },
    loop: {
      type: 'boolean',
      default: false,
      help: 'Begins again after the last packet, one mean gap later.',
    },
  },
  counters: {},
  checkFiles(values: Values, readBytes: ReadBytes): ParameterProblem[] {
    const file = values.file as string;
    try {
      const records = openCapture(file, readBytes);
      if (!records.next()) throw withoutPackets(file, records);
      return [];
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!(error instanceof CaptureError)) {
        return [{ path: ['file'], expected: 'a readable file', received: file, hint: error.message }];
      }
      const { place, expected, received, hint } = error.problem;
      const problem = { path: ['file'], expected, received: `${received} (${file}, ${place})` };
      return [hint === undefined ? problem : { ...problem, hint }];
    }
  },
  create(values: Values, _random: RandomStream, readBytes?: ReadBytes): PacketSource {
    const file = values.file as string;
    if (readBytes === undefined) {
      throw new CaptureError(file, {
        place: 'byte 0',
        expected: 'a place where files can be read',
        received: 'one where they cannot',
        hint: 'run it on the command line',
      });
    }
    return new TraceReplay(file, readBytes, values.loop as boolean, values.speed as number);
  },
};
