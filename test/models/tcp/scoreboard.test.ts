import { describe, expect, test } from 'vitest';
import { EVER_RETRANSMITTED, LOST, SACKED, Scoreboard } from '../../../models/tcp/scoreboard.ts';

/** A scoreboard of `count` segments of 100 bytes, segment i sent at i ns. */
function scoreboard(count: number): Scoreboard {
  const board = new Scoreboard();
  for (let segment = 0; segment < count; segment++) board.push((segment + 1) * 100, segment);
  return board;
}

/** SACKs the segments of [first, last) and returns those that were new. */
function sack(board: Scoreboard, ...ranges: (readonly [number, number])[]): number[] {
  const seen: number[] = [];
  board.beginSack();
  for (const [first, last] of ranges) {
    board.sackRange(first * 100, last * 100, { onSacked: (segment) => seen.push(segment) }, 1000);
  }
  board.endSack();
  return seen;
}

/** Segments of the chain, oldest transmission first. */
function chain(board: Scoreboard): number[] {
  const segments: number[] = [];
  for (let segment = board.oldest; segment >= 0; segment = board.newer(segment)) segments.push(segment);
  return segments;
}

describe('a scoreboard', () => {
  test('counts in flight what is neither SACKed nor lost, and what was sent again', () => {
    const board = scoreboard(10);
    sack(board, [3, 6]);
    board.markLost(2);
    expect(board.inFlight).toBe(10 - 3 - 1);
    board.resend(2, 100);
    expect(board.inFlight).toBe(10 - 3);
  });

  test('tells of each SACKed segment once, though blocks come again with every ACK', () => {
    const board = scoreboard(20);
    expect(sack(board, [4, 6])).toEqual([4, 5]);
    expect(sack(board, [4, 8])).toEqual([6, 7]);
    expect(sack(board, [10, 12], [4, 8])).toEqual([10, 11]);
    expect(sack(board, [2, 15])).toEqual([2, 3, 8, 9, 12, 13, 14]);
    expect(board.sackedOut).toBe(13);
  });

  test('offers lost segments for repair in order, and again when a repair is lost', () => {
    const board = scoreboard(6);
    for (const segment of [4, 1]) board.markLost(segment);
    expect(board.nextRepair()).toBe(1);
    board.resend(1, 100);
    expect(board.nextRepair()).toBe(4);
    board.resend(4, 101);
    expect(board.nextRepair()).toBe(-1);
    board.markLost(1);
    expect(board.nextRepair()).toBe(1);
    expect(board.lostTotal).toBe(3);
  });

  test('chains transmissions in order of time: repairs are the newest', () => {
    const board = scoreboard(5);
    board.markLost(1);
    expect(chain(board)).toEqual([0, 2, 3, 4]);
    board.resend(1, 100);
    expect(chain(board)).toEqual([0, 2, 3, 4, 1]);
    sack(board, [2, 4]);
    expect(chain(board)).toEqual([0, 4, 1]);
  });

  test('forgets acknowledged segments with all that was counted of them', () => {
    const board = scoreboard(5);
    board.markLost(0);
    board.resend(0, 100);
    sack(board, [1, 3]);
    const flags = [board.shift(), board.shift(), board.shift()];
    expect(flags[0]! & (LOST | EVER_RETRANSMITTED)).toBe(LOST | EVER_RETRANSMITTED);
    expect(flags[1]! & SACKED).toBe(SACKED);
    expect([board.packetsOut, board.inFlight, board.sackedOut, board.lostOut, board.retransmittedOut]).toEqual([
      2, 2, 0, 0, 0,
    ]);
    expect(chain(board)).toEqual([3, 4]);
  });

  test('takes marks of a loss back, oldest transmissions first again', () => {
    const board = scoreboard(5);
    for (const segment of [0, 1, 2]) board.markLost(segment);
    board.resend(0, 100);
    board.unmarkLost();
    expect(board.lostOut).toBe(0);
    expect(chain(board)).toEqual([1, 2, 3, 4, 0]);
  });

  test('keeps its contents while it grows', () => {
    const board = scoreboard(1000);
    for (let segment = 0; segment < 990; segment++) board.shift();
    for (let segment = 1000; segment < 3000; segment++) board.push((segment + 1) * 100, segment);
    expect(board.endBytes(995)).toBe(99_600);
    expect(board.segmentAt(250_000)).toBe(2500);
    expect(chain(board)).toHaveLength(2010);
  });
});
