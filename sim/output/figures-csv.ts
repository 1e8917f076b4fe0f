import type { FlowResult, Result } from '../run/result.ts';
import { csvLine } from './csv.ts';

/** A figure of a flow as a column of a table: its name with the unit, and how to find it; a flow may lack it. */
export type FigureColumn = readonly [name: string, of: (flow: FlowResult) => number | boolean | undefined];

/** The figures of a flow that tables have. */
export const FIGURE_COLUMNS: readonly FigureColumn[] = [
  ['sent_packets', (flow) => flow.sentPackets],
  ['sent_bytes', (flow) => flow.sentBytes],
  ['dropped_packets', (flow) => flow.droppedPackets],
  ['received_packets', (flow) => flow.receivedPackets],
  ['received_bytes', (flow) => flow.receivedBytes],
  ['packets_per_second', (flow) => flow.packetsPerSecond],
  ['offered_bits_per_second', (flow) => flow.bitsPerSecond.offered],
  ['goodput_bits_per_second', (flow) => flow.bitsPerSecond.goodput],
  ['accounted_bits_per_second', (flow) => flow.bitsPerSecond.accounted],
  ['frame_bits_per_second', (flow) => flow.bitsPerSecond.frame],
  ['wire_bits_per_second', (flow) => flow.bitsPerSecond.wire],
  ['delay_min_seconds', (flow) => flow.delaySeconds.min],
  ['delay_mean_seconds', (flow) => flow.delaySeconds.mean],
  ['delay_p50_seconds', (flow) => flow.delaySeconds.p50],
  ['delay_p95_seconds', (flow) => flow.delaySeconds.p95],
  ['delay_p99_seconds', (flow) => flow.delaySeconds.p99],
  ['delay_max_seconds', (flow) => flow.delaySeconds.max],
  ['transfer_bytes', (flow) => flow.transfer?.bytes],
  ['transfer_seconds', (flow) => flow.transfer?.seconds],
  ['transfer_bits_per_second', (flow) => flow.transfer?.bitsPerSecond],
  ['transfer_limit_bits_per_second', (flow) => flow.transfer?.limitBitsPerSecond],
  ['transfer_deviation_percent', (flow) => flow.transfer?.deviationPercent],
  ['transfer_completed', (flow) => flow.transfer?.completed],
];

/** The flows' figures as CSV: a header, then a line a point and flow, variables first; what a flow lacks is empty. */
export function figuresCsv(results: readonly Result[]): string {
  const points = results.flatMap((result) => result.points.map((point) => ({ file: result.scenario.file, point })));
  const variables = [...new Set(points.flatMap(({ point }) => Object.keys(point.variables)))];
  const lines = points.flatMap(({ file, point }) =>
    Object.entries(point.flows).map(([name, flow]) =>
      csvLine([
        file,
        ...variables.map((variable) => point.variables[variable] ?? ''),
        name,
        ...FIGURE_COLUMNS.map(([, of]) => of(flow) ?? ''),
      ]),
    ),
  );
  return csvLine(['scenario', ...variables, 'flow', ...FIGURE_COLUMNS.map(([name]) => name)]) + lines.join('');
}
