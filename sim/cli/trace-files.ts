import type { PacketPool } from '../../models/packet.ts';
import { PcapTracer } from '../output/pcap-tracer.ts';
import { TraceCsv } from '../output/trace-csv.ts';
import type { PacketEvent, Tracer } from '../run/tracer.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { fileFailure, removeIncomplete } from './files.ts';

interface TraceFile extends Tracer {
  readonly path: string;
  /** Further files that it writes. */
  readonly besides: readonly string[];
  close(): void;
}

/** The files that a run writes packet by packet, as one tracer whose failures name the file. */
export class TraceFiles implements Tracer {
  readonly #files: readonly TraceFile[];

  private constructor(files: readonly TraceFile[]) {
    this.#files = files;
  }

  /** Creates the files that are asked for; undefined: none. @throws Failure (trouble) */
  static open(csv: string | undefined, pcap: string | undefined, scenario: Scenario): TraceFiles | undefined {
    const files: TraceFile[] = [];
    if (csv !== undefined) files.push(opened(csv, () => new TraceCsv(csv)));
    if (pcap !== undefined) files.push(opened(pcap, () => new PcapTracer(pcap, scenario)));
    return files.length === 0 ? undefined : new TraceFiles(files);
  }

  /** Files that are written beside those that were asked for. */
  get besides(): readonly string[] {
    return this.#files.flatMap(({ besides }) => besides);
  }

  packet(
    event: PacketEvent,
    timeNs: number,
    hop: string,
    flow: string,
    className: string,
    packet: number,
    packets: PacketPool,
  ): void {
    for (const file of this.#files) {
      try {
        file.packet(event, timeNs, hop, flow, className, packet, packets);
      } catch (error) {
        throw incomplete(error, file);
      }
    }
  }

  /** Writes what is held back and closes the files. @throws Failure (trouble) */
  close(): void {
    for (const file of this.#files) {
      try {
        file.close();
      } catch (error) {
        throw incomplete(error, file);
      }
    }
  }
}

/** A file that cannot be written on, and those beside it, would look like a trace that ended there. */
function incomplete(error: unknown, { path, besides }: TraceFile): unknown {
  for (const written of [path, ...besides]) removeIncomplete(written);
  return fileFailure(error, 'write', path);
}

function opened<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}
