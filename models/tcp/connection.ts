import type { TimerOwner } from '../model.ts';
import { createCongestionControl } from './congestion-controls.ts';
import { Deadline, type TcpEnvironment } from './environment.ts';
import {
  HEADER_BYTES,
  headersOf,
  SEGMENT_OPEN,
  SEGMENT_REQUEST,
  SEGMENT_SYN,
  SEGMENT_SYN_ACK,
  type SegmentHeaders,
  SYN_BYTES,
} from './headers.ts';
import { jiffiesOf } from './jiffies.ts';
import { type ReceivingApplication, TcpReceiver } from './receiver.ts';
import { INITIAL_TIMEOUT_US, MAXIMUM_TIMEOUT_US } from './rtt.ts';
import { type SendingApplication, TcpSender } from './sender.ts';
import type { TcpSettings } from './settings.ts';

/** Which flow a connection's packets belong to, and which end opens it. */
export interface ConnectionIdentity {
  readonly flow: number;
  /** skb priority of the data packets. */
  readonly priority: number;
  /** The end that sends the SYN: the sender of the data (an upload), or its receiver (a download). */
  readonly opener: 'sender' | 'receiver';
}

/**
 * A TCP connection that carries data one way: its two ends, and the handshake between them.
 *
 * The environment calls {@link deliverData} for what arrives at the receiving host, {@link deliverAck} for what arrives
 * at the sending one, and the timers. Where the limiter stands on the sending host (`limiterAt: sender`), its port must
 * call {@link onSent} for each packet of the flow that leaves, or is dropped by, that host's device.
 */
export class TcpConnection implements TimerOwner {
  readonly sender: TcpSender;
  readonly receiver: TcpReceiver;
  readonly #environment: TcpEnvironment;
  readonly #headers: SegmentHeaders;
  readonly #identity: ConnectionIdentity;
  readonly #sending: SendingApplication;
  readonly #synTimer: Deadline;
  #synTimeoutNs = INITIAL_TIMEOUT_US * 1000;
  #synSentNs = 0;
  #synCount = 0;
  /** SYN-ACK: its round trip is a sample if it was sent once. */
  #answeredNs = 0;
  #answerCount = 0;
  #senderEstablished = false;
  #receiverEstablished = false;

  constructor(
    environment: TcpEnvironment,
    settings: TcpSettings,
    identity: ConnectionIdentity,
    sending: SendingApplication,
    receiving: ReceivingApplication,
  ) {
    this.#environment = environment;
    this.#headers = headersOf(environment.packets);
    this.#identity = identity;
    this.#sending = sending;
    const jiffies = jiffiesOf(settings.hz);
    const control = createCongestionControl(settings.congestion, jiffies);
    const { flow, priority } = identity;
    this.sender = new TcpSender(environment, settings, control, jiffies, flow, priority, sending);
    this.receiver = new TcpReceiver(environment, settings, jiffies, flow, receiving);
    this.#synTimer = new Deadline(environment, this);
  }

  /** Sends the SYN. */
  open(nowNs: number): void {
    this.#sendSyn(nowNs);
  }

  /** Sends a request of `bytes` from the receiving application to the sending one. */
  request(bytes: number, nowNs: number): void {
    this.#control(SEGMENT_REQUEST, HEADER_BYTES + bytes, false, nowNs);
  }

  /** Takes a packet that came to the receiving host, and frees it. */
  deliverData(packet: number, nowNs: number): void {
    const kind = this.#headers.kind(packet);
    if (kind === SEGMENT_SYN) this.#answer(true, nowNs);
    else if (kind === SEGMENT_SYN_ACK) this.#onAnswerAtReceiver(packet, nowNs);
    else {
      if (!this.#receiverEstablished) {
        this.#establishReceiver(packet, this.#answerCount === 1 ? this.#answeredNs : nowNs, nowNs);
      }
      if (kind !== SEGMENT_OPEN) this.receiver.onData(packet, nowNs);
    }
    this.#environment.packets.free(packet);
  }

