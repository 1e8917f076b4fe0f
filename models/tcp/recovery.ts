import type { AckIntake } from './ack-intake.ts';
import type { CongestionControl, CongestionWindow } from './congestion.ts';
import type { Rack } from './rack.ts';
import { LOST, RETRANSMITTED, SACKED, type Scoreboard } from './scoreboard.ts';

/** Nothing amiss; something SACKed; repairing by PRR; repairing after a timeout. Ordered as the kernel's icsk_ca_state. */
export const OPEN = 0;
export const DISORDER = 1;
export const RECOVERY = 3;
export const LOSS = 4;

/**
 * How a sender gets from a loss back to order: the state, what PRR lets out, and how the window falls
 * (net/ipv4/tcp_input.c: tcp_fastretrans_alert, tcp_cwnd_reduction, tcp_enter_loss, tcp_process_loss; RFC 6937).
 */
export class LossRecovery {
  state = OPEN;
  /** snd_nxt when the state was entered. */
  highBytes = 0;
  /** Time until RACK wants to look again (µs); 0: not at all. Set by {@link onAck} and {@link onReorderTimer}. */
  rackWaitUs = 0;
  /** Packets sent since Recovery began. */
  prrOut = 0;
  /** Whether the next thing to send after a timeout is new data, to tell a spurious timeout (F-RTO). */
  sendNewFirst = false;
  #prrDelivered = 0;
  #priorWindow = 0;
  #priorThreshold = 0;
  #undoBytes = -1;
  #probingTimeout = false;
  readonly #scoreboard: Scoreboard;
  readonly #rack: Rack;
  readonly #window: CongestionWindow;
  readonly #control: CongestionControl;

  constructor(scoreboard: Scoreboard, rack: Rack, window: CongestionWindow, control: CongestionControl) {
    this.#scoreboard = scoreboard;
    this.#rack = rack;
    this.#window = window;
    this.#control = control;
  }

  /** Whether the window is being brought down by PRR. */
  get reducing(): boolean {
    return this.state === RECOVERY;
  }

  /** The threshold to remember when the window is about to shrink without loss (tcp_current_ssthresh). */
  currentThreshold(): number {
    const window = this.#window;
    if (this.reducing) return window.threshold;
    return Math.max(window.threshold, (window.packets >> 1) + (window.packets >> 2));
  }

