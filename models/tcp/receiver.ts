import type { TimerOwner } from '../model.ts';
import { Deadline, type TcpEnvironment } from './environment.ts';
import { HEADER_BYTES, headersOf, MSS_BYTES, SEGMENT_PLAIN, SEGMENT_PROBE, type SegmentHeaders } from './headers.ts';
import type { Jiffies } from './jiffies.ts';
import { Reassembly } from './reassembly.ts';
import { ReceiveWindow } from './receive-window.ts';
import { INITIAL_TIMEOUT_US, MINIMUM_VARIATION_US } from './rtt.ts';
import type { TcpSettings } from './settings.ts';

/** Bytes that the first SACK block adds to an ACK, with padding, and each further one. */
const FIRST_SACK_BYTES = 12;
const NEXT_SACK_BYTES = 8;
/** ACKs sent at once, one a segment, when data starts to flow. */
const MAX_QUICK_ACKS = 16;
const SHORTEST_DELAY_US = 40_000;
const LONGEST_DELAY_US = 200_000;
/** ACKs of one hole that leave at once; further ones wait a twentieth of a round trip, 1 ms at most, and the timer's slack. */
const PROMPT_DUPLICATES = 3;
const MAX_COMPRESSED_ACKS = 44;
const LONGEST_COMPRESSION_NS = 1_000_000;
const COMPRESSION_SLACK_NS = 100_000;

/** The application at the receiving end. */
export interface ReceivingApplication {
  /** The connection is there. */
  onConnected(nowNs: number): void;
  /** Bytes are queued; may be called for each segment. */
  onReadable(nowNs: number): void;
}

/**
 * The receiving half of a connection: puts segments in order, decides when to acknowledge and what window to offer, and
 * holds the data until the application reads it (net/ipv4/tcp_input.c: tcp_data_queue, __tcp_ack_snd_check).
 */
export class TcpReceiver implements TimerOwner {
  readonly window: ReceiveWindow;
  readonly reassembly = new Reassembly();
  /** rcv_nxt: the next byte expected in order. */
  expectedBytes = 0;
  /** Bytes that the application has read. */
  readBytes = 0;
  sentAcks = 0;
  /** Segments that came twice. */
  duplicateSegments = 0;

  readonly #environment: TcpEnvironment;
  readonly #headers: SegmentHeaders;
  readonly #flow: number;
  readonly #jiffies: Jiffies;
  readonly #application: ReceivingApplication;
  readonly #delayedAck: Deadline;
  readonly #compression: Deadline;
  /** Timestamp to echo, and the last one that came back. */
  #recentMs = 0;
  #echoedMs = -1;
  /** The host's own retransmission timeout, from the handshake (µs). */
  #timeoutUs = INITIAL_TIMEOUT_US;
  #quickAcks = 0;
  #delayUs = 0;
  #lastDataNs = 0;
  #ackScheduled = false;
  /** A pushed segment, or a small one, arrived since the last ACK; once all is read it is acknowledged (since 6.6). */
  #pushed = false;
  #ackDuplicate = false;
  /** ACKs held back, and those sent at once for the hole at `#holeBytes`. */
  #compressedAcks = 0;
  #promptAcks = 0;
  #holeBytes = -1;
  #handshakeRttUs = 0;

  constructor(
    environment: TcpEnvironment,
    settings: TcpSettings,
    jiffies: Jiffies,
    flow: number,
    application: ReceivingApplication,
  ) {
    this.#environment = environment;
    this.#headers = headersOf(environment.packets);
    this.#jiffies = jiffies;
    this.#flow = flow;
    this.#application = application;
    this.window = new ReceiveWindow(settings, this.reassembly);
    this.#delayedAck = new Deadline(environment, this);
    this.#compression = new Deadline(environment, this);
  }

  /** In-order bytes that the application has not read. */
  get queuedBytes(): number {
    return this.expectedBytes - this.readBytes;
  }

  /** The connection stands; `timestampMs` is the first one to echo, `rttUs` the handshake's (0: not known). */
  establish(timestampMs: number, rttUs: number, nowNs: number): void {
    this.#recentMs = timestampMs;
    this.#handshakeRttUs = rttUs;
    if (rttUs > 0) this.#timeoutUs = rttUs + MINIMUM_VARIATION_US;
    this.window.begin(nowNs);
    this.#application.onConnected(nowNs);
  }

