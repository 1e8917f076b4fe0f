import { closeSync, openSync, writeSync } from 'node:fs';
import type { PacketPool } from '../../models/packet.ts';
import type { PacketEvent, Tracer } from '../run/tracer.ts';
import { csvField } from './csv.ts';

/** Text held back before it is written (characters). */
const BUFFERED = 1 << 16;

/**
 * Writes the trace of a run as CSV: `time_ns,event,hop,flow,class,size`, a line an event.
 *
 * Writes wait for the disk, so memory stays bounded however long the run is.
 */
export class TraceCsv implements Tracer {
  readonly path: string;
  readonly besides: readonly string[] = [];
  readonly #file: number;
  readonly #fields = new Map<string, string>();
  #text = 'time_ns,event,hop,flow,class,size\n';

  /** @throws the system's error where the file cannot be created, here and when it cannot be written, below. */
  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'w');
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
    this.#text += `${timeNs},${event},${this.#field(hop)},${this.#field(flow)},${this.#field(className)},${packets.sizeBytes[packet]}\n`;
    if (this.#text.length >= BUFFERED) this.#flush();
  }

  /** Writes what is held back and closes the file. */
  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #field(name: string): string {
    let field = this.#fields.get(name);
    if (field === undefined) {
      field = csvField(name);
      this.#fields.set(name, field);
    }
    return field;
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
  }
}
