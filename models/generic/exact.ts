const PIECE = 4096;

/**
 * floor(a * b / c), exact where the product does not fit a double.
 *
 * All are non-negative integers; `a` and `c` below 2^40, `b` and the result below 2^53.
 */
export function multiplyDivide(a: number, b: number, c: number): number {
  const product = a * b;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / c);
  let scale = 1;
  while (scale * PIECE <= b) scale *= PIECE;
  let quotient = 0;
  let remainder = 0;
  let rest = b;
  // Long division in base 4096: remainder < c < 2^40, so each step stays below 2^53.
  for (; scale >= 1; scale /= PIECE) {
    const digit = Math.floor(rest / scale);
    rest -= digit * scale;
    const numerator = remainder * PIECE + a * digit;
    const whole = Math.floor(numerator / c);
    quotient = quotient * PIECE + whole;
    remainder = numerator - whole * c;
  }
  return quotient;
}
