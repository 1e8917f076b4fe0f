import type {
  ClientConnection,
  ClientHost,
  ClientRequest,
  TransferClient,
  TransferRecord,
} from '../../../models/curl/socket.ts';

/** A link and a receiver, reduced to what a reader in lumps notices of them. */
export interface Path {
  /** Of the wire (bit/s). */
  readonly linkBitsPerSecond: number;
  readonly rttNs: number;
  /** Sent at once after a rest (wire bytes), as a token bucket at the server's exit lets through. */
  readonly burstBytes: number;
  /** What the receive queue holds in the end while nobody reads (bytes). */
  readonly largestQueueBytes: number;
}

/** The measured test bed: tc's tbf at the server, RTT 0.1 ms, and 0.477 of tcp_rmem[2] for the queue. */
export function testBed(linkMbit: number, rcvbufMax: number): Path {
  return {
    linkBitsPerSecond: linkMbit * 1e6,
    rttNs: 100_000,
    burstBytes: linkMbit >= 700 ? 128_000 : 32_000,
    largestQueueBytes: Math.trunc(0.477 * rcvbufMax),
  };
}

const SEGMENT_BYTES = 1448;
const SEGMENT_ON_WIRE_BYTES = 1514;
const FIRST_WINDOW_BYTES = 65160;
const UPLOAD_SEND_BUFFER_BYTES = 350_000;

/** What a run of a client over a {@link Path} shows. */
export interface RunRecord {
  readonly transfers: TransferRecord[];
  /** Body bytes of each visit of the socket, and its instant. */
  readonly visits: { readonly timeNs: number; readonly bytes: number }[];
}

interface Task {
  readonly timeNs: number;
  readonly order: number;
  readonly run: (nowNs: number) => void;
}

/**
 * Drives a client over a link without loss: a sender that fills the window, segments at the pace of the link, and a window
 * that starts at 64 kB and grows with what one visit reads.
 */
export class ReceiveQueue implements ClientHost {
  readonly record: RunRecord = { transfers: [], visits: [] };
  readonly #path: Path;
  #client!: TransferClient;
  #tasks: Task[] = [];
  #order = 0;
  #nowNs = 0;
  #wakeNs = Number.POSITIVE_INFINITY;
  #linkFreeNs = Number.NEGATIVE_INFINITY;
  #toSendBytes = 0;
  #queuedBytes = 0;
  #inFlightBytes = 0;
  #windowBytes = FIRST_WINDOW_BYTES;
  #sendSpaceBytes = UPLOAD_SEND_BUFFER_BYTES;
  #uploadLeftBytes = 0;
  #responseBytes = 0;
  /** How much of the answer the client's window lets through. */
  #windowBytesOfStream = 0;

  constructor(path: Path) {
    this.#path = path;
  }

  /** Runs `client` until it asks for nothing more, or until `untilNs`. */
  run(client: TransferClient, untilNs = 3600e9): RunRecord {
    this.#client = client;
    client.start(0);
    for (;;) {
      const task = this.#earliest();
      const timeNs = Math.min(this.#wakeNs, task?.timeNs ?? Number.POSITIVE_INFINITY);
      if (timeNs > untilNs) return this.record;
      this.#nowNs = timeNs;
      if (task !== undefined && task.timeNs === timeNs) {
        this.#tasks.splice(this.#tasks.indexOf(task), 1);
        task.run(timeNs);
      } else {
        this.#wakeNs = Number.POSITIVE_INFINITY;
        client.onTimer(timeNs);
      }
    }
  }

  connect(nowNs: number): void {
    this.#queuedBytes = 0;
    this.#windowBytes = FIRST_WINDOW_BYTES;
    this.#at(nowNs + this.#path.rttNs, (timeNs) => this.#client.onConnected(this.#connection(), timeNs));
  }

  wakeAt(timeNs: number): void {
    this.#wakeNs = timeNs;
  }

  moved(bytes: number, timeNs: number): void {
    const last = this.record.visits.at(-1);
    if (last?.timeNs === timeNs)
      this.record.visits[this.record.visits.length - 1] = { timeNs, bytes: last.bytes + bytes };
    else this.record.visits.push({ timeNs, bytes });
  }

  finished(transfer: TransferRecord): void {
    this.record.transfers.push(transfer);
  }

  #connection(): ClientConnection {
    const queuedBytes = (): number => this.#queuedBytes;
    const sendSpaceBytes = (): number => this.#sendSpaceBytes;
    return {
      get queuedBytes() {
        return queuedBytes();
      },
      get sendSpaceBytes() {
        return sendSpaceBytes();
      },
      read: (maxBytes) => this.#read(maxBytes),
      write: (maxBytes) => this.#write(maxBytes),
      request: (request, nowNs) => this.#request(request, nowNs),
      grant: (bytes, nowNs) => this.#at(nowNs + this.#path.rttNs / 2, () => this.#answer(bytes)),
    };
  }