  /**
   * Takes an ACK that is not plainly in order; moves the state on and marks losses. Offsets are those after the ACK;
   * `canSendNew`: there is new data, and the receiver's window is open.
   */
  onAck(ack: AckIntake, acknowledgedBytes: number, nextBytes: number, canSendNew: boolean, nowNs: number): void {
    this.rackWaitUs = 0;
    if (this.state === RECOVERY && acknowledgedBytes >= this.highBytes) this.#endRecovery();
    if (this.state === RECOVERY) {
      this.#detect(nowNs);
      return;
    }
    if (this.state === LOSS) {
      this.#onAckInLoss(ack, acknowledgedBytes, nextBytes, canSendNew);
      const retransmissions = this.#scoreboard.retransmittedOut;
      this.#detect(nowNs);
      const retransmissionLost = this.#scoreboard.retransmittedOut < retransmissions;
      if (this.state === LOSS && !retransmissionLost) return;
    } else {
      this.#detect(nowNs);
    }
    if (this.#scoreboard.lostOut > 0) this.#enterRecovery(nextBytes);
    else this.#setOpenOrDisorder(nextBytes);
  }

  /** Sets the window by proportional rate reduction; `progressing`: data was acknowledged in order and nothing newly lost. */
  reduce(delivered: number, progressing: boolean): void {
    if (delivered <= 0) return;
    const window = this.#window;
    const inFlight = this.#scoreboard.inFlight;
    const room = window.threshold - inFlight;
    this.#prrDelivered += delivered;
    let send: number;
    if (room < 0) {
      send = Math.ceil((window.threshold * this.#prrDelivered) / this.#priorWindow) - this.prrOut;
    } else {
      send = Math.max(this.#prrDelivered - this.prrOut, delivered);
      if (progressing) send++;
      send = Math.min(room, send);
    }
    // The first retransmission never waits.
    window.packets = inFlight + Math.max(send, this.prrOut === 0 ? 1 : 0);
  }

  /** The reordering timer expired: marks what is overdue by now; true if something is to be sent again. */
  onReorderTimer(nextBytes: number, nowNs: number): boolean {
    const inFlight = this.#scoreboard.inFlight;
    this.rackWaitUs = this.#rack.detect(this.state >= RECOVERY, nowNs);
    if (this.#scoreboard.inFlight === inFlight) return false;
    if (this.state !== RECOVERY) {
      this.#enterRecovery(nextBytes);
      this.reduce(1, false);
    }
    return true;
  }

  /** The retransmission timer expired: gives up all but what was sent just now, and starts from a window of one. */
  onTimeout(acknowledgedBytes: number, nextBytes: number, repeated: boolean, nowNs: number): void {
    const scoreboard = this.#scoreboard;
    for (let segment = scoreboard.first; segment < scoreboard.next; segment++) {
      const flags = scoreboard.flags(segment);
      if ((flags & SACKED) !== 0 || (flags & (LOST | RETRANSMITTED)) === LOST) continue;
      if (segment === scoreboard.first || !this.#rack.isRecent(scoreboard.sentNs(segment), nowNs)) {
        scoreboard.markLost(segment);
      }
    }
    const window = this.#window;
    const fresh = this.state < RECOVERY;
    if (fresh || acknowledgedBytes >= this.highBytes || (this.state === LOSS && !repeated)) {
      this.#rememberForUndo(acknowledgedBytes);
      window.threshold = this.#control.onLoss(window);
      this.#control.onTimeout(nextBytes, nowNs);
    }
    window.packets = scoreboard.inFlight + 1;
    window.credit = 0;
    this.state = LOSS;
    this.highBytes = nextBytes;
    this.#probingTimeout = fresh || repeated;
    this.sendNewFirst = false;
  }

  /** A tail-loss probe turned out to have repaired a loss: the window falls at once (tcp_process_tlp_ack). */
  onProbeRepairedLoss(): void {
    this.#window.threshold = this.#control.onLoss(this.#window);
    this.#window.packets = this.#window.threshold;
    this.#window.credit = 0;
  }

  #detect(nowNs: number): void {
    if (this.#rack.advanced) this.rackWaitUs = this.#rack.detect(this.state >= RECOVERY, nowNs);
  }

  #rememberForUndo(acknowledgedBytes: number): void {
    this.#undoBytes = acknowledgedBytes;
    this.#priorWindow = this.#window.packets;
    this.#priorThreshold = this.currentThreshold();
  }

  #enterRecovery(nextBytes: number): void {
    const window = this.#window;
    if (!this.reducing) {
      this.#priorWindow = window.packets;
      this.#prrDelivered = 0;
      this.prrOut = 0;
      window.credit = 0;
      window.threshold = this.#control.onLoss(window);
    }
    this.#undoBytes = -1;
    this.highBytes = nextBytes;
    this.state = RECOVERY;
  }

  #endRecovery(): void {
    this.#window.packets = this.#window.threshold;
    this.state = OPEN;
  }

  #setOpenOrDisorder(nextBytes: number): void {
    const state = this.#scoreboard.sackedOut > 0 || this.#scoreboard.retransmittedOut > 0 ? DISORDER : OPEN;
    if (state !== this.state && this.state !== LOSS) {
      this.state = state;
      this.highBytes = nextBytes;
    }
  }

  #onAckInLoss(ack: AckIntake, acknowledgedBytes: number, nextBytes: number, canSendNew: boolean): void {
    const recovered = acknowledgedBytes >= this.highBytes;
    this.sendNewFirst = false;
    if (this.#probingTimeout) {
      if (ack.originalDelivered && this.#undoBytes >= 0) {
        this.#undoTimeout();
        return;
      }
      if (nextBytes > this.highBytes) {
        if (ack.newlySacked > 0 || !ack.advanced) this.#probingTimeout = false;
      } else if (ack.advanced && !recovered) {
        this.highBytes = nextBytes;
        if (canSendNew) {
          this.sendNewFirst = true;
          return;
        }
        this.#probingTimeout = false;
      }
    }
    if (recovered) this.state = OPEN;
  }

  /** The timeout was spurious: takes back the marks and the reduction. */
  #undoTimeout(): void {
    this.#scoreboard.unmarkLost();
    const window = this.#window;
    window.packets = Math.max(window.packets, this.#priorWindow);
    window.threshold = Math.max(window.threshold, this.#priorThreshold);
    this.#undoBytes = -1;
    this.state = OPEN;
  }
}
