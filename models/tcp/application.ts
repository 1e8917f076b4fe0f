import type { TimerOwner } from '../model.ts';
import { Deadline, type TimerService } from './environment.ts';
import type { ReceivingApplication, TcpReceiver } from './receiver.ts';
import type { SendingApplication, TcpSender } from './sender.ts';

/** Bytes that one read asks for. */
const READ_BYTES = 65536;

/** What the sending application does. */
export interface WritingPlan {
  /** Bytes of one block; Infinity: without end. */
  readonly blockBytes: number;
  /** Blocks, one after the other. */
  readonly blocks: number;
  /** From the acknowledgement of a block's last byte to the next block (ns). */
  readonly idleNs: number;
}

/** Writes blocks: a whole block at once, as far as the send buffer takes it, then a pause once it is acknowledged. */
export class BlockWriter implements SendingApplication, TimerOwner {
  /** Set right after the connection is built. */
  sender!: TcpSender;
  /** When each block was written first (ns). */
  readonly startedNs: number[] = [];
  readonly #plan: WritingPlan;
  /** Where there is more than one block. */
  readonly #pause: Deadline | undefined;

  constructor(timers: TimerService, plan: WritingPlan) {
    this.#plan = plan;
    if (plan.blocks > 1) this.#pause = new Deadline(timers, this);
  }

  /** Bytes that all blocks have together. */
  get totalBytes(): number {
    return this.#plan.blockBytes * this.#plan.blocks;
  }

  onConnected(nowNs: number): void {
    this.#write(nowNs);
  }

  onRequest(): void {}

  onDrained(nowNs: number): void {
    if (this.startedNs.length < this.#plan.blocks) this.#pause!.set(nowNs + this.#plan.idleNs);
  }

  onTimer(_timer: number, nowNs: number): void {
    if (this.#pause!.reached(nowNs)) this.#write(nowNs);
  }

  #write(nowNs: number): void {
    this.startedNs.push(nowNs);
    this.sender.write(this.#plan.blockBytes, nowNs);
  }
}

/** How the receiving application reads. */
export interface ReadingPlan {
  /** From one budget to the next (ns); 0: reads all that comes at once. */
  readonly periodNs: number;
  /** Bytes that may be read in a period; what is left of them is lost. */
  readonly lumpBytes: number;
}

/** Reads what is queued, at once or within a budget for each period, periods counted from the connection's start. */
export class LumpReader implements ReceivingApplication, TimerOwner {
  /** Set right after the connection is built. */
  receiver!: TcpReceiver;
  readonly #plan: ReadingPlan;
  /** Where there is a budget for each period. */
  readonly #grid: Deadline | undefined;
  readonly #onRead: ((nowNs: number) => void) | undefined;
  #budgetBytes: number;
  #nextNs = 0;
  /** When something was read last (ns). */
  lastReadNs = 0;

  /** `onRead`, if given, is told of each read. */
  constructor(timers: TimerService, plan: ReadingPlan, onRead?: (nowNs: number) => void) {
    this.#plan = plan;
    this.#onRead = onRead;
    if (plan.periodNs > 0) this.#grid = new Deadline(timers, this);
    this.#budgetBytes = plan.lumpBytes;
  }

  onConnected(nowNs: number): void {
    if (this.#grid === undefined) return;
    this.#nextNs = nowNs + this.#plan.periodNs;
    this.#grid.set(this.#nextNs);
  }

  onReadable(nowNs: number): void {
    const limited = this.#grid !== undefined;
    for (;;) {
      const wanted = limited ? Math.min(this.#budgetBytes, READ_BYTES) : READ_BYTES;
      const bytes = this.receiver.read(wanted, nowNs);
      if (bytes === 0) return;
      if (limited) this.#budgetBytes -= bytes;
      this.lastReadNs = nowNs;
      this.#onRead?.(nowNs);
      if (bytes < wanted) return;
    }
  }

  onTimer(_timer: number, nowNs: number): void {
    const grid = this.#grid!;
    if (!grid.reached(nowNs)) return;
    this.#budgetBytes = this.#plan.lumpBytes;
    this.#nextNs += this.#plan.periodNs;
    grid.set(this.#nextNs);
    this.onReadable(nowNs);
  }
}
