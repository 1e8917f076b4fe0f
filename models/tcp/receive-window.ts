import { MSS_BYTES } from './headers.ts';
import type { Reassembly } from './reassembly.ts';
import type { TcpSettings } from './settings.ts';

/** tcp_rmem[1] (bytes of memory). */
const INITIAL_BUFFER_BYTES = 131072;
/** Half of the memory is taken for overhead until a full segment has been measured (256ths). */
const INITIAL_RATIO = 128;
/** rmem_max, which the window scale takes into account (bytes). */
const SYSTEM_BUFFER_BYTES = 212992;
/** Of the SYN-ACK, which is not scaled: what 64 KiB hold of full segments (bytes). */
const FIRST_WINDOW_BYTES = 65160;
const FIRST_THRESHOLD_BYTES = 65536 - MSS_BYTES;
/** Segments below this do not grow the window (bytes). */
const GROWING_SEGMENT_BYTES = 128;

/**
 * The receive buffer and the window that is offered from it: memory booked, growth of the offer, and tuning of the buffer
 * by what the application reads in a round trip (net/ipv4/tcp_input.c: tcp_grow_window, tcp_rcv_space_adjust;
 * tcp_output.c: __tcp_select_window).
 */
export class ReceiveWindow {
  /** sk_rcvbuf and window_clamp: memory, and the largest window that it allows (bytes). */
  bufferBytes: number;
  clampBytes: number;
  /** rcv_ssthresh: what is offered at most, however much is free (bytes). */
  thresholdBytes = FIRST_THRESHOLD_BYTES;
  /** rcv_wnd and rcv_wup: the window last offered, and the byte from which on it was. */
  offeredBytes = FIRST_WINDOW_BYTES;
  offeredFromBytes = 0;
  /** Memory of what is queued in order (bytes). */
  queuedMemoryBytes = 0;
  /** Round trip as the receiver sees it (µs); 0: not known. */
  #rttEighthsUs = 0;
  #ratio = INITIAL_RATIO;
  readonly #settings: TcpSettings;
  readonly #reassembly: Reassembly;
  /** Windows are multiples of it, since the header holds 16 bits (bytes). */
  readonly #granuleBytes: number;
  // The measure of what the application reads (rcvq_space), and of a window's worth of data without timestamps.
  #spaceBytes = 10 * MSS_BYTES;
  #measureStartUs = 0;
  #measureStartBytes = 0;
  #windowStartUs = -1;
  #windowEndBytes = 0;

  constructor(settings: TcpSettings, reassembly: Reassembly) {
    this.#settings = settings;
    this.#reassembly = reassembly;
    this.bufferBytes =
      settings.rcvbufFixedBytes > 0
        ? settings.rcvbufFixedBytes
        : Math.min(INITIAL_BUFFER_BYTES, settings.rcvbufMaxBytes);
    this.clampBytes = FIRST_THRESHOLD_BYTES;
    const scaled = Math.max(settings.rcvbufMaxBytes, SYSTEM_BUFFER_BYTES);
    this.#granuleBytes = 2 ** Math.max(Math.floor(Math.log2(scaled)) - 15, 0);
    const halfBytes = this.bufferBytes / 2;
    if (halfBytes < 65536) {
      this.offeredBytes = Math.floor(halfBytes / MSS_BYTES) * MSS_BYTES;
      this.clampBytes = this.offeredBytes;
      this.thresholdBytes = this.offeredBytes;
    }
  }

