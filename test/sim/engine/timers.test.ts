import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimeReversalError, type TimerHandler, Timers } from '../../../sim/engine/timers.ts';

/** Notes every expiry and runs what a test wants to happen then. */
class Recorder implements TimerHandler {
  readonly seen: [number, number][] = [];
  react: (timer: number, nowNs: number) => void = () => {};

  onTimer(timer: number, nowNs: number): void {
    this.seen.push([nowNs, timer]);
    this.react(timer, nowNs);
  }
}

function timersWith(ranks: readonly number[]): { timers: Timers; recorder: Recorder } {
  const timers = new Timers(0);
  const recorder = new Recorder();
  for (const rank of ranks) timers.register(recorder, rank);
  return { timers, recorder };
}

// Eight timers are scanned, nine are kept in a heap: every rule must hold for both.
describe.each([
  ['scanned', 3],
  ['in a heap', 40],
])('timers %s', (_, extra) => {
  const ranks = (given: readonly number[]): number[] => [...given, ...Array.from({ length: extra }, () => 9)];

  it('expire in order of time', () => {
    const { timers, recorder } = timersWith(ranks([0, 0, 0]));
    timers.arm(0, 30);
    timers.arm(1, 10);
    timers.arm(2, 20);
    timers.runUntil(100);
    expect(recorder.seen).toEqual([
      [10, 1],
      [20, 2],
      [30, 0],
    ]);
    expect(timers.nowNs).toBe(100);
    expect(timers.events).toBe(3);
  });

  it('expire at one instant by rank, then by order of registration', () => {
    const { timers, recorder } = timersWith(ranks([2, 1, 1, 0]));
    for (const timer of [0, 2, 1, 3]) timers.arm(timer, 5);
    timers.runUntil(6);
    expect(recorder.seen.map(([, timer]) => timer)).toEqual([3, 1, 2, 0]);
  });

  it('are moved by arming them again, earlier or later', () => {
    const { timers, recorder } = timersWith(ranks([0, 0, 0]));
    timers.arm(0, 10);
    timers.arm(1, 20);
    timers.arm(2, 30);
    timers.arm(0, 40);
    timers.arm(2, 5);
    timers.runUntil(100);
    expect(recorder.seen).toEqual([
      [5, 2],
      [20, 1],
      [40, 0],
    ]);
  });

  it('do not expire after they are cancelled', () => {
    const { timers, recorder } = timersWith(ranks([0, 0]));
    timers.arm(0, 10);
    timers.arm(1, 20);
    timers.cancel(0);
    timers.cancel(0);
    expect(timers.expiry(0)).toBe(Number.POSITIVE_INFINITY);
    timers.runUntil(100);
    expect(recorder.seen).toEqual([[20, 1]]);
  });

  it('may be armed by handlers for the same instant', () => {
    const { timers, recorder } = timersWith(ranks([1, 0]));
    recorder.react = (timer, nowNs) => {
      if (timer === 0 && recorder.seen.length < 4) timers.arm(1, nowNs);
      if (timer === 1) timers.arm(0, nowNs + 1);
    };
    timers.arm(0, 1);
    timers.runUntil(100);
    expect(recorder.seen).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
      [3, 0],
    ]);
  });

  it('at the end of the run wait for the next', () => {
    const { timers, recorder } = timersWith(ranks([0]));
    timers.arm(0, 10);
    timers.runUntil(10);
    expect(recorder.seen).toEqual([]);
    expect(timers.nextNs()).toBe(10);
    timers.runUntil(11);
    expect(recorder.seen).toEqual([[10, 0]]);
  });

  it('refuse the past', () => {
    const { timers } = timersWith(ranks([0]));
    timers.runUntil(50);
    expect(() => timers.arm(0, 49)).toThrow(TimeReversalError);
    expect(() => timers.arm(0, 49)).toThrow('armed for 49 ns at 50 ns');
  });
});

it('expire as a sorted list of (time, rank, number) says, whatever is armed, moved and cancelled', () => {
  const action = fc.record({ timer: fc.nat(29), time: fc.nat(50), cancel: fc.boolean() });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.nat(3), { minLength: 30, maxLength: 30 }),
      fc.array(action),
      (count, ranks, actions) => {
        const { timers, recorder } = timersWith(ranks.slice(0, count));
        const armed = new Map<number, number>();
        for (const { timer, time, cancel } of actions) {
          if (timer >= count) continue;
          if (cancel) {
            timers.cancel(timer);
            armed.delete(timer);
          } else {
            timers.arm(timer, time);
            armed.set(timer, time);
          }
        }
        timers.runUntil(1000);
        const expected = [...armed].map(([timer, time]): [number, number] => [time, timer]);
        expected.sort(([timeA, a], [timeB, b]) => timeA - timeB || ranks[a]! - ranks[b]! || a - b);
        expect(recorder.seen).toEqual(expected);
      },
    ),
  );
});

it('timers registered while running take part at once', () => {
  const timers = new Timers(0);
  const recorder = new Recorder();
  const first = timers.register(recorder, 0);
  recorder.react = (timer, nowNs) => {
    if (timer === first) for (let i = 0; i < 20; i++) timers.arm(timers.register(recorder, 0), nowNs + 20 - i);
  };
  timers.arm(first, 1);
  timers.runUntil(100);
  expect(recorder.seen.map(([time]) => time)).toEqual([1, ...Array.from({ length: 20 }, (_, i) => 2 + i)]);
});