  /** Takes a data segment or a window probe; the caller frees the packet. */
  onData(packet: number, nowNs: number): void {
    const packets = this.#environment.packets;
    const headers = this.#headers;
    const start = packets.sequence[packet]!;
    const length = packets.payloadBytes[packet]!;
    if (start <= this.window.offeredFromBytes) this.#recentMs = headers.timestampMs(packet);
    if (headers.kind(packet) === SEGMENT_PROBE) {
      this.#sendAck(nowNs);
      return;
    }
    this.#sampleRtt(headers.echoMs(packet), length, nowNs);
    const end = start + length;
    if (end <= this.expectedBytes) {
      this.#onDuplicate(nowNs);
    } else if (start >= this.expectedBytes + this.window.remainingBytes(this.expectedBytes)) {
      this.#sendAck(nowNs);
    } else if (start > this.expectedBytes) {
      this.#onAhead(start, end, nowNs);
    } else {
      this.#onExpected(length, headers.isMarked(packet), nowNs);
    }
  }

  /** Takes up to `maxBytes` for the application; returns how many. */
  read(maxBytes: number, nowNs: number): number {
    const queued = this.queuedBytes;
    const taken = Math.min(queued, maxBytes);
    if (taken <= 0) return 0;
    const window = this.window;
    const nowUs = Math.floor(nowNs / 1000);
    // The kernel looks at its measure after each segment that it copies; only the first can find it due.
    const first = Math.min(taken, MSS_BYTES);
    this.readBytes += first;
    window.queuedMemoryBytes =
      taken === queued ? 0 : window.queuedMemoryBytes - Math.floor((window.queuedMemoryBytes * taken) / queued);
    window.adjust(this.readBytes, queued - first, nowUs);
    this.readBytes += taken - first;
    this.#acknowledgeRead(nowNs);
    return taken;
  }

  onTimer(timer: number, nowNs: number): void {
    if (timer === this.#compression.timer) {
      if (this.#compression.reached(nowNs) && this.#compressedAcks > 0) this.#sendAck(nowNs);
    } else if (this.#delayedAck.reached(nowNs) && this.#ackScheduled) {
      this.#sendAck(nowNs);
    }
  }

  #onDuplicate(nowNs: number): void {
    this.duplicateSegments++;
    this.#ackDuplicate = true;
    this.#quicken();
    this.#sendAck(nowNs);
  }

