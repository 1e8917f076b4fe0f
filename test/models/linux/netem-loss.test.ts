import { describe, expect, it } from 'vitest';
import { GilbertElliottLoss, StateLoss } from '../../../models/linux/netem-loss.ts';

const drawing = (draws: readonly number[]): (() => number) => {
  let at = 0;
  return () => draws[at++]!;
};
const ALL = 0xffffffff;
const HALF = 0x80000000;

describe('losses of four states', () => {
  const settings = { p13: 100, p31: 10, p32: 20, p23: 30, p14: 5 };
  const lossesOf = (draws: readonly number[], given = settings): boolean[] => {
    const model = new StateLoss(given, drawing(draws));
    return draws.map(() => model.isLost());
  };

  it('a packet alone is lost below p14, and the next one passes whatever is drawn', () => {
    expect(lossesOf([5 - 1, 0, 200])).toEqual([true, false, false]);
  });
  it('a burst begins below p13 + p14 and lasts until a draw below p31 + p32', () => {
    // 104 < 105; 30 is not below 30; 29 is, and not below p32, so the gap begins, in which 105 loses nothing.
    expect(lossesOf([104, 30, 29, 105])).toEqual([true, true, false, false]);
  });
  it('within a burst a packet passes below p32, and the next is lost below p23', () => {
    expect(lossesOf([104, 19, 29, 19, 30])).toEqual([true, false, true, false, false]);
  });
  it('a sum of probabilities beyond one wraps', () => {
    // 2^31 + 2^31 is 0 in 32 bits: from the gap no burst begins.
    expect(lossesOf([HALF, ALL], { ...settings, p13: HALF, p14: HALF })).toEqual([false, false]);
  });
});

describe('losses of Gilbert and Elliott', () => {
  const lossesOf = (draws: readonly number[]): boolean[] => {
    const model = new GilbertElliottLoss({ p: 100, r: 50, passInBad: 1000, lossInGood: 10 }, drawing(draws));
    return Array.from({ length: draws.length / 2 }, () => model.isLost());
  };

  it('takes two draws a packet: the turn, and the loss of the state before it', () => {
    // Good turns bad with 99 and loses with 9; bad loses what is drawn above 1000 and turns good with 49.
    expect(lossesOf([99, 9, 50, 1001, 50, 1000, 49, 1001, 100, 10])).toEqual([true, true, false, true, false]);
  });
});
