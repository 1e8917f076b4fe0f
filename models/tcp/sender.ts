import type { TimerOwner } from '../model.ts';
import { type AckIntake, ackIntakeOf } from './ack-intake.ts';
import { type CongestionControl, CongestionWindow } from './congestion.ts';
import { Deadline, type TcpEnvironment } from './environment.ts';
import { HEADER_BYTES, headersOf, MSS_BYTES, SEGMENT_PLAIN, SEGMENT_PROBE, type SegmentHeaders } from './headers.ts';
import type { Jiffies } from './jiffies.ts';
import { Pacing } from './pacing.ts';
import { Rack } from './rack.ts';
import { LossRecovery, OPEN, RECOVERY } from './recovery.ts';
import { NOTHING, REORDER, RETRANSMIT, RetransmissionTimer, TAIL_PROBE, WINDOW_PROBE } from './retransmission-timer.ts';
import { RttEstimator } from './rtt.ts';
import { Scoreboard } from './scoreboard.ts';
import type { TcpSettings } from './settings.ts';
import { SmallQueue } from './small-queue.ts';
import { WindowUsage } from './window-usage.ts';

/** Memory that a full segment takes in the send buffer (bytes; tcp_input.c: tcp_sndbuf_expand). */
const SEND_MEMORY_BYTES = 2304;
/** The send buffer holds twice the congestion window, and at least twice so many packets (tcp_sndbuf_expand). */
const MINIMUM_SEND_PACKETS = 10;
/** A share of the window that is sent without waiting for more (tcp_tso_win_divisor). */
const WINDOW_DIVISOR = 3;
/** Longest wait for a bigger burst (ns). */
const DEFER_NS = 1_000_000;

/** The application at the sending end. */
export interface SendingApplication {
  /** The connection is there: data may be written. */
  onConnected(nowNs: number): void;
  /** The receiving application's request is here. */
  onRequest(nowNs: number): void;
  /** All that was written has been acknowledged. */
  onDrained(nowNs: number): void;
}

/**
 * The sending half of a connection: cuts the stream into segments as far as the congestion window, the receiver's
 * window and the send buffer let it, and repairs what is lost (net/ipv4/tcp_output.c: tcp_write_xmit; tcp_input.c: tcp_ack).
 */
export class TcpSender implements TimerOwner {
  readonly window: CongestionWindow;
  readonly rtt = new RttEstimator();
  readonly scoreboard = new Scoreboard();
  readonly recovery: LossRecovery;
  /** snd_una and snd_nxt: offsets of the first unacknowledged and the next new byte. */
  acknowledgedBytes = 0;
  nextBytes = 0;
  /** Data segments sent, and sent again. */
  sentSegments = 0;
  retransmittedSegments = 0;
  timeouts = 0;

  readonly #environment: TcpEnvironment;
  readonly #headers: SegmentHeaders;
  readonly #flow: number;
  readonly #priority: number;
  readonly #jiffies: Jiffies;
  readonly #control: CongestionControl;
  readonly #pacing: Pacing;
  readonly #application: SendingApplication;
  readonly #rack: Rack;
  readonly #ack: AckIntake;
  readonly #usage: WindowUsage;
  readonly #timer: RetransmissionTimer;
  /** Where bursts are spaced. */
  readonly #pacer: Deadline | undefined;
  /** Where the limiter stands on this host. */
  readonly #localQueue: SmallQueue | undefined;
  readonly #largestPacketsOut: number;
  /** Offset behind what the application has written. */
  #writtenBytes = 0;
  #receiverWindowBytes = 0;
  /** End of the last segment that was smaller than the rest (Nagle). */
  #smallEndBytes = 0;
  #echoMs = 0;
  #timeoutsInRow = 0;
  #lastSentNs = 0;
  #tailProbeEndBytes = 0;
  #tailProbeRepeats = false;

  constructor(
    environment: TcpEnvironment,
    settings: TcpSettings,
    control: CongestionControl,
    jiffies: Jiffies,
    flow: number,
    priority: number,
    application: SendingApplication,
  ) {
    this.#environment = environment;
    this.#headers = headersOf(environment.packets);
    this.#control = control;
    this.#jiffies = jiffies;
    this.#flow = flow;
    this.#priority = priority;
    this.#application = application;
    this.window = new CongestionWindow(settings.initialWindow, settings.pacing);
    this.#pacing = new Pacing(this.window, this.rtt);
    const rack = new Rack(this.scoreboard, this.rtt);
    this.recovery = new LossRecovery(this.scoreboard, rack, this.window, control);
    this.#rack = rack;
    this.#ack = ackIntakeOf(environment.packets);
    this.#usage = new WindowUsage(this.window, settings);
    this.#timer = new RetransmissionTimer(environment, this, jiffies, this.rtt, this.scoreboard);
    if (settings.limiterAtSender) this.#localQueue = new SmallQueue(settings, this.window);
    if (settings.pacing) this.#pacer = new Deadline(environment, this);
    this.#largestPacketsOut = Math.floor(settings.sndbufMaxBytes / SEND_MEMORY_BYTES);
  }