  get rttUs(): number {
    return Math.floor(this.#rttEighthsUs / 8);
  }

  /** The connection stands. */
  begin(nowNs: number): void {
    this.#measureStartUs = Math.floor(nowNs / 1000);
    this.#spaceBytes = Math.min(this.thresholdBytes, this.offeredBytes, 10 * MSS_BYTES);
  }

  /** What is left of the offer (bytes). */
  remainingBytes(expectedBytes: number): number {
    return Math.max(this.offeredFromBytes + this.offeredBytes - expectedBytes, 0);
  }

  /** Memory that a segment takes (bytes): the overhead is that of a full one. */
  memoryOf(payloadBytes: number): number {
    return payloadBytes + this.#settings.segmentMemoryBytes - MSS_BYTES;
  }

  /** The first full segment shows how much of the memory is payload. */
  measureSegment(payloadBytes: number): void {
    if (payloadBytes < MSS_BYTES || this.#ratio === this.#settings.scalingRatio) return;
    this.#ratio = this.#settings.scalingRatio;
    this.clampBytes = this.#windowFrom(this.bufferBytes);
  }

  /** Grows the offer by two segments for each that arrives, as far as the buffer allows; true if it grew. */
  grow(payloadBytes: number): boolean {
    if (payloadBytes < GROWING_SEGMENT_BYTES) return false;
    const roomBytes = Math.min(this.clampBytes, this.#freeBytes()) - this.thresholdBytes;
    if (roomBytes <= 0 || this.#windowFrom(this.memoryOf(payloadBytes)) > payloadBytes) return false;
    this.thresholdBytes += Math.min(roomBytes, 2 * MSS_BYTES);
    return true;
  }

  /** The window to offer now (bytes), before the rule that its right edge never moves back; {@link scarce} tells if little is free. */
  select(): number {
    const allowedBytes = this.#windowFrom(this.bufferBytes);
    const fullBytes = Math.min(this.clampBytes, allowedBytes);
    let freeBytes = this.#freeBytes();
    this.scarce = freeBytes < fullBytes >> 1;
    if (this.scarce) {
      freeBytes = Math.floor(freeBytes / this.#granuleBytes) * this.#granuleBytes;
      // Silly windows are not offered, nor what the memory could not hold.
      if (freeBytes < allowedBytes >> 4 || freeBytes < Math.min(MSS_BYTES, fullBytes)) return 0;
    }
    return this.#roundUp(Math.min(freeBytes, this.thresholdBytes));
  }
  /** Whether at the last {@link select} less than half of the buffer was free. */
  scarce = false;

  /** Offers a window with an ACK; returns it. */
  offer(expectedBytes: number): number {
    const current = this.remainingBytes(expectedBytes);
    let selected = this.select();
    if (selected < current) selected = this.#roundUp(current);
    this.offeredBytes = selected;
    this.offeredFromBytes = expectedBytes;
    return selected;
  }

  /** Whether a read has freed so much that the sender must hear of it (tcp_cleanup_rbuf). */
  isWorthTelling(expectedBytes: number): boolean {
    const current = this.remainingBytes(expectedBytes);
    if (2 * current > this.clampBytes) return false;
    const selected = this.select();
    return selected > 0 && selected >= 2 * current;
  }

  /** Takes a round trip by timestamps (µs); `queueEmpty`: the application has read all. */
  sampleRtt(rttUs: number, queueEmpty: boolean): void {
    const old = this.#rttEighthsUs;
    const immediate = old === 0 || (this.#settings.tuning !== '6.15' && rttUs * 8 < old);
    if (immediate) this.#rttEighthsUs = rttUs * 8;
    else if (this.#settings.tuning === '6.15' || queueEmpty) this.#rttEighthsUs = old - (old >> 3) + rttUs;
  }

  /** Takes the time in which a window's worth of data arrived for a round trip, where that is shorter than what is known. */
  onArrival(expectedBytes: number, nowUs: number): void {
    if (this.#windowStartUs >= 0) {
      if (expectedBytes < this.#windowEndBytes) return;
      const tookEighthsUs = Math.max(nowUs - this.#windowStartUs, 1) * 8;
      if (this.#rttEighthsUs === 0 || tookEighthsUs < this.#rttEighthsUs) this.#rttEighthsUs = tookEighthsUs;
    }
    this.#windowEndBytes = expectedBytes + this.offeredBytes;
    this.#windowStartUs = nowUs;
  }

  /** Looks, after a read, how much the application takes in a round trip, and enlarges the buffer for it. */
  adjust(copiedBytes: number, unreadBytes: number, nowUs: number): void {
    const expectedBytes = copiedBytes + unreadBytes;
    if (this.#rttEighthsUs === 0 || nowUs - this.#measureStartUs < this.#rttEighthsUs >> 3) return;
    let taken = copiedBytes - this.#measureStartBytes;
    if (this.#settings.tuning !== '6.15') taken -= unreadBytes;
    if (taken > this.#spaceBytes) {
      this.#growBuffer(taken, expectedBytes);
      this.#spaceBytes = taken;
    }
    this.#measureStartBytes = copiedBytes;
    this.#measureStartUs = nowUs;
  }

  /** Something arrived ahead of a hole: makes room for what the hole holds up (since 6.16; tcp_data_queue_ofo). */
  onAhead(expectedBytes: number): void {
    if (this.#settings.tuning !== '6.15') this.#growBuffer(this.#spaceBytes, expectedBytes);
  }

  #growBuffer(taken: number, expectedBytes: number): void {
    if (this.#settings.rcvbufFixedBytes > 0) return;
    const tuning = this.#settings.tuning;
    const old = this.#spaceBytes;
    let windowBytes = 2 * taken;
    if (tuning === '6.15') windowBytes += 16 * MSS_BYTES;
    if (tuning !== '6.16') windowBytes += 2 * Math.floor((windowBytes * (taken - old)) / old);
    if (tuning !== '6.15') windowBytes += Math.max(this.#reassembly.endBytes - expectedBytes, 0);
    const bufferBytes = Math.min(Math.floor((windowBytes * 256) / this.#ratio), this.#settings.rcvbufMaxBytes);
    if (bufferBytes <= this.bufferBytes) return;
    this.bufferBytes = bufferBytes;
    this.clampBytes = this.#windowFrom(bufferBytes);
  }

  #freeBytes(): number {
    return this.#windowFrom(this.bufferBytes - this.queuedMemoryBytes - this.#reassembly.memoryBytes);
  }

  #windowFrom(memoryBytes: number): number {
    return Math.floor((memoryBytes * this.#ratio) / 256);
  }

  #roundUp(windowBytes: number): number {
    return Math.ceil(windowBytes / this.#granuleBytes) * this.#granuleBytes;
  }
}
