import type { PointResult } from '../run/result.ts';
import type { LoadedScenario } from '../scenario/load-scenario.ts';
import type { Journal } from '../sweep/journal.ts';
import { readLineHead, resultText } from '../sweep/point-line.ts';
import { fixed } from './figures.ts';
import { readPoint } from './reading.ts';
import { sweepTable } from './sweep-table.ts';
import type { Style, Terminal } from './terminal.ts';

/**
 * The finished points of a journal as the table of a sweep, the first `most` of them; `rest` says where the others are.
 *
 * @param loaded the scenario that the points were made from
 */
export function journalTable(
  journal: Journal,
  loaded: LoadedScenario,
  { most, rest }: { readonly most: number; readonly rest: string },
  terminal: Terminal,
  style: Style,
): string[] {
  const indexes = [...journal.indexes()];
  if (indexes.length === 0) return [];
  const readings = indexes.slice(0, most).map((index) => {
    const line = journal.line(index);
    const point = JSON.parse(resultText(line, readLineHead(line)!)) as PointResult;
    const scenario = point.failed === undefined ? loaded.pointOf(point.variables).scenario : loaded.first;
    return readPoint(scenario, point, loaded.references);
  });
  const more = indexes.length - readings.length;
  return [
    ...sweepTable(readings, terminal, style),
    ...(more > 0 ? [`… and ${fixed(more, 0)} more points; ${rest}`] : []),
  ];
}
