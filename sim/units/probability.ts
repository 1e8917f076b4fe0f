import { splitNumber } from './number-text.ts';
import { UnitError } from './unit-error.ts';

/**
 * Reads a probability: `0.1%` or `0.001`. A bare number is the probability itself (tc would read it as percent).
 *
 * @returns 0 to 1
 * @throws UnitError
 */
export function parseProbability(text: string): number {
  const number = splitNumber(text);
  const isPercent = number?.suffix === '%';
  if (number === undefined || (number.suffix !== '' && !isPercent)) {
    throw new UnitError('a probability such as 0.1% or 0.001', JSON.stringify(text));
  }
  const probability = isPercent ? number.value / 100 : number.value;
  if (probability >= 0 && probability <= 1) return probability;
  const hint = !isPercent && probability > 1 && probability <= 100 ? `did you mean ${text}%?` : undefined;
  throw new UnitError('a probability from 0 to 1 (0% to 100%)', JSON.stringify(text), hint);
}
