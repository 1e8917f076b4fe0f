import { rounded } from './chart.ts';
import { type Column, columnsOf } from './figure.ts';
import type { ChartSource } from './reading.ts';

/** All runs for the page's script: what a cell of a heat map leads to, and the CSV file of all runs. */
export interface GridData {
  /** The scenario file of each result, for the command that runs one point. */
  readonly files: readonly string[];
  readonly variables: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
}

/** Tells the page of all runs, one row for each flow. */
export function gridData(source: ChartSource): GridData {
  const rows = source.points.flatMap((read) =>
    read.readings.map((r) => {
      const flow = r.point.flows[r.flow];
      return {
        result: r.resultIndex,
        point: r.pointIndex,
        ...Object.fromEntries(source.varying.map((name) => [`var:${name}`, read.point.variables[name] ?? null])),
        flow: r.flow,
        configured: r.configuredBitsPerSecond === undefined ? null : rounded(r.configuredBitsPerSecond),
        received: rounded(r.receivedBitsPerSecond),
        packets: rounded(flow?.packetsPerSecond ?? 0),
        dropped: flow?.droppedPackets ?? 0,
        p50: Number((flow?.delaySeconds.p50 ?? 0).toPrecision(4)),
        p99: Number((flow?.delaySeconds.p99 ?? 0).toPrecision(4)),
        failed: read.point.expectations.filter((e) => !e.passed).length,
      };
    }),
  );
  return { files: source.results.map((r) => r.scenario.file), variables: source.varying, columns: columnsOf(rows) };
}
