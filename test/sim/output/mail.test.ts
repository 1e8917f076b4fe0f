import { expect, it } from 'vitest';
import { formatMail } from '../../../sim/output/mail.ts';
import type { TransferResult } from '../../../sim/run/result.ts';

function transfer(seconds: number, completed = true): TransferResult {
  const bitsPerSecond = (5_242_880 * 8) / seconds;
  const deviationPercent = 100 * (bitsPerSecond / 8e6 - 1);
  return { bytes: 5_242_880, seconds, bitsPerSecond, limitBitsPerSecond: 8e6, deviationPercent, completed };
}

it('prints one line a transfer, then the mean and the largest deviation', () => {
  expect(formatMail([transfer(5.008767), transfer(5.5)])).toEqual([
    'time=5009 ms, dnld=5242880 B, speed=8373925 bps, spd_diff=373925 bps, pct=4.7 %',
    'time=5500 ms, dnld=5242880 B, speed=7626007 bps, spd_diff=-373993 bps, pct=-4.7 %',
    'avg_deviation=-0.0 %',
    'max_deviation=-4.7 %',
  ]);
});

it('marks a transfer that did not finish and leaves it out of the deviations', () => {
  expect(formatMail([transfer(5, false)])).toEqual([
    'time=5000 ms, dnld=5242880 B, speed=8388608 bps, spd_diff=388608 bps (not completed)',
  ]);
});

it('prints nothing for no transfers', () => {
  expect(formatMail([])).toEqual([]);
});
