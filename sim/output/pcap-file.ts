import { closeSync, openSync, writeSync } from 'node:fs';

/** Nanosecond pcap: magic, version 2.4, link type Ethernet. */
const MAGIC_NANOSECONDS = 0xa1b23c4d;
const LINKTYPE_ETHERNET = 1;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
/** Bytes held back before they are written. */
const BUFFER_BYTES = 1 << 16;

/**
 * Writes a pcap with instants in ns and the first bytes of each frame.
 *
 * Writes wait for the disk, so that memory is that of one buffer; whatever was written is a valid file up to its last
 * whole packet. Errors of the system are thrown as they are.
 */
export class PcapFile {
  readonly path: string;
  readonly #file: number;
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #snapBytes: number;
  #length = FILE_HEADER_BYTES;

  constructor(path: string, snapBytes: number) {
    this.path = path;
    this.#snapBytes = snapBytes;
    this.#file = openSync(path, 'w');
    const view = this.#view;
    view.setUint32(0, MAGIC_NANOSECONDS, true);
    view.setUint16(4, 2, true);
    view.setUint16(6, 4, true);
    view.setUint32(16, snapBytes, true);
    view.setUint32(20, LINKTYPE_ETHERNET, true);
  }

  /** Room for the first bytes of the next frame. */
  get frame(): DataView {
    if (this.#length + RECORD_HEADER_BYTES + this.#snapBytes > BUFFER_BYTES) this.#flush();
    return new DataView(this.#bytes.buffer, this.#length + RECORD_HEADER_BYTES, this.#snapBytes);
  }

  /** Ends a frame, of which `capturedBytes` stand in {@link frame}. */
  add(timeNs: number, capturedBytes: number, sizeBytes: number): void {
    const view = this.#view;
    const at = this.#length;
    const seconds = Math.floor(timeNs / 1e9);
    view.setUint32(at, seconds, true);
    view.setUint32(at + 4, timeNs - seconds * 1e9, true);
    view.setUint32(at + 8, capturedBytes, true);
    view.setUint32(at + 12, sizeBytes, true);
    this.#length += RECORD_HEADER_BYTES + capturedBytes;
  }

  /** Writes what is held back and closes the file. */
  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    for (let written = 0; written < this.#length; ) {
      written += writeSync(this.#file, this.#bytes, written, this.#length - written);
    }
    this.#length = 0;
  }
}
