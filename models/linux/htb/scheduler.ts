import { invariant } from '../../model.ts';
import type { RecurrencePass } from '../../recurrence.ts';
import type { KernelRules } from '../kernels.ts';
import {
  CAN_SEND,
  CANT_SEND,
  type HtbClass,
  type HtbTree,
  LEVELS,
  MAY_BORROW,
  PRIORITIES,
  TOKEN_SPAN_SECONDS,
} from './htb-class.ts';
import { lowestBit, type RankSet } from './rank-set.ts';
import { WaitQueue } from './wait-queue.ts';

/** After so long, a level without waiting classes is looked at again (s). */
const IDLE_LEVEL_SECONDS = 1;

/**
 * Who may send, and whose turn it is: modes and tokens of the classes, rows and feeds, waiting classes.
 *
 * A class that may send at its own rate is in a row of its level; one that may borrow is in a feed of its parent, and so
 * on up to an ancestor that is in a row. Instants are ticks of the kernel's clock; `begin` sets the clock for what
 * follows. From net/sched/sch_htb.c, 2.6.22 to 6.18; the methods name its functions.
 */
export class HtbScheduler {
  /** Priorities of each level's rows that are not empty (a bit each), and the levels that have any. */
  readonly rowMask = new Int32Array(LEVELS);
  #rowLevels = 0;
  /** Times that a class became CANT_SEND. */
  limitReached = 0;

  readonly #kernel: KernelRules;
  readonly #rows: readonly RankSet<HtbClass>[];
  readonly #levels: readonly (readonly HtbClass[])[];
  readonly #waiting: readonly WaitQueue[];
  readonly #nearEvent = new Float64Array(LEVELS);
  /** The earliest of them. */
  #soonest = 0;
  readonly #contested: number = 0;
  readonly #hysteresis: boolean;
  /** When a level without waiting classes is looked at again (ticks). */
  readonly #idleLevelTicks: number = 0;
  readonly #tokenSpan: number = 0;
  readonly #stack: RankSet<HtbClass>[] = [];
  #now = 0;

  /**
   * `looksAtIdleLevels`: as the kernel, once a second; a late watchdog can meet a class that is due by then. Otherwise the
   * look is left out: where timers are exact nothing departs differently, and before 5.2 the qdisc counts up to one
   * overlimit a second less.
   */
  constructor(kernel: KernelRules, tree: HtbTree, hysteresis: boolean, looksAtIdleLevels: boolean) {
    this.#kernel = kernel;
    this.#rows = tree.rows;
    this.#levels = tree.levels;
    this.#waiting = tree.levels.map((members) => new WaitQueue(members.length));
    this.#contested = tree.contested;
    this.#hysteresis = hysteresis;
    this.#idleLevelTicks = looksAtIdleLevels ? IDLE_LEVEL_SECONDS * kernel.ticksPerSecond : Number.POSITIVE_INFINITY;
    this.#tokenSpan = TOKEN_SPAN_SECONDS * kernel.ticksPerSecond;
  }