  /** Takes a packet that came to the sending host, and frees it. */
  deliverAck(packet: number, nowNs: number): void {
    const kind = this.#headers.kind(packet);
    if (kind === SEGMENT_SYN) this.#answer(false, nowNs);
    else if (kind === SEGMENT_SYN_ACK) this.#onAnswerAtSender(packet, nowNs);
    else if (kind === SEGMENT_OPEN) this.#onOpenAtSender(packet, nowNs);
    else if (kind === SEGMENT_REQUEST) this.#sending.onRequest(nowNs);
    else this.sender.onAck(packet, nowNs);
    this.#environment.packets.free(packet);
  }

  /** Told that a packet left the device of the sending host, or was dropped there. */
  onSent(sizeBytes: number, nowNs: number): void {
    this.sender.onSent(sizeBytes, nowNs);
  }

  onTimer(_timer: number, nowNs: number): void {
    if (this.#synTimer.reached(nowNs)) this.#sendSyn(nowNs);
  }

  #sendSyn(nowNs: number): void {
    this.#synSentNs = nowNs;
    this.#synCount++;
    this.#control(SEGMENT_SYN, SYN_BYTES, this.#identity.opener === 'sender', nowNs);
    this.#synTimer.set(nowNs + this.#synTimeoutNs);
    this.#synTimeoutNs = Math.min(this.#synTimeoutNs * 2, MAXIMUM_TIMEOUT_US * 1000);
  }

  #answer(atReceiver: boolean, nowNs: number): void {
    this.#answeredNs = nowNs;
    this.#answerCount++;
    this.#control(SEGMENT_SYN_ACK, SYN_BYTES, !atReceiver, nowNs);
  }

  #onAnswerAtSender(packet: number, nowNs: number): void {
    if (this.#senderEstablished) return;
    this.#synTimer.set(Number.POSITIVE_INFINITY);
    this.#control(SEGMENT_OPEN, HEADER_BYTES, true, nowNs);
    this.#establishSender(packet, this.#synCount === 1 ? this.#synSentNs : nowNs, nowNs);
  }

  #onAnswerAtReceiver(packet: number, nowNs: number): void {
    if (this.#receiverEstablished) return;
    this.#synTimer.set(Number.POSITIVE_INFINITY);
    this.#control(SEGMENT_OPEN, HEADER_BYTES, false, nowNs);
    this.#establishReceiver(packet, this.#synCount === 1 ? this.#synSentNs : nowNs, nowNs);
  }

  #onOpenAtSender(packet: number, nowNs: number): void {
    if (this.#senderEstablished) return;
    this.#establishSender(packet, this.#answerCount === 1 ? this.#answeredNs : nowNs, nowNs);
  }

  #establishSender(packet: number, askedNs: number, nowNs: number): void {
    this.#senderEstablished = true;
    const rttUs = Math.floor((nowNs - askedNs) / 1000);
    this.sender.establish(rttUs, this.#headers.windowBytes(packet), this.#headers.timestampMs(packet), nowNs);
  }

  #establishReceiver(packet: number, askedNs: number, nowNs: number): void {
    this.#receiverEstablished = true;
    const rttUs = Math.floor((nowNs - askedNs) / 1000);
    this.receiver.establish(this.#headers.timestampMs(packet), rttUs, nowNs);
  }

  /** Sends a segment that carries no data of the stream. */
  #control(kind: number, sizeBytes: number, towardsReceiver: boolean, nowNs: number): void {
    const { flow, priority } = this.#identity;
    const { offeredBytes } = this.receiver.window;
    const packet = this.#headers.fill(kind, flow, towardsReceiver ? priority : 0, 0, 0, 0, offeredBytes, nowNs);
    this.#environment.packets.sizeBytes[packet] = sizeBytes;
    if (!towardsReceiver) {
      this.#environment.sendAck(packet, nowNs);
      return;
    }
    this.sender.onControlSent(sizeBytes);
    this.#environment.sendData(packet, nowNs);
  }
}