  #onAhead(start: number, end: number, nowNs: number): void {
    const memoryBytes = this.window.memoryOf(end - start);
    if (!this.reassembly.insert(start, end, memoryBytes)) {
      this.#onDuplicate(nowNs);
      return;
    }
    if (this.window.grow(end - start)) this.#quickAcks |= 1;
    this.window.onAhead(this.expectedBytes);
    this.#ackScheduled = true;
    this.#considerAckOfHole(nowNs);
  }

  #onExpected(length: number, pushed: boolean, nowNs: number): void {
    const window = this.window;
    const reassembly = this.reassembly;
    const filling = reassembly.count > 0;
    this.expectedBytes += length;
    window.queuedMemoryBytes += window.memoryOf(length);
    this.#onArrival(length, nowNs);
    if (pushed || length < MSS_BYTES) this.#pushed = true;
    if (filling) {
      this.expectedBytes = reassembly.release(this.expectedBytes);
      window.queuedMemoryBytes += reassembly.releasedMemoryBytes;
      if (reassembly.count === 0) this.#sendAck(nowNs);
      else this.#considerAckOfHole(nowNs);
    } else {
      this.#considerAck(nowNs);
    }
    this.#application.onReadable(nowNs);
  }

  /** What every segment in order brings about (tcp_event_data_recv). */
  #onArrival(length: number, nowNs: number): void {
    const window = this.window;
    this.#ackScheduled = true;
    window.measureSegment(length);
    window.onArrival(this.expectedBytes, Math.floor(nowNs / 1000));
    const gapUs = Math.floor((nowNs - this.#lastDataNs) / 1000);
    if (this.#delayUs === 0) {
      this.#quicken();
      this.#delayUs = SHORTEST_DELAY_US;
    } else if (gapUs <= SHORTEST_DELAY_US / 2) {
      this.#delayUs = this.#delayUs / 2 + SHORTEST_DELAY_US / 2;
    } else if (gapUs < this.#delayUs) {
      this.#delayUs = this.#delayUs / 2 + gapUs;
    } else if (gapUs > this.#timeoutUs) {
      // So long without data, the sender is likely to start slowly again.
      this.#quicken();
    }
    this.#lastDataNs = nowNs;
    if (window.grow(length)) this.#quickAcks |= 1;
  }

  #quicken(): void {
    const half = Math.floor(this.window.offeredBytes / (2 * MSS_BYTES));
    this.#quickAcks = Math.max(this.#quickAcks, Math.min(half === 0 ? 2 : half, MAX_QUICK_ACKS));
  }

  /** Acknowledges now or later (__tcp_ack_snd_check). */
  #considerAck(nowNs: number): void {
    const window = this.window;
    if (this.expectedBytes - window.offeredFromBytes > MSS_BYTES && this.#select() >= window.offeredBytes) {
      this.#sendAck(nowNs);
    } else if (this.#quickAcks > 0) {
      this.#sendAck(nowNs);
    } else if (this.#delayedAck.timeNs === Number.POSITIVE_INFINITY) {
      const delayUs = Math.min(this.#delayUs, Math.max(this.window.rttUs, SHORTEST_DELAY_US), LONGEST_DELAY_US);
      this.#delayedAck.set(this.#jiffies.expiryNs(nowNs, this.#jiffies.fromUs(delayUs)));
    }
  }

  /** Acknowledges with SACK blocks, after the first ACKs of a hole not each segment (tcp_comp_sack_delay_ns). */
  #considerAckOfHole(nowNs: number): void {
    if (this.#holeBytes !== this.expectedBytes) {
      this.#holeBytes = this.expectedBytes;
      this.#promptAcks = 0;
    }
    if (
      this.#quickAcks > 0 ||
      this.#promptAcks < PROMPT_DUPLICATES ||
      this.#compressedAcks >= MAX_COMPRESSED_ACKS ||
      this.expectedBytes - this.window.offeredFromBytes > MSS_BYTES
    ) {
      this.#promptAcks++;
      this.#sendAck(nowNs);
      return;
    }
    this.#compressedAcks++;
    if (this.#compression.timeNs !== Number.POSITIVE_INFINITY) return;
    const seenUs = this.window.rttUs;
    const rttUs = this.#handshakeRttUs > 0 ? Math.min(seenUs, this.#handshakeRttUs) : seenUs;
    this.#compression.set(nowNs + Math.min(LONGEST_COMPRESSION_NS, rttUs * 50) + COMPRESSION_SLACK_NS);
  }

  #select(): number {
    const selected = this.window.select();
    if (this.window.scarce) this.#quickAcks = 0;
    return selected;
  }

  /** After a read: acknowledges what the arrival did not, or tells of a window that has opened (tcp_cleanup_rbuf). */
  #acknowledgeRead(nowNs: number): void {
    if (this.#ackScheduled) {
      const unacknowledged = this.expectedBytes - this.window.offeredFromBytes;
      const drained = this.queuedBytes === 0 && this.reassembly.count === 0;
      if (unacknowledged > MSS_BYTES || (this.#pushed && drained)) {
        this.#sendAck(nowNs);
        return;
      }
    }
    if (this.window.isWorthTelling(this.expectedBytes)) this.#sendAck(nowNs);
  }

  #sendAck(nowNs: number): void {
    const headers = this.#headers;
    const window = this.window;
    const expectedBytes = this.expectedBytes;
    const offeredBytes = window.offer(expectedBytes);
    if (window.scarce) this.#quickAcks = 0;
    const packet = headers.fill(SEGMENT_PLAIN, this.#flow, 0, 0, expectedBytes, this.#recentMs, offeredBytes, nowNs);
    if (this.reassembly.count > 0) {
      const blocks = this.reassembly.writeBlocks(headers, packet);
      this.#environment.packets.sizeBytes[packet] = HEADER_BYTES + FIRST_SACK_BYTES + (blocks - 1) * NEXT_SACK_BYTES;
    }
    if (this.#ackDuplicate) headers.mark(packet);
    this.#ackDuplicate = false;
    if (this.#quickAcks > 0) {
      this.#quickAcks--;
      if (this.#quickAcks === 0) this.#delayUs = SHORTEST_DELAY_US;
    }
    this.#ackScheduled = false;
    this.#pushed = false;
    this.#delayedAck.set(Number.POSITIVE_INFINITY);
    if (this.#compressedAcks > 0) {
      this.#compression.set(Number.POSITIVE_INFINITY);
      this.#compressedAcks = 0;
    }
    this.sentAcks++;
    this.#environment.sendAck(packet, nowNs);
  }

  #sampleRtt(echoMs: number, length: number, nowNs: number): void {
    if (echoMs === this.#echoedMs) return;
    this.#echoedMs = echoMs;
    if (length < MSS_BYTES) return;
    const elapsedMs = Math.floor(nowNs / 1e6) - echoMs;
    if (elapsedMs > 0) this.window.sampleRtt(elapsedMs * 1000, this.queuedBytes === 0);
  }
}
