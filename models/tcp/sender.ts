import type { TimerOwner } from '../model.ts';
import { type CongestionControl, CongestionWindow } from './congestion.ts';
import { Deadline, type TcpEnvironment } from './environment.ts';
import { headersOf, MAX_SACK_BLOCKS, MSS_BYTES, SEGMENT_PROBE, type SegmentHeaders } from './headers.ts';
import type { Jiffies } from './jiffies.ts';
import { Pacing } from './pacing.ts';
import { Rack } from './rack.ts';
import { type AckSummary, LossRecovery, OPEN, RECOVERY } from './recovery.ts';
import { MAXIMUM_TIMEOUT_US, MINIMUM_VARIATION_US, RttEstimator } from './rtt.ts';
import { EVER_RETRANSMITTED, SACKED, type SackVisitor, Scoreboard } from './scoreboard.ts';
import type { TcpSettings } from './settings.ts';

/** Memory that a full segment takes in the send buffer (bytes; tcp_input.c: tcp_sndbuf_expand). */
const SEND_MEMORY_BYTES = 2304;
/** The send buffer holds twice the congestion window, and at least twice so many packets (tcp_sndbuf_expand). */
const MINIMUM_SEND_PACKETS = 10;
/** A receiver's window is open "enough" for a burst when a third of it is free (tcp_tso_win_divisor). */
const WINDOW_DIVISOR = 3;
const DEFER_NS = 1_000_000;
/** What RACK and the tail-loss probe wait beyond what they reckon, since 6.7 (tcp.h: TCP_TIMEOUT_MIN_US). */
const SHORTEST_TIMER_US = 2000;

