import type { GridData } from '../grid.ts';
import type { WhatIfData } from '../what-if-data.ts';
import { type ChartView, viewChart } from './chart-view.ts';
import { jsonOf } from './dom.ts';
import { Runs } from './runs.ts';
import { makeSortable } from './tables.ts';
import { addThemeSwitch } from './theme.ts';
import { setUpWhatIf } from './what-if.ts';

const RATE_UNITS: Readonly<Record<string, number>> = { 'bit/s': 1, 'kbit/s': 1e3, 'Mbit/s': 1e6, 'Gbit/s': 1e9 };

/** Folds what is open for readers without scripts; opens it all for paper. */
function fold(): void {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>('details.fold')];
  for (const details of folds) details.open = false;
  let before: boolean[] = [];
  addEventListener('beforeprint', () => {
    before = folds.map((details) => details.open);
    for (const details of folds) details.open = true;
  });
  addEventListener('afterprint', () => {
    folds.forEach((details, i) => {
      details.open = before[i] ?? false;
    });
  });
}

function markOnStaircase(
  views: readonly ChartView[],
  configuredBitsPerSecond: number,
  receivedBitsPerSecond: number,
): void {
  const panel = views.find((view) => view.name === 'staircase')?.panels[0];
  const x = panel?.fields.find((f) => f.name === 'x');
  const y = panel?.fields.find((f) => f.name === 'y');
  if (panel === undefined || x === undefined || y === undefined) return;
  panel.mark(configuredBitsPerSecond / (RATE_UNITS[x.unit] ?? 1), receivedBitsPerSecond / (RATE_UNITS[y.unit] ?? 1));
}

function start(): void {
  const header = document.querySelector('header');
  if (header !== null) addThemeSwitch(header);
  fold();
  const grid = jsonOf<GridData>(document.querySelector('#grid-data'));
  const runs = grid === undefined ? undefined : new Runs(grid);
  const views = [...document.querySelectorAll<HTMLElement>('figure.chart')].flatMap((figure) => {
    const view = viewChart(figure, (at, row) => {
      if (typeof row.point === 'number') runs?.show(at, Number(row.result), row.point);
    });
    return view === undefined ? [] : [view];
  });
  const allRuns = document.querySelector<HTMLElement>('#all-runs');
  if (allRuns !== null) runs?.offerCsv(allRuns);
  for (const table of document.querySelectorAll('table')) makeSortable(table);
  const section = document.querySelector<HTMLElement>('#what-if');
  const data = jsonOf<WhatIfData>(document.querySelector('#what-if-data'));
  const engine = jsonOf<string>(document.querySelector('#what-if-engine'));
  const place = section?.querySelector<HTMLElement>('.whatif');
  if (section && place && data !== undefined && engine !== undefined) {
    section.hidden = false;
    setUpWhatIf(place, data, engine, (configured, received) => markOnStaircase(views, configured, received));
  }
}

start();
