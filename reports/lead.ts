import type { Chart } from './chart.ts';
import type { Explanation } from './explanation.ts';
import { aboutReading, readingWords } from './facts.ts';
import { type ChartSource, LEVEL_WORDS, type Reading } from './reading.ts';
import { type About, explanationOf, whyOf } from './why.ts';

/** What the page found, and why it is so: both about the same. */
export interface Lead {
  readonly what: string | undefined;
  readonly why: string;
  /** What of a packet counts in the rates of `what`. */
  readonly counted: string | undefined;
  /** The arithmetic that is about it, whether or not it comes to the same. */
  readonly explanation: Explanation | undefined;
}

/** Charts of one run over time: what they show is told where no rate strays. */
const OVER_TIME = /^(?:throughput|tokens|backlog|delay)\b/;
/** A deviation from here on is worth the headline of a single run (percent). */
const REMARKABLE_PERCENT = 0.5;

/**
 * The finding that a page leads with.
 *
 * @param differences what two scenarios set differently, in words; the reason where they are compared
 */
export function leadOf(
  source: ChartSource,
  charts: readonly Chart[],
  explanations: readonly Explanation[],
  differences = '',
): Lead {
  const chart = leadingChart(charts.filter((c) => !isPlain(c)));
  if (chart?.name === 'comparison') {
    return { what: chart.title, counted: chart.counted, why: differences, explanation: undefined };
  }
  const { look } = source;
  const reading = leadingReading(look?.readings ?? []);
  const ofReading = look === undefined || reading === undefined ? undefined : aboutReading(look, reading);
  const isStraying =
    Math.abs(reading?.deviationPercent ?? 0) >= REMARKABLE_PERCENT ||
    (reading?.excuse === 'offers less' && look?.readings.length === 1);
  const overTime = chart === undefined || OVER_TIME.test(chart.name);
  const isRegular = chart?.name.startsWith('class-tree') === true && chart.strayPercent === 0;
  if (
    reading !== undefined &&
    ((overTime && (chart?.about === undefined || isStraying)) || (isRegular && isStraying))
  ) {
    const counted = reading.configuredBitsPerSecond === undefined ? undefined : LEVEL_WORDS[reading.level];
    return leadFrom(readingWords(reading), counted, ofReading, explanations);
  }
  return {
    ...leadFrom(chart?.title, chart?.counted, chart?.about, explanations),
    ...(chart?.reason === undefined ? {} : { why: chart.reason }),
  };
}

function leadFrom(
  what: string | undefined,
  counted: string | undefined,
  about: About | undefined,
  explanations: readonly Explanation[],
): Lead {
  return {
    what,
    counted,
    why: about === undefined ? '' : whyOf(about, explanations),
    explanation: about === undefined ? undefined : explanationOf(about, explanations),
  };
}

/** Whether a chart shows transfers of which none misses what it is entitled to. */
function isPlain({ name, about }: Chart): boolean {
  return name.startsWith('transfer') && about === undefined;
}

/** The first chart, or that of its kind whose worst strays farthest. */
function leadingChart(charts: readonly Chart[]): Chart | undefined {
  const kindOf = (chart: Chart): string => chart.name.replace(/-\d+$/, '');
  const [first, ...others] = charts;
  return others.reduce<Chart | undefined>(
    (lead, chart) =>
      lead !== undefined &&
      kindOf(chart) === kindOf(lead) &&
      (chart.strayPercent ?? 0) > (lead.strayPercent ?? 0) * (1 + 1e-9)
        ? chart
        : lead,
    first,
  );
}

/** The reading that strays farthest; where none does, the first that is bounded. */
function leadingReading(readings: readonly Reading[]): Reading | undefined {
  const strayed = readings.reduce<Reading | undefined>(
    (a, b) => (Math.abs(b.deviationPercent ?? 0) > Math.abs(a?.deviationPercent ?? 0) * (1 + 1e-9) ? b : a),
    undefined,
  );
  return strayed ?? readings.find((r) => r.configuredBitsPerSecond !== undefined) ?? readings[0];
}