  /** Tells of rows, waiting classes and instants. */
  visit(pass: RecurrencePass): void {
    const { tickNs } = this.#kernel;
    this.limitReached = pass.counter(this.limitReached);
    for (let level = 0; level < LEVELS; level++) {
      pass.plain(this.rowMask[level]!);
      // Where no class waits, the instant only makes a dequeue look at the level, once a second.
      const isLook = this.#waiting[level]!.count === 0 && this.#idleLevelTicks !== Number.POSITIVE_INFINITY;
      if (isLook) pass.horizon(this.#nearEvent[level]!, tickNs);
      else this.#nearEvent[level] = pass.due(this.#nearEvent[level]!, tickNs);
      this.#waiting[level]!.visit(pass, tickNs);
    }
    this.#soonest = Math.min(...this.#nearEvent);
    this.#rows.forEach((row, index) => {
      row.visit(pass, (this.#contested & (1 << (index % PRIORITIES))) !== 0);
    });
  }

  /** Sets the clock, for a dequeue; false: nothing is due, and no class may send. */
  begin(nowTicks: number): boolean {
    this.#now = nowTicks;
    return this.#rowLevels !== 0 || nowTicks >= this.#soonest;
  }

  /** Handles what is due on a level, if anything can be. */
  handleDue(level: number): void {
    if (this.#now < this.#nearEvent[level]!) return;
    this.#nearEvent[level] = this.#handleEvents(level);
    let soonest = this.#nearEvent[0]!;
    for (let other = 1; other < LEVELS; other++) soonest = Math.min(soonest, this.#nearEvent[other]!);
    this.#soonest = soonest;
  }

  /**
   * The next instant at which a class changes, once a dequeue has found nothing on any level: a second ahead at most. (The
   * kernel looks five seconds ahead at most, which therefore never matters.)
   */
  get nextTicks(): number {
    return this.#soonest;
  }

  /** Wakes the classes of a level whose wait is over (htb_do_events). */
  #handleEvents(level: number): number {
    const now = this.#now;
    const waiting = this.#waiting[level]!;
    const members = this.#levels[level]!;
    const { ticksPerSecond, eventsPerDequeue } = this.#kernel;
    for (let handled = 0; handled < eventsPerDequeue; handled++) {
      if (waiting.count === 0) return now + this.#idleLevelTicks;
      if (waiting.firstTicks > now) return waiting.firstTicks;
      const entry = members[waiting.first]!;
      waiting.remove(entry.rowRank);
      const elapsed = Math.min(now - entry.checkpointTicks, this.#tokenSpan);
      this.#changeMode(entry, elapsed);
      if (entry.mode !== CAN_SEND) this.#wait(entry, elapsed);
    }
    return now + Math.floor(ticksPerSecond / 10);
  }

  /** Lets a class wait for its next change (htb_add_to_wait_tree). */
  #wait(entry: HtbClass, elapsed: number): void {
    const waitTicks = entry.changeTicks(elapsed, this.#now);
    const level = entry.level;
    if (waitTicks < this.#nearEvent[level]!) this.#nearEvent[level] = waitTicks;
    if (waitTicks < this.#soonest) this.#soonest = waitTicks;
    this.#waiting[level]!.add(entry.rowRank, waitTicks);
  }

  /** Moves a class to its mode `elapsed` ticks after its checkpoint (htb_change_class_mode). */
  #changeMode(entry: HtbClass, elapsed: number): void {
    const old = entry.mode;
    const mode = entry.modeAfter(elapsed, this.#hysteresis);
    if (mode === old) return;
    if (mode === CANT_SEND) this.limitReached++;
    const linked = entry.active !== 0;
    if (linked && old !== CANT_SEND) this.#unlink(entry);
    entry.enter(mode);
    if (linked && mode !== CANT_SEND) this.#link(entry);
  }

  /** Lets a leaf take turns, now that it has packets (htb_activate). */
  activate(leaf: HtbClass): void {
    leaf.active = 1 << leaf.priority;
    this.#link(leaf);
  }

  /** Ends the turns of a leaf that has no packets left (htb_deactivate). */
  deactivate(leaf: HtbClass): void {
    this.#unlink(leaf);
    leaf.active = 0;
  }

  /** Puts an active class where it can be served from (htb_activate_prios). */
  #link(start: HtbClass): void {
    let entry = start;
    let mask = entry.active;
    while (mask !== 0 && entry.mode === MAY_BORROW && entry.parent !== undefined) {
      const parent = entry.parent;
      for (let left = mask; left !== 0; left &= left - 1) {
        const priority = lowestBit(left);
        const feed = parent.feeds[priority]!;
        if (feed.count !== 0) mask &= ~(1 << priority);
        feed.add(entry.feedRank);
      }
      parent.active |= mask;
      entry = parent;
    }
    if (mask === 0 || entry.mode !== CAN_SEND) return;
    const level = entry.level;
    this.rowMask[level]! |= mask;
    this.#rowLevels |= 1 << level;
    for (let left = mask; left !== 0; left &= left - 1) {
      this.#rows[level * PRIORITIES + lowestBit(left)]!.add(entry.rowRank);
    }
  }

  /** Takes an active class out of where it is served from (htb_deactivate_prios). */
  #unlink(start: HtbClass): void {
    let entry = start;
    let mask = entry.active;
    while (mask !== 0 && entry.mode === MAY_BORROW && entry.parent !== undefined) {
      const parent = entry.parent;
      const rank = entry.feedRank;
      let emptied = 0;
      for (let left = mask; left !== 0; left &= left - 1) {
        const priority = lowestBit(left);
        const feed = parent.feeds[priority]!;
        if (feed.pointer === rank) {
          feed.resume = rank;
          feed.pointer = -1;
        }
        feed.remove(rank);
        if (feed.count === 0) emptied |= 1 << priority;
      }
      mask = emptied;
      parent.active &= ~mask;
      entry = parent;
    }
    if (mask === 0 || entry.mode !== CAN_SEND) return;
    const level = entry.level;
    const rank = entry.rowRank;
    for (let left = mask; left !== 0; left &= left - 1) {
      const priority = lowestBit(left);
      const row = this.#rows[level * PRIORITIES + priority]!;
      row.remove(rank);
      if (row.pointer === rank) row.advance();
      if (row.count === 0) this.rowMask[level]! &= ~(1 << priority);
    }
    if (this.rowMask[level] === 0) this.#rowLevels &= ~(1 << level);
  }

  /** The leaf whose turn it is below a row that is not empty (htb_lookup_leaf). */
  lookup(priority: number, level: number): HtbClass {
    const stack = this.#stack;
    let depth = 0;
    let set = this.#rows[level * PRIORITIES + priority]!;
    invariant(set.count !== 0, 'a row that is served has members');
    for (;;) {
      if (set.pointer < 0 && set.resume >= 0) set.pointer = set.next(set.resume);
      set.resume = -1;
      if (set.pointer < 0) {
        // Past the end: the next walk starts at the smallest id, and the level above goes on to its next class.
        set.pointer = set.next(0);
        if (depth > 0) {
          set = stack[--depth]!;
          set.advance();
        }
        continue;
      }
      const entry = set.candidates[set.pointer]!;
      if (entry.level === 0) return entry;
      stack[depth++] = set;
      set = entry.feeds[priority]!;
    }
  }

  /** Passes the turn of a leaf that was served from `level` to the next one of the set that chose it. */
  passTurn(leaf: HtbClass, level: number): void {
    const set = level === 0 ? this.#rows[leaf.priority]! : leaf.parent!.feeds[leaf.priority]!;
    set.advance();
  }

  /** Charges a packet to a leaf and all above it (htb_charge_class). */
  charge(leaf: HtbClass, level: number, sizeBytes: number, segments: number): void {
    const now = this.#now;
    const span = this.#tokenSpan;
    const least = 1 - span;
    for (let entry: HtbClass | undefined = leaf; entry !== undefined; entry = entry.parent) {
      const elapsed = Math.min(now - entry.checkpointTicks, span);
      if (entry.level >= level) {
        if (entry.level === level) entry.lended++;
        entry.payOwn(elapsed, sizeBytes, least);
      } else {
        entry.borrowed++;
        entry.tokens += elapsed;
        entry.payCeil(elapsed, sizeBytes, least);
      }
      entry.checkpointTicks = now;

      const old = entry.mode;
      this.#changeMode(entry, 0);
      if (entry.mode !== old) {
        if (old !== CAN_SEND) this.#waiting[entry.level]!.remove(entry.rowRank);
        if (entry.mode !== CAN_SEND) this.#wait(entry, 0);
      }
      entry.departedPackets += segments;
      entry.departedBytes += sizeBytes;
    }
  }
}
