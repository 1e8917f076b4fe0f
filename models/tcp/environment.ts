import type { TimerOwner } from '../model.ts';
import type { PacketPool } from '../packet.ts';

/** Timers by handle. */
export interface TimerService {
  /** Registers a timer. */
  newTimer(owner: TimerOwner): number;
  /** Arms a timer for `timeNs`, replacing what it was armed for; Infinity disarms it. */
  wakeAt(timer: number, timeNs: number): void;
}

/** What a TCP connection is handed of the outside: packets, the two directions of its path, and timers. */
export interface TcpEnvironment extends TimerService {
  readonly packets: PacketPool;
  /** Takes a packet of the sending host into the first hop of the path; the network owns it from then on. */
  sendData(packet: number, nowNs: number): void;
  /** Takes a packet of the receiving host into the return path, which delays and never loses. */
  sendAck(packet: number, nowNs: number): void;
}

/**
 * A timer whose deadline mostly moves away: the environment is asked again only when the deadline comes nearer, and
 * an expiry before the deadline re-arms. A retransmission timer pushed back by every ACK so costs nothing an ACK.
 */
export class Deadline {
  /** When the owner wants to be woken (ns); Infinity: not at all. */
  timeNs = Number.POSITIVE_INFINITY;
  /** The handle that the owner's `onTimer` receives. */
  readonly timer: number;
  #armedNs = Number.POSITIVE_INFINITY;
  readonly #environment: TimerService;

  constructor(environment: TimerService, owner: TimerOwner) {
    this.#environment = environment;
    this.timer = environment.newTimer(owner);
  }

  /** Sets the deadline; Infinity clears it. */
  set(timeNs: number): void {
    this.timeNs = timeNs;
    if (timeNs < this.#armedNs) {
      this.#armedNs = timeNs;
      this.#environment.wakeAt(this.timer, timeNs);
    }
  }

  /** To be asked at every expiry: whether the deadline is reached; it is then cleared. */
  reached(nowNs: number): boolean {
    this.#armedNs = Number.POSITIVE_INFINITY;
    if (nowNs < this.timeNs) {
      if (this.timeNs !== Number.POSITIVE_INFINITY) this.set(this.timeNs);
      return false;
    }
    this.timeNs = Number.POSITIVE_INFINITY;
    return true;
  }
}