  /** The handshake is over: its round trip is the first sample. */
  establish(rttUs: number, windowBytes: number, echoMs: number, nowNs: number): void {
    if (rttUs > 0) {
      this.rtt.observeMinimum(rttUs);
      this.rtt.sample(rttUs, 0, 0);
    }
    this.#receiverWindowBytes = windowBytes;
    this.#echoMs = echoMs;
    this.#lastSentNs = nowNs;
    this.#usage.begin(this.#jiffies.at(nowNs));
    this.#pacing.update(0);
    this.#application.onConnected(nowNs);
  }

  /** Adds to the stream; Infinity makes it endless. */
  write(bytes: number, nowNs: number): void {
    if (this.scoreboard.packetsOut === 0) {
      const nowTicks = this.#jiffies.at(nowNs);
      const idleTicks = nowTicks - this.#jiffies.at(this.#lastSentNs);
      this.#usage.restart(idleTicks, this.#timer.timeoutTicks, this.recovery.currentThreshold(), nowTicks);
    }
    this.#writtenBytes += bytes;
    this.#push(nowNs, false);
  }

  /** Takes back what was written and not sent yet. */
  cutOff(): void {
    this.#writtenBytes = this.nextBytes;
  }

  /** Free space of the send buffer (bytes of payload); 0 below a third of it, when a poll would wait (sk_stream_is_writeable). */
  get spaceBytes(): number {
    const packets = Math.min(2 * Math.max(this.window.packets, MINIMUM_SEND_PACKETS), this.#largestPacketsOut);
    const capacityBytes = packets * MSS_BYTES;
    const freeBytes = capacityBytes - (this.#writtenBytes - this.acknowledgedBytes);
    return freeBytes * 3 >= capacityBytes ? freeBytes : 0;
  }

  /** Bytes written and not sent yet. */
  get unsentBytes(): number {
    return this.#writtenBytes - this.nextBytes;
  }

  /** Smoothed round-trip time (ns), for reports. */
  get srttNs(): number {
    return this.rtt.srttUs * 1000;
  }

  /** A packet left the queue of the sending host's own device; called by the port where the limiter stands there. */
  onSent(sizeBytes: number, nowNs: number): void {
    if (this.#localQueue?.leave(sizeBytes) !== true) return;
    if (this.recovery.state >= RECOVERY) this.#repair(nowNs);
    this.#push(nowNs, false);
  }

  /** Notes a segment without data that the handshake puts on the path. */
  onControlSent(sizeBytes: number): void {
    this.#localQueue?.enter(sizeBytes);
  }

  /** Takes an ACK; the caller frees the packet. */
  onAck(packet: number, nowNs: number): void {
    const headers = this.#headers;
    const scoreboard = this.scoreboard;
    const recovery = this.recovery;
    const ack = this.#ack;
    const acknowledged = this.#environment.packets.sequence[packet]!;
    const windowBytes = headers.windowBytes(packet);
    if (acknowledged > this.acknowledgedBytes || windowBytes > this.#receiverWindowBytes || windowBytes === 0) {
      this.#receiverWindowBytes = windowBytes;
    }
    this.#echoMs = headers.timestampMs(packet);
    if (scoreboard.packetsOut === 0) {
      this.#onAckWithoutData(nowNs);
      return;
    }
    const lostBefore = scoreboard.lostTotal;
    ack.take(packet, scoreboard, this.#rack, this.acknowledgedBytes, recovery.highBytes, nowNs);
    const { advanced, delivered } = ack;
    if (advanced) {
      this.acknowledgedBytes = acknowledged;
      this.#timeoutsInRow = 0;
    }
    this.#measure(nowNs);
    if (this.#tailProbeEndBytes > 0) this.#judgeTailProbe(acknowledged, headers.isMarked(packet));
    recovery.rackWaitUs = 0;
    recovery.sendNewFirst = false;
    if (ack.newlySacked > 0 || recovery.state !== OPEN) {
      const canSendNew = this.unsentBytes > 0 && this.#freeBytes() > 0;
      recovery.onAck(ack, acknowledged, this.nextBytes, canSendNew, nowNs);
    }
    this.#setTimer(advanced, nowNs);
    if (recovery.reducing) recovery.reduce(delivered, advanced && scoreboard.lostTotal === lostBefore);
    else if (advanced && this.#usage.growing) this.#control.onAck(this.window, delivered, nowNs);
    this.#pacing.update(scoreboard.packetsOut);
    this.#sendAfterAck(nowNs);
    if (this.unsentBytes === 0 && scoreboard.packetsOut === 0 && advanced) this.#application.onDrained(nowNs);
  }

  onTimer(timer: number, nowNs: number): void {
    const pacer = this.#pacer;
    if (timer === pacer?.timer) {
      if (!pacer.reached(nowNs)) return;
      if (this.recovery.state >= RECOVERY) this.#repair(nowNs);
      this.#push(nowNs, false);
      return;
    }
    const pending = this.#timer.expire(nowNs);
    if (pending === RETRANSMIT) this.#onTimeout(nowNs);
    else if (pending === TAIL_PROBE) this.#probeTail(nowNs);
    else if (pending === REORDER) this.#onReorderTimer(nowNs);
    else if (pending === WINDOW_PROBE) this.#probeWindow(nowNs);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Acknowledgements

  #measure(nowNs: number): void {
    const { smoothedUs, latestUs } = this.#ack;
    if (latestUs < 0) return;
    if (smoothedUs >= 0) {
      this.rtt.observeMinimum(latestUs);
      this.rtt.sample(smoothedUs, this.acknowledgedBytes, this.nextBytes);
      this.#timer.backoff = 0;
    }
    this.#control.onRtt(this.window, latestUs, this.acknowledgedBytes, this.nextBytes, nowNs);
  }

  #onAckWithoutData(nowNs: number): void {
    if (this.#timer.pending === WINDOW_PROBE && this.#freeBytes() >= Math.min(MSS_BYTES, this.unsentBytes)) {
      this.#timer.backoff = 0;
      this.#timer.clear();
    }
    this.#push(nowNs, false);
  }

  #judgeTailProbe(acknowledged: number, duplicateReported: boolean): void {
    if (acknowledged < this.#tailProbeEndBytes) return;
    if (!this.#tailProbeRepeats || duplicateReported) {
      this.#tailProbeEndBytes = 0;
    } else if (acknowledged > this.#tailProbeEndBytes) {
      this.#tailProbeEndBytes = 0;
      this.recovery.onProbeRepairedLoss();
    } else if (!this.#ack.advanced && this.#ack.newlySacked === 0) {
      this.#tailProbeEndBytes = 0;
    }
  }

  /** Sends what an ACK lets out: after a timeout new data first, to see whether it was spurious, else what is lost. */
  #sendAfterAck(nowNs: number): void {
    const recovery = this.recovery;
    if (recovery.sendNewFirst) {
      this.#push(nowNs, false);
      if (this.nextBytes > recovery.highBytes) return;
    }
    if (recovery.state >= RECOVERY) this.#repair(nowNs);
    this.#push(nowNs, false);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Sending

  /** What is free of the receiver's window (bytes). */
  #freeBytes(): number {
    return this.acknowledgedBytes + this.#receiverWindowBytes - this.nextBytes;
  }

  /** Sends what may be sent; `force` lets one segment past the congestion window (tail probe). */
  #push(nowNs: number, force: boolean): void {
    const scoreboard = this.scoreboard;
    const window = this.window;
    const burstSegments = this.#pacing.burstSegments();
    let sent = 0;
    let deferred = false;
    while (this.#writtenBytes > this.nextBytes) {
      if (this.#pacing.nextNs > nowNs) {
        this.#pacer!.set(this.#pacing.nextNs);
        break;
      }
      let quota = window.packets - scoreboard.inFlight;
      if (quota <= 0) {
        if (!force) break;
        quota = 1;
      }
      if (scoreboard.packetsOut >= this.#largestPacketsOut) break;
      const freeBytes = this.#freeBytes();
      const unsent = this.#writtenBytes - this.nextBytes;
      if (Math.min(MSS_BYTES, unsent) > freeBytes) break;
      if (unsent < MSS_BYTES && this.#nagleHolds()) break;
      if (unsent > MSS_BYTES && !force && this.#shouldDefer(quota, freeBytes, unsent, burstSegments, nowNs)) {
        deferred = quota * MSS_BYTES < freeBytes;
        break;
      }
      if (scoreboard.packetsOut > 1 && this.#localQueue?.isFull(burstSegments) === true) break;
      quota = force ? 1 : Math.min(quota, burstSegments, Math.max(window.packets >> 1, 1));
      sent += this.#sendBurst(quota, Math.min(freeBytes, unsent), nowNs);
      if (force) break;
    }
    const limited = deferred || scoreboard.inFlight >= window.packets;
    if (sent > 0 || limited) this.#validateWindow(limited, nowNs);
    if (sent > 0) {
      if (this.recovery.reducing) this.recovery.prrOut += sent;
      if (!force && this.recovery.state === OPEN) this.#timer.armTailProbe(false, nowNs);
    } else if (scoreboard.packetsOut === 0 && this.unsentBytes > 0 && this.#timer.pending === NOTHING) {
      this.#timer.armWindowProbe(nowNs);
    }
  }

  /** Sends up to `segments` segments as one socket buffer; returns how many it were. */
  #sendBurst(segments: number, availableBytes: number, nowNs: number): number {
    const full = Math.min(segments, Math.floor(availableBytes / MSS_BYTES));
    const rest = availableBytes - full * MSS_BYTES;
    // What is left of the window goes along as a small segment, unless one is still under way (Nagle).
    const small = full < segments && rest > 0 && (full === 0 || !this.#nagleHolds()) ? rest : 0;
    const count = small > 0 ? full + 1 : full;
    for (let sent = 1; sent <= count; sent++) {
      // A buffer of several segments is always pushed, so that its receiver need not wait for more (since 5.5).
      this.#sendNew(sent > full ? small : MSS_BYTES, sent === count && count > 1, nowNs);
    }
    this.#pacing.onBurst(count, full * MSS_BYTES + small, nowNs);
    return count;
  }

  #sendNew(length: number, pushed: boolean, nowNs: number): void {
    const scoreboard = this.scoreboard;
    if (scoreboard.inFlight === 0) this.#control.onRestart(this.#lastSentNs, nowNs);
    const start = this.nextBytes;
    const idle = scoreboard.packetsOut === 0;
    this.nextBytes = start + length;
    if (length < MSS_BYTES) this.#smallEndBytes = this.nextBytes;
    scoreboard.push(this.nextBytes, nowNs);
    if (idle || this.#timer.pending === TAIL_PROBE) this.#timer.armTimeout(nowNs);
    this.#emit(start, length, pushed, nowNs);
  }

  /** Puts a segment on the path. */
  #emit(start: number, length: number, pushed: boolean, nowNs: number): void {
    const headers = this.#headers;
    const packet = headers.fill(SEGMENT_PLAIN, this.#flow, this.#priority, length, start, this.#echoMs, 0, nowNs);
    if (pushed || start + length === this.#writtenBytes) headers.mark(packet);
    this.sentSegments++;
    this.#lastSentNs = nowNs;
    this.#localQueue?.enter(length + HEADER_BYTES);
    this.#environment.sendData(packet, nowNs);
  }

  #resend(segment: number, nowNs: number): void {
    const scoreboard = this.scoreboard;
    const start = scoreboard.startBytes(segment, this.acknowledgedBytes);
    scoreboard.resend(segment, nowNs);
    this.retransmittedSegments++;
    this.#emit(start, scoreboard.endBytes(segment) - start, false, nowNs);
  }

  /** Sends lost segments again, as far as the window lets it (tcp_xmit_retransmit_queue). */
  #repair(nowNs: number): void {
    const scoreboard = this.scoreboard;
    let headSent = false;
    while (scoreboard.inFlight < this.window.packets) {
      const segment = scoreboard.nextRepair();
      if (segment < 0) break;
      if (this.#pacing.nextNs > nowNs) {
        this.#pacer!.set(this.#pacing.nextNs);
        break;
      }
      if (scoreboard.packetsOut > 1 && this.#localQueue?.isFull(this.#pacing.burstSegments() * 2) === true) break;
      if (segment === scoreboard.first) headSent = true;
      this.#resend(segment, nowNs);
      if (this.recovery.reducing) this.recovery.prrOut++;
      this.#pacing.onBurst(1, MSS_BYTES, nowNs);
    }
    if (headSent && this.#timer.pending !== REORDER) this.#timer.armTimeout(nowNs);
  }

  #nagleHolds(): boolean {
    return this.#smallEndBytes > this.acknowledgedBytes && this.scoreboard.packetsOut > 0;
  }

  /** Whether to wait for a bigger burst; see tcp_output.c: tcp_tso_should_defer. */
  #shouldDefer(quota: number, freeBytes: number, unsent: number, burstSegments: number, nowNs: number): boolean {
    if (this.recovery.state >= RECOVERY) return false;
    if (nowNs - Math.max(this.#lastSentNs, this.#pacing.nextNs) > DEFER_NS) return false;
    const windowBytes = quota * MSS_BYTES;
    // A closed receiver's window is waited for by its own rule; deferring there would only cost.
    if (windowBytes >= freeBytes) return false;
    if (windowBytes >= burstSegments * MSS_BYTES || windowBytes >= unsent) return false;
    const wholeBytes = Math.min(this.#receiverWindowBytes, this.window.packets * MSS_BYTES);
    if (windowBytes >= wholeBytes / WINDOW_DIVISOR) return false;
    if (this.scoreboard.packetsOut === 0) return false;
    const srttNs = this.rtt.srttEighthsUs * 125;
    const ackInNs = this.scoreboard.sentNs(this.scoreboard.first) + srttNs - nowNs;
    return ackInNs <= Math.min(srttNs / 2, DEFER_NS);
  }

  #validateWindow(limited: boolean, nowNs: number): void {
    const nowTicks = this.#jiffies.at(nowNs);
    const { packetsOut } = this.scoreboard;
    const { timeoutTicks } = this.#timer;
    if (this.#usage.validate(limited, packetsOut, this.acknowledgedBytes, this.nextBytes, nowTicks, timeoutTicks)) {
      const byApplication = this.recovery.state === OPEN && this.unsentBytes === 0;
      this.#usage.endUnused(byApplication, this.recovery.currentThreshold(), nowTicks);
    }
  }

  // -------------------------------------------------------------------------------------------------------------
  // Timers

  /** Sets the timer after an ACK: RACK's wait goes before, then a tail probe, then the timeout. */
  #setTimer(advanced: boolean, nowNs: number): void {
    if (this.recovery.rackWaitUs > 0) this.#timer.armReorder(this.recovery.rackWaitUs, nowNs);
    else if (!advanced) return;
    else if (this.recovery.state === OPEN && this.scoreboard.packetsOut > 0) this.#timer.armTailProbe(true, nowNs);
    else this.#timer.armTimeout(nowNs);
  }

  #probeTail(nowNs: number): void {
    const scoreboard = this.scoreboard;
    if (scoreboard.packetsOut === 0) return;
    if (this.#tailProbeEndBytes === 0) {
      const before = scoreboard.next;
      this.#push(nowNs, true);
      const sentNew = scoreboard.next > before;
      if (!sentNew) this.#resend(scoreboard.next - 1, nowNs);
      this.#tailProbeRepeats = !sentNew;
      this.#tailProbeEndBytes = this.nextBytes;
    }
    this.#timer.pending = TAIL_PROBE;
    this.#timer.armTimeout(nowNs);
  }

  #onReorderTimer(nowNs: number): void {
    if (this.recovery.onReorderTimer(this.nextBytes, nowNs)) this.#repair(nowNs);
    this.#push(nowNs, false);
    if (this.recovery.rackWaitUs > 0) this.#setTimer(false, nowNs);
    else if (this.#timer.pending !== RETRANSMIT) this.#timer.armTimeout(nowNs);
  }

  #onTimeout(nowNs: number): void {
    const scoreboard = this.scoreboard;
    if (scoreboard.packetsOut === 0) return;
    this.timeouts++;
    this.#tailProbeEndBytes = 0;
    this.recovery.onTimeout(this.acknowledgedBytes, this.nextBytes, this.#timeoutsInRow > 0, nowNs);
    this.#timeoutsInRow++;
    this.#resend(scoreboard.first, nowNs);
    this.#timer.backoff++;
    this.#timer.armTimeout(nowNs);
  }

  /** Asks for the receiver's window, with what still fits into it or with an old byte's number (tcp_write_wakeup). */
  #probeWindow(nowNs: number): void {
    if (this.scoreboard.packetsOut > 0 || this.unsentBytes === 0) return;
    const freeBytes = this.#freeBytes();
    if (freeBytes > 0) {
      this.#sendNew(Math.min(freeBytes, this.unsentBytes, MSS_BYTES), false, nowNs);
      return;
    }
    const oldBytes = this.acknowledgedBytes - 1;
    const packet = this.#headers.fill(SEGMENT_PROBE, this.#flow, this.#priority, 0, oldBytes, this.#echoMs, 0, nowNs);
    this.onControlSent(this.#environment.packets.sizeBytes[packet]!);
    this.#environment.sendData(packet, nowNs);
    this.#timer.backoff++;
    this.#timer.armWindowProbe(nowNs);
  }
}
