import type { EmbeddedChart } from '../figure.ts';
import { csvOf } from './columns.ts';
import { button, download, element, jsonOf } from './dom.ts';
import { PanelView, type ViewRow } from './panel-view.ts';

/** Puts the page's colours into a drawing that leaves it. */
function standaloneSvg(view: PanelView, title: string): string {
  const copy = (view.plot.querySelector('svg.wide') as SVGSVGElement).cloneNode(true) as SVGSVGElement;
  const style = getComputedStyle(document.documentElement);
  const box = copy.viewBox.baseVal;
  for (const name of ['class', 'aria-labelledby', 'aria-describedby']) copy.removeAttribute(name);
  copy.setAttribute('width', String(box.width));
  copy.setAttribute('height', String(box.height));
  copy.setAttribute('aria-label', title);
  const text = new XMLSerializer().serializeToString(copy);
  const paper = style.getPropertyValue('--paper').trim();
  return text
    .replace(/var\(--([a-z0-9-]+)\)/g, (_, name: string) => style.getPropertyValue(`--${name}`).trim())
    .replace(/>/, `><rect width="100%" height="100%" fill="${paper}"/>`);
}

function tools(view: PanelView, chart: EmbeddedChart, figure: HTMLElement): HTMLElement {
  const name = `${chart.name}${chart.panels.length > 1 ? `-${view.panel.label.replace(/[^A-Za-z0-9]+/g, '').toLowerCase()}` : ''}`;
  const plain = (): Record<string, unknown>[] =>
    view.rows.map((row) => Object.fromEntries(view.fields.map((f) => [f.label, row[f.name] ?? null])));
  const bar = element('div', { class: 'tools', role: 'group', 'aria-label': 'Zoom and downloads' });
  if (view.zoomable) {
    bar.append(
      button('+', () => view.zoomBy(2), 'Zoom in'),
      button('−', () => view.zoomBy(0.5), 'Zoom out'),
      button('Whole', () => view.zoomOut(), 'Show the whole time or range'),
    );
  }
  bar.append(
    element('span', { class: 'gap' }),
    button(
      'CSV',
      () => {
        const header = view.fields.map((f) => (f.unit === '' ? f.label : `${f.label} (${f.unit})`));
        download(
          `${name}.csv`,
          'text/csv',
          csvOf(
            header,
            view.rows.map((row) => view.fields.map((f) => row[f.name] ?? null)),
          ),
        );
      },
      'Download the data as CSV',
    ),
    button(
      'JSON',
      () =>
        download(`${name}.json`, 'application/json', JSON.stringify({ title: chart.title, rows: plain() }, null, 1)),
      'Download the data as JSON',
    ),
    button(
      'SVG',
      () => download(`${name}.svg`, 'image/svg+xml', standaloneSvg(view, chart.title)),
      'Download the drawing as SVG',
    ),
    button(
      'Vega-Lite',
      () => {
        const spec = {
          ...(view.panel.spec as Record<string, unknown>),
          title: chart.title,
          data: { values: view.rows },
        };
        download(`${name}.vl.json`, 'application/json', JSON.stringify(spec, null, 1));
      },
      'Download the Vega-Lite specification',
    ),
  );
  figure.dataset.ready = '';
  return bar;
}

/** The elements of a series in a drawing: by their colour, or, where measured, by their place in the data. */
function marksOf(view: PanelView, svg: SVGSVGElement, series: string, colour: string): SVGElement[] {
  const measured = view.rows.filter((row) => row.role === 'measured');
  if (measured.some((row) => row.series === series)) {
    const marks = svg.querySelectorAll<SVGElement>('g.measured_marks > *');
    return [...marks].filter((_, i) => measured[i]?.series === series);
  }
  return [...svg.querySelectorAll<SVGElement>(`g.role-mark [stroke="${colour}"], g.role-mark [fill="${colour}"]`)];
}

function switches(figure: HTMLElement, views: readonly PanelView[]): void {
  const items = [...figure.querySelectorAll<HTMLElement>('.legend li[data-series]')];
  if (items.length < 2) return;
  for (const item of items) {
    const series = item.querySelector('span')?.textContent ?? '';
    const swatch = item.querySelector('svg path:last-child');
    const fill = swatch?.getAttribute('fill');
    const colour = (fill === 'none' ? swatch?.getAttribute('stroke') : fill) ?? '';
    const toggle = element('button', { type: 'button', 'aria-pressed': 'true' });
    toggle.append(...item.childNodes);
    item.append(toggle);
    toggle.addEventListener('click', () => {
      const hide = toggle.getAttribute('aria-pressed') === 'true';
      toggle.setAttribute('aria-pressed', String(!hide));
      for (const view of views) {
        view.setHidden(series, hide);
        for (const svg of view.plot.querySelectorAll<SVGSVGElement>(':scope > svg')) {
          for (const mark of marksOf(view, svg, series, colour)) mark.style.display = hide ? 'none' : '';
        }
      }
    });
  }
}

/** What the rest of the page can do with a chart. */
export interface ChartView {
  readonly name: string;
  readonly figure: HTMLElement;
  readonly panels: readonly PanelView[];
}

/** Brings a figure to life. */
export function viewChart(
  figure: HTMLElement,
  onChoose: (figure: HTMLElement, row: ViewRow) => void,
): ChartView | undefined {
  const chart = jsonOf<EmbeddedChart>(figure.querySelector('script.chart-data'));
  if (chart === undefined) return undefined;
  const plots = [...figure.querySelectorAll<HTMLElement>('.plot')];
  const panels = plots.flatMap((plot, i) => {
    const panel = chart.panels[i];
    if (panel === undefined) return [];
    const view = new PanelView(panel, plot, chart.panels.length > 1 ? `${chart.title}: ${panel.label}` : chart.title);
    plot.after(tools(view, chart, figure));
    view.onChoose = (row) => onChoose(figure, row);
    return [view];
  });
  switches(figure, panels);
  return { name: chart.name, figure, panels };
}
