import { visible } from '../scenario/visible-text.ts';
import { deviation, droppedShare, figureColumn, fixed } from './figures.ts';
import type { FlowReading, Level, PointReading } from './reading.ts';
import { type Column, fitColumns, renderTable } from './table.ts';
import type { Style, Terminal } from './terminal.ts';

/** Names of the levels in headers. */
const LEVEL_HEADERS: Readonly<Record<Level, string>> = {
  offered: 'offered',
  goodput: 'payload',
  accounted: 'accounted',
  frame: 'frame',
  wire: 'wire',
  transfer: 'transfer',
};

/** A sweep as a table: a row a point with columns by flow, or, where that is too wide, a row a point and flow. */
export function sweepTable(readings: readonly PointReading[], terminal: Terminal, style: Style): string[] {
  const flows = [...new Set(readings.flatMap((reading) => reading.flows.map(({ flow }) => flow)))];
  const columns = [
    ...variableColumns(readings),
    ...flows.flatMap((flow) => flowColumns(flow, readings, flows.length > 1)),
    ...referenceColumns(readings),
    ...verdictColumn(readings, style),
  ];
  const fitting = fitColumns(columns, terminal.columns);
  if (fitting !== undefined) return renderTable(fitting, style.dim);
  const rows = readings.flatMap((reading) =>
    reading.flows.length === 0 ? [reading] : reading.flows.map((flow) => ({ ...reading, flows: [flow] })),
  );
  const tall = [
    ...variableColumns(rows),
    left(
      'flow',
      rows.map((row) => row.flows[0]?.flow ?? ''),
      0,
    ),
    ...flowColumns(undefined, rows, false),
    ...verdictColumn(rows, style),
  ];
  return renderTable(fitColumns(tall, terminal.columns) ?? tall.filter(({ dropRank }) => dropRank === 0), style.dim);
}

/** Variables that differ between points; all of them where none does. */
function variableColumns(readings: readonly PointReading[]): Column[] {
  const names = [...new Set(readings.flatMap(({ point }) => Object.keys(point.variables)))];
  const columns = names.map((name) =>
    right(
      visible(name),
      readings.map(({ point }) => visible(point.variables[name] ?? '')),
      0,
    ),
  );
  const varying = columns.filter(({ cells }) => cells.some((cell) => cell !== cells[0]));
  return varying.length > 0 ? varying : columns;
}

/** Columns of one flow, or of each row's only flow. */
function flowColumns(name: string | undefined, rows: readonly PointReading[], grouped: boolean): Column[] {
  const found = rows.map((row) => row.flows.find((flow) => name === undefined || flow.flow === name));
  const results = rows.map((row, index) =>
    found[index] === undefined ? undefined : row.point.flows[found[index].flow],
  );
  const allowed = figureColumn(
    found.map((flow) => flow?.configured?.bitsPerSecond),
    'rate',
  );
  const received = figureColumn(
    found.map((flow) => flow?.receivedBitsPerSecond),
    'rate',
  );
  const packets = figureColumn(
    results.map((result) => result?.packetsPerSecond),
    'countRate',
  );
  const transfers = results.map((result) => result?.transfer);
  const took = figureColumn(
    transfers.map((transfer) => (transfer?.completed ? transfer.seconds : undefined)),
    'time',
  );
  const seconds = took.cells.map((cell, index) => (transfers[index]?.completed === false ? 'not completed' : cell));
  const levels = new Set(found.flatMap((flow) => (flow === undefined ? [] : [flow.level])));
  const level = levels.size === 1 ? LEVEL_HEADERS[[...levels][0]!] : 'received';
  const dropped = results.map((result) => (result === undefined ? '' : droppedShare(result)));
  const columns = [
    right(`allowed ${allowed.unit}`, allowed.cells, 3),
    right(`${level} ${received.unit}`, received.cells, 0),
    right(took.unit === '' ? 'time' : `time ${took.unit}`, seconds, 2),
    right('error', found.map(errorCell), 1),
    right('packets/s', packets.cells, 5),
    right('dropped', dropped, 4),
  ].filter(({ cells }) => cells.some((cell) => cell !== ''));
  return grouped && name !== undefined ? columns.map((column) => ({ ...column, group: name })) : columns;
}

function errorCell(flow: FlowReading | undefined): string {
  if (flow === undefined) return '';
  if (flow.deviationPercent !== undefined) return deviation(flow.deviationPercent);
  if (flow.limitedBy !== undefined) return `limited by ${flow.limitedBy}`;
  return flow.unsaturated ? 'unsaturated' : '';
}

/** What was measured elsewhere, and how far the simulation is from it. */
function referenceColumns(readings: readonly PointReading[]): Column[] {
  const labels = [...new Set(readings.flatMap(({ references }) => references.map(({ label }) => label)))];
  return labels.flatMap((label) => {
    const found = readings.map(({ references }) => references.find((reference) => reference.label === label));
    const measured = figureColumn(
      found.map((reference) => reference?.measured),
      'rate',
    );
    const difference = found.map((reference) => (reference === undefined ? '' : deviation(reference.deviationPercent)));
    return [
      { ...right(`measured ${measured.unit}`, measured.cells, 2), group: visible(label) },
      { ...right('off by', difference, 2), group: visible(label) },
    ];
  });
}

function verdictColumn(readings: readonly PointReading[], style: Style): Column[] {
  if (readings.every(({ point }) => point.expectations.length === 0 && point.failed === undefined)) return [];
  const cells = readings.map(({ point }) => {
    if (point.failed !== undefined) return style.bad('✗ did not run');
    const failed = point.expectations.filter(({ passed }) => !passed).length;
    if (failed === 0) return point.expectations.length === 0 ? '' : style.good('✓ as expected');
    return style.bad(point.expectations.length === 1 ? '✗ failed' : `✗ ${fixed(failed, 0)} failed`);
  });
  return [left('expected', cells, 0)];
}

function left(header: string, cells: readonly string[], dropRank: number): Column {
  return { header, align: 'left', cells, dropRank };
}

function right(header: string, cells: readonly string[], dropRank: number): Column {
  return { header, align: 'right', cells, dropRank };
}
