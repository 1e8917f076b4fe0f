import { type TimerHandler, Timers } from '../../sim/engine/timers.ts';

/** The hold operation: each event is replaced by a later one, so that the number of pending events stays the same. */
class Holder implements TimerHandler {
  #state = 12345;
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  onTimer(timer: number, nowNs: number): void {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    this.#timers.arm(timer, nowNs + 1 + (this.#state >>> 8));
  }
}

const pending = Number(process.argv[2]);
const timers = new Timers(0);
const holder = new Holder(timers);
for (let i = 0; i < pending; i++) timers.arm(timers.register(holder, 0), i);
/** Mean gap between a timer's events, so that `events` take events / pending of them. */
const MEAN_GAP_NS = 2 ** 23;
const spanNs = (events: number): number => Math.ceil((events / pending) * MEAN_GAP_NS);
timers.runUntil(spanNs(1e6));
const begin = process.hrtime.bigint();
const before = timers.events;
timers.runUntil(timers.nowNs + spanNs(5e6));
console.log((((timers.events - before) * 1e3) / Number(process.hrtime.bigint() - begin)).toFixed(3));
