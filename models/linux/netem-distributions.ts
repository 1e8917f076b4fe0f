/** Distributions of which netem's delays can be, beside the even one; the name is that of tc's table. */
export const DISTRIBUTIONS = ['normal', 'pareto', 'paretonormal'] as const;

/** The name of a distribution. */
export type DistributionName = (typeof DISTRIBUTIONS)[number];

/** One standard deviation in a table (NETEM_DIST_SCALE). */
export const TABLE_SCALE = 8192;

const ENTRIES = 4096;
const LARGEST_S16 = 32767;
const SMALLEST_S16 = -32768;
/** Quantiles of the normal distribution are found on a grid of so many steps a standard deviation. */
const GRID = 20_000;
/** Points of the inverse normal distribution, of which every fourth is kept. */
const FINE_POINTS = 16_384;
/** The shape of the Pareto distribution; its mean is then 1.5 and its variance 0.75. */
const PARETO_SHAPE = 3;

const tables = new Map<DistributionName, Int16Array>();

/**
 * The table of a distribution with mean 0: entry i of 4096 is its quantile at about i / 4096, in 1/8192 of a standard
 * deviation, within 16 bits. Entries are those of the tables that iproute2 ships, computed.
 *
 * The normal distribution's are the last of a grid of 1/20000 that rounds to point 4i of 16384. The Pareto
 * distribution has shape 3, less its mean 1.5, scaled by 4/3, which is the inverse of its variance. `paretonormal` is a
 * quarter of the first and three quarters of the second, cut towards 0.
 */
export function distributionTable(name: DistributionName): Int16Array {
  let table = tables.get(name);
  if (table === undefined) {
    const entry = { normal, pareto, paretonormal }[name];
    table = Int16Array.from({ length: ENTRIES }, (_, index) => entry(index));
    tables.set(name, table);
  }
  return table;
}

function normal(index: number): number {
  return heldIn16Bits(normalPoint(index));
}

function pareto(index: number): number {
  const share = 1 - index / ENTRIES;
  const value = (share ** (-1 / PARETO_SHAPE) - 1.5) * (4 / 3) * TABLE_SCALE;
  return Math.round(Math.min(value, LARGEST_S16));
}

function paretonormal(index: number): number {
  return heldIn16Bits(Math.trunc((normalPoint(index) + 3 * pareto(index)) / 4));
}

function normalPoint(index: number): number {
  const probability = (4 * index + 0.5) / FINE_POINTS;
  let low = -10 * GRID;
  let high = 10 * GRID;
  // The last point of the grid that does not lie beyond the probability.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (normalProbability(middle / GRID) <= probability) low = middle;
    else high = middle;
  }
  return Math.round((low / GRID) * TABLE_SCALE);
}

/** The cumulative normal distribution, by its series around 0: φ(x)·(x + x³/3 + x⁵/15 + …) + 1/2. */
function normalProbability(x: number): number {
  if (Math.abs(x) > 8) return x < 0 ? 0 : 1;
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > 1e-18; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

function heldIn16Bits(value: number): number {
  return Math.min(Math.max(value, SMALLEST_S16), LARGEST_S16);
}
