import type { StreamSource } from '../../models/sources/bulk.ts';
import { BlockWriter, LumpReader } from '../../models/tcp/application.ts';
import { INFINITE_THRESHOLD } from '../../models/tcp/congestion.ts';
import type { TimerHandler } from '../engine/timers.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import type { NetworkFlow } from './endpoint.ts';
import type { FlowMeter } from './flow-meter.ts';
import type { Port } from './port.ts';
import { RANK_FLOW } from './ranks.ts';
import type { FlowResult, TransferResult } from './result.ts';
import { Staircase, StepSignal } from './series.ts';
import { TcpEndpoint, timerService, type Wiring } from './tcp-endpoint.ts';
import type { RunWindow } from './window.ts';

/** A flow of one TCP connection that carries a stream, greedy or of a given size. */
export class BulkFlow implements NetworkFlow, TimerHandler {
  readonly #wiring: Wiring;
  readonly #window: RunWindow;
  readonly #meter: FlowMeter;
  readonly #endpoint: TcpEndpoint;
  readonly #writer: BlockWriter;
  readonly #reader: LumpReader;
  readonly #timer: number;
  readonly #startNs: number;
  readonly #stopNs: number;
  #opened = false;
  #warmReadBytes = 0;
  readonly #received: Staircase | undefined;
  readonly #cwnd: StepSignal | undefined;
  readonly #queue: StepSignal | undefined;

  constructor(
    wiring: Wiring,
    spec: FlowSpec,
    source: StreamSource,
    path: readonly Port[],
    meter: FlowMeter,
    window: RunWindow,
    buckets: number,
  ) {
    const { values } = spec.source;
    this.#wiring = wiring;
    this.#window = window;
    this.#meter = meter;
    this.#startNs = window.startNs + spec.startNs;
    this.#stopNs = spec.stopNs === undefined ? Number.POSITIVE_INFINITY : window.startNs + spec.stopNs;
    this.#timer = wiring.timers.register(this, RANK_FLOW);
    if (buckets > 0) {
      const durationNs = window.endNs - window.startNs;
      this.#received = new Staircase(buckets);
      this.#cwnd = new StepSignal(window.startNs, durationNs, buckets);
      this.#queue = new StepSignal(window.startNs, durationNs, buckets);
    }
    const timers = timerService(wiring.timers);
    this.#writer = new BlockWriter(timers, source.writing(values));
    const onRead = buckets > 0 ? (nowNs: number) => this.#onRead(nowNs) : undefined;
    this.#reader = new LumpReader(timers, source.reading(values), onRead);
    const onAcked = buckets > 0 ? (nowNs: number) => this.#sample(nowNs) : undefined;
    this.#endpoint = new TcpEndpoint(wiring, spec, path, meter, 'sender', this.#writer, this.#reader, onAcked);
    this.#writer.sender = this.#endpoint.connection.sender;
    this.#reader.receiver = this.#endpoint.connection.receiver;
  }

  start(): void {
    this.#wiring.timers.arm(this.#timer, this.#startNs);
  }

  onTimer(_timer: number, nowNs: number): void {
    if (this.#opened) {
      this.#endpoint.connection.sender.cutOff();
      return;
    }
    this.#opened = true;
    this.#endpoint.connection.open(nowNs);
    if (this.#stopNs !== Number.POSITIVE_INFINITY) this.#wiring.timers.arm(this.#timer, this.#stopNs);
  }

  warm(): void {
    this.#meter.warm();
    this.#warmReadBytes = this.#readBytes;
  }

  result(): FlowResult {
    const { sender, receiver } = this.#endpoint.connection;
    const base = this.#meter.result(this.#readBytes - this.#warmReadBytes);
    const transfer = this.#transfer();
    const endNs = this.#window.endNs;
    return {
      ...base,
      ...(transfer === undefined ? {} : { transfer }),
      counters: {
        sentSegments: sender.sentSegments,
        retransmittedSegments: sender.retransmittedSegments,
        timeouts: sender.timeouts,
        cwndPackets: sender.window.packets,
        ssthreshPackets: sender.window.threshold === INFINITE_THRESHOLD ? -1 : sender.window.threshold,
        smoothedRttSeconds: sender.srttNs / 1e9,
        sentAcks: receiver.sentAcks,
        duplicateSegments: receiver.duplicateSegments,
      },
      ...(this.#received === undefined
        ? {}
        : {
            series: {
              ...base.series,
              received: this.#received.finish(),
              cwndPackets: this.#cwnd!.finish(endNs, 1),
              receiveQueueBytes: this.#queue!.finish(endNs, 1),
            },
          }),
    };
  }

  get #readBytes(): number {
    return this.#endpoint.connection.receiver.readBytes;
  }

  #onRead(nowNs: number): void {
    this.#received!.add((nowNs - this.#window.startNs) / 1e9, this.#readBytes);
  }

  #sample(nowNs: number): void {
    this.#cwnd!.set(nowNs, this.#endpoint.connection.sender.window.packets);
    this.#queue!.set(nowNs, this.#endpoint.connection.receiver.queuedBytes);
  }

  #transfer(): TransferResult | undefined {
    const total = this.#writer.totalBytes;
    if (!Number.isFinite(total)) return undefined;
    const completed = this.#readBytes >= total;
    const seconds = ((completed ? this.#reader.lastReadNs : this.#window.endNs) - this.#startNs) / 1e9;
    return {
      bytes: this.#readBytes,
      seconds,
      bitsPerSecond: seconds > 0 ? (this.#readBytes * 8) / seconds : 0,
      limitBitsPerSecond: 0,
      deviationPercent: 0,
      completed,
    };
  }
}