  #request(request: ClientRequest, nowNs: number): void {
    this.#responseBytes = request.responseBytes;
    this.#windowBytesOfStream = 0;
    const windowBytes = request.windowBytes ?? Number.POSITIVE_INFINITY;
    this.#uploadLeftBytes = request.bodyBytes;
    if (request.bodyBytes === 0) this.#at(nowNs + this.#path.rttNs / 2, () => this.#answer(windowBytes));
  }

  #answer(windowBytes: number): void {
    this.#windowBytesOfStream += windowBytes;
    const bytes = Math.min(this.#responseBytes, this.#windowBytesOfStream);
    this.#responseBytes -= bytes;
    this.#windowBytesOfStream -= bytes;
    this.#toSendBytes += bytes;
    this.#sendSegments();
  }

  #read(maxBytes: number): number {
    const bytes = Math.min(maxBytes, this.#queuedBytes);
    this.#queuedBytes -= bytes;
    this.#windowBytes = Math.max(
      this.#windowBytes,
      Math.min(this.#path.largestQueueBytes, this.#windowBytes + Math.trunc(bytes / 2)),
    );
    if (bytes > 0) this.#at(this.#nowNs + this.#path.rttNs / 2, () => this.#sendSegments());
    return bytes;
  }

  #write(maxBytes: number): number {
    const bytes = Math.min(maxBytes, this.#sendSpaceBytes);
    this.#sendSpaceBytes -= bytes;
    for (let left = bytes; left > 0; left -= SEGMENT_BYTES) {
      const segment = Math.min(left, SEGMENT_BYTES);
      this.#at(this.#departure(this.#nowNs) + this.#path.rttNs / 2, (timeNs) => {
        this.#uploadLeftBytes -= segment;
        this.#at(timeNs + this.#path.rttNs / 2, (ackNs) => {
          this.#sendSpaceBytes += segment;
          this.#client.onWritable(ackNs);
        });
        if (this.#uploadLeftBytes === 0) this.#answer(Number.POSITIVE_INFINITY);
      });
    }
    return bytes;
  }

  #sendSegments(): void {
    while (this.#toSendBytes > 0) {
      const room = this.#windowBytes - this.#queuedBytes - this.#inFlightBytes;
      const segment = Math.min(SEGMENT_BYTES, this.#toSendBytes);
      if (room < segment) return;
      this.#toSendBytes -= segment;
      this.#inFlightBytes += segment;
      this.#at(this.#departure(this.#nowNs) + this.#path.rttNs / 2, (timeNs) => {
        this.#inFlightBytes -= segment;
        this.#queuedBytes += segment;
        this.#client.onReadable(timeNs);
      });
    }
  }

  /** The link's bucket: virtual time may lag `burst` behind. */
  #departure(nowNs: number): number {
    const { linkBitsPerSecond, burstBytes } = this.#path;
    const burstNs = Math.trunc((burstBytes * 8e9) / linkBitsPerSecond);
    const freeNs = Math.max(this.#linkFreeNs, nowNs - burstNs);
    this.#linkFreeNs = freeNs + Math.ceil((SEGMENT_ON_WIRE_BYTES * 8e9) / linkBitsPerSecond);
    return Math.max(nowNs, this.#linkFreeNs);
  }

  #at(timeNs: number, run: (nowNs: number) => void): void {
    this.#tasks.push({ timeNs, order: this.#order++, run });
  }

  #earliest(): Task | undefined {
    let earliest: Task | undefined;
    for (const task of this.#tasks) {
      if (earliest === undefined || task.timeNs < earliest.timeNs) earliest = task;
    }
    return earliest;
  }
}