/** What the retransmission timer is set for. */
const NOTHING = 0;
const RETRANSMIT = 1;
const TAIL_PROBE = 2;
const REORDER = 3;
const WINDOW_PROBE = 4;

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
export class TcpSender implements TimerOwner, SackVisitor {
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
  readonly #settings: TcpSettings;
  readonly #jiffies: Jiffies;
  readonly #control: CongestionControl;
  readonly #pacing: Pacing;
  readonly #rack: Rack;
  readonly #application: SendingApplication;
  readonly #retransmission: Deadline;
  readonly #pacer: Deadline;
  readonly #ack: AckSummary;
  readonly #largestPacketsOut: number;
  /** Offset behind what the application has written. */
  #writtenBytes = 0;
  #receiverWindowBytes = 0;
  /** End of the last segment that was smaller than the rest (Nagle). */
  #smallEndBytes = 0;
  #echoMs = 0;
  #pending = NOTHING;
  #backoff = 0;
  #timeoutsInRow = 0;
  #lastSentNs = 0;
  #tailProbeEndBytes = 0;
  #tailProbeRepeats = false;
  // tcp_cwnd_validate: whether the congestion window, and not something else, limits the sender.
  #windowLimited = false;
  #mostPacketsOut = 0;
  #usageEndBytes = 0;
  #usedPackets = 0;
  #usageTicks = 0;
  /** Bytes that wait on the sending host itself, where the limiter stands there (TSQ). */
  #queuedBytes = 0;
  #throttled = false;
  // Of the ACK in hand.
  #firstSentNs = -1;
  #lastDeliveredSentNs = -1;
  #firstSackedSentNs = -1;

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
    this.#settings = settings;
    this.#control = control;
    this.#jiffies = jiffies;
    this.#flow = flow;
    this.#priority = priority;
    this.#application = application;
    this.window = new CongestionWindow(settings.initialWindow, settings.pacing);
    this.#pacing = new Pacing(this.window, this.rtt);
    this.#rack = new Rack(this.scoreboard, this.rtt);
    this.recovery = new LossRecovery(this.scoreboard, this.#rack, this.window, control);
    this.#retransmission = new Deadline(environment, this);
    this.#pacer = new Deadline(environment, this);
    this.#largestPacketsOut = Math.floor(settings.sndbufMaxBytes / SEND_MEMORY_BYTES);
    this.#ack = {
      acknowledgedBytes: 0,
      nextBytes: 0,
      advanced: false,
      delivered: 0,
      newlySacked: 0,
      originalDelivered: false,
      canSendNew: false,
    };
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
    this.#usageTicks = this.#jiffies.at(nowNs);
    this.#pacing.update(0);
    this.#application.onConnected(nowNs);
  }

  /** Adds to the stream; Infinity makes it endless. */
  write(bytes: number, nowNs: number): void {
    this.#restartAfterIdle(nowNs);
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
    this.#queuedBytes -= sizeBytes;
    if (!this.#throttled) return;
    this.#throttled = false;
    if (this.recovery.state >= RECOVERY) this.#repair(nowNs);
    this.#push(nowNs, false);
  }

  /** Notes a segment without data that the handshake puts on the path. */
  onControlSent(sizeBytes: number): void {
    if (this.#settings.limiterAtSender) this.#queuedBytes += sizeBytes;
  }

  /** Takes an ACK; the caller frees the packet. */
  onAck(packet: number, nowNs: number): void {
    const headers = this.#headers;
    const scoreboard = this.scoreboard;
    const summary = this.#ack;
    const acknowledged = this.#environment.packets.sequence[packet]!;
    const windowBytes = headers.windowBytes[packet]!;
    if (acknowledged > this.acknowledgedBytes || windowBytes > this.#receiverWindowBytes || windowBytes === 0) {
      this.#receiverWindowBytes = windowBytes;
    }
    this.#echoMs = headers.timestampMs[packet]!;
    if (scoreboard.packetsOut === 0) {
      this.#onAckWithoutData(nowNs);
      return;
    }
    const lostBefore = scoreboard.lostTotal;
    const inFlightBefore = scoreboard.inFlight;
    summary.delivered = 0;
    summary.newlySacked = 0;
    summary.originalDelivered = false;
    summary.advanced = acknowledged > this.acknowledgedBytes;
    this.#firstSentNs = -1;
    this.#firstSackedSentNs = -1;
    this.#lastDeliveredSentNs = -1;
    if (headers.sackCount[packet]! > 0) this.#takeSack(packet, nowNs);
    const rttUs = this.#takeAcknowledged(acknowledged, headers.echoMs[packet]!, nowNs);
    if (rttUs >= 0) {
      this.#control.onRtt(this.window, rttUs, this.acknowledgedBytes, this.nextBytes, nowNs);
    }
    if (this.#tailProbeEndBytes > 0) this.#judgeTailProbe(acknowledged, headers.mark[packet]! !== 0);
    summary.acknowledgedBytes = acknowledged;
    summary.nextBytes = this.nextBytes;
    summary.canSendNew = this.unsentBytes > 0 && this.acknowledgedBytes + this.#receiverWindowBytes > this.nextBytes;
    const recovery = this.recovery;
    recovery.rackWaitUs = 0;
    recovery.sendNewFirst = false;
    if (summary.newlySacked > 0 || recovery.state !== OPEN) recovery.onAck(summary, nowNs);
    this.#setTimer(summary.advanced, nowNs);
    if (recovery.reducing) recovery.reduce(summary, scoreboard.lostTotal !== lostBefore);
    else if (summary.advanced && this.#isWindowLimited()) this.#control.onAck(this.window, summary.delivered, nowNs);
    this.#pacing.update(scoreboard.packetsOut);
    if (recovery.sendNewFirst) {
      this.#push(nowNs, false);
      if (this.nextBytes <= recovery.highBytes) recovery.sendNewFirst = false;
    }
    if (recovery.state >= RECOVERY && !recovery.sendNewFirst) this.#repair(nowNs);
    if (inFlightBefore !== scoreboard.inFlight || this.unsentBytes > 0) this.#push(nowNs, false);
    if (this.unsentBytes === 0 && scoreboard.packetsOut === 0 && summary.advanced) this.#application.onDrained(nowNs);
  }

  /** Notes a newly SACKed segment; see {@link SackVisitor}. */
  onSacked(segment: number, flagsBefore: number, nowNs: number): void {
    const scoreboard = this.scoreboard;
    const sentNs = scoreboard.sentNs(segment);
    const endBytes = scoreboard.endBytes(segment);
    this.#rack.onDelivered(endBytes, sentNs, flagsBefore, nowNs);
    if ((flagsBefore & EVER_RETRANSMITTED) === 0) {
      if (this.#firstSackedSentNs < 0) this.#firstSackedSentNs = sentNs;
      this.#lastDeliveredSentNs = sentNs;
      if (endBytes <= this.recovery.highBytes) this.#ack.originalDelivered = true;
    }
    this.#ack.delivered++;
    this.#ack.newlySacked++;
  }

  onTimer(timer: number, nowNs: number): void {
    if (timer === this.#pacer.timer) {
      if (!this.#pacer.reached(nowNs)) return;
      if (this.recovery.state >= RECOVERY) this.#repair(nowNs);
      this.#push(nowNs, false);
      return;
    }
    if (!this.#retransmission.reached(nowNs)) return;
    const pending = this.#pending;
    this.#pending = NOTHING;
    if (pending === RETRANSMIT) this.#onTimeout(nowNs);
    else if (pending === TAIL_PROBE) this.#probeTail(nowNs);
    else if (pending === REORDER) this.#onReorderTimer(nowNs);
    else if (pending === WINDOW_PROBE) this.#probeWindow(nowNs);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Acknowledgements

  #takeSack(packet: number, nowNs: number): void {
    const headers = this.#headers;
    const scoreboard = this.scoreboard;
    scoreboard.beginSack();
    for (let block = 0; block < headers.sackCount[packet]!; block++) {
      const at = packet * MAX_SACK_BLOCKS + block;
      scoreboard.sackRange(headers.sackStart[at]!, headers.sackEnd[at]!, this, nowNs);
    }
    scoreboard.endSack();
  }

  /** Removes what is acknowledged in order; returns the round trip for the congestion control (µs), -1 for none. */
  #takeAcknowledged(acknowledged: number, echoMs: number, nowNs: number): number {
    const scoreboard = this.scoreboard;
    const summary = this.#ack;
    let retransmissionAcknowledged = false;
    let lastSentNs = -1;
    while (scoreboard.first < scoreboard.next && scoreboard.endBytes(scoreboard.first) <= acknowledged) {
      const segment = scoreboard.first;
      const sentNs = scoreboard.sentNs(segment);
      const endBytes = scoreboard.endBytes(segment);
      const flags = scoreboard.shift();
      if ((flags & EVER_RETRANSMITTED) !== 0) {
        retransmissionAcknowledged = true;
      } else if ((flags & SACKED) === 0) {
        lastSentNs = sentNs;
        if (this.#firstSentNs < 0) this.#firstSentNs = sentNs;
        if (endBytes <= this.recovery.highBytes) summary.originalDelivered = true;
      }
      if ((flags & SACKED) === 0) {
        summary.delivered++;
        this.#rack.onDelivered(endBytes, sentNs, flags, nowNs);
      }
    }
    if (summary.advanced) {
      this.acknowledgedBytes = acknowledged;
      this.#timeoutsInRow = 0;
    }
    return this.#sampleRtt(lastSentNs, retransmissionAcknowledged, echoMs, nowNs);
  }

  #sampleRtt(lastSentNs: number, retransmissionAcknowledged: boolean, echoMs: number, nowNs: number): number {
    let smoothedUs = -1;
    let latestUs = -1;
    if (this.#firstSentNs >= 0 && !retransmissionAcknowledged) {
      smoothedUs = Math.floor((nowNs - this.#firstSentNs) / 1000);
      latestUs = Math.floor((nowNs - lastSentNs) / 1000);
    }
    if (this.#firstSackedSentNs >= 0) {
      latestUs = Math.floor((nowNs - this.#lastDeliveredSentNs) / 1000);
      if (smoothedUs < 0) smoothedUs = Math.floor((nowNs - this.#firstSackedSentNs) / 1000);
    }
    if (smoothedUs < 0 && this.#ack.advanced) {
      // Only retransmissions were acknowledged: the echoed timestamp tells which, in whole milliseconds.
      smoothedUs = Math.max(Math.floor(nowNs / 1e6) - echoMs, 1) * 1000;
      latestUs = smoothedUs;
    }
    if (smoothedUs < 0) return latestUs;
    this.rtt.observeMinimum(latestUs);
    this.rtt.sample(smoothedUs, this.acknowledgedBytes, this.nextBytes);
    this.#backoff = 0;
    return latestUs;
  }

  #onAckWithoutData(nowNs: number): void {
    if (this.#pending === WINDOW_PROBE) {
      const needed = Math.min(MSS_BYTES, this.unsentBytes);
      if (this.acknowledgedBytes + this.#receiverWindowBytes >= this.nextBytes + needed) {
        this.#backoff = 0;
        this.#clearTimer();
      }
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

  // -------------------------------------------------------------------------------------------------------------
  // Sending

  /** Sends what may be sent; `force` lets one segment past the congestion window (tail probe). */
  #push(nowNs: number, force: boolean): void {
    const scoreboard = this.scoreboard;
    const window = this.window;
    const burstSegments = this.#pacing.burstSegments();
    let sent = 0;
    let deferred = false;
    while (this.#writtenBytes > this.nextBytes) {
      if (this.#pacing.nextNs > nowNs) {
        this.#pacer.set(this.#pacing.nextNs);
        break;
      }
      let quota = window.packets - scoreboard.inFlight;
      if (quota <= 0) {
        if (!force) break;
        quota = 1;
      }
      if (scoreboard.packetsOut >= this.#largestPacketsOut) break;
      const freeBytes = this.acknowledgedBytes + this.#receiverWindowBytes - this.nextBytes;
      const unsent = this.#writtenBytes - this.nextBytes;
      if (Math.min(MSS_BYTES, unsent) > freeBytes) break;
      if (unsent < MSS_BYTES && this.#nagleHolds()) break;
      if (unsent > MSS_BYTES && !force && this.#shouldDefer(quota, freeBytes, unsent, burstSegments, nowNs)) {
        deferred = quota * MSS_BYTES < freeBytes;
        break;
      }
      if (this.#isThrottled(burstSegments)) break;
      quota = force ? 1 : Math.min(quota, burstSegments, Math.max(window.packets >> 1, 1));
      sent += this.#sendBurst(quota, Math.min(freeBytes, unsent), nowNs);
      if (force) break;
    }
    const limited = deferred || scoreboard.inFlight >= window.packets;
    if (sent > 0 || limited) this.#validateWindow(limited, nowNs);
    if (sent > 0) {
      if (this.recovery.reducing) this.recovery.prrOut += sent;
      if (!force) this.#scheduleTailProbe(false, nowNs);
    } else if (scoreboard.packetsOut === 0 && this.unsentBytes > 0 && this.#pending === NOTHING) {
      this.#armWindowProbe(nowNs);
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
    if (idle || this.#pending === TAIL_PROBE) this.#armRetransmission(nowNs);
    this.#emit(start, length, pushed, nowNs);
  }

  /** Puts a segment on the path. */
  #emit(start: number, length: number, pushed: boolean, nowNs: number): void {
    const headers = this.#headers;
    const packet = headers.fill(this.#flow, this.#priority, length, start, nowNs);
    headers.echoMs[packet] = this.#echoMs;
    if (pushed || start + length === this.#writtenBytes) headers.mark[packet] = 1;
    this.sentSegments++;
    this.#lastSentNs = nowNs;
    if (this.#settings.limiterAtSender) this.#queuedBytes += this.#environment.packets.sizeBytes[packet]!;
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
        this.#pacer.set(this.#pacing.nextNs);
        break;
      }
      if (this.#isThrottled(this.#pacing.burstSegments() * 2)) break;
      if (segment === scoreboard.first) headSent = true;
      this.#resend(segment, nowNs);
      if (this.recovery.reducing) this.recovery.prrOut++;
      this.#pacing.onBurst(1, MSS_BYTES, nowNs);
    }
    if (headSent && this.#pending !== REORDER) this.#armRetransmission(nowNs);
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

  /** TCP small queues: little of one socket waits on its own host (tcp_output.c: tcp_small_queue_check). */
  #isThrottled(burstSegments: number): boolean {
    if (!this.#settings.limiterAtSender || this.scoreboard.packetsOut <= 1) return false;
    let limit = Math.max(2 * burstSegments * MSS_BYTES, this.window.pacingBytesPerSecond / 1024);
    if (!this.window.paced) limit = Math.min(limit, this.#settings.localQueueBytes);
    this.#throttled = this.#queuedBytes > limit;
    return this.#throttled;
  }

  // -------------------------------------------------------------------------------------------------------------
  // Use of the congestion window

  #isWindowLimited(): boolean {
    if (this.#windowLimited) return true;
    return this.window.inSlowStart && this.window.packets < 2 * this.#mostPacketsOut;
  }

  /** Keeps account of whether the window limits the sender (tcp_output.c: tcp_cwnd_validate). */
  #validateWindow(limited: boolean, nowNs: number): void {
    const packetsOut = this.scoreboard.packetsOut;
    if (
      this.acknowledgedBytes >= this.#usageEndBytes ||
      limited ||
      (!this.#windowLimited && packetsOut > this.#mostPacketsOut)
    ) {
      this.#windowLimited = limited;
      this.#mostPacketsOut = packetsOut;
      this.#usageEndBytes = this.nextBytes;
    }
    const nowTicks = this.#jiffies.at(nowNs);
    if (this.#isWindowLimited()) {
      this.#usedPackets = 0;
      this.#usageTicks = nowTicks;
      return;
    }
    if (packetsOut > this.#usedPackets) this.#usedPackets = packetsOut;
    if (!this.#settings.slowStartAfterIdle || nowTicks - this.#usageTicks < this.#timeoutTicks()) return;
    if (this.recovery.state === OPEN && this.unsentBytes === 0) this.#shrinkToUse();
    this.#usedPackets = 0;
    this.#usageTicks = nowTicks;
  }

  #shrinkToUse(): void {
    const used = Math.max(this.#usedPackets, this.#settings.initialWindow);
    if (used >= this.window.packets) return;
    this.window.threshold = this.recovery.currentThreshold();
    this.window.packets = (this.window.packets + used) >> 1;
  }

  /** Halves the window once per timeout of idleness (tcp_output.c: tcp_cwnd_restart). */
  #restartAfterIdle(nowNs: number): void {
    if (!this.#settings.slowStartAfterIdle || this.scoreboard.packetsOut > 0) return;
    const timeoutTicks = this.#timeoutTicks();
    let idleTicks = this.#jiffies.at(nowNs) - this.#jiffies.at(this.#lastSentNs);
    if (idleTicks <= timeoutTicks) return;
    const window = this.window;
    window.threshold = this.recovery.currentThreshold();
    const floor = Math.min(this.#settings.initialWindow, window.packets);
    idleTicks -= timeoutTicks;
    while (idleTicks > 0 && window.packets > floor) {
      window.packets >>= 1;
      idleTicks -= timeoutTicks;
    }
    window.packets = Math.max(window.packets, floor);
    this.#usedPackets = 0;
    this.#usageTicks = this.#jiffies.at(nowNs);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Timers

  #timeoutTicks(): number {
    return this.#jiffies.fromUs(Math.min(this.rtt.timeoutUs * 2 ** this.#backoff, MAXIMUM_TIMEOUT_US));
  }

  #arm(pending: number, ticks: number, nowNs: number): void {
    this.#pending = pending;
    this.#retransmission.set(this.#jiffies.expiryNs(nowNs, ticks));
  }

  #clearTimer(): void {
    this.#pending = NOTHING;
    this.#retransmission.set(Number.POSITIVE_INFINITY);
  }

  /** Sets the timer after an ACK: RACK's wait goes before, then a tail probe, then the timeout. */
  #setTimer(advanced: boolean, nowNs: number): void {
    if (this.recovery.rackWaitUs > 0) {
      this.#arm(REORDER, this.#jiffies.fromUs(this.recovery.rackWaitUs + SHORTEST_TIMER_US), nowNs);
    } else if (advanced && !this.#scheduleTailProbe(true, nowNs)) {
      this.#armRetransmission(nowNs);
    }
  }

  /** Sets the timeout; what a tail probe or reordering timer has used up of it already is taken off. */
  #armRetransmission(nowNs: number): void {
    if (this.scoreboard.packetsOut === 0) {
      this.#clearTimer();
      return;
    }
    let ticks = this.#timeoutTicks();
    if (this.#pending === TAIL_PROBE || this.#pending === REORDER) {
      ticks = this.#jiffies.fromUs(Math.max(this.#timeoutLeftUs(nowNs), 1));
    }
    this.#arm(RETRANSMIT, ticks, nowNs);
  }

  #timeoutLeftUs(nowNs: number): number {
    const sentNs = this.scoreboard.sentNs(this.scoreboard.first);
    return (this.#timeoutTicks() * this.#jiffies.tickNs + sentNs - nowNs) / 1000;
  }

  /** Arms the tail-loss probe: two round trips without an ACK (RFC 8985; tcp_schedule_loss_probe). */
  #scheduleTailProbe(onAck: boolean, nowNs: number): boolean {
    const packetsOut = this.scoreboard.packetsOut;
    if (packetsOut === 0 || this.recovery.state !== OPEN) return false;
    const waitUs = this.rtt.srttEighthsUs / 4 + (packetsOut === 1 ? MINIMUM_VARIATION_US : SHORTEST_TIMER_US);
    const leftUs = onAck ? (this.#timeoutTicks() * this.#jiffies.tickNs) / 1000 : this.#timeoutLeftUs(nowNs);
    const ticks = this.#jiffies.fromUs(leftUs > 0 ? Math.min(waitUs, leftUs) : waitUs);
    this.#arm(TAIL_PROBE, ticks, nowNs);
    return true;
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
    this.#pending = TAIL_PROBE;
    this.#armRetransmission(nowNs);
  }

  #onReorderTimer(nowNs: number): void {
    if (this.recovery.onReorderTimer(this.nextBytes, nowNs)) this.#repair(nowNs);
    this.#push(nowNs, false);
    if (this.recovery.rackWaitUs > 0) this.#setTimer(false, nowNs);
    else if (this.#pending !== RETRANSMIT) this.#armRetransmission(nowNs);
  }

  #onTimeout(nowNs: number): void {
    const scoreboard = this.scoreboard;
    if (scoreboard.packetsOut === 0) return;
    this.timeouts++;
    this.#tailProbeEndBytes = 0;
    this.recovery.onTimeout(this.acknowledgedBytes, this.nextBytes, this.#timeoutsInRow > 0, nowNs);
    this.#timeoutsInRow++;
    this.#resend(scoreboard.first, nowNs);
    this.#backoff++;
    this.#arm(RETRANSMIT, this.#timeoutTicks(), nowNs);
  }

  #armWindowProbe(nowNs: number): void {
    this.#arm(WINDOW_PROBE, this.#timeoutTicks(), nowNs);
  }

  /** Asks for the receiver's window, with what still fits into it or with an old byte's number (tcp_write_wakeup). */
  #probeWindow(nowNs: number): void {
    if (this.scoreboard.packetsOut > 0 || this.unsentBytes === 0) return;
    const freeBytes = this.acknowledgedBytes + this.#receiverWindowBytes - this.nextBytes;
    if (freeBytes > 0) {
      this.#sendNew(Math.min(freeBytes, this.unsentBytes, MSS_BYTES), false, nowNs);
      return;
    }
    const headers = this.#headers;
    const packet = headers.fill(this.#flow, this.#priority, 0, this.acknowledgedBytes - 1, nowNs);
    headers.kind[packet] = SEGMENT_PROBE;
    headers.echoMs[packet] = this.#echoMs;
    this.onControlSent(this.#environment.packets.sizeBytes[packet]!);
    this.#environment.sendData(packet, nowNs);
    this.#backoff++;
    this.#armWindowProbe(nowNs);
  }
}
