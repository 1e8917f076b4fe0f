import { formatNumber, formatQuantity, formatSigned } from '../format.ts';
import type { GridData } from '../grid.ts';
import { cleanText } from '../html.ts';
import { csvOf, rowsOf } from './columns.ts';
import { announce, button, download, element } from './dom.ts';
import type { ViewRow } from './panel-view.ts';

/** Writes an argument so that a shell takes it as it is. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** All runs of the page: what a cell leads to, and their CSV file. */
export class Runs {
  readonly #data: GridData;
  readonly #rows: ViewRow[];

  constructor(data: GridData) {
    this.#data = data;
    this.#rows = rowsOf(data.columns);
  }

  /** The command that runs one point by itself. */
  commandOf(row: ViewRow): string {
    const sets = this.#data.variables.flatMap((name) => {
      const value = row[`var:${name}`];
      return value === null || value === undefined ? [] : ['--set', shellWord(`${name}=${value}`)];
    });
    return ['sim run', shellWord(this.#data.files[Number(row.result)] ?? ''), ...sets].join(' ');
  }

  /** Shows the run of a result and point below a figure. */
  show(figure: HTMLElement, result: number, point: number): void {
    const rows = this.#rows.filter((r) => r.result === result && r.point === point);
    const first = rows[0];
    if (first === undefined) return;
    figure.querySelector('.run')?.remove();
    const box = element('div', { class: 'run', role: 'region', 'aria-label': 'The chosen run', tabindex: '-1' });
    const name = this.#data.variables.map((v) => `${v} ${first[`var:${v}`] ?? ''}`).join(', ');
    box.append(element('h4', {}, element('bdi', {}, cleanText(name) || 'The run')));
    const list = element('dl', { class: 'source' });
    const add = (label: string, text: string): void => list.append(element('dt', {}, label), element('dd', {}, text));
    for (const row of rows) {
      if (rows.length > 1) add('Flow', cleanText(String(row.flow)));
      const received = Number(row.received);
      const configured = row.configured === null ? undefined : Number(row.configured);
      if (configured !== undefined) add('Configured', formatQuantity(configured, 'rate', 6));
      add(
        'Received',
        configured === undefined
          ? formatQuantity(received, 'rate', 6)
          : `${formatQuantity(received, 'rate', 6)} (${formatSigned(100 * (received / configured - 1))})`,
      );
      add('Packets', `${formatNumber(Number(row.packets), 7)} /s, ${formatNumber(Number(row.dropped), 15)} dropped`);
      add(
        'Delay',
        `p50 ${formatQuantity(Number(row.p50), 'time', 4)}, p99 ${formatQuantity(Number(row.p99), 'time', 4)}`,
      );
      if (Number(row.failed) > 0) add('Expectations', `${row.failed} failed`);
    }
    box.append(
      list,
      element('p', { class: 'note' }, 'This command runs it by itself:'),
      element('pre', {}, this.commandOf(first)),
    );
    figure.querySelector('details.data')?.before(box);
    announce(`Run ${cleanText(name)}: ${formatQuantity(Number(first.received), 'rate', 6)}`);
  }

  /** Offers the CSV file of all runs above their table. */
  offerCsv(place: HTMLElement): void {
    const names = [
      'result',
      ...this.#data.variables.map((v) => `var:${v}`),
      'flow',
      'configured',
      'received',
      'packets',
      'dropped',
      'p50',
      'p99',
      'failed',
    ];
    const header = [
      'result',
      ...this.#data.variables,
      'flow',
      'configured (bit/s)',
      'received (bit/s)',
      'packets (/s)',
      'dropped',
      'delay p50 (s)',
      'delay p99 (s)',
      'expectations failed',
    ];
    const save = (): void =>
      download(
        'runs.csv',
        'text/csv',
        csvOf(
          header,
          this.#rows.map((row) => names.map((name) => row[name] ?? null)),
        ),
      );
    place.prepend(element('div', { class: 'tools' }, button('CSV of all runs', save)));
  }
}
