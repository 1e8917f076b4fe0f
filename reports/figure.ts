import type { Chart, LegendEntry, Panel, Row } from './chart.ts';
import { NARROW, WIDE } from './chart.ts';
import { embeddedJson, Html, html, shown } from './html.ts';
import { tableHtml } from './tables.ts';
import { followTheme } from './theme.ts';
import { drawPanel, fileSpec } from './vega.ts';

/** A column of rows for the page: numbers as they are; texts, where they repeat, as indices into a list. */
export type Column =
  | readonly (number | string | null)[]
  | { readonly texts: readonly string[]; readonly at: readonly number[] };

/** What the page is told of a panel, for tooltips, zoom and downloads. */
export interface EmbeddedPanel {
  readonly label: string;
  readonly fields: Panel['fields'];
  readonly columns: Readonly<Record<string, Column>>;
  readonly x: Panel['x'];
  readonly y: Panel['y'];
  readonly wide: ReturnType<Panel['layout']> & { readonly width: number };
  readonly narrow: ReturnType<Panel['layout']> & { readonly width: number };
  /** The specification for download, its rows to be filled in. */
  readonly spec: unknown;
}

/** What the page is told of a chart. */
export interface EmbeddedChart {
  readonly name: string;
  readonly title: string;
  readonly panels: readonly EmbeddedPanel[];
}

/** Turns rows into columns: a third of the size of rows in JSON. */
export function columnsOf(rows: readonly Row[]): Record<string, Column> {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns: Record<string, Column> = {};
  for (const name of names) {
    const values = rows.map((row) => row[name] ?? null);
    const texts = [...new Set(values)];
    const repeats = texts.length < values.length / 2 && texts.every((t) => typeof t === 'string');
    columns[name] = repeats
      ? { texts: texts as string[], at: indicesOf(values as string[], texts as string[]) }
      : values;
  }
  return columns;
}

function indicesOf(values: readonly string[], texts: readonly string[]): number[] {
  const index = new Map(texts.map((text, i) => [text, i]));
  return values.map((value) => index.get(value) as number);
}

function embeddedPanel(panel: Panel): EmbeddedPanel {
  return {
    label: panel.label,
    fields: panel.fields,
    columns: columnsOf(panel.rows),
    x: panel.x,
    y: panel.y,
    wide: { ...panel.layout(WIDE), width: WIDE.width },
    narrow: { ...panel.layout(NARROW), width: NARROW.width },
    spec: fileSpec(panel, WIDE, []),
  };
}

const SHAPE_PATHS: Readonly<Record<string, string>> = {
  circle: 'M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z',
  square: 'M-3.6-3.6H3.6V3.6H-3.6Z',
  'triangle-up': 'M0-4.4L4.4 3.4H-4.4Z',
  'triangle-down': 'M0 4.4L4.4-3.4H-4.4Z',
  diamond: 'M0-5L4.4 0L0 5L-4.4 0Z',
  cross: 'M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z',
  tick: 'M-0.8-6H0.8V6H-0.8Z',
};

function swatch(entry: LegendEntry): Html {
  const dash = entry.dash.length === 0 ? '' : ` stroke-dasharray="${entry.dash.join(' ')}"`;
  const line = `<path d="M-13 0H13" fill="none" stroke="${entry.colour}" stroke-width="2"${dash}/>`;
  const paint =
    entry.hollow === true ? `fill="none" stroke="${entry.colour}" stroke-width="1.6"` : `fill="${entry.colour}"`;
  const point = `<path d="${SHAPE_PATHS[entry.shape] ?? ''}" ${paint}/>`;
  const box = `<path d="M-7-6H7V6H-7Z" fill="${entry.colour}" stroke="#87919c"/>`;
  const inside =
    entry.sign === 'box'
      ? box
      : entry.sign === 'point'
        ? point
        : entry.switchable && entry.shape !== 'none'
          ? line + point
          : line;
  return new Html(followTheme(`<svg viewBox="-14 -8 28 16" width="28" height="16" aria-hidden="true">${inside}</svg>`));
}

function legendHtml(chart: Chart): Html | undefined {
  if (chart.legend.length < 2) return undefined;
  return html`<ul class="legend" aria-label="Legend">${chart.legend.map(
    (entry) =>
      html`<li${entry.switchable ? html` data-series` : undefined}>${swatch(entry)}<span>${shown(entry.label, 48)}</span></li>`,
  )}</ul>`;
}

/** What `choose` shows: the radio buttons work without a script, by the style sheet alone. */
function chooserHtml(chart: Chart): Html | undefined {
  if (chart.arrange !== 'choose' || chart.panels.length < 2) return undefined;
  return html`<fieldset class="chooser"><legend>Window</legend>${chart.panels.map(
    (panel, i) =>
      html`<label><input type="radio" name="window-${chart.name}" value="${i}"${
        i === chart.first ? html` checked` : undefined
      }><span>${panel.label}</span></label>`,
  )}</fieldset>`;
}

async function panelHtml(chart: Chart, panel: Panel, index: number): Promise<Html> {
  const id = `${chart.name}-${index}`;
  const drawings: Html[] = [];
  for (const size of [WIDE, NARROW]) {
    const kind = size.narrow ? 'narrow' : 'wide';
    const place = panel.layout(size);
    const height = place.top + place.height + place.bottom;
    const inside = await drawPanel(panel, size, `${id}-${kind}`);
    drawings.push(
      html`<svg class="${kind}" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="title-${chart.name}" aria-describedby="note-${chart.name}">${new Html(inside)}</svg>`,
    );
  }
  return html`<div class="panel panel-${index}"><div class="plot">${drawings}</div></div>`;
}

/** Builds a figure: finding, legend, drawings, its data as a table, and the data for the page's script. */
export async function figureHtml(chart: Chart): Promise<Html> {
  const panels: Html[] = [];
  for (const [i, panel] of chart.panels.entries()) panels.push(await panelHtml(chart, panel, i));
  const embedded: EmbeddedChart = { name: chart.name, title: chart.title, panels: chart.panels.map(embeddedPanel) };
  return html`<figure class="chart ${chart.arrange}" id="chart-${chart.name}">
<figcaption><h3 id="title-${chart.name}">${shown(chart.title, 400)}</h3><p class="note" id="note-${chart.name}">${shown(
    chart.note,
    600,
  )}</p></figcaption>
<div class="above">${legendHtml(chart)}${chooserHtml(chart)}</div>
${panels}
<details class="fold data" open><summary>Data</summary>${tableHtml(chart.table, `table-${chart.name}`)}</details>
<script type="application/json" class="chart-data">${embeddedJson(embedded)}</script>
</figure>
`;
}
