import type { Chart } from '../chart.ts';
import type { ChartSource } from '../reading.ts';
import { backlogCharts } from './backlog.ts';
import { classTreeCharts } from './class-tree.ts';
import { comparisonCharts } from './comparison.ts';
import { delayCharts } from './delay.ts';
import { heatMapCharts } from './heat-map.ts';
import { overshootCharts } from './overshoot.ts';
import { responseCharts } from './response.ts';
import { staircaseCharts } from './staircase.ts';
import { throughputCharts } from './throughput.ts';
import { tokensCharts } from './tokens.ts';
import { transferCharts } from './transfer.ts';

/** Every kind of chart, in the order of the page; each decides whether the results hold what it shows. */
const KINDS: readonly ((source: ChartSource) => Chart[])[] = [
  comparisonCharts,
  staircaseCharts,
  heatMapCharts,
  responseCharts,
  overshootCharts,
  transferCharts,
  classTreeCharts,
  throughputCharts,
  tokensCharts,
  backlogCharts,
  delayCharts,
];

/** The charts that the results have the data for. */
export function chooseCharts(source: ChartSource): Chart[] {
  return KINDS.flatMap((kind) => kind(source));
}
